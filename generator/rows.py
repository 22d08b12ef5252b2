"""The rows of a YAML file put together anew: fields in order, comments where they belong, texts in blocks.

Rows are taken apart by the places of nodes. Scalars stay as they are written but for the few that are worth a
block; so what is not understood is kept to the letter, or refused.

A comment in rows of its own belongs to the field or item below it; to the one above where it is indented
deeper, or where it follows at once and nothing else does. What an empty row parts from the first field is
the file's.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from textwrap import TextWrapper

from generator.diagnostics import Source
from generator.nodes import Lines, Mapping, Node, Scalar
from generator.nodes import Sequence as Items
from generator.shapes import Shape

WIDTH = 120  # columns, of texts that can be wrapped
MODELINE = re.compile(r"#\s*yaml-language-server:\s*\$schema=")
_MARK = re.compile(r"(---|\.\.\.)(?=\s|$)")
_COLON = re.compile(r"\s*:(?=\s|$)")
_DASH = re.compile(r"-( |$)")
_ESCAPED = re.compile(r"\\[ \t]+$")
# Texts that are read as prose, and may be wrapped.
_PROSE = frozenset(
    (
        *("documentation", "triggerScenarios", "commonSituations", "solutions", "preventionTips", "reason"),
        *("why", "via", "apart", "patternReason", "unproven", "description", "caveat"),
    )
)


class Unsettled(Exception):  # noqa: N818 - a verdict about the file: the layout would change what it says
    """Raised where the text laid out anew would be read as something else; says of which file."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A field or an item: the comments above it, its own rows, the comments below."""

    above: list[str]
    own: list[str]
    below: list[str]

    @property
    def is_commented(self) -> bool:
        """Whether a comment would go with it; any `#` counts as one."""
        return any("#" in row for row in (*self.above, *self.own, *self.below))


@dataclass(frozen=True, slots=True)
class _Slot:
    """Where a part stands: a key or a dash, the node behind it, and the rows that are about it.

    `rest` is what stands behind the mark in its row. Rows from `above` to `start` are comments above; own
    ones end at `end`, comments that are indented deeper at `deep`, and all of it at `below`. `column` is that
    of the collection, `depth` its column in what is made; `name` the field, `shape` what mappings in it hold.
    """

    mark: str
    rest: str
    node: Node
    above: int
    start: int
    end: int
    deep: int
    below: int
    column: int
    depth: int
    name: str
    shape: Shape


