"""`generator.serving`: a folder is answered for as GitHub Pages would, and nothing outside it is."""

from http import HTTPStatus
from pathlib import Path

import pytest

from generator import serving
from generator.serving import Answer

BASE = "/my-repo/"
OUTSIDE = "of the site"


def make(folder: Path) -> Path:
    """Make a built site in a folder, with secrets beside it, and links in it."""
    root = folder / "site"
    for name in (
        *("index.html", "404.html", "foo.html", "both.html", "both/index.html", "dir/index.html"),
        *("dir/page.html", "dir/deep/data.json", "empty/note.txt", "raw", "raw.html", "odd.zzz", "a b.html"),
        *(".hidden", ".pagefault/state", "é/index.html", "%2e%2e.html"),
    ):
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"<head></head>{name}" if name.endswith(".html") else name, encoding="utf-8")
    (folder / "secret.html").write_text(OUTSIDE, encoding="utf-8")
    (folder / "site-2").mkdir()
    (folder / "site-2" / "index.html").write_text(OUTSIDE, encoding="utf-8")
    (root / "out.html").symlink_to(folder / "secret.html")
    (root / "away").symlink_to(folder)
    (root / "loop").symlink_to(root / "loop")
    (root / "again.html").symlink_to(root / "foo.html")
    return root


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return such a site, for tests that only look."""
    return make(tmp_path_factory.mktemp("serving"))


def asked(root: Path, target: str, prefix: str = "/") -> str:
    """Ask for a target; what came: a file's name, where else to look, or a status."""
    found = serving.answer(root, prefix, target)
    if found.location is not None:
        assert HTTPStatus.MOVED_PERMANENTLY == found.status
        return f"-> {found.location}"
    text = found.body.decode().removeprefix("<head></head>")
    if found.status == HTTPStatus.NOT_FOUND:
        assert "404.html" == text
        return "404"
    return text if found.status == HTTPStatus.OK else str(found.status.value)


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("/", "index.html"),
        ("/?q=1", "index.html"),
        ("/index.html", "index.html"),
        ("/index", "index.html"),
        ("/foo", "foo.html"),
        ("/foo.html?v=2#top", "foo.html"),
        ("/foo/", "404"),
        ("/foo.html/", "404"),
        ("/both", "both.html"),
        ("/both/", "both/index.html"),
        ("/dir", "-> /dir/"),
        ("/dir?m=1", "-> /dir/?m=1"),
        ("/dir/", "dir/index.html"),
        ("/dir/page", "dir/page.html"),
        ("/dir/deep", "-> /dir/deep/"),
        ("/dir/deep/", "404"),
        ("/dir/deep/data.json", "dir/deep/data.json"),
        ("/dir/none/at/all", "404"),
        ("/empty", "-> /empty/"),
        ("/raw", "raw"),
        ("/a%20b", "a b.html"),
        ("/%C3%A9", "-> /%C3%A9/"),
        ("/%C3%A9/", "é/index.html"),
        ("/again", "foo.html"),
    ],
)
def test_pages_are_found_as_on_github(root: Path, target: str, expected: str) -> None:
    """A file, `name.html` for `name` before a folder of that name, and `404.html` at any depth."""
    assert expected == asked(root, target)


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("/my-repo/", "index.html"),
        ("/my-repo", "-> /my-repo/"),
        ("/", "-> /my-repo/"),
        ("/my-repo/dir", "-> /my-repo/dir/"),
        ("/my-repo/foo", "foo.html"),
        ("/my-repo/none/", "404"),
        ("/foo", "404"),
        ("/my-repo2/", "404"),
        ("/my-repo2", "404"),
    ],
)
def test_a_site_stands_at_its_base_path(root: Path, target: str, expected: str) -> None:
    """Whoever asks for the root is led there."""
    assert expected == asked(root, target, BASE)


@pytest.mark.parametrize(
    "target",
    [
        *("/../secret.html", "/../secret", "/..", "/../", "/dir/../../secret.html", "/dir/.."),
        *("/./foo.html", "/dir/./page.html", "//foo.html", "//", "/dir//page.html", "///etc/passwd"),
        *("/%2e%2e/secret.html", "/%2E%2E%2Fsecret.html", "/..%2fsecret.html", "/dir%2f..%2f..%2fsecret"),
        *("/%252e%252e/secret.html", "/%252e%252e%252fsecret.html", "/%2e%2e%252fsecret.html"),
        *("/..\\secret.html", "/..%5csecret.html", "/dir\\..\\..\\secret.html", "\\..\\secret.html"),
        *("/foo.html%00.txt", "/foo.html\x00", "/%00", "/foo%0a", "/foo%0d%0aX: y", "/%7f"),
        *("/%c0%ae%c0%ae/secret.html", "/%ff", "/\u2025/secret.html", "/%u002e%u002e/secret.html"),
        *("/out", "/out.html", "/away/secret.html", "/away/site-2/", "/away", "/away/", "/loop", "/loop/x"),
        *("/../site-2/", "/../site-2/index.html", "/.hidden", "/.pagefault/state", "/%2epagefault/state"),
        *("foo.html", "", "*", "http://127.0.0.1/foo.html", "file:///etc/passwd", "/~root/", "/foo.html:x"),
        *("/" + "a" * 300, "/" + "a/" * 5000, "/" + "../" * 50 + "etc/passwd"),
    ],
)
@pytest.mark.parametrize("prefix", ["/", BASE])
def test_what_is_not_of_the_site_is_not_found(root: Path, prefix: str, target: str) -> None:
    """Dots, however they are written; links that lead out; what is hidden; what no browser asks for."""
    below = prefix.rstrip("/") + target if target.startswith(("/", "\\")) else target
    assert "404" == asked(root, below, prefix)


