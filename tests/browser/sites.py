"""The two sites that the browser sees, and one page of every kind in them."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from generator import build, links, walls
from generator.build import Report
from generator.diagnostics import has_errors, render
from generator.model import Verified
from generator.probe import Limits
from generator.settings import Settings

ROOT = Path(__file__).parents[2]
CASES = ROOT / "tests" / "sites"
BELOW = "/docs/errors/"
# Every kind of page, and of the error page every kind that looks different.
KINDS = (
    *("home", "proven", "unproven", "removed", "native", "own", "hostile"),
    *("list", "front", "part", "class", "tag", "overview", "guide"),
    *("report", "claims", "coverage", "api", "former", "not found"),
)
# What the site `small` is configured to look like: (light, dark), as readable as ours.
COLORS = {"link": ("#7a1f5c", "#f0a8d8"), "ground": ("#f6fbf6", "#101810")}
LOGO = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 3 1" width="3" height="1">'
    '<path fill="#7a1f5c" d="M0 0h3v1H0z"/></svg>'
)
# What the page `proven` is of, as a program prints it.
ALLOCATION = "sgl-project/sglang/logicalhostpool-allocation-must-be-page-aligned-g/index.html"
MESSAGE = "LogicalHostPool allocation must be page-aligned, got need_size=5003, page_size=64"
# What the record `hostile` would have the browser do, as a message that its pattern matches.
ATTACK = "</code><script>alert('<img src=x onerror=alert(1)>')</script> { 7*7 } is no name"


@dataclass(frozen=True, slots=True)
class Place:
    """A page: the folder of its site, and its path in there."""

    site: Path
    path: str

    @property
    def file(self) -> Path:
        """Where it lies."""
        return self.site / self.path


@dataclass(frozen=True, slots=True)
class Sites:
    """The folders of both sites, and the pages by kind.

    `whole` is made of this repository's records, for the root of a host. `small` stands below a path and has
    what they do not: a removed record, an alias, unproven records, lists in parts (a `front` that lists them,
    and each `part`), and a record whose every text is an attack. It has three proven ones too, and a logo,
    colors, a title and a footer of its own.
    """

    whole: Path
    small: Path
    places: dict[str, Place]

    @property
    def pages(self) -> list[Place]:
        """All pages of both, without those that lead on to another at once."""
        return [
            Place(site, path.relative_to(site).as_posix())
            for site in (self.whole, self.small)
            for path in sorted(site.rglob("*.html"))
            if 'http-equiv="refresh"' not in path.read_text(encoding="utf-8")
        ]


@dataclass(frozen=True, slots=True)
class Hosts:
    """Where each site is served: at the `root` of a host, and `below` a path; both end in a slash."""

    sites: Sites
    root: dict[Path, str]
    below: dict[Path, str]

    def address(self, place: Place, way: str = "home") -> str:
        """Of a page: from the `root` of a host, `below` a path, as a `file`, or where its site is at home."""
        if way == "file":
            return place.file.as_uri()
        is_below = way == "below" or (way == "home" and place.site == self.sites.small)
        return (self.below if is_below else self.root)[place.site] + place.path

    def of(self, kind: str, way: str = "home") -> str:
        """The address of the page of a kind."""
        return self.address(self.sites.places[kind], way)


def build_sites(folder: Path) -> Sites:
    """Builds both below a folder of their own.

    What `pagefault build` left in its cache is used, and its limits with it: running all that the records
    say takes a minute, and is tested elsewhere.
    """
    cache = folder / "cache"
    if (known := ROOT / ".cache" / "pagefault").is_dir():
        shutil.copytree(known, cache, ignore=shutil.ignore_patterns("sglang_kernel*"))
    whole = Settings(
        records=ROOT / "records",
        out=folder / "whole",
        cache=cache,
        jobs=2,
        limits=Limits(level=walls.available()),
        base_url="https://example.org/",
        tracker="https://github.com/acme/errors/issues/new",
        name=lambda path: path.relative_to(ROOT).as_posix(),
    )
    records = folder / "records"
    for case in ("former", "guide", "hostile"):
        shutil.copytree(CASES / case / "records", records, dirs_exist_ok=True)
    shutil.copytree(
        ROOT / "records" / "sgl-project",
        records / "sgl-project",
        ignore=lambda _, names: [name for name in names if name[:1] in "cghnqrv" and name != "repo.yaml"],
    )
    logo = folder / "mark.svg"
    logo.write_text(LOGO, encoding="utf-8")
    small = Settings(
        records=records,
        out=folder / "small",
        cache=cache,
        base_url=f"https://example.org{BELOW}",
        tracker="https://example.org/issues/new?template=record.yml",
        edit="https://example.org/edit/",
        title="Errors at Acme",
        logo=logo,
        footer="Kept by *Acme*.",
        colors=COLORS,
    )
    of_whole = _built(whole)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(links, "PER_PAGE", 1)
        of_small = _built(small)
    return Sites(whole.out, small.out, _places(whole.out, of_whole, small.out, of_small))


def _built(settings: Settings) -> Report:
    report = build.build(settings)
    assert not has_errors(report.diagnostics), render(report.diagnostics)
    return report


def _places(whole: Path, of_whole: Report, small: Path, of_small: Report) -> dict[str, Place]:
    """A page of each of KINDS; the proven one is the largest of a bundled subject."""
    bundled = [one for one in of_whole.verified if one.record.slug.startswith("logicalhostpool-")]
    native = next(one for one in of_whole.verified if one.case.claims and one.case.claims.native)
    own = next(one for one in of_whole.verified if one.record.repo == "pagefault/pagefault")
    removed = next(one for one in of_small.verified if one.record.status == "removed")
    hostile = next(one for one in of_small.verified if one.record.repo == "acme/attack")
    renamed = next(one for one in of_small.verified if one.record.aliases)
    return {
        "home": Place(whole, "index.html"),
        "proven": max(
            (Place(whole, _path(one)) for one in bundled), key=lambda place: place.file.stat().st_size
        ),
        "unproven": Place(small, _path(renamed)),
        "removed": Place(small, _path(removed)),
        "native": Place(whole, _path(native)),
        "own": Place(whole, _path(own)),
        "hostile": Place(small, _path(hostile)),
        "list": Place(whole, links.list_path(native.record.repo)),
        "front": Place(small, links.list_path(renamed.record.repo)),
        "part": next(
            Place(small, path.relative_to(small).as_posix())
            for path in sorted((small / renamed.record.repo / "page").rglob("index.html"))
        ),
        "class": Place(whole, links.list_path("classes/ValueError")),
        "tag": Place(whole, links.list_path("tags/page-alignment")),
        "overview": Place(whole, links.list_path("tags")),
        "guide": Place(whole, links.list_path("guides/page-alignment-validation")),
        "report": Place(whole, links.list_path("report")),
        "claims": Place(whole, links.list_path(f"report/{bundled[0].record.repo}")),
        "coverage": Place(whole, links.list_path("report/coverage")),
        "api": Place(whole, links.list_path("api")),
        "former": Place(small, links.alias_path(renamed.head, renamed.head.aliases[0])),
        "not found": Place(small, "404.html"),
    }


def _path(one: Verified) -> str:
    return links.page_path(one.record.repo, one.record.slug)
