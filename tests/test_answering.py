"""`pagefault explain`: a paste to a page, from a built site, a site on the web, or records without one."""

import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from generator import answering, build, libraries, unbuilt
from generator.libraries import Built, LibraryUnavailable, Remote
from generator.settings import Settings

ROOT = Path(__file__).parents[1]
MESSAGE = "LogicalHostPool allocation must be page-aligned, got need_size=5003, page_size=64"
FRAMES = 'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\n    f()\n'
PASTE = f"{FRAMES}ValueError: {MESSAGE}\n"
PAGE = "sgl-project/sglang/logicalhostpool-allocation-must-be-page-aligned-g/"


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two of our records that share most words, and one about a code of ours; nothing of them is run."""
    folder = tmp_path_factory.mktemp("explained") / "records"
    for name in (
        "sgl-project/sglang/logicalhostpool-allocation-must-be-page-aligned-g.yaml",
        "sgl-project/sglang/logicalhostpool-size-must-be-page-aligned-got-size.yaml",
        "pagefault/pagefault/e0301.yaml",
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "records" / name, folder / name)
    return folder


@pytest.fixture(scope="module")
def site(records: Path) -> Path:
    """The same, built."""
    out = records.parent / "site"
    for file in records.rglob("*.yaml"):
        text = file.read_text(encoding="utf-8")
        # What is claimed is run elsewhere; here it takes time alone.
        file.write_text(text[: text.index("verification:")], encoding="utf-8")
    report = build.build(Settings(records=records, out=out, cache=records.parent / "cache"))
    assert report.changes is not None, report.diagnostics
    return out


def explain(*arguments: str, cwd: Path, text: str = "") -> "subprocess.CompletedProcess[str]":
    """The command's end."""
    return subprocess.run(
        [sys.executable, "-m", "generator", "explain", *arguments],
        input=text,
        capture_output=True,
        encoding="utf-8",
        check=False,
        cwd=cwd,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
    )


def test_a_paste_gives_the_page_with_the_readers_values(site: Path) -> None:
    """The message as it was met, its values, what is to be done first, and where the whole page is."""
    found = answering.answer(PASTE, Built(site, "https://example.org/"))

    assert found.is_exact
    assert f"```\n{MESSAGE}\n```" in found.page
    assert "- need_size: `5003`\n- page_size: `64`" in found.page
    assert "**Do this first:** Round the request up to whole pages" in found.page
    assert f"https://example.org/{PAGE}" in found.page


def test_programs_are_told_by_a_fixed_shape(site: Path) -> None:
    """Matches, best first, and what was asked."""
    found = json.loads(answering.answer(PASTE, Built(site, "https://example.org/")).as_json())

    assert {
        "matches": [
            {
                "id": "ba4db60e324417e3",
                "repo": "sgl-project/sglang",
                "slug": "logicalhostpool-allocation-must-be-page-aligned-g",
                "errorClass": "ValueError",
                "message": MESSAGE,
                "match": "exact",
                "values": {"need_size": "5003", "page_size": "64"},
                "url": f"https://example.org/{PAGE}",
            }
        ],
        "query": PASTE,
    } == found


def test_what_only_comes_near_is_no_answer(site: Path) -> None:
    """It is listed as near, and no page is shown."""
    found = answering.answer(
        "every LogicalHostPool allocation must be page-aligned, but got need_size 5003", Built(site, "")
    )

    assert not found.is_exact
    assert {"near"} == {match.match for match in found.found.matches}
    assert "(near: not the same)" in found.others


@pytest.mark.parametrize("code", ["E0301", "e0301", " E0301\n"])
def test_a_code_is_explained_in_any_case(site: Path, code: str) -> None:
    """The record whose own code it is."""
    found = answering.by_code(code, Built(site, ""))

    assert found is not None
    assert "pagefault/pagefault · E0301" in found.page
    assert None is answering.by_code("E9999", Built(site, ""))
    assert None is answering.by_code("no code at all", Built(site, ""))


