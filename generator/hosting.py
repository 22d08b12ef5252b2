"""A process that serves a folder and watches others, so that the one that builds keeps to one thread.

The builder forks, which is safe only without threads; a server is made of them. So this process is
started first, and they talk over a pipe: it is told what to show and where to look, and says what changed. It
ends with the pipe.
"""

import errno
import gzip
import json
import signal
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from html import escape
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from socketserver import TCPServer
from threading import Condition, Event, Lock, Thread
from typing import Self

from generator import serving, watching
from generator.serving import Answer
from generator.watching import Places

NEXT = 20  # ports after the one wanted that are tried before any
BEAT = 15.0  # seconds after which a listener is asked whether it is still there
SMALL = 500  # bytes of an answer that is not worth packing


class Unbindable(Exception):  # noqa: N818 - a state of the machine, not a fault of the program
    """There is no listening at that address; says why."""


@dataclass(frozen=True, slots=True)
class State:
    """What browsers see: the folder, the path that it stands at, which build it is, and why no newer one.

    There is no version before a first build.
    """

    root: Path
    prefix: str
    version: str = ""
    problem: str = ""


class _Board:
    """Where a state is put up, and waited for."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._changed = Condition()

    @property
    def state(self) -> State:
        """The latest."""
        return self._state

    def show(self, state: State) -> None:
        """Puts up another."""
        with self._changed:
            self._state = state
            self._changed.notify_all()

    def wait(self, seen: State | None, seconds: float) -> State:
        """The latest, as soon as it is not the one that was seen, or after so many seconds."""
        with self._changed:
            self._changed.wait_for(lambda: self._state is not seen, seconds)
            return self._state


class _Server(ThreadingHTTPServer):
    """A thread for each connection, which ends with the process."""

    def __init__(self, host: str, port: int, board: _Board) -> None:
        with suppress(ValueError):
            if ip_address(host).version == 6:
                self.address_family = socket.AF_INET6
        self.bound, self.board = host, board
        super().__init__((host, port), _Handler)

    def server_bind(self) -> None:
        """As the library does, without asking the network for this machine's name."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = self.bound, self.socket.getsockname()[1]

    def handle_error(self, request: object, client_address: object) -> None:
        """Says nothing of browsers that went away."""


class _Handler(BaseHTTPRequestHandler):
    """Answers GET and HEAD."""

    protocol_version = "HTTP/1.1"
    server_version, sys_version = "pagefault", ""
    timeout = 60
    server: _Server

    def do_GET(self) -> None:
        """A page, or the stream that says when there is a newer one."""
        state = self.server.board.state
        if not serving.is_meant(self.headers["Host"], self.server.bound):
            text = "this host serves its own machine alone: --host names another\n"
            self._send(Answer(HTTPStatus.MISDIRECTED_REQUEST, "text/plain; charset=utf-8", text.encode()))
        elif serving.path_of(self.path) == state.prefix + serving.EVENTS and self.command == "GET":
            self._stream()
        elif serving.path_of(self.path) == state.prefix + serving.SCRIPT:
            script = Path(__file__).with_name("live.js").read_bytes()
            self._send(Answer(HTTPStatus.OK, serving.kind_of("live.js"), script))
        else:
            self._send(serving.answer(state.root, state.prefix, self.path, addition=_addition(state)))

    def do_HEAD(self) -> None:
        """The same, without the page."""
        self.do_GET()

    def _send(self, answer: Answer) -> None:
        body, packed = answer.body, False
        accepted = self.headers.get("Accept-Encoding", "")
        if answer.is_text and len(body) >= SMALL and "gzip" in accepted:
            body, packed = gzip.compress(body, 5, mtime=0), True
        self.send_response(answer.status)
        self._send_headers(answer.kind)
        self.send_header("Content-Length", str(len(body)))
        if packed:
            self.send_header("Content-Encoding", "gzip")
        if answer.location is not None:
            self.send_header("Location", answer.location)
        if self.headers["Content-Length"] or self.headers["Transfer-Encoding"]:
            # What comes with the request is not read: it would be taken for the next one.
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _stream(self) -> None:
        self.send_response(HTTPStatus.OK)
        self._send_headers("text/event-stream; charset=utf-8")
        self.send_header("Connection", "close")
        self.end_headers()
        seen: State | None = None
        while True:
            state = self.server.board.wait(seen, BEAT)
            said = json.dumps({"version": state.version, "problem": state.problem})
            # Where nothing is new: whether anybody is still there.
            self.wfile.write(b":\n\n" if state is seen else f"retry: 500\ndata: {said}\n\n".encode())
            seen = state

    def _send_headers(self, kind: str) -> None:
        self.send_header("Content-Type", kind)
        self.send_header("Cache-Control", "no-store")
        self.send_header("Vary", "Accept-Encoding")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
        """Says nothing: the command line alone does."""


