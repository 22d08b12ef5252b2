"""Curves as SVG: both axes logarithmic, one line for each builder, with words for those who do not see it."""

import math
from collections.abc import Mapping, Sequence
from html import escape

Points = Sequence[tuple[float, float]]

WIDTH, HEIGHT = 720, 420
LEFT, RIGHT, TOP, BOTTOM = 72, 132, 44, 52  # what axes and names take
# Told apart by form too: not everybody sees colors, and not every print has them.
STYLES = (("#0f766e", "#5eead4", "none"), ("#b45309", "#fbbf24", "7 4"), ("#4338ca", "#a5b4fc", "2 4"))

_STYLE = """
.ground { fill: #ffffff } .text { fill: #1f2937; font: 13px system-ui, sans-serif } .name { font-weight: 600 }
.grid { stroke: #d1d5db; stroke-width: 1 } .line { fill: none; stroke-width: 2.5 }
@media (prefers-color-scheme: dark) {
.ground { fill: #0d1117 } .text { fill: #e5e7eb } .grid { stroke: #374151 }
}
"""


def draw(title: str, unit: str, lines: Mapping[str, Points]) -> str:
    """A chart of lines by their names; `unit` says what is measured, against the number of records."""
    points = [point for line in lines.values() for point in line]
    across = _Axis([x for x, _ in points], LEFT, WIDTH - RIGHT)
    up = _Axis([y for _, y in points], HEIGHT - BOTTOM, TOP)
    box, middle = f"0 0 {WIDTH} {HEIGHT}", (LEFT + WIDTH - RIGHT) / 2
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" role="img" aria-labelledby="title words">',
        f'<title id="title">{escape(title)}</title>',
        f'<desc id="words">{escape(_words(unit, lines))}</desc>',
        f"<style>{_STYLE}{_colors()}</style>",
        f'<rect class="ground" width="{WIDTH}" height="{HEIGHT}"/>',
        f'<text class="text name" x="{LEFT}" y="24">{escape(title)}</text>',
        _text(middle, HEIGHT - 10, "records", "middle"),
    ]
    for value in sorted({x for x, _ in points}):
        x = across.place(value)
        parts.append(f'<line class="grid" x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{HEIGHT - BOTTOM}"/>')
        parts.append(_text(x, HEIGHT - BOTTOM + 20, f"{value:,g}", "middle"))
    for value in up.marks:
        y = up.place(value)
        parts.append(f'<line class="grid" x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}"/>')
        parts.append(_text(LEFT - 8, y + 4, f"{value:,g} {unit}", "end"))
    taken: list[float] = []
    # From the top down, so that names which would meet stand in the order of their lines.
    for number, (name, line) in sorted(enumerate(lines.items()), key=lambda item: -item[1][1][-1][1]):
        placed = [(across.place(x), up.place(y)) for x, y in line]
        drawn = " ".join(f"{x:.1f},{y:.1f}" for x, y in placed)
        parts.append(f'<polyline class="line stroke{number}" points="{drawn}"/>')
        parts += [f'<circle class="fill{number}" cx="{x:.1f}" cy="{y:.1f}" r="4"/>' for x, y in placed]
        x, y = placed[-1]
        y = _free(y, taken)
        parts.append(
            f'<text class="text name fill{number}" x="{x + 10:.1f}" y="{y + 4:.1f}">{escape(name)}</text>'
        )
    return "\n".join((*parts, "</svg>", ""))


class _Axis:
    """From the values to places on paper."""

    def __init__(self, values: Sequence[float], start: float, end: float) -> None:
        least, most = math.log10(min(values)), math.log10(max(values))
        # Not all of it to the very edge, and something for a single value.
        self._least, self._span = least - 0.05, max(most - least, 0.5) + 0.1
        self._start, self._end = start, end
        powers = range(math.floor(self._least), math.ceil(self._least + self._span) + 1)
        inside = [10.0**power for power in powers if 0 <= power - self._least <= self._span]
        finer = [f * 10.0**power for power in powers for f in (1, 2, 5)]
        many = [value for value in finer if 0 <= math.log10(value) - self._least <= self._span]
        self.marks = inside if len(inside) > 2 else many

    def place(self, value: float) -> float:
        return self._start + (math.log10(value) - self._least) / self._span * (self._end - self._start)


def _free(y: float, taken: list[float]) -> float:
    """A height for a name at which no other is."""
    while any(abs(y - other) < 16 for other in taken):
        y += 4
    taken.append(y)
    return y


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text class="text" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _colors() -> str:
    light = [_color(number, style[0], style[2]) for number, style in enumerate(STYLES)]
    dark = [_color(number, style[1], style[2]) for number, style in enumerate(STYLES)]
    return f"{' '.join(light)}\n@media (prefers-color-scheme: dark) {{ {' '.join(dark)} }}\n"


def _color(number: int, color: str, dashes: str) -> str:
    return (
        f".stroke{number} {{ stroke: {color}; stroke-dasharray: {dashes} }} .fill{number} {{ fill: {color} }}"
    )


def _words(unit: str, lines: Mapping[str, Points]) -> str:
    """The same in words."""
    return " ".join(
        f"{name}: {', '.join(f'{y:.3g} {unit} at {x:,g} records' for x, y in line)}."
        for name, line in lines.items()
    )
