"""A record to begin with: what a `raise` statement says of its error, as a commented YAML file.

Nothing of it is a guess: what only a person can know stands in comments, and the record says that it is
unproven.
"""

import ast
import json
import re
import textwrap
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from generator import document, raises, schema
from generator.diagnostics import Source
from generator.excerpts import AROUND
from generator.nodes import HIDDEN, Scalar
from generator.raises import Raise
from generator.template import TemplateError, template

UNPROVEN = "no trigger has been written yet"
_PLAIN = re.compile(r"[A-Za-z_/][\w ./@=(),'~+-]*")


@dataclass(frozen=True, slots=True)
class Origin:
    """Where lines come from, as a record names it.

    `prefix` put before a path in the release gives the repository's. `requirement` is the release that can be
    run, None where that is not known. `is_at_hand` says that a build reads the lines there by itself: else
    the record quotes them.
    """

    repo: str
    commit: str
    prefix: str = ""
    requirement: str | None = None
    is_at_hand: bool = False


@dataclass(frozen=True, slots=True)
class Draft:
    """A record's file: its name, text and id, and the pattern that recognises its messages."""

    slug: str
    text: str
    id: str
    pattern: str


class Undraftable(ValueError):  # noqa: N818 - what a source says, not a fault
    """Why a place makes no record."""


def at(text: str, line: int) -> tuple[Raise, str]:
    """The `raise` statement on a line of a file (1-based, any line of it), and its function.

    Raises Undraftable, with what would help.
    """
    found = raises.every(text)
    for statement, function in found:
        if statement.first_line <= line <= statement.last_line:
            return statement, function
    if why := raises.unreadable(text):
        raise Undraftable(f"Python cannot read the file: {why}")
    near = sorted(found, key=lambda one: abs(one[0].first_line - line))[:3]
    lines = ", ".join(str(one.first_line) for one, _ in sorted(near, key=lambda one: one[0].first_line))
    raise Undraftable(
        f"no `raise` stands on line {line}" + (f": the nearest are on {lines}" if near else ", nor anywhere")
    )


def draft(
    text: str,
    statement: Raise,
    function: str,
    *,
    file: str,
    origin: Origin,
    values: Mapping[str, str] | None = None,
    sites: Sequence[str] = (),
    date: str | None = None,
) -> Draft:
    """The record of the error that a statement raises in a file of that text.

    `file` is the file's path in the release, `values` what a real message had in the holes by their labels,
    `sites` further places (`path:line`, in the repository) that raise the same, `date` when that was seen.
    Raises Undraftable.
    """
    if statement.error_class is None or statement.message is None:
        raise Undraftable(f"line {statement.first_line} gives no message that can be read: {statement.why}")
    if HIDDEN.search(statement.message):
        raise Undraftable(f"the message of line {statement.first_line} holds hidden characters")
    try:
        meant = template(statement.message)
    except TemplateError as error:
        raise Undraftable(f"line {statement.first_line} writes no message: {error.message}") from error
    path = f"{origin.prefix}{file}"
    slug = schema.slug_of(statement.message, statement.error_class)
    known = {name: HIDDEN.sub("�", value) for name, value in (values or {}).items()}
    lines = [
        f"repo: {scalar(origin.repo)}",
        f"slug: {slug}",
        f"errorMessage: {scalar(statement.message)}",
        f"errorClass: {statement.error_class}",
        f"filePath: {scalar(path)}",
        f"lineNumber: {statement.first_line}",
        f'analyzedSha: "{origin.commit}"',
        *([f'analyzedAt: "{date}"'] if date else []),
    ]
    if not origin.is_at_hand:
        lines += _quoted(text, statement)
    where = function or "the module itself"
    lines += [
        "# What it means, and the one thing to do first (Markdown).",
        f"documentation: {scalar(f'Raised by `{where}`.')}",
        "# solutions:",
        "#   - what to do, most likely first",
        "# exampleFix: |-",
        "#   # before",
        "#   code that raises it",
        "#",
        "#   # after",
        "#   code that does not",
        "# tags: [words, by, which, it, is, found]",
        "# To prove it, give a trigger that raises it, and take `unproven` out.",
        "verification:",
        f"  unproven: {UNPROVEN}",
    ]
    subject = f"subject: {scalar(origin.requirement)}" if origin.requirement else "# subject: name==version"
    lines.append(f"  {subject}")
    if statement.built_line is not None:
        lines.append(f"  builtAt: {scalar(f'{path}:{statement.built_line}')}")
    if sites:
        lines += ["  sites:", *(f"    - {scalar(one)}" for one in sites)]
    lines += _sketch(text, statement, function, file)
    if meant.labels:
        shown = ", ".join(
            f"{_key(name)}: {json.dumps(known.get(name, '…'), ensure_ascii=False)}" for name in meant.labels
        )
        lines.append(f"  # captures: {{{shown}}}")
    return Draft(
        slug,
        "\n".join(lines) + "\n",
        schema.identity(origin.repo, statement.error_class, statement.message),
        meant.pattern().text,
    )