def test_a_name_with_a_percent_sign_is_a_name(root: Path) -> None:
    """What is encoded twice is decoded once."""
    assert "%2e%2e.html" == asked(root, "/%252e%252e")


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("index.html", "text/html; charset=utf-8"),
        ("a.CSS", "text/css; charset=utf-8"),
        ("a.b.js", "application/javascript; charset=utf-8"),
        ("a.json", "application/json; charset=utf-8"),
        ("feed.xml", "application/xml; charset=utf-8"),
        ("llms.txt", "text/plain; charset=utf-8"),
        ("index.md", "text/markdown; charset=utf-8"),
        ("icon.svg", "image/svg+xml"),
        ("dataset.jsonl.gz", "application/gzip"),
        ("0123456789abcdef", "application/octet-stream"),
        ("html", "application/octet-stream"),
        ("odd.zzz", "application/octet-stream"),
    ],
)
def test_types_are_by_extension(name: str, kind: str) -> None:
    """A file without one is bytes."""
    assert kind == serving.kind_of(name)


def test_pages_get_the_addition_and_nothing_else_does(tmp_path: Path) -> None:
    """At the end of the head, or of a page without one; files stay as they are."""
    root = make(tmp_path)
    (root / "bare.html").write_text("no head", encoding="utf-8")
    added = {
        target: serving.answer(root, "/", target, addition="<script></script>").body.decode()
        for target in ("/foo", "/nowhere", "/bare", "/raw", "/dir/deep/data.json")
    }
    assert {
        "/foo": "<head><script></script></head>foo.html",
        "/nowhere": "<head><script></script></head>404.html",
        "/bare": "no head<script></script>",
        "/raw": "raw",
        "/dir/deep/data.json": "dir/deep/data.json",
    } == added
    assert "<head></head>foo.html" == (root / "foo.html").read_text(encoding="utf-8")


def test_before_the_first_build_every_page_says_so(tmp_path: Path) -> None:
    """With the addition: the page loads again when there is something."""
    for root in (tmp_path, tmp_path / "absent"):
        found = serving.answer(root, "/", "/deep/er", addition="<script></script>")
        assert HTTPStatus.SERVICE_UNAVAILABLE == found.status
        assert b"Nothing has been built yet" in found.body
        assert b"<script></script></head>" in found.body


def test_a_site_without_a_404_page_has_one(tmp_path: Path) -> None:
    """Whatever templates there are."""
    root = make(tmp_path)
    (root / "404.html").unlink()
    found = serving.answer(root, "/", "/nowhere")
    assert (HTTPStatus.NOT_FOUND, serving.HTML) == (found.status, found.kind)
    assert b"There is no page here" in found.body


@pytest.mark.parametrize(
    ("base_url", "prefix"),
    [
        (None, "/"),
        ("https://example.org", "/"),
        ("https://example.org/", "/"),
        ("https://example.org/my-repo", "/my-repo/"),
        ("https://example.org/a/b/", "/a/b/"),
        ("https://example.org/mein%20ort/", "/mein%20ort/"),
        ("https://example.org/é/", "/%C3%A9/"),
    ],
)
def test_the_base_path_is_that_of_the_base_url(base_url: str | None, prefix: str) -> None:
    """From a slash to a slash."""
    assert prefix == serving.prefix_of(base_url)


def test_an_encoded_base_path_is_found(root: Path) -> None:
    """As a browser asks for it."""
    assert "foo.html" == asked(root, "/mein%20ort/foo", "/mein%20ort/")


@pytest.mark.parametrize(
    ("host", "bound", "expected"),
    [
        ("127.0.0.1:8000", "127.0.0.1", True),
        ("localhost:8000", "127.0.0.1", True),
        ("LOCALHOST", "127.0.0.1", True),
        ("localhost.", "127.0.0.1", True),
        ("errors.localhost:1", "127.0.0.1", True),
        ("[::1]:8000", "::1", True),
        ("127.1.2.3", "localhost", True),
        (None, "127.0.0.1", True),
        ("evil.example:8000", "127.0.0.1", False),
        ("127.0.0.1.evil.example", "127.0.0.1", False),
        ("localhost.evil.example", "127.0.0.1", False),
        ("evil-localhost", "127.0.0.1", False),
        ("192.168.1.2:8000", "127.0.0.1", False),
        ("0.0.0.0:8000", "127.0.0.1", False),
        ("evil.example@127.0.0.1", "127.0.0.1", False),
        ("evil.example, 127.0.0.1", "127.0.0.1", False),
        ("", "127.0.0.1", False),
        ("[::1", "::1", False),
        ("evil.example", "::", True),
        ("192.168.1.2:8000", "192.168.1.2", True),
    ],
)
def test_on_loopback_only_loopback_is_meant(host: str | None, bound: str, *, expected: bool) -> None:
    """A stranger's name may be resolved to this machine: that page gets nothing."""
    assert expected == serving.is_meant(host, bound)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("text/html; charset=utf-8", True),
        ("application/json", True),
        ("image/png", False),
        (serving.BYTES, False),
    ],
)
def test_text_gets_smaller(kind: str, *, expected: bool) -> None:
    """And nothing that is packed already is packed."""
    assert expected == Answer(HTTPStatus.OK, kind, b"").is_text
