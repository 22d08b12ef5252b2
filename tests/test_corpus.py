"""The records of this repository and the site made of them."""

import hashlib
import json
import posixpath
import shutil
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from generator import build
from generator.build import Report
from generator.diagnostics import has_errors
from generator.probe import Limits
from generator.settings import Settings

ROOT = Path(__file__).parent.parent
POOL = "sgl-project/sglang/logicalhostpool-"
FOUNDING = """
    id repo slug errorCode errorMessage messagePattern errorType errorClass httpStatus severity filePath
    lineNumber sourceCode sourceCodeStart sourceCodeEnd githubUrl documentation triggerScenarios
    commonSituations solutions exampleFix handlingStrategy validationCode typeGuard tryCatchPattern
    preventionTips tags backgroundTag analyzedSha analyzedAt schemaVersion
"""
KEPT = {
    "id": "ba4db60e324417e3",
    "repo": "sgl-project/sglang",
    "slug": "logicalhostpool-allocation-must-be-page-aligned-g",
    "errorMessage": "LogicalHostPool allocation must be page-aligned, "
    "got need_size={need_size}, page_size={self.page_size}",
    "messagePattern": "LogicalHostPool allocation must be page-aligned, got need_size=(.+?), page_size=(.+?)",
    "errorClass": "ValueError",
    "filePath": "python/sglang/srt/mem_cache/memory_pool_host.py",
    "lineNumber": 112,
    "sourceCodeStart": 94,
    "sourceCodeEnd": 130,
    "githubUrl": "https://github.com/sgl-project/sglang/blob/0132848349585cfe6aae51c4941cbae872505f8a/"
    "python/sglang/srt/mem_cache/memory_pool_host.py#L94-L130",
    "schemaVersion": 2,
}
# Of the founding record's excerpt, 37 lines without a line end after the last.
EXCERPT_SHA256 = "7e00aefba334835a9a37dae2"


class _Links(HTMLParser):
    """The ids of a page, and what it links to and loads."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.targets: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        for name, value in attrs:
            if name == "id" and value:
                self.ids.add(value)
            elif name in {"href", "src"} and value:
                self.targets.append(value)


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> tuple[Settings, Report]:
    """The records here, built once into a folder of their own; excerpts as far as the wheel is at hand."""
    folder = tmp_path_factory.mktemp("corpus")
    cache = folder / "cache"
    if (wheels := ROOT / ".cache/pagefault/wheels").is_dir():
        shutil.copytree(wheels, cache / "wheels", ignore=shutil.ignore_patterns("sglang_kernel*"))
    settings = Settings(
        records=ROOT / "records", out=folder / "site", cache=cache, jobs=2, limits=Limits(seconds=20, jobs=2)
    )
    return settings, build.build(settings)


def test_every_record_is_proven(corpus: tuple[Settings, Report]) -> None:
    """Sixteen records of SGLang and twenty-eight of packages are run, and all of them hold; so do our own."""
    _, report = corpus
    upstream = [one for one in report.verified if one.record.repo != "pagefault/pagefault"]

    assert {"proven"} == {one.standing for one in upstream}
    assert 16 == sum(1 for one in upstream if one.record.repo == "sgl-project/sglang")
    assert len(upstream) >= 44
    assert not has_errors(report.diagnostics)


def test_hardly_anything_is_found(corpus: tuple[Settings, Report]) -> None:
    """No tracker is configured here, and Jinja's commonest message is short of one character."""
    _, report = corpus

    assert ["E0208", "E0701"] == sorted(one.code for one in report.diagnostics)


def test_pages_show_messages_that_were_really_raised(corpus: tuple[Settings, Report]) -> None:
    """Each pool page shows the message that its trigger raised, with its values."""
    settings, _ = corpus
    for slug, message in (
        ("size-must-be-page-aligned-got-size", "size must be page-aligned, got size=1000, page_size=16"),
        (
            "allocation-must-be-page-aligned-g",
            "allocation must be page-aligned, got need_size=37, page_size=16",
        ),
        ("free-must-be-page-aligned", "free must be page-aligned, got len(indices)=5, page_size=16"),
    ):
        page = (settings.out / f"{POOL}{slug}" / "index.html").read_text()

        assert f"ValueError: LogicalHostPool {message}" in page


def test_founding_fields_are_kept(corpus: tuple[Settings, Report]) -> None:
    """The allocation record's API file has the 31 founding fields in order, and keeps what is contract."""
    settings, _ = corpus
    record = json.loads((settings.out / "api/errors/ba4db60e324417e3.json").read_bytes())["record"]

    assert FOUNDING.split() == list(record)[:31]
    assert KEPT == {name: record[name] for name in KEPT}
    assert EXCERPT_SHA256 == hashlib.sha256(record["sourceCode"].encode()).hexdigest()[:24]


