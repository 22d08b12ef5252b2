"""For people at a terminal: a paragraph for each record, words that went in red, words that came in green."""

from collections.abc import Iterator, Sequence

from generator import diagnostics
from generator.diagnostics import printable
from generator.difference import Difference, Entry, Field
from generator.renderings import encodable, unmistakable
from generator.reviews import Review, changes, origin, page_lines, standing, standings, summary
from generator.words import Piece

_COLOURS = {"-": "31", "+": "32", "head": "1", "error": "1;31", "warning": "1;33"}
_MARKS = {"-": ("[-", "-]"), "+": ("{+", "+}"), "=": ("", "")}


class _Paint:
    """Colors, or marks instead where there are none."""

    def __init__(self, *, is_coloured: bool) -> None:
        self._is_coloured = is_coloured

    def __call__(self, text: str, colour: str) -> str:
        return f"\x1b[{_COLOURS[colour]}m{text}\x1b[0m" if self._is_coloured and colour in _COLOURS else text

    def words(self, found: Sequence[Piece]) -> str:
        """A text with what went and came; nothing in it moves the cursor."""
        return "".join(self._word(step, text) for step, text in found)

    def _word(self, step: str, text: str) -> str:
        opening, closing = ("", "") if self._is_coloured else _MARKS[step]
        # A color ends with its line.
        lines = [
            self(f"{opening}{printable(line)}{closing}", step) if line else "" for line in text.split("\n")
        ]
        return "\n".join(lines)


def render(
    difference: Difference,
    is_coloured: bool,  # noqa: FBT001 - the signature of reviews
    limit: int,  # noqa: ARG001 - as above
) -> str:
    """Paragraphs, the worst first; the last says how many there are of what."""
    paint = _Paint(is_coloured=is_coloured)
    blocks = [
        *_vanished(difference, paint),
        *(_record(one, paint) for one in difference.records),
        *_guides(difference, paint),
    ]
    if difference.around:
        blocks.append(f"also changed: {', '.join(difference.around)}")
    if difference.findings:
        said = diagnostics.render(difference.findings, style="concise").rstrip("\n")
        blocks.append(f"{diagnostics.count(difference.findings)} in the branch\n{_indented(said)}")
    blocks.append(f"{summary(difference)}\n{standings(difference)}")
    return unmistakable(encodable("\n\n".join(blocks) + "\n"))


def _vanished(difference: Difference, paint: _Paint) -> Iterator[str]:
    errors = [one for one in difference.vanished if one.is_error]
    if errors:
        plural = "es" * (len(errors) != 1)
        said = [paint(f"{len(errors)} address{plural} would vanish", "error")]
        said += [f"  {printable(one.path)}" for one in errors]
        said.append("  = help: put former slugs and ids into `aliases` of a record,")
        said.append("          or keep the record with `status: removed`")
        yield "\n".join(said)
    others = [one for one in difference.vanished if not one.is_error]
    if others:
        said = [paint("pages that would be no more, which no alias can keep", "warning")]
        yield "\n".join([*said, *(f"  {printable(one.path)}" for one in others)])


def _record(one: Entry, paint: _Paint) -> str:
    place = one.place
    said = [f"{paint(one.kind, 'head')} {paint(printable(place.address), 'head')}"]
    said.append(f"  {printable(' '.join(place.title.split()))}")
    said.append(f"  {printable(place.file)}")
    said += [f"  its {what} was {printable(old)}" for what, old in origin(one)]
    if told := standing(one):
        reason = one.after.reason if one.after else ""
        said.append(f"  {told}{f': {printable(reason)}' if reason else ''}")
    for each in one.ambiguities:
        said.append(f"  {paint('its pattern matches a message of', 'warning')} {printable(each.address)}")
        said.append(f"    {printable(each.message)}")
    for changed in one.fields:
        said += _field(changed, paint)
    if one.page is not None:
        found, more = page_lines(one.page)
        if one.fields:
            total = sum(1 for step, _ in found if step != "=") + more
            said.append(f"  its page reads otherwise in {total} line{'s' * (total != 1)}")
        else:
            said += ["  its page reads otherwise", *_lines(found, more, paint)]
    return "\n".join(said)


def _field(one: Field, paint: _Paint) -> list[str]:
    verb = " is new" if one.before is None else " is gone" if one.after is None else ""
    return [f"  {printable(one.name)}{verb}", _indented(_indented(paint.words(changes(one))))]


def _lines(found: Sequence[Piece], more: int, paint: _Paint) -> Iterator[str]:
    for step, line in found:
        sign = " " if step == "=" else step
        yield f"    {paint(f'{sign} {printable(line)}'.rstrip(), step)}"
    if more:
        yield f"    … and {more} more line{'s' * (more != 1)}"


def _guides(difference: Difference, paint: _Paint) -> Iterator[str]:
    for one in difference.guides:
        said = [
            f"{paint(one.kind, 'head')} {paint(f'guide {printable(one.tag)}', 'head')}",
            f"  {printable(one.title)}",
        ]
        if one.kind == "changed":
            said += _lines(*page_lines((one.before, one.after)), paint)
        yield "\n".join(said)


def _indented(text: str) -> str:
    return "\n".join(f"  {line}".rstrip() for line in text.split("\n"))


REVIEW = Review("text", render)
