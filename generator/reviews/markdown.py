"""Markdown for a comment on a pull request and for a job's summary.

What records say stands in spans and blocks of code alone, whose fences are longer than any run of backticks
in them: there it is neither a mention, a link, an image nor HTML. The text ends where it may have no more
bytes, between two entries, and says how much was left out. The worst comes first.
"""

import html
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from generator import fences
from generator.diagnostics import count, printable
from generator.difference import Difference, Entry, Field
from generator.renderings import encodable, unmistakable
from generator.reviews import LINES, Review, changes, origin, page_lines, standing, standings, summary
from generator.words import Piece

LONGEST = 160  # characters of a span of code
ROW = 1200  # characters of a line in a block
RESERVED = 800  # bytes for what is said of all that was left out


@dataclass(frozen=True, slots=True)
class _Section:
    """Entries under a heading; `name` is what they are called where some are left out."""

    name: str
    heading: str
    entries: Sequence[str]


@dataclass(slots=True)
class _Room:
    """What is written, and how many bytes are left."""

    left: int
    parts: list[str] = field(default_factory=list)

    def take(self, part: str) -> bool:
        """Whether there was room for a part, which then was taken in."""
        # It may be shown in a log as well.
        said = unmistakable(part)
        size = len(said.encode())
        if size > self.left:
            return False
        self.left -= size
        self.parts.append(said)
        return True


def render(
    difference: Difference,
    is_coloured: bool,  # noqa: ARG001, FBT001 - the signature of reviews
    limit: int,
) -> str:
    """The text, no longer than the limit: the worst first, then what became of each record."""
    room = _Room(limit - RESERVED)
    room.take(
        f"### pagefault: {summary(difference)}\n\n"
        f"Compared with {difference.commit[:10]}, where {_code(difference.revision, 60)} and `HEAD` part. "
        f"Records: {standings(difference)}.\n"
    )
    missing = []
    for section in _sections(difference):
        heading = f"\n{section.heading}\n\n"
        taken = 0
        for entry in section.entries:
            taken += room.take(entry if taken else heading + entry)
        if taken < len(section.entries):
            missing.append(f"{len(section.entries) - taken} of {len(section.entries)} {section.name}")
    if missing:
        room.parts.append(
            f"\n**Left out for their length:** {'; '.join(missing)}. "
            f"`pagefault diff` with {_code(difference.revision, 60)} shows all of them.\n"
        )
    return "".join(room.parts)


def _sections(difference: Difference) -> Iterator[_Section]:
    """All that is to be said, in order; nothing that has no entries."""
    errors = [one for one in difference.vanished if one.is_error]
    others = [one for one in difference.vanished if not one.is_error]
    plural = "es" * (len(errors) != 1)
    ambiguous = [(one, each) for one in difference.records for each in one.ambiguities]
    found = (
        _Section(
            "addresses",
            f"**{len(errors)} address{plural} would vanish**: put former slugs and ids into `aliases` of a "
            "record, or keep the record with `status: removed`.",
            [f"- {_code(one.path)}\n" for one in errors],
        ),
        _Section(
            "findings",
            f"**{count(difference.findings)}** in the branch:",
            [
                f"- {_code(f'{one.path}:{one.span.line}' if one.span else one.path)} {one.code}: "
                f"{_code(one.message, 2 * LONGEST)}\n"
                for one in difference.findings
            ],
        ),
        _Section(
            "ambiguities",
            "**Patterns that match a message of another record now**:",
            [
                f"- that of {_code(one.place.address)} matches, of {_code(each.address)}, "
                f"{_code(each.message)}\n"
                for one, each in ambiguous
            ],
        ),
        _Section(
            "pages that would be no more",
            "Pages that would be no more, which no alias can keep:",
            [f"- {_code(one.path)}\n" for one in others],
        ),
        _Section(
            "changes around records",
            "Beside records and guides, these changed:",
            [f"- {one}\n" for one in difference.around],
        ),
        _Section("records", "**Records**", [_entry(one) for one in difference.records]),
        _Section(
            "guides",
            "**Guides**",
            [f"- {one.kind}: {_code(one.tag)}, {_code(one.title)}\n" for one in difference.guides],
        ),
        _Section("texts", "**What changed in them**", [*_texts(difference)]),
    )
    return (section for section in found if section.entries)


def _entry(one: Entry) -> str:
    """A record in one item of a list."""
    said = [f"- {one.kind}: {_code(one.place.address)}"]
    said += [f"its {what} was {_code(old)}" for what, old in origin(one)]
    if told := standing(one):
        reason = f" ({_code(one.after.reason)})" if one.after and one.after.reason else ""
        said.append(f"**{told}**{reason}")
    if one.fields:
        said.append("changes " + ", ".join(_code(each.name) for each in one.fields))
    if one.kind == "new":
        said.append(_code(one.place.title))
    if one.page is not None:
        said.append("its page reads otherwise")
    return "; ".join(said) + "\n"


def _texts(difference: Difference) -> Iterator[str]:
    """What became of each text, folded."""
    for record in difference.records:
        blocks = [_block(f"{_code(each.name)}", _rows(each)) for each in record.fields]
        if record.page is not None:
            blocks.append(_page("The page, as Markdown", record.page))
        if blocks:
            yield _folded(record.place.address, blocks)
    for guide in difference.guides:
        if guide.kind == "changed":
            yield _folded(f"guide {guide.tag}", [_page("The guide", (guide.before, guide.after))])


def _folded(title: str, blocks: Sequence[str]) -> str:
    name = html.escape(_line(title, LONGEST))
    inside = "\n".join(blocks)
    return f"<details><summary><code>{name}</code></summary>\n\n{inside}\n</details>\n"


def _page(title: str, texts: tuple[str | None, str | None]) -> str:
    found, more = page_lines(texts)
    rows = [f"{' ' if step == '=' else step}{_line(line, ROW)}" for step, line in found]
    if more:
        rows.append(f" … and {more} more line{'s' * (more != 1)}")
    return _block(title, rows)


def _block(title: str, rows: Sequence[str]) -> str:
    return f"{title}:\n\n{fences.fenced(chr(10).join(rows), 'diff')}\n"


def _rows(one: Field) -> list[str]:
    """A field as it was and as it is, cut to what stands around the changes."""
    found = changes(one)
    rows: list[str] = []
    for sign, text in (("-", one.before), ("+", one.after)):
        if text is not None:
            side = "".join(piece for step, piece in _pieces(found) if step in {"=", sign})
            lines = side.split("\n")
            rows += [f"{sign}{_line(line, ROW)}" for line in lines[:LINES]]
            if len(lines) > LINES:
                rows.append(f"{sign}…")
    return rows


def _pieces(found: Sequence[Piece]) -> Iterator[Piece]:
    """The pieces, none of them longer than a row."""
    for step, text in found:
        yield step, text if len(text) <= ROW else f"{text[: ROW - 1]}…"


def _code(text: str, longest: int = LONGEST) -> str:
    """A text as a span of code."""
    return fences.in_backticks(_line(" ".join(text.split()), longest) or " ")


def _line(text: str, longest: int) -> str:
    """One line of a text, cut, without what cannot be seen."""
    line = encodable(printable(text))
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


REVIEW = Review("markdown", render, is_bounded=True)
