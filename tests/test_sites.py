"""Whole sites: a folder of records in, the files of a site out, compared with those that are expected.

`tests/sites/<case>/` holds `records/`, perhaps `templates/` and `pagefault.toml` (settings), and `expected/`
with every file of the site: of HTML what stands inside `<main>`, of assets nothing. A file too many fails
like one too few. `pytest --rewrite` makes what is built now the expectation.
"""

import gzip
import re
import shutil
import tomllib
from pathlib import Path

import pytest

from generator import build
from generator.build import Report
from generator.diagnostics import render
from generator.settings import Settings

CASES = Path(__file__).parent / "sites"
_MAIN = re.compile(r"<main id=\"content\">\n(.*)</main>", re.DOTALL)


class SiteCase:
    """A copy of a case's folder that can be built, edited and built again."""

    def __init__(self, case: Path, folder: Path) -> None:
        self.case = case
        self.folder = folder
        for part in ("records", "templates"):
            if (case / part).is_dir():
                shutil.copytree(case / part, folder / part)
        file = case / "pagefault.toml"
        self.options = tomllib.loads(file.read_text()) if file.is_file() else {}

    def build(self, *, jobs: int = 1) -> Report:
        """Builds into `site/` beside the records."""
        templates = self.folder / "templates"
        return build.build(
            Settings(
                records=self.folder / "records",
                out=self.folder / "site",
                cache=self.folder / "cache",
                templates=templates if templates.is_dir() else None,
                jobs=jobs,
                name=lambda path: path.relative_to(self.folder).as_posix(),
                **self.options,
            )
        )

    @property
    def files(self) -> dict[str, bytes]:
        """Every published file by its path."""
        site = self.folder / "site"
        return {
            path.relative_to(site).as_posix(): path.read_bytes()
            for path in sorted(site.rglob("*"))
            if path.is_file() and ".pagefault" not in path.parts
        }


def comparable(files: dict[str, bytes]) -> dict[str, str]:
    """What a case compares: names of assets without digests, the main part of pages, other files whole."""
    found = {}
    for path, data in files.items():
        if path == ".gitignore":
            # Under its own name it would keep what is expected out of this repository.
            found["gitignore"] = data.decode()
            continue
        if path.startswith("static/"):
            found[re.sub(r"\.[0-9a-f]{8}\.", ".", path)] = ""
            continue
        text = (gzip.decompress(data) if path.endswith(".gz") else data).decode()
        main = _MAIN.search(text) if path.endswith(".html") else None
        found[path] = main[1] if main else text
    return found


@pytest.mark.parametrize("name", sorted(path.name for path in CASES.iterdir() if path.is_dir()))
def test_site_is_as_expected(name: str, tmp_path: Path, is_rewriting: bool) -> None:  # noqa: FBT001 - a fixture
    """The case's records make exactly the files that are expected, and the findings in `findings.txt`."""
    case = SiteCase(CASES / name, tmp_path)

    report = case.build()

    found = comparable(case.files) | {"findings.txt": render(report.diagnostics)}
    expected = CASES / name / "expected"
    if is_rewriting:
        shutil.rmtree(expected, ignore_errors=True)
        for path, text in found.items():
            (expected / path).parent.mkdir(parents=True, exist_ok=True)
            (expected / path).write_text(text)
    known = {
        path.relative_to(expected).as_posix(): path.read_text()
        for path in sorted(expected.rglob("*"))
        if path.is_file()
    }
    assert sorted(known) == sorted(found)
    assert known == found