class Page:
    """The rows of a YAML text, to be put together anew; rows and columns are counted from 0.

    What is made is indented from its own first column.
    """

    def __init__(self, source: Source) -> None:
        self._path = source.path
        self._lines = Lines.of(source.path, source.text.replace("\r\n", "\n"))
        self._rows = self._lines.rows
        self._modelines: list[str] = []

    def rows(self, node: Mapping, shape: Shape, modeline: str | None) -> list[str]:
        """All rows of the text."""
        start = node.span.line - 1
        # What an empty row parts from the first field is about the file.
        own = next((row + 1 for row in reversed(range(start)) if not self._rows[row].strip()), 0)
        head = _without_blanks(self._comments(0, own))
        if self._is_flow(node):
            rows = _without_blanks(list(map(_stripped, self._rows[start:])))
            body = [*self._comments(own, start), *rows]
        else:
            body = self._mapping(node, shape, own, len(self._rows), 0)
        first = [modeline] if modeline else self._modelines[:1]
        return [*first, *head, *([""] if head else []), *body]

    def _mapping(self, node: Mapping, shape: Shape, above: int, end: int, depth: int) -> list[str]:
        """The rows of a block mapping; those from `above` to `end` are about it."""
        column = node.span.column - 1
        keys = [entry.key for entry in node.entries]
        values = [entry.value for entry in node.entries]
        slots = [
            _Slot(*self._mark(key), value, *bounds, column, depth, key.text, shape.within(key.text))
            for key, value, bounds in zip(
                keys,
                values,
                self._bounds([key.span.line - 1 for key in keys], values, above, end, column),
                strict=True,
            )
        ]
        parts = [
            self._part(slot, is_idle=shape.is_idle(entry))
            for slot, entry in zip(slots, node.entries, strict=True)
        ]
        kept = [
            number
            for number, (entry, part) in enumerate(zip(node.entries, parts, strict=True))
            if part.is_commented or not shape.is_idle(entry)
        ] or range(len(parts))
        order = shape.sort([keys[number].text for number in kept])
        return self._joined([parts[kept[number]] for number in order], slots[-1].below, end)

    def _sequence(self, node: Items, slot: _Slot, above: int) -> list[str]:
        """The rows of a block sequence; those from `above` to where the slot is deep are about it."""
        column = node.span.column - 1
        starts = [self._dash(item.span.line - 1, column) for item in node.items]
        slots = [
            _Slot(
                "-",
                self._rows[bounds[1]][column + 1 :],
                item,
                *bounds,
                column,
                slot.depth + 2,
                slot.name,
                slot.shape,
            )
            for item, bounds in zip(
                node.items, self._bounds(starts, node.items, above, slot.deep, column), strict=True
            )
        ]
        return self._joined([self._part(one) for one in slots], slots[-1].below, slot.deep)

    def _bounds(
        self, starts: Sequence[int], nodes: Sequence[Node], above: int, end: int, column: int
    ) -> Iterator[tuple[int, int, int, int, int]]:
        """What a slot says of rows, for each part of a collection."""
        for start, node, limit in zip(starts, nodes, (*starts[1:], end), strict=True):
            own = self._end(node, start, column)
            deeper = [row + 1 for row in range(own, limit) if self._is_comment(row, column + 1)]
            deep = below = deeper[-1] if deeper else own
            # At the end of the collection what follows at once is about its last part.
            while limit == end and below < limit and self._is_comment(below):
                below += 1
            yield min(above, start), start, own, deep, below
            above = below

    def _end(self, node: Node, start: int, column: int) -> int:
        """The row behind a node whose mark stands in the row `start` of a collection at `column`."""
        if isinstance(node, Scalar):
            if node.kind == "null" and not node.text:
                return start + 1
            return self._block_end(node, column) if node.is_block else node.span.end_line
        if self._is_flow(node):
            return node.span.end_line
        if isinstance(node, Mapping):
            last = node.entries[-1]
            return self._end(last.value, last.key.span.line - 1, node.span.column - 1)
        row = self._dash(node.items[-1].span.line - 1, node.span.column - 1)
        return self._end(node.items[-1], row, node.span.column - 1)

    def _block_end(self, node: Scalar, column: int) -> int:
        """The row behind the text of a block; empty rows at its end are of it where they count."""
        end = node.span.line
        margin = self._margin(node, column)
        while end < len(self._rows) and (
            _indentation(self._rows[end]) >= margin or not self._rows[end].strip()
        ):
            end += 1
        if end == len(self._rows):
            end -= 1  # the last row is what follows the last line end
        while not node.text.endswith("\n\n") and end > node.span.line and not self._rows[end - 1].strip():
            end -= 1
        return end

    def _margin(self, node: Scalar, column: int) -> int:
        """The column at which the text of a block begins."""
        header = self._rows[node.span.line - 1][node.span.column - 1 : node.span.end_column - 1]
        if digits := re.search(r"\d", header):
            return column + int(digits[0])
        first = next((row for row in self._rows[node.span.line :] if row.strip()), "")
        return max(_indentation(first), column + 1)

    def _part(self, slot: _Slot, *, is_idle: bool = False) -> _Part:
        is_collection = self._is_block_collection(slot.node)
        if is_idle and isinstance(slot.node, Scalar) and slot.node.kind == "string":
            # The text "null".
            own = [f"{slot.mark} null{_spaced(self._behind(slot.node))}"]
        elif is_collection:
            own = self._collection(slot)
        else:
            own = self._scalar(slot)
        below = self._comments(slot.deep if is_collection else slot.end, slot.below)
        return _Part(self._comments(slot.above, slot.start), own, _without_blanks(below))

    def _joined(self, parts: Sequence[_Part], tail: int, end: int) -> list[str]:
        """The rows of all parts, and the comments behind them."""
        rows: list[str] = []
        for part in (*parts, _Part(self._comments(tail, end), [], [])):
            # Behind a text that keeps its empty rows, one more would be of it.
            is_start = not rows or not rows[-1]
            rows += _without_blanks(part.above, is_start=is_start, is_end=not part.own)
            rows += [*part.own, *part.below]
        return rows

    def _collection(self, slot: _Slot) -> list[str]:
        """The rows of a block mapping or sequence with its mark."""
        node = slot.node
        first = node.span.line - 1
        is_inline = first == slot.start
        lead = "" if is_inline else self._comment(slot.rest)
        above = first if is_inline else slot.start + 1
        if isinstance(node, Mapping):
            inner = self._mapping(node, slot.shape, above, slot.deep, slot.depth + 2)
        else:
            assert isinstance(node, Items)  # noqa: S101 - for the type checker
            inner = self._sequence(node, slot, above)
        if slot.mark == "-" and not lead and not inner[0].startswith("#"):
            return [f"- {inner[0]}", *_indented(inner[1:])]
        return [f"{slot.mark}{_spaced(lead)}", *_indented(inner)]

    def _scalar(self, slot: _Slot) -> list[str]:
        """The rows of a text, or of what stands in brackets, with its mark."""
        node = slot.node
        if isinstance(node, Scalar) and node.kind == "null" and not node.text:
            return [f"{slot.mark}{_spaced(self._comment(slot.rest))}"]
        first = node.span.line - 1
        lead = "" if first == slot.start else self._comment(slot.rest)
        between = self._comments(slot.start + 1, first)
        rows = self._written(slot)
        if lead or any(between):
            return [f"{slot.mark}{_spaced(lead)}", *_indented([*between, *rows])]
        return [f"{slot.mark} {rows[0]}", *rows[1:]]

    def _written(self, slot: _Slot) -> list[str]:
        """The rows of a text as it is written, or as a block where that reads better."""
        node = slot.node
        first, margin = node.span.line - 1, node.span.column - 1
        behind = self._behind(node)
        if isinstance(node, Scalar) and node.is_block:
            header = self._rows[first][margin : node.span.end_column - 1]
            sign = "+" if "+" in header else "-" if "-" in header else ""
            width = "2" if re.search(r"\d", header) else ""
            left = self._margin(node, slot.column)
            content = [row[left:] for row in self._rows[first + 1 : slot.end]]
            return [f"{header[0]}{width}{sign}{_spaced(behind)}", *_indented(content)]
        rows = [self._rows[first][margin:], *self._rows[first + 1 : node.span.end_line]]
        if isinstance(node, Scalar):
            if not behind and (block := _as_block(node, rows, slot)):
                return block
            # How continued rows are indented says nothing.
            rows = [rows[0], *(f"  {row.strip()}" if row.strip() else "" for row in rows[1:])]
        else:
            rows = [rows[0], *(row[min(slot.column, _indentation(row)) :] for row in rows[1:])]
        return list(map(_stripped, rows))

    def _behind(self, node: Node) -> str:
        """The comment behind a value in its last row."""
        return self._comment(self._rows[node.span.end_line - 1][node.span.end_column - 1 :])

    def _comment(self, text: str) -> str:
        text = text.strip()
        if text and not text.startswith("#"):
            raise Unsettled(self._path)
        return text

    def _comments(self, start: int, end: int) -> list[str]:
        """The comments in rows, with an empty one where there were any; what is for editors is put aside."""
        found: list[str] = []
        for row in self._rows[start:end]:
            mark = _MARK.match(row)
            text = self._comment(row[mark.end() :] if mark else row)
            if MODELINE.match(text):
                self._modelines.append(text)
            elif text or not (mark or found[-1:] == [""]):
                found.append(text)
        return found

    def _mark(self, key: Scalar) -> tuple[str, str]:
        """A key with its colon, and what stands behind it in its row."""
        row, first, last = self._rows[key.span.line - 1], key.span.column - 1, key.span.end_column - 1
        colon = _COLON.match(row, last)
        if colon is None or key.span.line != key.span.end_line or row[:first].strip(" -"):
            raise Unsettled(self._path)
        return f"{row[first:last]}:", row[colon.end() :]

    def _dash(self, row: int, column: int) -> int:
        """The row of the dash before an item that begins in a row."""
        while row >= 0 and not _DASH.match(self._rows[row], column):
            row -= 1
        if row < 0:
            raise Unsettled(self._path)
        return row

    def _is_comment(self, row: int, column: int = 0) -> bool:
        """Whether the row is a comment that begins at the column or behind it."""
        text = self._rows[row]
        return text.lstrip().startswith("#") and _indentation(text) >= column

    def _is_flow(self, node: Node) -> bool:
        start = self._lines.offset(node.span.line, node.span.column)
        return self._lines.text[start : start + 1] in {"{", "["}

    def _is_block_collection(self, node: Node) -> bool:
        return not isinstance(node, Scalar) and not self._is_flow(node)


