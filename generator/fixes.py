"""What mends findings, applied to the text that they are about."""

from collections.abc import Iterable

from generator import document
from generator.diagnostics import Fix, Source
from generator.nodes import Lines


def apply(source: Source, fixes: Iterable[Fix]) -> tuple[str, tuple[Fix, ...]]:
    """The text mended, and the fixes that were applied, in the order of their places.

    Of fixes that meet, the first is applied: what the others are about may have changed. None is where the
    text, as it is or mended, cannot be read.
    """
    lines = Lines.of(source.path, source.text)
    places = sorted(
        {
            (
                lines.offset(fix.span.line, fix.span.column),
                lines.offset(fix.span.end_line, fix.span.end_column),
                fix,
            )
            for fix in fixes
        },
        key=lambda one: (*one[:2], one[2].text),
    )
    parts: list[str] = []
    applied: list[Fix] = []
    at = 0
    for start, end, fix in places:
        if start < at:
            continue
        parts += [source.text[at:start], fix.text]
        applied.append(fix)
        at = end
    text = "".join((*parts, source.text[at:]))
    if not (_is_sound(source) and _is_sound(Source(source.path, text))):
        return source.text, ()
    return text, tuple(applied)


def _is_sound(source: Source) -> bool:
    return not document.parse(source)[1]
