"""The warm process: imports the code under test once, then forks a child for every script.

Runs as `python -c "… sandbox.main()"`, started by `workers` with a bare environment; it never runs in
the main process. Requests and answers are JSON, one a line, on standard input and output. A child runs
strangers' code behind walls: a deadline over its whole process group, resource limits, an empty folder
of its own, no descriptors but the pipe for its answer. The answer is data of a fixed shape, at most
`ANSWER` bytes; whatever else a child does (crash, exit, hang, silence) is an answer too.

Forking is safe only while this process has one thread, so the parent is started with the numeric
libraries' thread counts at one and says `is_single` with every import.
"""

import ast
import dis
import json
import os
import re
import resource
import select
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, TracebackType
from typing import Any, Self

from generator import walls
from generator.walls import Level

ANSWER = 1_000_000  # bytes of one child's answer
TEXT = 20_000  # characters of a message or repr
FILES = 64  # descriptors a child may open
WRITTEN = 16 * 2**20  # bytes a child may write to one file
GRACE = 0.2  # seconds between the end of an answer and the look at how the child ended
MOMENT = 0.02  # seconds of removing a child's folder before the others are looked after
TURN = 0.05  # seconds that a pattern may take among others

_ADDRESS = re.compile(r"\bat 0x[0-9a-f]{6,16}\b")


@dataclass(slots=True)
class _Child:
    """A running child: its answer so far and when it must have ended (monotonic seconds)."""

    name: str
    pid: int
    pipe: int
    folder: str
    deadline: float
    answer: bytearray = field(default_factory=bytearray)


# Folders and what texts say in their stead, the longest first. Set once, in a child that runs one script.
_hidden: list[tuple[str, str]] = []


def _clean(text: str) -> str:
    """The text without addresses, folders and lone surrogates, cut at `TEXT` characters."""
    # What follows shortens a text to less than a third, if it is all addresses.
    text = text[: 4 * TEXT].encode("utf-8", "backslashreplace").decode()
    for place, word in _hidden:
        text = text.replace(place, word)
    return _ADDRESS.sub("at 0x…", text)[:TEXT]


def _hide(folder: str) -> None:
    """From here on texts do not say where this machine keeps things: a run says the same anywhere."""
    places = {entry: "…" for entry in (*sys.path, sys.prefix, sys.base_prefix) if entry.count(os.sep) > 1}
    _hidden[:] = sorted([*places.items(), (folder, "/scratch")], key=lambda pair: -len(pair[0]))


def _repr(value: object) -> str:
    try:
        return _clean(repr(value))
    except Exception as error:  # noqa: BLE001 - a stranger's __repr__ may do anything
        return f"<repr raised {type(error).__name__}>"


def _compile(code: str, role: str) -> tuple[CodeType, CodeType | None]:
    """The statements of a snippet, and its last expression apart, so that it has a value."""
    tree = ast.parse(code, filename=f"<{role}>")
    last: CodeType | None = None
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        expression = tree.body.pop()
        assert isinstance(expression, ast.Expr)  # noqa: S101 - for the type checker
        last = compile(ast.Expression(expression.value), f"<{role}>", "eval")
    return compile(tree, f"<{role}>", "exec"), last


def _where(tb: TracebackType | None, role: str, roles: AbstractSet[str], files: list[str]) -> dict[str, Any]:
    """The snippet's line that was running, and the innermost frame if it lies in the subject.

    Frames of no real file do not count: template engines put some in, for the lines of their templates.
    What any of the script's own steps defines is never the subject's. `isStated` says that a `raise`
    statement of Python code raised it, and not compiled code.
    """
    line: int | None = None
    frame: dict[str, Any] | None = None
    is_stated = False
    while tb is not None:
        code = tb.tb_frame.f_code
        is_stated = dis.opname[code.co_code[tb.tb_lasti]] in {"RAISE_VARARGS", "RERAISE"}
        inside = next((name for name in files if _is_below(code.co_filename, name)), None)
        if code.co_filename.strip("<>") in roles and code.co_filename.startswith("<"):
            line, frame = (tb.tb_lineno if code.co_filename == f"<{role}>" else line), None
        elif inside is not None:
            shown = os.path.relpath(code.co_filename, Path(inside).parent)
            frame = {"file": shown, "line": tb.tb_lineno, "function": code.co_qualname}
        elif os.path.isabs(code.co_filename):  # noqa: PTH117 - a name that may be no path at all
            frame = None
        tb = tb.tb_next
    return {"line": line, "frame": frame, "isStated": is_stated}


def _is_below(path: str, root: str) -> bool:
    """Whether a file is the root or lies in it; packages installed inside the standard library do not."""
    if path == root:
        return True
    return path.startswith(root.rstrip(os.sep) + os.sep) and "site-packages" not in path[len(root) :]