def test_a_record_is_found_by_its_name(site: Path) -> None:
    """Its slug, with or without the repository, or its id; of a mistyped one the nearest are said."""
    slug = PAGE.split("/")[2]
    found = answering.by_name(slug, Built(site, ""))
    assert isinstance(found, answering.Answer)
    assert found.is_exact
    (match,) = found.found.matches
    for name in (match.id, f"sgl-project/sglang/{slug}", f" {slug}\n"):
        assert answering.is_name(name)
        assert found.page == getattr(answering.by_name(name, Built(site, "")), "page", "")
    near = answering.by_name(slug.replace("allocation", "alocation"), Built(site, ""))
    assert isinstance(near, tuple)
    assert slug == near[0]
    assert not answering.is_name(MESSAGE)


def test_a_mistyped_name_is_answered_by_the_nearest(records: Path) -> None:
    """On the command line; a code that nobody explains is no message either."""
    told = ("--records", str(records))
    done = explain("logicalhostpool-alocation-must-be-page-aligned-g", *told, cwd=records.parent)
    assert (1, "") == (done.returncode, done.stdout)
    assert "did you mean `logicalhostpool-allocation-must-be-page-aligned-g`" in done.stderr
    done = explain("E9999", *told, cwd=records.parent)
    assert (1, "pagefault: no record explains E9999\n") == (done.returncode, done.stderr)


def test_colors_can_be_forced_and_refused(site: Path) -> None:
    """Where a page is read by a program, as CI's log is."""
    command = [sys.executable, "-m", "generator", "explain", MESSAGE, "--out", str(site)]
    said = {}
    for name, told in (
        ("plain", {}),
        ("forced", {"FORCE_COLOR": "1"}),
        ("both", {"FORCE_COLOR": "1", "NO_COLOR": "1"}),
    ):
        env = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", **told}
        said[name] = subprocess.run(command, capture_output=True, check=True, cwd=site, env=env).stdout
    assert b"\x1b[" in said["forced"]
    assert said["plain"] == said["both"]
    assert b"\x1b[" not in said["plain"]


def test_records_without_a_site_answer_too(records: Path, tmp_path: Path) -> None:
    """The same records are found, and the page says that nothing was run for it."""
    library = unbuilt.library(Settings(records=records, out=tmp_path / "site", cache=tmp_path / "cache"))
    found = answering.answer(PASTE, library)

    assert "ba4db60e324417e3" == found.found.matches[0].id
    assert "not proven: it was read for this answer, and not run" in found.page


def test_a_damaged_site_is_named(site: Path, tmp_path: Path) -> None:
    """Not a traceback, but the file that cannot be used."""
    with pytest.raises(LibraryUnavailable, match=r"lookup/meta\.json"):
        answering.answer(PASTE, Built(tmp_path, ""))
    broken = shutil.copytree(site, tmp_path / "broken")
    (broken / "api" / "errors" / "ba4db60e324417e3.json").write_text("{}")
    with pytest.raises(LibraryUnavailable, match="is no record"):
        answering.answer(PASTE, Built(broken, ""))


@dataclass
class Host:
    """A server of the site: what it was asked for, and whether it still answers."""

    base: str
    asked: list[tuple[str, int]] = field(default_factory=list)
    is_down: bool = False


