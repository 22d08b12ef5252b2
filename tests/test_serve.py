"""`pagefault serve`: what is saved is built and shown, and what does not hold is told and never published."""

import json
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
RECORD = """\
repo: acme/pool
slug: {slug}
errorMessage: "{slug} is refused with {{value}} here"
errorClass: KeyError
filePath: src/pool.py
lineNumber: 7
documentation: What it means.
analyzedSha: 0132848349585cfe6aae51c4941cbae872505f8a
"""
# Run by any Python.
PROVEN = f"""\
repo: python/cpython
slug: expecting-value
errorMessage: "Expecting value: line {{err.lineno}} column {{err.colno}} (char {{err.pos}})"
errorClass: json.decoder.JSONDecodeError
filePath: Lib/json/decoder.py
lineNumber: 355
documentation: There is no value here.
analyzedSha: 0132848349585cfe6aae51c4941cbae872505f8a
verification:
  subject: python=={sys.version_info.major}.{sys.version_info.minor}
  setup: import json
  trigger: json.loads("")
  more: ["json.loads('[1, x]')"]
"""
CONFIGURED = """\
[tool.pagefault]
title = "Try"
base-url = "https://acme.github.io/my-repo/"
tracker = "https://example.org/new"
"""
PAGE = "/my-repo/acme/pool/first/"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a project with a configuration and a record."""
    (tmp_path / "records").mkdir()
    (tmp_path / "records" / "first.yaml").write_text(RECORD.format(slug="first"))
    (tmp_path / "pyproject.toml").write_text(CONFIGURED)
    return tmp_path


class Served:
    """A running command, asked as a browser would."""

    def __init__(self, process: subprocess.Popen[str], project: Path) -> None:
        assert process.stdout is not None
        self.process, self.project = process, project
        self.line = process.stdout.readline()
        found = re.search(r"http://(.+):(\d+)(/\S*)", self.line)
        assert found, self.line + self.err
        self.host, self.port, self.prefix = found[1].strip("[]"), int(found[2]), found[3]
        self._connection = HTTPConnection(self.host, self.port, timeout=120)
        self._stream: HTTPResponse | None = None

    @property
    def err(self) -> str:
        """What was said on standard error up to now."""
        return (self.project / "err.txt").read_text()

    @property
    def builds(self) -> int:
        """How many rebuilds were told of."""
        return len(re.findall(r"^\d\d:\d\d:\d\d ", self.err, re.MULTILINE))

    def get(self, target: str) -> tuple[int, str]:
        """The status and the text at an address."""
        connection = HTTPConnection(self.host, self.port, timeout=120)
        connection.request("GET", target)
        response = connection.getresponse()
        text = response.read().decode()
        connection.close()
        return response.status, text

    def next(self) -> dict[str, str]:
        """The next event that a browser hears; the first says how things are."""
        if self._stream is None:
            self._connection.request("GET", f"{self.prefix}.pagefault/events")
            self._stream = self._connection.getresponse()
        while not (line := self._stream.readline()).startswith(b"data: "):
            assert line, f"the stream ended: {self.err}"
        found: dict[str, str] = json.loads(line.removeprefix(b"data: "))
        return found

    def until(self, holds: Callable[[dict[str, str]], bool]) -> dict[str, str]:
        """The first event of which that holds."""
        while not holds(found := self.next()):
            """Not yet."""
        return found

    def settled(self) -> dict[str, str]:
        """How things are after the first build."""
        return self.until(lambda event: event["version"] != "" or event["problem"] != "")

    def close(self) -> None:
        """Go away."""
        if self._stream is not None:
            self._stream.close()
        self._connection.close()


@contextmanager
def serving(project: Path, *arguments: str, port: int | None = None, source: Path = ROOT) -> Iterator[Served]:
    """Run the command in a project meanwhile."""
    command = [sys.executable, "-m", "generator", "serve", "--port", str(port or free_port()), *arguments]
    with (
        (project / "err.txt").open("w") as err,
        subprocess.Popen(
            command,
            cwd=project,
            env={"PYTHONPATH": str(source), "PATH": "/usr/bin:/bin"},
            stdout=subprocess.PIPE,
            stderr=err,
            text=True,
        ) as process,
    ):
        try:
            served = Served(process, project)
            try:
                yield served
            finally:
                served.close()
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
            assert process.wait(timeout=60) == 0, (project / "err.txt").read_text()


def free_port() -> int:
    """Return a port at which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as one:
        return int(one.getsockname()[1])


