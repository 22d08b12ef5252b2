"""GitHub, as far as a comment needs it: pull requests, what runs left, comments."""

import io
import json
import re
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

SHA = "0123456789abcdef0123456789abcdef01234567"
BOT = "github-actions[bot]"
ACME, STRANGER = 7, 8  # repositories
TEXT = "1 record changed\n\n| field | before | after |\n|---|---|---|\n| `cause` | one | two |\n"


def packed(*files: tuple[str | zipfile.ZipInfo, bytes], how: int = zipfile.ZIP_DEFLATED) -> bytes:
    """An archive of some files."""
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w", how) as archive:
        for name, content in files:
            archive.writestr(name, content)
    return into.getvalue()


def pull(number: int = 12, **changed: Any) -> dict[str, Any]:
    """An open pull request from a fork, as GitHub lists it."""
    head = {"sha": SHA, "repo": {"id": STRANGER}} | changed
    return {"number": number, "head": head, "base": {"repo": {"id": ACME}}}


def said(number: int, body: str | None, login: str = BOT) -> dict[str, Any]:
    """A comment as GitHub lists it."""
    return {"id": number, "body": body, "user": {"login": login}}


@dataclass
class Fake:
    """What GitHub knows and was asked; files are kept by another host than its own."""

    pulls: list[dict[str, Any]] = field(default_factory=lambda: [pull()])
    artifacts: list[dict[str, Any]] = field(
        default_factory=lambda: [{"id": 5, "name": "review", "expired": False, "size_in_bytes": 300}]
    )
    files: dict[int, bytes] = field(default_factory=lambda: {5: packed(("review.md", TEXT.encode()))})
    comments: list[dict[str, Any]] = field(default_factory=list)
    status: int = 200
    asked: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)
    written: list[tuple[str, str, str]] = field(default_factory=list)
    tokens: dict[str, set[str | None]] = field(default_factory=dict)
    api: str = ""
    storage: str = ""

    def answer(self, path: str, query: dict[str, str]) -> Any:
        """What is known at a path."""
        if path == "/repos/acme/errors/pulls":
            return self.pulls
        if path == "/repos/acme/errors/actions/runs/99/artifacts":
            return {"artifacts": self.artifacts}
        if path == "/repos/acme/errors/issues/12/comments":
            first = (int(query["page"]) - 1) * int(query["per_page"])
            return self.comments[first : first + int(query["per_page"])]
        raise KeyError(path)


def _handler(fake: Fake, *, is_storage: bool) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            """Answers, or points at where a file is kept."""
            self._note()
            parts = urlsplit(self.path)
            query = {name: one for name, (one,) in parse_qs(parts.query).items()}
            fake.asked.append(("GET", parts.path, query))
            found = re.fullmatch(r"(?:/repos/acme/errors/actions/artifacts)?/(\d+)/zip", parts.path)
            if is_storage and found:
                self._send(200, fake.files[int(found[1])])
            elif found:
                self._send(302, b"", location=f"{fake.storage}/{found[1]}/zip")
            else:
                self._send(fake.status, json.dumps(fake.answer(parts.path, query)).encode())

        def do_POST(self) -> None:
            """Notes what is written."""
            self._note()
            text = self.rfile.read(int(self.headers["Content-Length"]))
            fake.written.append((self.command, self.path, json.loads(text)["body"]))
            self._send(201, b"{}")

        do_PATCH = do_POST  # noqa: N815 - the name that the server calls

        def _note(self) -> None:
            host = "storage" if is_storage else "api"
            fake.tokens.setdefault(host, set()).add(self.headers["Authorization"])

        def _send(self, status: int, content: bytes, location: str | None = None) -> None:
            self.send_response(status)
            if location:
                self.send_header("Location", location)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Keeps quiet."""

    return Handler


@contextmanager
def served() -> Iterator[Fake]:
    """GitHub, as long as it is asked."""
    one = Fake()
    servers = [
        ThreadingHTTPServer(("127.0.0.1", 0), _handler(one, is_storage=is_storage))
        for is_storage in (False, True)
    ]
    one.api, one.storage = (f"http://127.0.0.1:{server.server_port}" for server in servers)
    for server in servers:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield one
    finally:
        for server in servers:
            server.shutdown()
            server.server_close()


def environment(one: Fake, folder: Path) -> dict[str, str]:
    """What a run is told; the event stands in a file of the folder."""
    return {
        "GITHUB_API_URL": one.api,
        "GITHUB_SERVER_URL": "https://github.com",
        "GITHUB_REPOSITORY": "acme/errors",
        "GITHUB_TOKEN": "secret",
        "GITHUB_EVENT_PATH": str(folder / "event.json"),
    }


def write_event(folder: Path, **changed: Any) -> None:
    """The event of a review that ended."""
    run = {
        "id": 99,
        "event": "pull_request",
        "conclusion": "success",
        "head_sha": SHA,
        "head_branch": "fix & more",
        "head_repository": {"id": STRANGER, "owner": {"login": "stranger"}},
        "pull_requests": [],
    }
    event = {"repository": {"id": ACME}, "workflow_run": run | changed}
    (folder / "event.json").write_text(json.dumps(event), encoding="utf-8")