def _addition(state: State) -> str:
    """What a page is given so that it learns of newer ones."""
    address = escape(state.prefix + serving.SCRIPT)
    return f'<script defer src="{address}" data-version="{escape(state.version)}"></script>\n'


def _bind(host: str, port: int, board: _Board) -> _Server:
    """A server at that port, else at one of the next, else at any. Raises Unbindable."""
    for one in (*range(port, min(port + NEXT, 2**16)), 0):
        try:
            return _Server(host, one, board)
        except OSError as error:
            if error.errno != errno.EADDRINUSE or one == 0:
                raise Unbindable(error.strerror or str(error)) from error
    raise AssertionError("the last either binds or raises")


class Host:
    """The process, as its parent sees it."""

    def __init__(self, state: State, *, host: str, port: int) -> None:
        """Starts it, and has it listen. Raises Unbindable."""
        # As `executor` does: forking shares what is imported already.
        context = get_context("fork") if sys.platform == "linux" else get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process: BaseProcess = context.Process(
            target=_serve, args=(theirs, self._pipe, state, host, port), daemon=True
        )
        self._process.start()
        theirs.close()
        found = self._pipe.recv()
        if isinstance(found, str):
            self.close()
            raise Unbindable(found)
        self.port: int = found
        self.address = f"[{host}]:{found}" if ":" in host else f"{host}:{found}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def show(self, state: State) -> None:
        """Has browsers see that."""
        self._pipe.send(state)

    def watch(self, places: Places) -> None:
        """Has these places watched, instead of others; what changes from now on is told by `changed`."""
        self._pipe.send(places)
        while self._pipe.recv() is not None:
            # Of the places before: they are looked at anew anyway.
            pass

    def changed(self) -> list[str]:
        """Waits for changes, and says which files they are. Raises EOFError if the process is gone."""
        found: set[str] = set(self._pipe.recv())
        while self._pipe.poll():
            found.update(self._pipe.recv())
        return sorted(found)

    def close(self) -> None:
        """Ends the process and waits for it."""
        with suppress(OSError):
            self._pipe.send(None)
        self._pipe.close()
        self._process.join(timeout=2)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()


def _serve(pipe: Connection, theirs: Connection, state: State, host: str, port: int) -> None:
    """Serves until it is told to end, or the other end of the pipe is closed."""
    theirs.close()
    # Ctrl-C is for the process that can say something about it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    board = _Board(state)
    try:
        server = _bind(host, port, board)
    except Unbindable as error:
        pipe.send(str(error))
        return
    lock = Lock()

    def tell(found: Sequence[str] | int | None) -> None:
        with lock, suppress(OSError):
            pipe.send(found)

    Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True).start()
    tell(server.server_port)
    stop = Event()
    with suppress(EOFError, OSError):
        while (message := pipe.recv()) is not None:
            if isinstance(message, State):
                board.show(message)
                continue
            stop.set()
            stop = Event()
            known = watching.look(message)
            tell(None)
            Thread(target=partial(watching.watch, message, known, tell, stop), daemon=True).start()
    stop.set()
    server.socket.close()