def test_api_file_without_ending_is_the_same(corpus: tuple[Settings, Report]) -> None:
    """`api/errors/<id>` holds the bytes of `api/errors/<id>.json`."""
    settings, _ = corpus
    files = sorted((settings.out / "api/errors").glob("*.json"))

    assert len(files) >= 44
    assert all(file.read_bytes() == file.with_suffix("").read_bytes() for file in files)


@pytest.mark.parametrize(
    "slug",
    ["size-must-be-page-aligned-got-size", "allocation-must-be-page-aligned-g", "free-must-be-page-aligned"],
)
def test_pool_errors_name_each_other_first(corpus: tuple[Settings, Report], slug: str) -> None:
    """The two records most related to a pool record are the other two, with the reason."""
    _, report = corpus
    pool = {one.record.id: one for one in report.verified if one.record.slug.startswith("logicalhostpool-")}
    (this,) = (one for one in pool.values() if one.record.slug.endswith(slug))

    assert report.site is not None
    first = report.site.whole(this).related[:2]

    assert pool.keys() - {this.record.id} == {relation.id for relation in first}
    assert all("raised by the same class, LogicalHostPool" in relation.reasons for relation in first)


def test_formulas_are_published_as_written(corpus: tuple[Settings, Report]) -> None:
    """By name, beside the evidence, for programs that show a reader's own values."""
    settings, report = corpus
    written = {
        one.record.id: [{"name": each.name, "formula": each.value} for each in claims.computed]
        for one in report.verified
        if (claims := one.case.claims)
    }
    page = {"name": "whole pages to ask for", "formula": "-(-need_size // page_size)"}
    assert any(page in formulas for formulas in written.values())
    for record, formulas in written.items():
        published = json.loads((settings.out / f"api/errors/{record}.json").read_bytes())["record"]
        assert formulas == published["computed"]


def test_manifest_lists_every_api_file(corpus: tuple[Settings, Report]) -> None:
    """Following the manifest and its shards reaches every API file, with its digest."""
    settings, _ = corpus
    listed = json.loads((settings.out / "api/manifest.json").read_bytes())["files"]
    for path in [path for path in listed if path.startswith("api/manifest/")]:
        listed |= json.loads((settings.out / path).read_bytes())["files"]

    there = {
        path.relative_to(settings.out).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for folder in ("api", "schema")
        for path in (settings.out / folder).rglob("*")
        if path.is_file() and path.name != "manifest.json" and path.suffix != ".html"
    }
    assert there == listed


@pytest.mark.parametrize("base", ["", "docs/errors/"])
def test_every_internal_link_resolves(corpus: tuple[Settings, Report], base: str) -> None:
    """Links, anchors and assets lead to a file that is there, from a root, a sub-path, and as files.

    From files nothing may rely on a server that finds `index.html` for a folder: every link names a file.
    Only 404.html is absolute, below the configured base path.
    """
    settings, _ = corpus
    out = settings.out
    if base:
        out = settings.out.parent / "below"
        build.build(replace(settings, out=out, base_url=f"https://example.org/{base}"))
    pages = {path.relative_to(out).as_posix(): _Links() for path in sorted(out.rglob("*.html"))}
    for path, parser in pages.items():
        parser.feed((out / path).read_text())
    broken = []
    for path, parser in pages.items():
        for target in parser.targets:
            parts = urlsplit(target)
            if parts.scheme in {"https", "mailto"}:
                continue
            there = parts.path
            if path == "404.html" and there:
                assert there.startswith(f"/{base}"), there
                there = there.removeprefix(f"/{base}")
            found = posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(there)))
            target_path = path if not parts.path else found
            is_there = (out / target_path).is_file() and not found.startswith("..")
            if not is_there or (parts.fragment and parts.fragment not in pages[target_path].ids):
                broken.append((path, target))
    assert len(pages) > 30
    assert [] == broken


def test_without_comparison_records_are_read(corpus: tuple[Settings, Report], tmp_path: Path) -> None:
    """Without `differential.json` every bundled record counts as `read`; the build says so and goes on."""
    settings, _ = corpus
    shutil.copytree(
        settings.records, tmp_path / "records", ignore=shutil.ignore_patterns("differential.json")
    )

    report = build.build(replace(settings, records=tmp_path / "records", out=tmp_path / "site"))

    sglang = [one for one in report.verified if one.record.repo == "sgl-project/sglang"]
    assert ["read"] * 16 == [one.standing for one in sglang]
    assert 16 == sum(1 for one in report.diagnostics if one.code == "E0410")
    assert not has_errors(report.diagnostics)
    assert report.changes is not None


def test_no_upstream_source_is_committed_unasked() -> None:
    """Only the two founding records hold an excerpt; all others have it read at build time."""
    holders = [
        path.name
        for path in sorted((ROOT / "records").rglob("*.yaml"))
        if "\nsourceCode:" in path.read_text()
    ]

    assert [
        "logicalhostpool-allocation-must-be-page-aligned-g.yaml",
        "logicalhostpool-size-must-be-page-aligned-got-size.yaml",
    ] == holders
