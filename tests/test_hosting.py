"""`generator.hosting`: a process answers browsers, tells them of news, and tells its parent of changes."""

import gzip
import json
import os
import signal
import socket
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Self

import pytest

from generator import hosting, serving
from generator.hosting import Host, State, Unbindable
from generator.watching import Places

PAGE = "<!DOCTYPE html>\n<html>\n<head>\n</head>\n<body>" + "a page " * 200 + "</body>\n</html>\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a site of one page and one record of the API."""
    root = tmp_path / "site"
    (root / "api").mkdir(parents=True)
    for name in ("index.html", "404.html"):
        (root / name).write_text(PAGE)
    (root / "api" / "0123456789abcdef").write_text("{}")
    (tmp_path / "secret").write_text("secret")
    return root


@pytest.fixture
def state(root: Path) -> State:
    """Return that site below a path."""
    return State(root, "/my-repo/", "v1")


@pytest.fixture
def host(state: State) -> Iterator[Host]:
    """Return a process that serves it at a free port."""
    with Host(state, host="127.0.0.1", port=free_port()) as host:
        yield host


def free_port() -> int:
    """Return a port at which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as one:
        return int(one.getsockname()[1])


def ask(host: Host, target: str, *, method: str = "GET", **headers: str) -> tuple[HTTPResponse, bytes]:
    """Ask for something; the answer and its body."""
    with closing(HTTPConnection("127.0.0.1", host.port, timeout=30)) as connection:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, target, headers=named)
        response = connection.getresponse()
        return response, response.read()


def send(host: Host, text: bytes) -> bytes:
    """Send bytes as they are; the status line of the answer, or nothing."""
    with socket.create_connection(("127.0.0.1", host.port), timeout=30) as connection:
        connection.sendall(text)
        return connection.makefile("rb").readline()


class Stream:
    """What a browser hears."""

    def __init__(self, host: Host, target: str = "/my-repo/.pagefault/events") -> None:
        self._connection = HTTPConnection("127.0.0.1", host.port, timeout=30)
        self._connection.request("GET", target)
        self.response = self._connection.getresponse()

    def next(self) -> dict[str, str]:
        """The next event."""
        while not (line := self.response.readline()).startswith(b"data: "):
            assert line, "the stream ended"
        found: dict[str, str] = json.loads(line.removeprefix(b"data: "))
        return found

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Go away."""
        self.response.close()
        self._connection.close()


def test_a_page_is_served_with_the_script(host: Host) -> None:
    """It is a file of the same origin, at the site's own path, as the pages' policy wants it."""
    response, body = ask(host, "/my-repo/")
    script = b'<script defer src="/my-repo/.pagefault/live.js" data-version="v1"></script>\n'
    assert PAGE.encode().replace(b"</head>", script + b"</head>") == body
    assert (200, "no-store", "same-origin") == (
        response.status,
        response.headers["Cache-Control"],
        response.headers["Cross-Origin-Resource-Policy"],
    )
    assert "Access-Control-Allow-Origin" not in response.headers
    response, body = ask(host, "/my-repo/.pagefault/live.js")
    assert (200, "application/javascript; charset=utf-8") == (
        response.status,
        response.headers["Content-Type"],
    )
    assert Path(hosting.__file__).with_name("live.js").read_bytes() == body


def test_a_version_cannot_break_out_of_the_page(root: Path) -> None:
    """Nor a path."""
    state = State(root, "/a&b/", '"><script>')
    with Host(state, host="127.0.0.1", port=free_port()) as host:
        _, body = ask(host, "/a&b/")
    assert b'src="/a&amp;b/.pagefault/live.js" data-version="&quot;&gt;&lt;script&gt;"' in body


