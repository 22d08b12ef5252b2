"""YAML and JSON files to nodes that know their places.

Scalars stay text: what `no`, `012` or `2026-08-28` means is for the schema to say. YAML is read as
events, so that nothing is constructed, and without the parts by which a small file grows large or
a reader and a reviewer see different things: aliases, tags, merge keys, directives, duplicate keys.
"""

import errno
import os
import re
import stat
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import yaml

from generator import json_reader
from generator.diagnostics import Diagnostic, Rejected, Source, Span
from generator.nodes import (
    HIDDEN,
    HIDDEN_LISTED,
    Entry,
    Limits,
    Lines,
    Mapping,
    Node,
    Scalar,
    Sequence,
    Tree,
    hidden,
)

__all__ = [
    "LIMITS",
    "Entry",
    "Limits",
    "Mapping",
    "Node",
    "Scalar",
    "Sequence",
    "parse",
    "read",
]

LIMITS = Limits()
# libyaml's parser is 14 times as fast; both give the same events.
LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
BOM = "\ufeff"
HEADER = re.compile(r"[|>][-+0-9]*")
PROPERTY = re.compile(r"[&!][^\s,\[\]{}]*")
NULLS = {"", "~", "null"}
FILE_TYPES = {
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFDIR: "a directory",
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
SYNTAX_CURES = {
    "cannot start any token": "indent with spaces; put a text that begins with a sign in quotes",
    "mapping values are not allowed": "put a text that holds `: ` in quotes",
    "block mapping": "indent all keys of a mapping alike",
}


def read(file: Path, *, name: str, limits: Limits = LIMITS) -> Source:
    """Return the text of a regular UTF-8 file, without its byte order mark.

    `name` is how users know the file. No link is followed, and no more than one byte above the
    limit is read. Raises `Rejected`.
    """
    flags = os.O_RDONLY
    for flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"):
        flags |= getattr(os, flag, 0)
    try:
        # Opening a device can have effects, so look before.
        _refuse_special(file.lstat().st_mode, name)
        with os.fdopen(os.open(file, flags), "rb") as stream:
            status = os.fstat(stream.fileno())
            _refuse_special(status.st_mode, name)
            data = b"" if status.st_size > limits.size else stream.read(limits.size + 1)
    except (OSError, ValueError) as failure:
        raise _unreadable(name, _reason(failure)) from failure
    size = max(status.st_size, len(data))
    if size > limits.size:
        raise Rejected([too_long(name, size, limits.size)])
    return decode(data, name=name)


def decode(data: bytes, *, name: str) -> Source:
    """Return the text of UTF-8 bytes, without its byte order mark. Raises `Rejected`."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as failure:
        before = data[: failure.start].decode("utf-8").removeprefix(BOM)
        lines = Lines.of(name, before)
        span = replace(place := lines.span(len(before), len(before)), end_column=place.column + 1)
        message = f"byte `0x{data[failure.start]:02X}` is not UTF-8"
        raise _unreadable(name, message, span, "save the file as UTF-8") from failure
    return Source(name, text.removeprefix(BOM))


def parse(
    source: Source, *, limits: Limits = LIMITS, is_json: bool | None = None
) -> tuple[Node | None, tuple[Diagnostic, ...]]:
    """Return the document in a source and what is wrong with it, in the order of the text.

    Never raises. Unless it is said, a path that ends in `.json` is JSON, any other YAML. The node is None
    where nothing sensible could be read; beside findings it holds what could, the offending entries left
    out. A byte order mark counts as no column.
    """
    size = len(source.text.encode("utf-8", "surrogatepass"))
    if size > limits.size:
        return None, (too_long(source.path, size, limits.size),)
    if is_json is None:
        is_json = source.path.lower().endswith(".json")
    text = source.text.removeprefix(BOM).replace("\r\n", "\n")
    # One character for one keeps every column; the stand-in is harmless in either language.
    lines = Lines.of(source.path, HIDDEN.sub(" " if is_json else "\ufffd", text))
    tree = Tree(lines, limits)
    tree.found += [
        hidden(source.path, match[0], lines.span(match.start(), match.end()))
        for match in islice(HIDDEN.finditer(text), HIDDEN_LISTED + 1)
    ]
    try:
        if not is_json:
            _read_yaml(lines, tree)
        elif lines.text.strip():
            json_reader.read(lines, tree)
    except Rejected as rejected:
        return None, _listed([*tree.found, *rejected.diagnostics])
    root = tree.root
    if root is None or (isinstance(root, Scalar) and root.kind == "null" and not root.text):
        root, start = None, Span(1, 1, 1, 1)
        cure = "write a record, or delete the file"
        tree.found.append(Diagnostic("E0103", "the file is empty", source.path, start, help=cure))
    elif not isinstance(root, Mapping):
        message = f"the document is a {type(root).__name__.lower()}, not a mapping"
        cure = "begin with a key, such as `repo:`"
        tree.found.append(Diagnostic("E0108", message, source.path, root.span, help=cure))
    return root, _listed(tree.found)


def _listed(found: list[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return findings in order of place, hidden characters cut at the number that helps."""
    ordered = sorted(found, key=lambda each: each.position)
    places = [index for index, each in enumerate(ordered) if each.code == "E0107"]
    if len(places) > HIDDEN_LISTED:
        last = places[HIDDEN_LISTED - 1]
        note = f"there are more: only the first {HIDDEN_LISTED} of a file are listed"
        ordered[last] = replace(ordered[last], notes=(note,))
    surplus = set(places[HIDDEN_LISTED:])
    return tuple(each for index, each in enumerate(ordered) if index not in surplus)


def _read_yaml(lines: Lines, tree: Tree) -> None:
    span = Span(1, 1, 1, 1)
    documents = 0
    try:
        for event in yaml.parse(lines.text, Loader=LOADER):
            span = _span(event.start_mark, event.end_mark)
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    message = "a second document in one file"
                    cure = "give every record a file of its own"
                    found = Diagnostic("E0101", message, lines.path, span, help=cure)
                    tree.found.append(found)
                    return
                _refuse_directives(lines, tree, span)
            else:
                _take(event, span, lines, tree)
    except yaml.MarkedYAMLError as failure:
        raise Rejected([_syntax(failure, lines, tree)]) from failure
    except (yaml.YAMLError, ValueError, OverflowError) as failure:
        # An escaped tag or number that only the decoder behind the scanner refuses: it has no mark.
        end = Span(span.end_line, span.end_column, span.end_line, span.end_column)
        message = "what follows cannot be read as YAML"
        raise Rejected([Diagnostic("E0101", message, lines.path, end)]) from failure


def _take(event: Any, span: Span, lines: Lines, tree: Tree) -> None:
    start = lines.offset(span.line, span.column)
    if isinstance(event, yaml.AliasEvent):
        cure = "write the value itself, or put a text that begins with `*` in quotes"
        _refuse(tree, lines, f"alias `*{event.anchor}`", span, cure)
        if tree.is_at_key:
            tree.drop_key()
        else:
            tree.add(Scalar("", "null", span))
    elif isinstance(event, yaml.ScalarEvent):
        _refuse_properties(event, start, lines, tree)
        if tree.is_at_key and not event.style and event.value == "<<":
            _refuse(tree, lines, "merge key `<<`", span, "write the keys out")
            tree.drop_key()
        else:
            tree.add(_scalar(event, span, start, lines))
    elif isinstance(event, yaml.CollectionStartEvent):
        _refuse_properties(event, start, lines, tree)
        tree.open(span, is_mapping=isinstance(event, yaml.MappingStartEvent))
    elif isinstance(event, yaml.CollectionEndEvent):
        # A block has no end of its own: the event stands at whatever comes next.
        is_bracket = span.column != span.end_column
        tree.close(span if is_bracket else None)


def _scalar(event: Any, span: Span, start: int, lines: Lines) -> Scalar:
    text: str = event.value
    if event.style and event.style in "|>":
        header = HEADER.match(lines.text, start)
        span = lines.span(start, header.end() if header else start + 1)
        is_literal = header is not None and event.style == "|"
        return Scalar(text, "string", span, _block(text, span, lines) if is_literal else None)
    margin = 1 if event.style else 0
    end = lines.offset(span.end_line, span.end_column)
    is_verbatim = text and lines.text[start + margin : end - margin] == text
    return Scalar(
        text,
        "string" if event.style else "null" if text in NULLS else "plain",
        span,
        (span.line, span.column + margin) if is_verbatim else None,
    )


def _block(text: str, span: Span, lines: Lines) -> tuple[int, int] | None:
    """Return where the lines of a literal block stand: below its header, behind the margin."""
    for index, row in enumerate(text.split("\n")):
        if row:
            return span.line + 1, len(lines.rows[span.line + index]) - len(row) + 1
    return None


def _refuse_properties(event: Any, start: int, lines: Lines, tree: Tree) -> None:
    for what, given, sign in (("anchor", event.anchor, "&"), ("tag", event.tag, "!")):
        written = PROPERTY.match(lines.text, lines.text.find(sign, start)) if given else None
        if written:
            span = lines.span(written.start(), written.end())
            cure = f"write the value alone, or put a text that begins with `{sign}` in quotes"
            _refuse(tree, lines, f"{what} `{written[0]}`", span, cure)


def _refuse_directives(lines: Lines, tree: Tree, span: Span) -> None:
    for line in range(span.line, span.end_line):
        row = lines.rows[line - 1]
        if row.startswith("%"):
            place = Span(line, 1, line, len(row) + 1)
            _refuse(tree, lines, f"directive `{row.split()[0]}`", place, "delete the line")


def _refuse(tree: Tree, lines: Lines, what: str, span: Span, cure: str) -> None:
    tree.found.append(Diagnostic("E0105", f"{what} is refused", lines.path, span, help=cure))


def _syntax(failure: yaml.MarkedYAMLError, lines: Lines, tree: Tree) -> Diagnostic:
    problem = re.sub(r"'([^']+)'", r"`\1`", failure.problem or "not YAML").removesuffix(".")
    mark, context = failure.problem_mark, failure.context_mark
    start = lines.offset(mark.line + 1, mark.column + 1) if mark else 0
    span = lines.span(start, min(start + 1, len(lines.text)))
    if "nesting depth" in problem:
        return tree.too_large("nesting too deep to count", tree.limits.depth, span)
    notes: tuple[str, ...] = ()
    if failure.context and context and lines.offset(context.line + 1, context.column + 1) < start:
        place = f"line {context.line + 1}, column {context.column + 1}"
        notes = (f"{failure.context} that begins at {place}",)
    return Diagnostic(
        "E0101",
        problem[:1].lower() + problem[1:],
        lines.path,
        span,
        notes=notes,
        help=next((cure for part, cure in SYNTAX_CURES.items() if part in problem), None),
    )


def _span(start: Any, end: Any) -> Span:
    """Return the span between two marks, whose lines and columns begin at 0."""
    return Span(start.line + 1, start.column + 1, end.line + 1, end.column + 1)


def _refuse_special(mode: int, name: str) -> None:
    if not stat.S_ISREG(mode):
        kind = FILE_TYPES.get(stat.S_IFMT(mode), "a special file")
        raise _unreadable(name, f"{kind}, not a regular file")


def _reason(failure: OSError | ValueError) -> str:
    number = failure.errno if isinstance(failure, OSError) else errno.EINVAL
    return os.strerror(number or errno.EIO).lower()


def _unreadable(name: str, message: str, span: Span | None = None, cure: str | None = None) -> Rejected:
    return Rejected([Diagnostic("E0102", f"cannot be read: {message}", name, span, help=cure)])


def too_long(name: str, size: int, limit: int = LIMITS.size) -> Diagnostic:
    """Return what is said of a record that has more bytes than it may have."""
    message = f"{size:,} bytes, and the limit is {limit:,}"
    return Diagnostic("E0104", message, name, help="keep to one error a file")
