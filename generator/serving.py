"""What a host answers for a folder, by the rules of GitHub Pages. No socket is touched here.

A target is untrusted: whoever can make a browser ask for something can ask for anything.
"""

import re
from dataclasses import dataclass
from http import HTTPStatus
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import quote, unquote_to_bytes, urlsplit

# By extension alone; whatever is not among them is served as bytes, as a file without one is.
_KINDS = {
    "css": "text/css; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "js": "application/javascript; charset=utf-8",
    "json": "application/json; charset=utf-8",
    "map": "application/json; charset=utf-8",
    "md": "text/markdown; charset=utf-8",
    "mjs": "application/javascript; charset=utf-8",
    "txt": "text/plain; charset=utf-8",
    "xml": "application/xml; charset=utf-8",
    "yaml": "text/yaml; charset=utf-8",
    "avif": "image/avif",
    "gif": "image/gif",
    "gz": "application/gzip",
    "ico": "image/vnd.microsoft.icon",
    "jpeg": "image/jpeg",
    "jpg": "image/jpeg",
    "pdf": "application/pdf",
    "png": "image/png",
    "svg": "image/svg+xml",
    "wasm": "application/wasm",
    "webmanifest": "application/manifest+json",
    "webp": "image/webp",
    "woff": "font/woff",
    "woff2": "font/woff2",
}
BYTES = "application/octet-stream"
HTML = _KINDS["html"]

# Below the output's state folder, which is never served: no page can have these addresses.
SCRIPT = ".pagefault/live.js"
EVENTS = ".pagefault/events"

_REFUSED = re.compile(r"[\x00-\x1f\x7f\\]")
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^\s:@/\[\]]+)(:[0-9]{1,5})?")
_BARE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
</head>
<body>
<h1>{title}</h1>
</body>
</html>
"""


@dataclass(frozen=True, slots=True)
class Answer:
    """A status, the body with its media type, and where else to look."""

    status: HTTPStatus
    kind: str
    body: bytes
    location: str | None = None

    @property
    def is_text(self) -> bool:
        """Whether it gets smaller by packing it."""
        kind = self.kind.partition(";")[0]
        return kind.startswith("text/") or kind.endswith(("json", "xml", "javascript"))


def prefix_of(base_url: str | None) -> str:
    """The path below which a site stands, from `/` to `/`."""
    path = urlsplit(base_url).path if base_url else "/"
    return quote(f"{path.rstrip('/')}/", safe="/%!$&'()*+,;=:@~")


def is_loopback(name: str) -> bool:
    """Whether a host's name or address leads to this machine and is asked by it alone."""
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False


def is_meant(host: str | None, bound: str) -> bool:
    """Whether a request is for us by its `Host`, where we are `bound` to that name or address.

    On loopback no other name is ours: one that a stranger's page had resolved to this machine would give that
    page what is served here. Programs that name no host are no browsers.
    """
    if not is_loopback(bound) or host is None:
        return True
    found = _HOST.fullmatch(host)
    name = found[1].strip("[]").lower().removesuffix(".") if found else ""
    return is_loopback(name) or name == bound.lower()


def kind_of(name: str) -> str:
    """A file's media type, by its extension."""
    _, dot, extension = name.rpartition(".")
    return _KINDS.get(extension.lower(), BYTES) if dot else BYTES


def path_of(target: str) -> str:
    """The path in a request's target."""
    return target.partition("#")[0].partition("?")[0]


def answer(root: Path, prefix: str, target: str, *, addition: str = "") -> Answer:
    """What a host answers that has the folder `root` at `prefix`; `addition` is put into each HTML page.

    A file; `name.html` for `name`; the `index.html` of a folder, to whose address a slash is added first;
    else `404.html`. Links in the folder that lead out of it, what is hidden, and paths that no browser asks
    for lead nowhere.
    """
    parts, above = _parts(path_of(target)), (_parts(prefix) or [""])[:-1]
    found: Path | str | None = None
    if parts is not None:
        if above and parts in (above, [""]):
            found = prefix
        elif parts[: len(above)] == above:
            found = _inside(root, prefix, parts[len(above) :])
    if isinstance(found, str):
        _, question, query = target.partition("#")[0].partition("?")
        return Answer(HTTPStatus.MOVED_PERMANENTLY, HTML, b"", f"{found}{question}{query}")
    if found is not None and (body := _read(found)) is not None:
        return _with(addition, Answer(HTTPStatus.OK, kind_of(found.name), body))
    if not (root / "index.html").is_file():
        return _with(addition, _bare(HTTPStatus.SERVICE_UNAVAILABLE, "Nothing has been built yet"))
    page = _read(root / "404.html")
    if page is None:
        return _with(addition, _bare(HTTPStatus.NOT_FOUND, "There is no page here"))
    return _with(addition, Answer(HTTPStatus.NOT_FOUND, HTML, page))


def _parts(path: str) -> list[str] | None:
    """The names in a path, the last empty for a folder; None for one that leads nowhere.

    It is decoded once: what is encoded twice is a name with a percent sign in it.
    """
    try:
        text = unquote_to_bytes(path).decode()
    except UnicodeError:
        return None
    if not text.startswith("/") or _REFUSED.search(text):
        return None
    parts = text.split("/")[1:]
    is_plain = all(part and not part.startswith(".") for part in parts[:-1])
    return parts if is_plain and not parts[-1].startswith(".") else None


def _inside(root: Path, prefix: str, parts: list[str]) -> Path | str | None:
    """The file that is meant, or the address of the folder that is."""
    *folders, name = parts
    if not name:
        return _real(root, *folders, "index.html")
    places = [_real(root, *folders, one) for one in (name, f"{name}.html")]
    for place in places:
        if place is not None and place.is_file():
            return place
    is_folder = places[0] is not None and places[0].is_dir()
    return f"{prefix}{quote('/'.join(parts))}/" if is_folder else None


def _real(root: Path, *parts: str) -> Path | None:
    """What there is of that name, wherever links lead, if that is below the root."""
    try:
        place, top = root.joinpath(*parts).resolve(strict=True), root.resolve()
    # A circle of links is a RuntimeError before Python 3.13.
    except (OSError, RuntimeError, ValueError):
        return None
    return place if place.is_relative_to(top) else None


def _read(file: Path) -> bytes | None:
    try:
        return file.read_bytes() if file.is_file() else None
    except OSError:
        return None


def _bare(status: HTTPStatus, title: str) -> Answer:
    return Answer(status, HTML, _BARE.format(title=title).encode())


def _with(addition: str, found: Answer) -> Answer:
    """The answer, with an addition at the end of its head where it is a page."""
    if found.kind != HTML or not addition:
        return found
    head, end, rest = found.body.partition(b"</head>")
    body = head + addition.encode() + end + rest if end else found.body + addition.encode()
    return Answer(found.status, found.kind, body, found.location)
