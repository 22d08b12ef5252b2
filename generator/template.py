"""A message as its source writes it: text, and holes named by what is put in.

What opens a hole, in the order in which it is decided:

- `{{` and `}}` are braces, always.
- `{…}` is a hole if it holds what an f-string or `str.format` could: an expression that mentions a
  name, or a replacement field (`{}`, `{0}`, `{.shape}`), then a conversion and a format spec.
- Any other brace is text: an unclosed one (`expected {`), prose (`{your key here}`), constants
  (`{...}`, `'{' or '}'`, `{"a": 1}`), an expression of more than 300 characters, and a spec that
  begins with a space and formats no number (`{key: value}`). Where a text reads as a hole and is
  none, its braces are to be doubled.
- `%s` and the like are holes only in a text without brace holes; then `%%` is one per cent sign.
  The space flag is not read, for the sake of "100% sure".
"""

import ast
import keyword
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from generator.pattern import LONGEST, Hole, Pattern, merge, surrogate

LONGEST_EXPRESSION = 300  # characters

_BRACE = re.compile(r"[{}]")
# An expression that mentions a name, unless one of its parts is a word of the language.
_NAMES = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*")
_BRACKETS = {"(": ")", "[": "]", "{": "}"}
_QUOTED = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""", re.DOTALL)
_TAIL = re.compile(r"(?:!([rsa]))?([:}])")
_PRINTED = re.compile(r"=\s*\Z")  # `{x=}`
# `str.format`'s field: an argument, and attributes or items of it.
_FIELD = re.compile(r"(\d+|[^\W\d]\w*)?(?:\.[^\W\d]\w*|\[[^\]]+\])*")
_SPACED_SPEC = re.compile(r" (?:[<>=^][-+ ]?)?z?#?\d*[,_]?(?:\.\d+)?[bcdeEfFgGnosxX%]?")
_PRINTF = re.compile(
    r"%%|%(?:\((?P<key>[^()]*)\))?"
    r"(?P<layout>[-#0+]*(?P<width>\d+|\*)?(?:\.(?P<precision>\d+|\*))?)"
    r"[hlL]?(?P<kind>[diouxXeEfFgGcrsa])"
)


@dataclass(frozen=True, slots=True)
class Slot:
    """A hole of a template.

    `name` is the expression's text as written, without conversion and spec; for `{}` and `%s` the
    argument's position (from 0 and from 1), for `%(key)s` the key. `conversion` is "r", "s", "a" or
    ""; `spec` is the format as written (`>{width}`, `.2f`; `5.2f` of `%5.2f`).
    """

    name: str
    conversion: str = ""
    spec: str = ""


@dataclass(frozen=True, slots=True)
class Template:
    """The parts of a message in order. No text is empty and no two stand side by side."""

    parts: tuple[str | Slot, ...]
    # Made once: a record's checks ask for it again and again.
    _pattern: Pattern = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        segments = tuple([part if isinstance(part, str) else Hole(1) for part in self.parts])
        object.__setattr__(self, "_pattern", Pattern(segments))

    @property
    def names(self) -> tuple[str, ...]:
        """One name a hole, in order; a name may come twice."""
        return tuple(part.name for part in self.parts if isinstance(part, Slot))

    @property
    def labels(self) -> tuple[str, ...]:
        """A short name a hole: the last name of its expression where that is unmistakable; none twice."""
        names = self.names
        short = tuple(
            name.rpartition(".")[2] if name.replace(".", "").isidentifier() else name for name in names
        )
        return tuple(
            one if short.count(one) == 1 else f"{name} ({number})" if names.count(name) > 1 else name
            for number, (one, name) in enumerate(zip(short, names, strict=True), 1)
        )

    def pattern(self) -> Pattern:
        """Return the pattern that the template implies; every hole holds one character or more."""
        return self._pattern

    def fill(self, values: Sequence[str]) -> str:
        """Return the message with `values` in its holes; ValueError unless they are as many."""
        if len(values) != len(self.names):
            raise ValueError(f"{len(values)} values for {len(self.names)} holes")
        remaining = iter(values)
        return "".join(next(remaining) if isinstance(part, Slot) else part for part in self.parts)


class TemplateError(ValueError):
    """The text is no message at all; says why and where (0-based)."""

    def __init__(self, offset: int, message: str) -> None:
        super().__init__(offset, message)
        self.offset = offset
        self.message = message

    def __str__(self) -> str:
        return f"{self.message} at offset {self.offset}"


@dataclass(frozen=True, slots=True)
class _Field:
    """A hole in the text: `printed` is what `{x=}` puts before it, `end` follows its `}`."""

    printed: str
    slot: Slot
    end: int
    numbered: int  # how many fields without a name it holds, itself and those of its spec


@lru_cache(maxsize=4096)
def template(text: str) -> Template:
    """Return the template that `text` writes.

    Raises TemplateError for a text that is empty, holds a lone surrogate, or whose pattern would be
    longer than a pattern may be.

    >>> template("need {need_size} of {self.page_size:>4}").names
    ('need_size', 'self.page_size')
    """
    if not text:
        raise TemplateError(0, "empty message")
    if len(text) > LONGEST:
        raise TemplateError(LONGEST, f"message of {len(text):,} characters, at most {LONGEST:,} are read")
    if (lone := surrogate(text)) is not None:
        raise TemplateError(lone, "lone surrogate")
    parts = _braces(text)
    if not any(isinstance(part, Slot) for part in parts):
        parts = _conversions("".join(part for part in parts if isinstance(part, str)))
    found = Template(merge(parts))
    if len(found.pattern().text) > LONGEST:
        raise TemplateError(0, f"message whose pattern is longer than {LONGEST:,} characters")
    return found


def _braces(text: str) -> list[str | Slot]:
    """Return text and `{…}` holes in order, doubled braces undone."""
    parts: list[str | Slot] = []
    offset = numbered = 0
    while brace := _BRACE.search(text, offset):
        parts.append(text[offset : brace.start()])
        offset = brace.start()
        if text.startswith(("{{", "}}"), offset):
            parts.append(text[offset])
            offset += 2
        elif text[offset] == "{" and (field := _field(text, offset + 1, numbered)):
            parts += [field.printed, field.slot]
            offset = field.end
            numbered += field.numbered
        else:
            parts.append(text[offset])
            offset += 1
    return [*parts, text[offset:]]


def _field(text: str, start: int, number: int, *, is_nested: bool = False) -> _Field | None:
    """Return the hole whose `{` stands before `start`; None if that brace is text.

    `number` is the position that a field without a name would take.
    """
    stop = _expression_end(text, start)
    tail = _TAIL.match(text, stop) if stop is not None else None
    if tail is None:
        return None
    written = text[start : tail.start()]
    printed = _PRINTED.search(written)
    name = (written[: printed.start()] if printed else written).strip()
    numbered = 0
    if not _is_expression(name):
        field = _FIELD.fullmatch(written)
        if field is None:
            return None
        if field[1] is None:
            name, numbered = f"{number}{written}", 1
    end = tail.end()
    if tail[2] == "}":
        spec = ""
    elif (found := _spec(text, end, number + numbered, is_nested=is_nested)) is not None:
        spec, in_spec = found
        numbered += in_spec
        end += len(spec) + 1
    else:
        return None
    conversion = tail[1] or ("r" if printed and not spec else "")
    return _Field(written if printed else "", Slot(name, conversion, spec), end, numbered)


def _spec(text: str, start: int, number: int, *, is_nested: bool) -> tuple[str, int] | None:
    """Return the format spec from `start` to its `}`, and how many nameless fields it holds.

    None where it does not end or is prose. A spec in a spec holds no holes, as in `str.format`.
    """
    plain = ""  # the spec with a number for each hole
    end, numbered = start, 0
    while end < len(text) and text[end] != "}":
        if text[end] != "{":
            plain += text[end]
            end += 1
            continue
        field = None if is_nested else _field(text, end + 1, number + numbered, is_nested=True)
        if field is None:
            return None
        plain += "1"
        end = field.end
        numbered += field.numbered
    if end == len(text) or (plain.startswith(" ") and not _SPACED_SPEC.fullmatch(plain)):
        return None
    return text[start:end], numbered


def _expression_end(text: str, start: int) -> int | None:
    """Return where the expression from `start` ends: at `!`, `:`, `}` outside brackets and quotes.

    None where it does not end, or closes a bracket that it did not open.
    """
    awaited: list[str] = []
    offset = start
    while offset < min(len(text), start + LONGEST_EXPRESSION + 1):
        character = text[offset]
        if character in "'\"":
            quoted = _QUOTED.match(text, offset)
            if quoted is None:
                return None
            offset = quoted.end()
            continue
        if character in _BRACKETS:
            awaited.append(_BRACKETS[character])
        elif awaited and character == awaited[-1]:
            awaited.pop()
        elif not awaited and (
            character in ":}" or (character == "!" and not text.startswith("=", offset + 1))
        ):
            return offset
        elif character in ")]}":
            return None
        offset += 1
    return None


def _is_expression(text: str) -> bool:
    """Whether Python reads `text` as an expression that mentions a name: a constant is no hole."""
    if _NAMES.fullmatch(text) and not any(map(keyword.iskeyword, text.split("."))):
        return True
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what a compiler says of the text is not our news
            tree = ast.parse(f"({text})", mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return False
    return any(isinstance(node, ast.Name) for node in ast.walk(tree))


def _conversions(text: str) -> list[str | Slot]:
    """Return text and printf holes in order; `text` alone where it holds none."""
    parts: list[str | Slot] = []
    offset = position = 0
    for found in _PRINTF.finditer(text):
        parts.append(text[offset : found.start()])
        offset = found.end()
        if found[0] == "%%":
            parts.append("%")
            continue
        # A `*` takes an argument before the value does.
        position += 1 + (found["width"] == "*") + (found["precision"] == "*")
        name = str(position) if found["key"] is None else found["key"]
        kind = found["kind"]
        if kind in "rsa":
            parts.append(Slot(name, kind, found["layout"]))
        else:
            parts.append(Slot(name, spec=found["layout"] + kind))
    if not any(isinstance(part, Slot) for part in parts):
        return [text]
    return [*parts, text[offset:]]