def test_text_is_packed_for_those_who_take_it(host: Host) -> None:
    """And nobody else; small answers and bytes never are."""
    response, body = ask(host, "/my-repo/", Accept_Encoding="br, gzip")
    assert ("gzip", len(body)) == (
        response.headers["Content-Encoding"],
        int(response.headers["Content-Length"]),
    )
    plain, whole = ask(host, "/my-repo/")
    assert plain.headers["Content-Encoding"] is None
    assert whole == gzip.decompress(body)
    assert len(body) < len(whole)
    response, body = ask(host, "/my-repo/api/0123456789abcdef", Accept_Encoding="gzip")
    assert (None, "application/octet-stream", b"{}") == (
        response.headers["Content-Encoding"],
        response.headers["Content-Type"],
        body,
    )


def test_head_has_no_body_and_other_methods_are_refused(host: Host) -> None:
    """What is asked next on the same connection is answered."""
    with closing(HTTPConnection("127.0.0.1", host.port, timeout=30)) as connection:
        connection.request("HEAD", "/my-repo/nowhere")
        response = connection.getresponse()
        assert (404, b"") == (response.status, response.read())
        connection.request("GET", "/my-repo")
        response = connection.getresponse()
        assert (301, "/my-repo/", b"") == (response.status, response.headers["Location"], response.read())
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "CONNECT", "TRACE"):
        response, _ = ask(host, "/my-repo/", method=method)
        assert 501 == response.status


