"""What was measured of building as tables, ratios and targets, all of it from what runs wrote as JSON."""

import statistics
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Figures = Mapping[str, Any]

NAMES = {
    "pagefault": "pagefault",
    "hugo": "Hugo",
    "script": "plain script",
    "pagefault-whole": "pagefault, all outputs",
}
# Rather short than filled: our list of related records names none where none is close.
MAY_LACK = {("pagefault", "related"), ("pagefault-whole", "related")}


@dataclass(frozen=True, slots=True)
class Target:
    """What must hold: a number that was measured, and its limit."""

    name: str
    number: float
    limit: float
    is_most: bool

    @property
    def is_met(self) -> bool:
        """Whether it holds."""
        return self.number <= self.limit if self.is_most else self.number >= self.limit


def merged(several: list[Figures]) -> dict[str, Any]:
    """The figures of several runs on one machine as if of one; for each number of records the last."""
    sizes: dict[str, Any] = {}
    for one in several:
        sizes |= one["sizes"]
    return {**several[-1], "sizes": dict(sorted(sizes.items(), key=lambda item: int(item[0])))}


def runs(told: Figures, number: int, builder: str, step: str, what: str) -> list[float]:
    """One figure of every run of a step; nothing where it was not measured."""
    steps = told["sizes"].get(str(number), {}).get("steps", {})
    return [one[what] for one in steps.get(builder, {}).get(step, ())]


def median(told: Figures, number: int, builder: str, step: str, what: str) -> float | None:
    """The median of these; None where there are none."""
    found = runs(told, number, builder, step, what)
    return statistics.median(found) if found else None


def ratio(told: Figures, number: int, builder: str, step: str, what: str = "wall") -> float | None:
    """How many times as much a builder takes as we do; each round is compared by itself."""
    others = runs(told, number, builder, step, what)
    pairs = zip(others, runs(told, number, "pagefault", step, what), strict=False)
    found = [other / ours for other, ours in pairs]
    return statistics.median(found) if found else None


def differences(told: Figures, number: int) -> list[str]:
    """What builders do not show that they should, in words."""
    return [
        f"{NAMES[builder]}: no {part} on {pages} of the pages that were looked at"
        for builder, parts in told["sizes"][str(number)]["missing"].items()
        for part, pages in parts.items()
        if (builder, part) not in MAY_LACK
    ]


def rows(told: Figures, number: int) -> Iterator[tuple[str, ...]]:
    """A row of texts for every step of every builder: what `COLUMNS` names."""
    for builder, steps in told["sizes"][str(number)]["steps"].items():
        for step, taken in steps.items():
            wall = [one["wall"] for one in taken]
            middle = {name: statistics.median(one[name] for one in taken) for name in taken[0]}
            yield (
                NAMES[builder],
                step,
                f"{middle['wall']:.2f}" + (f" ({min(wall):.2f} to {max(wall):.2f})" if len(wall) > 1 else ""),
                f"{middle['cpu']:.2f}",
                f"{max(one['memory'] for one in taken) / 1e6:.0f}",
                f"{middle['files']:,.0f}",
                f"{middle['written'] / 1e6:.2f}",
            )


COLUMNS = ("builder", "step", "wall s", "CPU s", "memory MB", "files", "MB written")


def ratios(told: Figures, number: int) -> Iterator[tuple[str, str, float]]:
    """Builder, step, and how many times as long it takes as we do."""
    for step in ("cold", "1 edited"):
        for builder in ("hugo", "script"):
            found = ratio(told, number, builder, step)
            if found is not None:
                yield NAMES[builder], step, found


def shared(told: Figures, number: int) -> float:
    """The share of the processors that other programs had meanwhile: with many, times say little."""
    steps = told["sizes"][str(number)]["steps"].values()
    taken = [one for several in steps for found in several.values() for one in found]
    cores = int(told["machine"]["cores"])
    return float(sum(one["others"] for one in taken) / (cores * sum(one["wall"] for one in taken)))


def report(told: Figures, number: int) -> str:
    """The table of one number of records, and how the builders compare."""
    size = told["sizes"][str(number)]
    lines = [f"\n{number:,} records of {size['bytes'] / 1e6:.1f} MB in all, digest {size['digest']}\n"]
    table = [COLUMNS, *rows(told, number)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for row in table:
        cells = (
            text.ljust(width) if place < 2 else text.rjust(width)
            for place, (text, width) in enumerate(zip(row, widths, strict=True))
        )
        lines.append(f"  {'  '.join(cells)}\n")
    lines.append(f"  other programs had {shared(told, number):.0%} of the processors\n")
    lines += [f"  {name}, {step}: {found:.2f} times ours\n" for name, step, found in ratios(told, number)]
    lines += [f"  not equal: {text}\n" for text in differences(told, number)]
    return "".join(lines)


def targets(told: Figures) -> Iterator[Target]:
    """Those of which everything was measured."""
    few, many = 10_000, 100_000
    at = {
        what: [median(told, n, "pagefault", "cold", what) for n in (few, many)] for what in ("wall", "memory")
    }
    found: list[tuple[str, float | None, float, bool]] = [
        ("10,000 cold, Hugo's time by ours", ratio(told, few, "hugo", "cold"), 6.0, False),
        ("10,000 cold, the script's time by ours", ratio(told, few, "script", "cold"), 8.0, False),
        ("10,000 unchanged, seconds", median(told, few, "pagefault", "unchanged", "wall"), 1.0, True),
        ("10,000 with one edited, seconds", median(told, few, "pagefault", "1 edited", "wall"), 1.5, True),
        ("memory at 100,000 by that at 10,000", _by(at["memory"], 1.0), 1.5, True),
        ("memory at 100,000, MB", at["memory"][1] and at["memory"][1] / 1e6, 500.0, True),
        ("time of a record at 100,000 by that at 10,000", _by(at["wall"], many / few), 1.15, True),
    ]
    for name, number, limit, is_most in found:
        if number is not None:
            yield Target(name, number, limit, is_most)


def _by(pair: list[float | None], factor: float) -> float | None:
    few, many = pair
    return None if few is None or many is None else many / few / factor


def verdict(told: Figures) -> str:
    """Which targets were met and which were missed."""
    return "\n" + "".join(
        f"{'met' if one.is_met else 'missed'}: {one.name}: {one.number:.2f}, "
        f"wanted {'at most' if one.is_most else 'at least'} {one.limit:g}\n"
        for one in targets(told)
    )