def snapshot(folder: Path) -> dict[str, bytes]:
    """Return the bytes of every published file."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".pagefault" not in path.parts
    }


def test_a_save_is_built_and_told(project: Path) -> None:
    """At the path of the base URL; what is published is what `build` would have published."""
    with serving(project) as served:
        assert "/my-repo/" == served.prefix
        before = served.settled()
        assert "What it means" in served.get(PAGE)[1]
        (project / "records" / "first.yaml").write_text(RECORD.format(slug="first").replace("means", "says"))
        after = served.until(lambda event: event["version"] != before["version"])
        assert "" == after["problem"]
        status, text = served.get(PAGE)
        assert 200 == status
        assert "What it says" in text
        assert f'data-version="{after["version"]}"' in text
        assert re.search(r"records/first\.yaml: \d+ files written; \d+\.\d\d s", served.err)
    live = snapshot(project / "site")
    assert not any(b"live.js" in data for data in live.values())
    subprocess.run(
        [sys.executable, "-m", "generator", "build", "--no-cache", "--out", "cold", "-q"],
        cwd=project,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        check=True,
    )
    assert snapshot(project / "cold") == live


def test_findings_are_told_and_nothing_is_published_until_they_are_mended(project: Path) -> None:
    """The last good site stays, with the finding in full beside it."""
    with serving(project) as served:
        before = served.settled()
        good = snapshot(project / "site")
        file = project / "records" / "first.yaml"
        text = file.read_text()
        file.write_text(text.replace("lineNumber: 7", "lineNumber: seven"))
        found = served.until(lambda event: event["problem"] != "")
        assert "error[E0113]" in found["problem"]
        assert "--> records/first.yaml:6:13" in found["problem"]
        assert "6 | lineNumber: seven" in found["problem"]
        assert before["version"] == found["version"]
        assert found["problem"] in served.err
        assert "nothing was published" in served.err
        assert good == snapshot(project / "site")
        assert 200 == served.get(PAGE)[0]
        file.write_text(text)
        assert before | {"problem": ""} == served.until(lambda event: event["problem"] == "")
        assert good == snapshot(project / "site")


def test_a_first_build_may_fail(project: Path) -> None:
    """Then there is a page that says why, and the site as soon as it is mended."""
    file = project / "records" / "first.yaml"
    file.write_text("repo: [acme\n")
    with serving(project) as served:
        found = served.until(lambda event: event["problem"] != "")
        assert "error[E0101]" in found["problem"]
        status, text = served.get("/my-repo/")
        assert 503 == status
        assert ".pagefault/live.js" in text
        file.write_text(RECORD.format(slug="first"))
        mended = served.until(lambda event: event["problem"] == "")
        assert found["version"] != mended["version"]
        assert 200 == served.get(PAGE)[0]


def test_half_a_file_is_no_record(project: Path) -> None:
    """Emptied and then written, removed and made again, renamed into place: one good build each."""
    with serving(project) as served:
        served.settled()
        file = project / "records" / "first.yaml"
        text = file.read_text()
        for number, way in enumerate((_emptied, _removed, _renamed)):
            way(file, text.replace("means", f"says {number}"))
            served.until(lambda event: event["problem"] == "")
            assert f"What it says {number}" in served.get(PAGE)[1]
            assert number + 1 == served.builds
        assert "E0" not in served.err


def _emptied(file: Path, text: str) -> None:
    file.write_text("")
    time.sleep(0.1)
    file.write_text(text)


def _removed(file: Path, text: str) -> None:
    file.unlink()
    time.sleep(0.1)
    file.write_text(text)


def _renamed(file: Path, text: str) -> None:
    beside = file.with_name("first.yaml.tmp")
    beside.write_text(text)
    beside.replace(file)


def test_many_saves_are_one_build(project: Path) -> None:
    """As many as an editor makes that saves everything."""
    with serving(project) as served:
        before = served.settled()
        for number in range(20):
            (project / "records" / f"r{number}.yaml").write_text(RECORD.format(slug=f"r{number}"))
        served.until(lambda event: event["version"] != before["version"])
        assert 1 == served.builds
        assert re.search(r"records/r0\.yaml, .+ and 17 more: ", served.err)
        assert 200 == served.get("/my-repo/acme/pool/r19/")[0]


def test_snippets_run_again_where_they_changed(project: Path) -> None:
    """In a process that lasts; what they do now is judged."""
    file = project / "records" / "value.yaml"
    file.write_text(PROVEN)
    with serving(project) as served:
        served.settled()
        file.write_text(PROVEN.replace('json.loads("")', 'json.loads("[]")'))
        found = served.until(lambda event: event["problem"] != "")
        assert "error[E0403]" in found["problem"]
        file.write_text(PROVEN.replace('json.loads("")', "json.loads(' ')"))
        served.until(lambda event: event["problem"] == "")
        assert "json.loads(' ')" in (project / "site/python/cpython/expecting-value/index.md").read_text()


def test_templates_are_watched_and_their_failures_told(project: Path) -> None:
    """With file and line; also a folder of templates that is new."""
    (project / "themes").mkdir()
    with serving(project, "--templates", "themes") as served:
        before = served.settled()
        template = project / "themes" / "not_found.html"
        template.write_text("<p>gone</p>\n<p>{{ nothing.at.all }}</p>\n")
        found = served.until(lambda event: event["problem"] != "")
        assert found["problem"].startswith("themes/not_found.html:2: ")
        assert before["version"] == found["version"]
        template.write_text("<p>gone</p>\n")
        served.until(lambda event: event["problem"] == "")
        assert (404, True) == (served.get("/my-repo/a/b")[0], "<p>gone</p>" in served.get("/my-repo/a/b")[1])


def test_the_folder_of_records_may_be_gone_for_a_while(project: Path) -> None:
    """As where another branch is looked at."""
    with serving(project) as served:
        served.settled()
        good = snapshot(project / "site")
        (project / "records").rename(project / "elsewhere")
        found = served.until(lambda event: event["problem"] != "")
        assert found["problem"].startswith("no folder of records at records")
        assert good == snapshot(project / "site")
        (project / "elsewhere").rename(project / "records")
        served.until(lambda event: event["problem"] == "")
        (project / "records" / "first.yaml").write_text(RECORD.format(slug="first").replace("means", "says"))
        served.next()
        assert "What it says" in served.get(PAGE)[1]


def test_the_program_starts_anew_where_it_changed(project: Path) -> None:
    """At the same port, once it can be read; bundled code under test is a part of it."""
    own = project / "own"
    for name in ("generator", "templates", "records/pagefault"):
        shutil.copytree(ROOT / name, own / name, ignore=shutil.ignore_patterns("__pycache__"))
    with serving(project, source=own) as served:
        before = served.settled()
        file = own / "generator" / "__init__.py"
        text = file.read_text()
        file.write_text(text + "def\n")
        found = served.until(lambda event: event["problem"] != "")
        assert re.match(r"own/generator/__init__\.py:\d+: invalid syntax", found["problem"])
        file.write_text(text.replace("__version__ = ", "__version__ = '99.' + "))
        assert served.process.stdout is not None
        again = served.process.stdout.readline()
        assert f":{served.port}/my-repo/ " in again
        for _ in range(1000):
            # The first build of the new one is under way.
            if "99." in (text := served.get(PAGE)[1]) and 'data-version=""' not in text:
                break
            time.sleep(0.05)
        assert before["version"] not in text
        assert "pagefault 99.0" in text
        assert "changed: starting anew" in served.err


def test_the_configuration_is_watched(project: Path) -> None:
    """One that cannot be read is told, and changes nothing; a new base URL moves the site."""
    with serving(project) as served:
        served.settled()
        file = project / "pyproject.toml"
        file.write_text(CONFIGURED + "title = [\n")
        found = served.until(lambda event: event["problem"] != "")
        assert "error[E0702]" in found["problem"]
        assert "--> pyproject.toml" in found["problem"]
        assert 200 == served.get("/my-repo/")[0]
        file.write_text(CONFIGURED.replace("Try", "Other title").replace("my-repo", "moved"))
        served.until(lambda event: event["problem"] == "")
        assert "<title>Other title</title>" in served.get("/moved/")[1]
        assert 404 == served.get("/my-repo/")[0]
        assert served.process.stdout is not None
        assert served.process.stdout.readline().endswith("/moved/ (Ctrl-C ends it)\n")


def test_settings_that_are_refused_are_told(project: Path) -> None:
    """What ends another command does not end this one."""
    with serving(project) as served:
        served.settled()
        file = project / "pyproject.toml"
        file.write_text(CONFIGURED + 'outputs = ["html", "pdf"]\n')
        found = served.until(lambda event: event["problem"] != "")
        assert found["problem"].startswith("unknown output `pdf`")
        file.write_text(CONFIGURED)
        served.until(lambda event: event["problem"] == "")


def test_a_port_that_is_taken_is_replaced_and_that_is_said(project: Path) -> None:
    """The address that is shown is the one that answers."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = int(taken.getsockname()[1])
        with serving(project, port=port) as served:
            served.settled()
            assert served.port != port
            assert f"port {port} is taken: {served.port} is used" in served.err
            assert 200 == served.get("/my-repo/")[0]