def _run_step(
    step: dict[str, Any], names: dict[str, Any], roles: AbstractSet[str], files: list[str]
) -> dict[str, Any]:
    role = step["role"]
    try:
        statements, last = _compile(step["code"], role)
        exec(statements, names)  # noqa: S102 - running records' code is what this process is for
        value = eval(last, names) if last is not None else None  # noqa: S307 - as above
        names["result"] = value
        outcome: dict[str, Any] = {
            "kind": "returned",
            "type": type(value).__name__,
            "text": _repr(value),
        }
        if role == "expect":
            outcome["isTrue"] = bool(value)
    except BaseException as error:  # noqa: BLE001 - SystemExit and its kin are outcomes too
        kind = type(error)
        place = _where(error.__traceback__, role, roles, files)
        if isinstance(error, SyntaxError) and place["line"] is None and type(error.lineno) is int:
            place["line"] = error.lineno
        try:
            text = _clean(str(error))
        except Exception as broken:  # noqa: BLE001 - a stranger's __str__ may do anything
            text = f"<str raised {type(broken).__name__}>"
        return {
            "kind": "raised",
            "type": kind.__name__,
            "text": text,
            "bases": [one.__name__ for one in kind.__mro__ if one is not object],
            **place,
        }
    return outcome


def _run_script(request: dict[str, Any], names: dict[str, Any]) -> dict[str, Any]:
    """One outcome for each step; after a step that raised only final ones run."""
    outcomes: dict[str, Any] = {}
    roles = {step["role"] for step in request["steps"]}
    has_raised = False
    for step in request["steps"]:
        if has_raised and not step.get("isFinal"):
            outcomes[step["role"]] = {"kind": "skipped"}
            continue
        outcome = _run_step(step, names, roles, request["files"])
        outcomes[step["role"]] = outcome
        has_raised = has_raised or outcome["kind"] == "raised"
        if has_raised and step["role"] == "setup":
            break
    return {"outcomes": outcomes}


def _match(request: dict[str, Any]) -> dict[str, Any]:
    """For each pattern, for each of its messages, the groups of the anchored expression, or null."""
    return {"groups": [_groups(*each) for each in request["batch"]]}


def _match_in_turn(request: dict[str, Any]) -> dict[str, Any]:
    """The same in a process of its own. A pattern among others that fails or is late has null for all.

    What becomes of it is found out alone, where it has the whole deadline, and costs no other its answer.
    """
    batch = request["batch"]
    if len(batch) == 1:
        return _match(request)

    def end(*_: object) -> None:
        raise TimeoutError

    signal.signal(signal.SIGALRM, end)
    found: list[list[list[str] | None] | None] = []
    for each in batch:
        groups = None
        signal.setitimer(signal.ITIMER_REAL, TURN)
        with suppress(Exception):
            groups = _groups(*each)
        signal.setitimer(signal.ITIMER_REAL, 0)
        found.append(groups)
    return {"groups": found}


def _groups(pattern: str, messages: Sequence[str]) -> list[list[str] | None]:
    expression = re.compile(pattern, re.DOTALL)
    found = [expression.fullmatch(message) for message in messages]
    return [list(match.groups()) if match else None for match in found]


def _wall_in(folder: str, memory: int, seconds: float) -> None:
    """Closes the walls around this child: group, folder, limits, streams."""
    os.setpgid(0, 0)
    walls.die_with_parent()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update({"HOME": folder, "TMPDIR": folder, "LC_ALL": "C.UTF-8"})
    tempfile.tempdir = folder
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    os.umask(0o077)
    _hide(folder)
    whole = int(seconds) + 1
    for limit, value in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, whole),
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_FSIZE, WRITTEN),
        (resource.RLIMIT_NOFILE, FILES),
    ):
        _, hard = resource.getrlimit(limit)
        most = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(limit, (most, most))


def _in_child(
    request: dict[str, Any], names: dict[str, Any], folder: str, pipe: int, *, is_alone: bool
) -> None:
    """Runs in the child, and never returns. `is_alone` where it has a process namespace already."""
    status = 70
    try:
        _wall_in(folder, request["memory"], request["seconds"])
        os.closerange(3, pipe)
        os.closerange(pipe + 1, 4096)
        try:
            level = request.get("level", Level.LIMITS)
            if level >= Level.NAMESPACES and not is_alone:
                _leave_processes(pipe)
            if level >= Level.SEALED:
                own = str(Path(__file__).resolve().parent.parent)
                readable = (entry for entry in sys.path if entry not in {"", own})
                walls.seal(folder, (*request.get("files", []), *readable))
        except OSError as error:
            # Walls that do not close are no walls: nothing is run.
            answer: dict[str, Any] = {"unwalled": _unwalled(error)}
        else:
            answer = _match_in_turn(request) if request["do"] == "match" else _run_script(request, names)
        data = json.dumps(answer).encode()
        while data:
            data = data[os.write(pipe, data) :]
        status = 0
    finally:
        # No exit handlers, no flushing of the parent's buffers, no way back into its loop.
        os._exit(status)