@pytest.fixture
def host(site: Path) -> Iterator[Host]:
    """Serves the built site as GitHub Pages does, with ETags."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            file = site / self.path.removeprefix("/errors/")
            status = 503 if known.is_down else 200 if file.is_file() else 404
            data = file.read_bytes() if status == 200 else b""
            if status == 200 and self.headers.get("If-None-Match") == '"1"':
                status, data = 304, b""
            known.asked.append((self.path, status))
            self.send_response(status)
            self.send_header("ETag", '"1"')
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    known = Host(f"http://127.0.0.1:{server.server_port}/errors/")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield known
    server.shutdown()
    server.server_close()


def test_a_site_on_the_web_answers_also_when_it_is_gone(host: Host, tmp_path: Path) -> None:
    """What was fetched is asked for by its tag, kept, and shown with a word about it when the host fails."""
    told: list[str] = []
    library = Remote(host.base, tmp_path, told.append)
    first = answering.answer(PASTE, library)
    fetched = len(host.asked)
    again = answering.answer(PASTE, library)
    host.is_down = True
    offline = answering.answer(PASTE, library)

    assert f"{host.base}{PAGE}" == first.urls[0]
    assert first.page == again.page == offline.page
    assert {304} == {status for _, status in host.asked[fetched : 2 * fetched]}
    assert all("what was fetched before is shown" in one for one in told)
    assert told
    with pytest.raises(LibraryUnavailable, match="the host answered 503"):
        libraries.record(library, "0" * 16)


def test_what_a_site_says_gives_no_orders(site: Path, tmp_path: Path) -> None:
    """Neither to the terminal, by control characters, nor to the file system, by an id that is a path."""
    evil = shutil.copytree(site, tmp_path / "evil")
    file = evil / "api" / "errors" / "ba4db60e324417e3.json"
    file.write_text(file.read_text().replace("hands out whole pages", "hands \\u001b[2J\\u202e out"))
    found = answering.answer(PASTE, Built(evil, ""))

    assert "hands \ufffd[2J\ufffd out" in found.page
    for shard in (evil / "lookup").glob("*.json"):
        shard.write_text(shard.read_text().replace("ba4db60e324417e3", "../../../../escaped"))
    with pytest.raises(LibraryUnavailable, match="is no id of a record"):
        answering.answer(PASTE, Remote(evil.as_uri() + "/", tmp_path / "cache", print))


def test_the_command_reads_words_files_and_pipes(site: Path, tmp_path: Path) -> None:
    """All three are the same paste; status 0 says that a page fits whole."""
    (tmp_path / "app.log").write_text(PASTE)
    out = ("--out", str(site))
    ways = [
        explain(*out, "ValueError:", MESSAGE, cwd=tmp_path),
        explain(*out, "app.log", cwd=tmp_path),
        explain(*out, "-", cwd=tmp_path, text=PASTE),
        explain(*out, cwd=tmp_path, text=PASTE),
    ]

    assert [0] * 4 == [one.returncode for one in ways], ways
    assert 1 == len({one.stdout for one in ways})
    assert "- need_size: `5003`" in ways[0].stdout
    assert "\x1b" not in ways[0].stdout


def test_the_command_says_that_nothing_fits(site: Path, tmp_path: Path) -> None:
    """With status 1, what was looked for, and JSON without matches for programs."""
    done = explain("--out", str(site), "KeyError: 'x'", cwd=tmp_path)
    told = explain("--out", str(site), "--json", "KeyError: 'x'", cwd=tmp_path)

    assert 1 == done.returncode
    assert "no page fits the whole message\nlooked for: KeyError: 'x'\n" == done.stdout
    assert {"matches": [], "query": "KeyError: 'x'"} == json.loads(told.stdout)
    assert 1 == told.returncode


def test_our_own_codes_are_explained_everywhere(tmp_path: Path) -> None:
    """Also in a folder that has neither records nor a site; there nothing else can be."""
    done = explain("e0302", cwd=tmp_path)
    lost = explain("ValueError: name must be provided", cwd=tmp_path)

    assert 0 == done.returncode
    assert "E0302" in done.stdout
    assert 2 == lost.returncode
    assert "name a site with --site" in lost.stderr


def test_an_answer_from_a_site_imports_little(site: Path, tmp_path: Path) -> None:
    """Most of an answer's time is that of imports: what builds, checks and terminals need is left out."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "generator", "explain", "--out", str(site), MESSAGE],
        capture_output=True,
        encoding="utf-8",
        check=False,
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
    )
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}

    assert "generator.search" in imported
    slow = {"jinja2", "yaml", "pygments", "rich", "markdown_it", "ctypes", "difflib", "urllib.request"}
    assert set() == imported & {*slow, "generator.theme", "generator.walls", "generator.schema"}
