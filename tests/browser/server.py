"""A web server that treats a folder as GitHub Pages does."""

import mimetypes
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import unquote, urlsplit


class _Handler(BaseHTTPRequestHandler):
    """Answers GET alone."""

    protocol_version = "HTTP/1.1"

    def __init__(self, folder: Path, prefix: str, *arguments: object) -> None:
        self.folder, self.prefix = folder, prefix
        super().__init__(*arguments)  # type: ignore[arg-type]  # the server's own

    def do_GET(self) -> None:
        """A file, the `index.html` of a folder, `name.html` for `name`, or `404.html` at any depth."""
        path = unquote(urlsplit(self.path).path)
        inside = path.removeprefix(self.prefix) if path.startswith(self.prefix) else None
        file = self.folder / inside if inside is not None else self.folder / "404.html"
        if file.is_dir() and not path.endswith("/"):
            self._answer(HTTPStatus.MOVED_PERMANENTLY, b"", "text/html", {"Location": f"{path}/"})
            return
        if file.is_dir():
            file /= "index.html"
        elif not file.is_file() and file.name:
            file = file.with_name(f"{file.name}.html")
        status = HTTPStatus.OK
        if inside is None or not file.is_file():
            status, file = HTTPStatus.NOT_FOUND, self.folder / "404.html"
        kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
        if kind.startswith("text/"):
            kind += "; charset=utf-8"
        self._answer(status, file.read_bytes(), kind, {"Cache-Control": "max-age=600"})

    def _answer(self, status: HTTPStatus, body: bytes, kind: str, others: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **others}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
        """Says nothing: tests print when they fail."""


@contextmanager
def served(folder: Path, prefix: str) -> Iterator[str]:
    """The address, ending in `prefix`, at which the folder is served meanwhile."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, folder, prefix)) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}{prefix}"
        finally:
            server.shutdown()
            thread.join()