def _as_block(node: Scalar, rows: Sequence[str], slot: _Slot) -> list[str] | None:
    """The text as a block: of several lines, or long prose; None where it is to stay as it is written."""
    text = node.text
    if "\n" in text:
        lines = text.removesuffix("\n").split("\n")
        is_plain = all(line == line.rstrip() and "\t" not in line for line in lines)
        if not is_plain or not lines[0] or not lines[-1] or lines[0].startswith(" "):
            return None
        return ["|" if text.endswith("\n") else "|-", *_indented(lines)]
    left = slot.depth + (2 if slot.mark == "-" else len(slot.mark) + 1)
    is_long = slot.name in _PROSE and left + len(rows[0]) > WIDTH
    if not (is_long or len(rows) > 1) or text != " ".join(text.split()):
        return None
    wrapper = TextWrapper(WIDTH - slot.depth - 2, break_long_words=False, break_on_hyphens=False)
    return [">-", *_indented(wrapper.wrap(text))]


def _indentation(row: str) -> int:
    return len(row) - len(row.lstrip(" "))


def _indented(rows: Sequence[str]) -> list[str]:
    return [f"  {row}" if row else row for row in rows]


def _spaced(text: str) -> str:
    return f" {text}" if text else ""


def _stripped(row: str) -> str:
    """The row without blanks at its end, but for one that is escaped."""
    return row if _ESCAPED.search(row) else row.rstrip()


def _without_blanks(rows: list[str], *, is_start: bool = True, is_end: bool = True) -> list[str]:
    """The rows without empty ones at the start, or at the end."""
    start, end = 0, len(rows)
    while is_start and start < end and not rows[start]:
        start += 1
    while is_end and start < end and not rows[end - 1]:
        end -= 1
    return rows[start:end]