@pytest.mark.parametrize("name", ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", ""])
@pytest.mark.parametrize("target", ["/my-repo/", "/my-repo/.pagefault/events", "/my-repo/.pagefault/live.js"])
def test_foreign_names_are_refused_on_loopback(host: Host, name: str, target: str) -> None:
    """Nothing is told to a page whose name a stranger has resolved to this machine."""
    response, body = ask(host, target, Host=name)
    assert 421 == response.status
    assert b"a page" not in body
    response, _ = ask(host, "/my-repo/", Host=f"localhost:{host.port}")
    assert 200 == response.status


@pytest.mark.parametrize(
    "target",
    [
        *(b"/my-repo/../../secret", b"/my-repo/%2e%2e/secret", b"/../secret", b"/my-repo/..%5c..%5csecret"),
        *(
            b"//etc/passwd",
            b"http://127.0.0.1/secret",
            b"/my-repo/%00",
            b"/my-repo/\xff",
            b"/my-repo/..\\secret",
        ),
    ],
)
def test_no_request_leads_out_of_the_folder(host: Host, target: bytes) -> None:
    """As it stands on the wire, which no client made harmless."""
    line = send(host, b"GET " + target + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    assert line.split()[1] in {b"404", b"400"}


@pytest.mark.parametrize(
    "text",
    [
        b"\r\n\r\n",
        b"GET\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 200 + b"\r\n",
    ],
)
def test_nonsense_does_not_end_it(host: Host, text: bytes) -> None:
    """Whatever comes is answered, or is not, and the next is served."""
    send(host, text + b"\r\n")
    response, _ = ask(host, "/my-repo/")
    assert 200 == response.status


def test_a_body_is_not_taken_for_the_next_request(host: Host) -> None:
    """The connection ends after it."""
    inner = b"GET /my-repo/ HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with socket.create_connection(("127.0.0.1", host.port), timeout=30) as connection:
        head = f"GET /my-repo/nowhere HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(inner)}\r\n\r\n"
        connection.sendall(head.encode() + inner)
        assert 1 == connection.makefile("rb").read().count(b"HTTP/1.1 ")


def test_browsers_hear_of_every_state(host: Host, state: State) -> None:
    """The one that is when they come, and each after it."""
    with Stream(host) as stream:
        assert "text/event-stream; charset=utf-8" == stream.response.headers["Content-Type"]
        assert {"version": "v1", "problem": ""} == stream.next()
        host.show(replace(state, problem="line 1\nline 2 </script> é"))
        assert {"version": "v1", "problem": "line 1\nline 2 </script> é"} == stream.next()
        with Stream(host) as other:
            assert "line 1\nline 2 </script> é" == other.next()["problem"]
            host.show(replace(state, version="v2"))
            assert [{"version": "v2", "problem": ""}] * 2 == [stream.next(), other.next()]
    _, body = ask(host, "/my-repo/")
    assert b'data-version="v2"' in body


def test_listeners_that_went_away_are_forgotten(host: Host, state: State) -> None:
    """And many of them keep nobody else from being served."""
    with ExitStack() as stack:
        for _ in range(20):
            stack.enter_context(Stream(host)).next()
    with Stream(host) as stream:
        stream.next()
        for number in range(5):
            host.show(replace(state, version=f"v{number}"))
        while stream.next()["version"] != "v4":
            """Several may have come at once."""
    assert 200 == ask(host, "/my-repo/")[0].status


def test_a_site_may_move(host: Host, state: State, tmp_path: Path) -> None:
    """To another path, and to another folder."""
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "index.html").write_text("other")
    with Stream(host) as stream:
        stream.next()
        host.show(replace(state, root=tmp_path / "other", prefix="/"))
        stream.next()
    response, body = ask(host, "/")
    assert 200 == response.status
    assert body.startswith(b"other")


def test_a_port_that_is_taken_is_replaced(state: State) -> None:
    """By one that follows."""
    with (
        socket.create_server(("127.0.0.1", 0)) as taken,
        Host(state, host="127.0.0.1", port=taken.getsockname()[1]) as host,
    ):
        port = taken.getsockname()[1]
        assert port < host.port <= port + hosting.NEXT or port > 65_000
        assert 200 == ask(host, "/my-repo/")[0].status


def test_an_address_that_is_not_this_machines_is_refused(state: State) -> None:
    """With the system's reason."""
    with pytest.raises(Unbindable, match="assign"):
        Host(state, host="192.0.2.1", port=free_port())
    with pytest.raises(Unbindable):
        Host(state, host="no such name.invalid", port=free_port())


@pytest.mark.skipif(not socket.has_ipv6, reason="needs IPv6")
def test_it_listens_at_ipv6(state: State) -> None:
    """Addresses have brackets where they are shown."""
    try:
        host = Host(state, host="::1", port=free_port())
    except Unbindable:
        pytest.skip("no IPv6 here")
    with host, closing(HTTPConnection("::1", host.port, timeout=30)) as connection:
        assert f"[::1]:{host.port}" == host.address
        connection.request("GET", "/my-repo/")
        assert 200 == connection.getresponse().status


def test_changes_are_told_to_the_parent(host: Host, tmp_path: Path) -> None:
    """From the moment when it was asked to watch; of other places, if asked again."""
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        host.watch(Places((tmp_path / name,)))
        (tmp_path / name / "x.yaml").write_text("x: 1\n")
        assert [str(tmp_path / name / "x.yaml")] == host.changed()


def test_it_ends_with_its_parents_word(state: State) -> None:
    """And leaves the port; also with somebody listening."""
    port = free_port()
    with ExitStack() as stack, Host(state, host="127.0.0.1", port=port) as host:
        stack.enter_context(Stream(host)).next()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=30)
    host.close()


def test_ctrl_c_is_not_for_it(host: Host) -> None:
    """A terminal sends it to all: the parent decides."""
    os.kill(host._process.pid or 0, signal.SIGINT)
    assert 200 == ask(host, "/my-repo/")[0].status


def test_its_death_is_noticed(host: Host) -> None:
    """By whoever waits for changes."""
    host._process.kill()
    with pytest.raises((EOFError, ConnectionResetError)):
        host.changed()


def test_the_script_and_the_stream_are_where_no_page_can_be(root: Path) -> None:
    """The output's state lies there, and is not served."""
    (root / ".pagefault").mkdir()
    (root / ".pagefault" / "live.js").write_text("not this")
    (root / ".pagefault" / "files.db").write_text("nor this")
    for name in ("live.js", "files.db"):
        assert 404 == serving.answer(root, "/", f"/.pagefault/{name}").status