def renamed(one: Draft, taken: Collection[str]) -> Draft:
    """The draft under a name that is not taken: with a number behind its own."""
    number, slug = 1, one.slug
    while slug in taken:
        number += 1
        slug = f"{one.slug}-{number}"
    return replace(one, slug=slug, text=one.text.replace(f"\nslug: {one.slug}\n", f"\nslug: {slug}\n", 1))


def scalar(text: str) -> str:
    """A text as YAML writes it on one line: plain where that is what is read back, else in double quotes."""
    if _PLAIN.fullmatch(text) and not text.endswith(" "):
        node, found = document.parse(Source("", f"key: {text}\n"))
        value = node.get("key") if not found and isinstance(node, document.Mapping) else None
        if isinstance(value, Scalar) and value.kind == "plain" and value.text == text and _is_word(text):
            return text
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\x7f")


def _is_word(text: str) -> bool:
    """Whether no other reader of YAML takes a plain text for a value of another kind."""
    return text.lower() not in {"null", "true", "false", "yes", "no", "on", "off", "y", "n"}


def _key(name: str) -> str:
    return name if name.isidentifier() else json.dumps(name, ensure_ascii=False)


def _quoted(text: str, statement: Raise) -> list[str]:
    """The lines around a statement, all of it among them, as a record holds them."""
    rows = text.split("\n")
    first = max(1, statement.first_line - AROUND)
    last = min(len(rows), max(statement.first_line + AROUND, statement.last_line))
    while not rows[last - 1].strip():
        last -= 1
    body = "\n".join(rows[first - 1 : last])
    if HIDDEN.search(body) or "\r" in body:
        return []  # no record may hold such signs: its page links to the source
    # The number says how far lines are indented, whatever the first of them has.
    written = textwrap.indent(body, "  ", lambda row: row != "\n")
    return ["sourceCode: |2-", written, f"sourceCodeStart: {first}", f"sourceCodeEnd: {last}"]


def _sketch(text: str, statement: Raise, function: str, file: str) -> list[str]:
    """What is known of a trigger, as comments: what to import, how it is called, and when it raises."""
    node, condition = _around(ast.parse(text), statement.first_line)
    # A working folder often keeps its packages in `src`.
    module = re.sub(r"(/__init__)?\.py$", "", file.removeprefix("src/")).replace("/", ".")
    outer, _, inner = function.partition(".")
    lines = ["  # setup: |-"]
    if outer and all(part.isidentifier() for part in module.split(".")):
        lines.append(f"  #   from {module} import {outer}")
    call = f"{outer}(…).{inner}" if inner else outer
    arguments = _arguments(node) if node is not None else ""
    when = f"  # it raises where {condition}" if condition else ""
    return [*lines, f"  # trigger: {call or '…'}({arguments}){when}"]


def _around(tree: ast.Module, line: int) -> tuple[ast.FunctionDef | ast.AsyncFunctionDef | None, str]:
    """The innermost function around a line, and the condition of the innermost `if` around it in that."""
    function: ast.FunctionDef | ast.AsyncFunctionDef | None = None
    condition = ""
    node: ast.AST | None = tree
    while node is not None:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            function, condition = node, ""
        elif isinstance(node, ast.If):
            is_else = node.orelse and node.orelse[0].lineno <= line
            # Of an `elif` the next turn tells.
            if is_else and not isinstance(node.orelse[0], ast.If):
                condition = f"not ({ast.unparse(node.test)})"
            elif not is_else:
                condition = ast.unparse(node.test)
        node = next(
            (
                child
                for child in ast.iter_child_nodes(node)
                if getattr(child, "lineno", line + 1) <= line <= (getattr(child, "end_lineno", 0) or 0)
                or (
                    isinstance(child, ast.match_case)
                    and child.body[0].lineno <= line <= (child.body[-1].end_lineno or 0)
                )
            ),
            None,
        )
    return function, textwrap.shorten(condition, 120, placeholder=" …").replace("\n", " ")


def _arguments(function: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """The names that a call has to give."""
    given = [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
    needed = given[: len(given) - len(function.args.defaults)]
    if needed[:1] in (["self"], ["cls"]):
        needed = needed[1:]
    keywords = [
        f"{one.arg}={one.arg}"
        for one, default in zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True)
        if default is None
    ]
    return ", ".join([*needed, *keywords])


def repository(origin: Origin, *, title: str, license: str | None) -> str:  # noqa: A002 - the field's name
    """The `repo.yaml` that stands beside the records of a repository."""
    lines = [f"repo: {scalar(origin.repo)}", f"title: {scalar(title)}"]
    if license:
        lines.append(f"license: {scalar(license)}")
    if origin.is_at_hand and origin.requirement:
        lines += [
            "# The lines of this release are those of the commit: what records quote is read from it.",
            "package:",
            f"  requirement: {scalar(origin.requirement)}",
            f'  commit: "{origin.commit}"',
            *([f"  prefix: {scalar(origin.prefix)}"] if origin.prefix else []),
        ]
    return "\n".join(lines) + "\n"