def test_it_says_when_others_can_reach_it(project: Path) -> None:
    """Only where they can."""
    with serving(project, "--host", "::") as served:
        served.settled()
        assert "listening at ::: others who reach this machine can read the site too" in served.err
    with serving(project) as served:
        served.settled()
        assert "listening" not in served.err


def test_an_address_of_another_machine_is_refused(project: Path) -> None:
    """Before anything is built."""
    done = subprocess.run(
        [sys.executable, "-m", "generator", "serve", "--host", "192.0.2.1"],
        cwd=project,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert 2 == done.returncode
    assert done.stderr.startswith("pagefault: cannot listen at 192.0.2.1, port 8000: ")
    assert not (project / "site").exists()


def test_quiet_says_where_and_what_does_not_hold(project: Path) -> None:
    """Rebuilds that go well are not news."""
    with serving(project, "-q") as served:
        served.settled()
        file = project / "records" / "first.yaml"
        text = file.read_text()
        file.write_text(text + "bogus: 1\n")
        served.until(lambda event: event["problem"] != "")
        file.write_text(text)
        served.until(lambda event: event["problem"] == "")
        lines = [line for line in served.err.splitlines() if line]
        assert lines[0].startswith("error[E0111]")
        assert not any("written" in line or "published" in line for line in lines)