def _unwalled(error: OSError) -> str:
    return f"a wall could not be closed: {error}"


def _leave_processes(pipe: int) -> None:
    """Goes on in a child, the first process of its namespace; its end becomes this one's."""
    walls.leave_processes()
    inner = os.fork()
    if inner:
        os.close(pipe)
        _, status = os.waitpid(inner, 0)
        if os.WIFSIGNALED(status):
            signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
            os.kill(os.getpid(), os.WTERMSIG(status))
        os._exit(os.WEXITSTATUS(status))
    walls.die_with_parent()


def _imported(code: str) -> tuple[dict[str, Any], str]:
    """The names that a subject's imports give, and what they raised, if anything."""
    names: dict[str, Any] = {"__name__": "__main__"}
    try:
        exec(compile(code, "<imports>", "exec"), names)  # noqa: S102 - a subject's own imports
    except BaseException as raised:  # noqa: BLE001 - an import may raise anything
        return names, traceback.format_exception_only(raised)[-1].strip()
    return names, ""


class _Server:
    """The loop: takes requests while there is room for children, answers as they end."""

    def __init__(self, *, requests: int, replies: int) -> None:
        self._requests = requests
        self._replies = replies
        self._buffer = bytearray()
        self._waiting: list[dict[str, Any]] = []
        self._children: dict[int, _Child] = {}
        self._names: dict[str, dict[str, Any]] = {"": {}}
        self._removals: list[Iterator[None]] = []
        self._is_open = True
        self._has_left_network = False
        self._can_return = False

    def serve(self) -> None:
        """Until standard input ends, every child has been answered for, and nothing is left of them."""
        while self._is_open or self._waiting or self._children or self._removals:
            self._start_waiting()
            self._remove()
            ready = self._wait()
            if self._requests in ready:
                self._read_requests()
            now = time.monotonic()
            for child in list(self._children.values()):
                if child.pipe in ready and not self._read_answer(child):
                    self._end(child, timed_out=False)
                elif now >= child.deadline:
                    self._end(child, timed_out=True)

    def _wait(self) -> list[int]:
        watched = [*self._children]
        if self._is_open:
            watched.append(self._requests)
        deadlines = [child.deadline for child in self._children.values()]
        patience = max(0.0, min(deadlines) - time.monotonic()) if deadlines else None
        if self._removals or (self._waiting and self._room() > 0):
            patience = 0.0
        return select.select(watched, [], [], patience)[0]

    def _room(self) -> int:
        return (self._waiting[0]["jobs"] if self._waiting else 1) - len(self._children)

    def _read_requests(self) -> None:
        data = os.read(self._requests, 2**16)
        if not data:
            self._is_open = False
            return
        self._buffer += data
        *lines, rest = self._buffer.split(b"\n")
        self._buffer = bytearray(rest)
        self._waiting += [json.loads(line) for line in lines]

    def _start_waiting(self) -> None:
        while self._waiting and self._room() > 0:
            request = self._waiting.pop(0)
            if request["do"] == "import":
                self._import(request)
            else:
                self._fork(request)

    def _import(self, request: dict[str, Any]) -> None:
        self._names[request["subject"]], error = _imported(request["code"])
        task = Path("/proc/self/task")
        is_single = len(list(task.iterdir())) == 1 if task.is_dir() else True
        self._reply(request["id"], {"error": error, "isSingle": is_single})

    def _fork(self, request: dict[str, Any]) -> None:
        level = request.get("level", Level.LIMITS)
        if level >= Level.NAMESPACES and not self._has_left_network:
            try:
                walls.leave_network()
            except OSError as error:
                self._reply(request["id"], {"unwalled": f"the network could not be left: {error}"})
                return
            self._has_left_network = True
            self._can_return = walls.can_return()
        if level >= Level.SEALED:
            walls.prepare()
        is_alone = level >= Level.NAMESPACES and self._can_return
        if is_alone:
            try:
                walls.leave_processes()
            except OSError as error:
                self._reply(request["id"], {"unwalled": _unwalled(error)})
                return
        folder = tempfile.mkdtemp(prefix="pagefault-")
        receiving, sending = os.pipe()
        names = self._names[request.get("subject", "")]
        pid = os.fork()
        if pid == 0:
            _in_child(request, names, folder, sending, is_alone=is_alone)
        if is_alone:
            walls.return_to_processes()
        os.close(sending)
        deadline = time.monotonic() + request["seconds"]
        self._children[receiving] = _Child(request["id"], pid, receiving, folder, deadline)

    def _read_answer(self, child: _Child) -> bool:
        """Whether there may be more."""
        data = os.read(child.pipe, 2**16)
        child.answer += data
        return bool(data) and len(child.answer) <= ANSWER

    def _end(self, child: _Child, *, timed_out: bool) -> None:
        """Ends a child and all that it started, and answers for it."""
        status = None if timed_out else _status(child.pid, patience=GRACE)
        for kill, target in ((os.killpg, child.pid), (os.kill, child.pid)):
            try:
                kill(target, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                continue
        if status is None:
            _, status = os.waitpid(child.pid, 0)
        os.close(child.pipe)
        del self._children[child.pipe]
        _end_orphans({each.pid for each in self._children.values()})
        self._removals.append(_removal(child.folder))
        self._remove()
        if timed_out:
            self._reply(child.name, {"lost": "timed out", "why": ""})
            return
        answer = _answer(child.answer)
        self._reply(child.name, answer or {"lost": "crashed", "why": _how_it_ended(status)})

    def _remove(self) -> None:
        """Removes what is left of children, for a moment: there may be much, and others have deadlines."""
        end = time.monotonic() + MOMENT
        while self._removals and time.monotonic() < end:
            try:
                next(self._removals[-1])
            except (StopIteration, OSError):
                self._removals.pop()

    def _reply(self, name: str, answer: dict[str, Any]) -> None:
        data = json.dumps({"id": name, **answer}).encode() + b"\n"
        while data:
            data = data[os.write(self._replies, data) :]


def _answer(data: bytes | bytearray) -> dict[str, Any] | None:
    """What a child answered, or None for bytes that are no answer: a snippet can write into the pipe too."""
    try:
        answer = json.loads(data)
        # Half a surrogate pair is no text that anybody could write down.
        json.dumps(answer, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return None
    if not isinstance(answer, dict) or answer.keys() not in ({"outcomes"}, {"groups"}, {"unwalled"}):
        return None
    return answer if isinstance(answer.get("unwalled", ""), str) else None


def _end_orphans(running: set[int]) -> None:
    """Ends what ended children left behind; not what belongs to the group of a running one."""
    # A few rounds, since the parent of another may be among them. More are there only where processes may be
    # made without end, and then nothing here would end them all.
    for _ in range(20):
        orphans = [pid for pid in walls.children() if pid not in running and os.getpgid(pid) not in running]
        for pid in orphans:
            os.kill(pid, signal.SIGKILL)
        for pid in orphans:
            os.waitpid(pid, 0)
        if not orphans:
            return


def _removal(folder: str) -> Iterator[None]:
    """Removes a child's folder, however deep or closed it was left; pauses after each entry.

    What resists goes with the folder around it, when this process ends.
    """
    waiting = [Path(folder)]
    moved = 0
    while waiting:
        current = waiting.pop()
        with os.scandir(current) as entries:
            for entry in entries:
                yield
                path = Path(entry)
                if not entry.is_dir(follow_symlinks=False):
                    path.unlink()
                    continue
                try:
                    path.rmdir()
                except OSError:
                    # Up beside the folder, where its path is short: it may be deeper than paths can be long.
                    path.chmod(0o700)
                    moved += 1
                    waiting.append(path.rename(f"{folder}.{moved}"))
        current.rmdir()


def _status(pid: int, *, patience: float) -> int | None:
    """The exit status of a process that should be ending, or None after `patience` seconds."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return status
        time.sleep(0.0002)
    return None


def _how_it_ended(status: int) -> str:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        return f"killed by {signal.Signals(number).name}"
    return f"ended by itself with status {os.WEXITSTATUS(status)} and no answer"


class InlineProcess:
    """Runs scripts in this process, for one that is itself a child behind walls. As `workers.WarmProcess`."""

    def __init__(self) -> None:
        self._names: dict[str, dict[str, Any]] = {"": {}}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        """Nothing is held."""

    def load(self, subject: str, code: str) -> dict[str, Any]:
        """Runs a subject's imports; `{"error": text, "isSingle": bool}`."""
        self._names[subject], error = _imported(code)
        return {"error": error, "isSingle": True}

    def run(self, requests: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """An answer for every request, in order; each script gets its own copy of the names."""
        for request in requests:
            names = dict(self._names[request.get("subject", "")])
            answer = _match(request) if request["do"] == "match" else _run_script(request, names)
            yield {"id": request["id"], **answer}


def main() -> None:
    """Serves requests until standard input ends; what subjects print at import goes nowhere."""
    walls.adopt_orphans()
    requests, replies = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1):
        os.dup2(null, stream)
    os.close(null)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115 - a descriptor, open as long as the process
    _Server(requests=requests, replies=replies).serve()
