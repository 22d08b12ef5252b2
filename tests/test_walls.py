"""`generator.walls`: what a stranger's snippet tries beyond its walls fails, and nothing is left of it.

What each level promises, and is held to here:

1. *limits*: a deadline, memory, the size of a file and open files are bounded; the environment is bare; the
   processes and files that a snippet leaves are removed. This contains accidents: attacks are not tried here.
2. *sealed*: all that, and every escape below fails.
3. *namespaces*: the same escapes fail, and processes and networks have a second wall behind the first.
"""

import ctypes
import json
import os
import platform
import resource
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from generator import build, cli, document, probe, sandbox, subjects, walls
from generator.model import Observed, Outcome, Script, Step, Trial
from generator.probe import Limits
from generator.settings import Settings
from generator.walls import Level
from generator.workers import WarmProcess

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="walls beyond the limits are Linux's")

ROOT = Path(walls.__file__).parent.parent
AVAILABLE = walls.available()
SEALED = (Level.SEALED, Level.NAMESPACES)
# What a file is called that must never come to be, and what must not be read.
MARK = f"pagefault-escaped-{uuid.uuid4().hex}"
TOKEN = f"token-{uuid.uuid4().hex}"
NOBODY = 65534

# System calls: name, number on x86_64 and on aarch64.
CALLS = """\
bpf 321 280  capset 126 91  clock_adjtime 305 266  clone 56 220  clone3 435 435  delete_module 176 106
execve 59 221  exit 60 93  fcntl 72 25  fchmodat 268 53  fsopen 430 430  getpid 39 172  init_module 175 105
inotify_add_watch 254 27  io_uring_setup 425 425  ioctl 16 29  ioprio_set 251 30  kcmp 312 272
kexec_load 246 104  keyctl 250 219  kill 62 129  mount 165 40  mq_open 240 180  mq_unlink 241 181
msgrcv 70 188  name_to_handle_at 303 264  open_tree 428 428  openat 257 56  perf_event_open 298 241
personality 135 92  pidfd_getfd 438 438  pidfd_open 434 434  pidfd_send_signal 424 424  pivot_root 155 41
prctl 157 167  prlimit64 302 261  process_madvise 440 440  process_vm_readv 310 270  ptrace 101 117
read 0 63  reboot 169 142  rt_sigqueueinfo 129 138  sched_setscheduler 144 119  semop 65 193
sendmmsg 307 269  sendto 44 206  setns 308 268  setpriority 141 140  settimeofday 164 170  shmat 30 196
shmctl 31 195  socket 41 198  socketpair 53 199  swapon 167 224  syslog 103 116  tgkill 234 131
tkill 200 130  truncate 76 45  umount2 166 39  unknown 999 999  unshare 272 97  userfaultfd 323 282
vfork 58 220
"""
MACHINES = ("x86_64", "aarch64")


def numbers(machine: str) -> dict[str, int]:
    """Return the numbers of system calls by name."""
    words = CALLS.split()
    column = words[1 + MACHINES.index(machine) :: 3]
    return dict(zip(words[::3], map(int, column), strict=True))


# The names that every snippet has, beside those of what lies outside.
NAMES = """\
import ctypes, fcntl, mmap, os, resource, signal, socket, struct, subprocess, sys, threading, time
from errno import errorcode

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
WARM = os.getpid()

def call(name, *arguments):
    given = [ctypes.c_long(one) if type(one) is int else one for one in arguments]
    result = libc.syscall(ctypes.c_long(NUMBERS[name]), *given)
    return errorcode[ctypes.get_errno()] if result < 0 else result

def opened(path):
    return os.open(path, os.O_RDONLY)

def pipe():
    return max(n for n in range(3, 64) if os.path.exists(f"/proc/self/fd/{n}"))
"""


@dataclass(frozen=True)
class Escape:
    """A snippet that tries to get out, and how it ends: a class raised, a value returned, or how it was lost.

    `at` is the lowest level that promises to hold it.
    """

    name: str
    code: str
    ends: str = "PermissionError"
    at: Level = Level.SEALED
    seconds: float = 20.0


def _works(level: Level) -> pytest.MarkDecorator:
    return pytest.mark.skipif(level > AVAILABLE, reason=f"isolation level {level.value} does not work here")


def tried(*escapes: Escape) -> pytest.MarkDecorator:
    """Try each escape at every level that promises to hold it and works here."""
    return pytest.mark.parametrize(
        ("escape", "level"),
        [
            pytest.param(one, level, id=f"{one.name}-{level.value}", marks=_works(level))
            for level in Level
            for one in escapes
            if level >= one.at
        ],
    )


def at(*levels: Level) -> pytest.MarkDecorator:
    """At each of these levels that works here."""
    return pytest.mark.parametrize(
        "level", [pytest.param(level, id=str(level.value), marks=_works(level)) for level in levels]
    )


def ended(answer: dict[str, Any]) -> str:
    """How a script of one step ended."""
    if "outcomes" not in answer:
        return answer.get("unwalled") or f"{answer['lost']}: {answer['why']}".removesuffix(": ")
    (outcome,) = answer["outcomes"].values()
    return str(outcome["type"] if outcome["kind"] == "raised" else outcome["text"])


class Outside:
    """What lies beyond the walls, and whether something happened to it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._libc = ctypes.CDLL(None)
        (folder / "secret").write_text(TOKEN)
        (folder / "secret").chmod(0o600)
        self.listening = {
            "tcp": socket.create_server(("127.0.0.1", 0)),
            "udp": socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
            "stream": socket.socket(socket.AF_UNIX),
            "datagram": socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM),
            "abstract": socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM),
        }
        self.listening["udp"].bind(("127.0.0.1", 0))
        self.listening["stream"].bind(str(folder / "stream"))
        self.listening["stream"].listen()
        self.listening["datagram"].bind(str(folder / "datagram"))
        self.listening["abstract"].bind(f"\0{MARK}{folder.name}")
        for one in self.listening.values():
            one.settimeout(0)
        self.segment = self._libc.shmget(0, 4096, 0o1600)
        self.places = {
            "repository": ROOT,
            "home": Path.home(),
            "temporary": folder.parent,
            "shared": Path("/dev/shm"),  # noqa: S108 - nothing is written
            "outside": folder,
        }
        self._before = self._state()

    @property
    def names(self) -> str:
        """What snippets know of it, as code."""
        known = {
            "MAIN": os.getpid(),
            "MARK": MARK,
            "NUMBERS": numbers(platform.machine()) if platform.machine() in MACHINES else {},
            "PLACES": {name: str(place) for name, place in self.places.items()},
            "SECRET": str(self.folder / "secret"),
            "SEGMENT": self.segment,
            "SOCKETS": {name: one.getsockname() for name, one in self.listening.items()},
        }
        return "".join(f"{name} = {value!r}\n" for name, value in known.items())

    def harm(self) -> list[str]:
        """Return what happened to it."""
        found = [f"{place / MARK} was written" for place in self.places.values() if (place / MARK).exists()]
        for name, one in self.listening.items():
            try:
                arrived: object = one.accept() if name in {"tcp", "stream"} else one.recv(100)
            except BlockingIOError:
                continue
            found.append(f"{name}: {arrived!r} arrived")
        now = self._state()
        return found + [f"{name}: {now[name]}" for name in now if self._before[name] != now[name]]

    def close(self) -> None:
        """Take it away."""
        for one in self.listening.values():
            one.close()
        self._libc.shmctl(self.segment, 0, None)

    def _state(self) -> dict[str, object]:
        # Not when it was last read: reading the secret below may move that into the next second.
        files = [
            (path.name, path.lstat()[:7], path.lstat().st_mtime_ns, os.listxattr(path))
            for path in sorted(self.folder.rglob("*"))
        ]
        return {
            "files": files,
            "secret": (self.folder / "secret").read_text(),
            "priority": os.getpriority(os.PRIO_PROCESS, 0),
            "processors": os.sched_getaffinity(0),
            "scheduler": os.sched_getscheduler(0),
            "descriptors": resource.getrlimit(resource.RLIMIT_NOFILE),
            "shared memory": self._libc.shmctl(self.segment, 2, ctypes.create_string_buffer(512)),
        }


class Box:
    """A warm process that serves one level, and what lies outside."""

    def __init__(self, warm: WarmProcess, level: Level, outside: Outside) -> None:
        self.level = level
        self.is_harmed = False
        self._warm = warm
        self._outside = outside
        assert warm._process
        assert warm._folder
        self._process = warm._process
        self.warm_pid = warm._process.pid
        self.folder = Path(warm._folder.name)

    def request(
        self, code: str, *, name: str = "one", seconds: float = 20.0, memory: int = 2**31
    ) -> dict[str, Any]:
        """Ask to run one step."""
        return {
            "do": "run",
            "id": name,
            "subject": "plain",
            "files": [],
            "steps": [{"role": "trigger", "code": code}],
            "seconds": seconds,
            "memory": memory,
            "jobs": 2,
            "level": int(self.level),
        }

    def run(self, *requests: dict[str, Any]) -> dict[str, str]:
        """How each ended. Nothing may be left of any, and nothing may have happened outside."""
        self.is_harmed = True
        found = {answer["id"]: ended(answer) for answer in self._warm.run(requests)}
        assert [] == self._harm()
        self.is_harmed = False
        return found

    def ended(self, code: str, *, seconds: float = 20.0) -> str:
        """Run one step; how it ended."""
        return self.run(self.request(code, seconds=seconds))["one"]

    def _harm(self) -> list[str]:
        if self._process.poll() is not None or self._warm._process is not self._process:
            return [*self._outside.harm(), "the process around it ended"]
        left = [pid for pid in processes(self.folder) if pid != self._process.pid]
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        # Where much is left, it is removed a moment at a time.
        end = time.monotonic() + 60
        while any(self.folder.iterdir()) and time.monotonic() < end:
            time.sleep(0.005)
        return [*self._outside.harm(), *map(str, left), *map(str, self.folder.iterdir())]


def processes(folder: Path) -> list[int]:
    """Return all that descends from a process that was given this folder for its temporary files."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if os.fsencode(folder) in (path / "environ").read_bytes():
                found.append(int(path.name))
        except OSError:
            continue
    return found


Boxes = Callable[..., Box]


@pytest.fixture(scope="module")
def boxes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Boxes]:
    """Return a function from a level to its box: one process serves the whole file, unless it was harmed.

    `patch` is code that takes away a part of the walls.
    """
    made: dict[tuple[Level, str], Box] = {}
    with ExitStack() as stack, pytest.MonkeyPatch.context() as patched:
        patched.setenv("SECRET_TOKEN", TOKEN)
        # In memory, where there is room: thousands of files are made and removed.
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # noqa: S108 - a folder in it is made
        patched.setattr(tempfile, "tempdir", stack.enter_context(tempfile.TemporaryDirectory(dir=memory)))

        def box(level: Level, patch: str = "") -> Box:
            if (level, patch) not in made or made[level, patch].is_harmed:
                outside = Outside(tmp_path_factory.mktemp("outside"))
                stack.callback(outside.close)
                warm = stack.enter_context(WarmProcess({}))
                loaded = warm.load("plain", outside.names + NAMES + patch)
                assert ("", True) == (loaded["error"], loaded["isSingle"])
                made[level, patch] = Box(warm, level, outside)
            return made[level, patch]

        yield box
    assert [] == [one.folder for one in made.values() if one.folder.exists()]


# Which level there is.


def test_the_level_that_is_available_works(boxes: Boxes) -> None:
    """It was tried."""
    assert "2" == boxes(AVAILABLE).ended("1 + 1")


def test_an_administrator_has_every_level() -> None:
    """On a kernel that has all the parts; containers that hold back some of them have less."""
    status = dict(line.split(":\t", 1) for line in Path("/proc/self/status").read_text().splitlines())
    if not int(status["CapEff"], 16) >> 21 & 1 or status["Seccomp"] != "0":
        pytest.skip("needs to be an administrator whose own calls nobody filters")
    if ctypes.CDLL(None).syscall(444, None, 0, 1) < 1:
        pytest.skip("needs a kernel with Landlock")
    assert Level.NAMESPACES == walls.available()


@pytest.mark.parametrize(
    ("broken", "level"),
    [
        ("seal", Level.LIMITS),
        ("_filter_calls", Level.LIMITS),
        ("_drop_capabilities", Level.LIMITS),
        ("leave_network", Level.SEALED),
        ("leave_processes", Level.SEALED),
    ],
)
def test_what_does_not_work_is_not_believed(
    monkeypatch: pytest.MonkeyPatch, broken: str, level: Level
) -> None:
    """The level is the highest of which all parts do."""

    def refuse(*_: object) -> None:
        raise OSError(1, "refused")

    monkeypatch.setattr(walls, broken, refuse)
    assert min(level, AVAILABLE) == walls.available()


@pytest.mark.parametrize(("name", "value"), [("system", "darwin"), ("machine", "riscv64")])
def test_elsewhere_there_are_limits(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    """On other systems, and on processors whose calls are not listed."""
    if name == "system":
        monkeypatch.setattr(sys, "platform", value)
    else:
        monkeypatch.setattr(platform, "machine", lambda: value)
    assert Level.LIMITS == walls.available()


def test_trying_changes_nothing_here() -> None:
    """It is done in children: this process has its namespaces and privileges afterwards, and no child."""

    def state() -> list[object]:
        names = ("ipc", "mnt", "net", "pid", "pid_for_children", "user")
        status = Path("/proc/self/status").read_text().splitlines()
        walled = [line for line in status if line.startswith(("Cap", "NoNewPrivs", "Seccomp"))]
        return [walled, walls.children(), *(os.stat(f"/proc/self/ns/{name}").st_ino for name in names)]  # noqa: PTH116 - no file

    before = state()
    walls.available()
    assert before == state()


# Escapes. Where a wall fails, they are found out by how they end, and by what happened to what is made for
# them; what is everybody's (the machine, the interpreter's files) would be set to what it is.


@tried(
    Escape("tcp", "socket.create_connection(SOCKETS['tcp'])"),
    Escape("udp", "socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', SOCKETS['udp'])"),
    Escape("listening", "socket.create_server(('127.0.0.1', 0))"),
    Escape("stream", "socket.socket(socket.AF_UNIX).connect(SOCKETS['stream'])"),
    Escape("datagram", "socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b'x', SOCKETS['datagram'])"),
    Escape("abstract", "socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b'x', SOCKETS['abstract'])"),
    *(
        Escape(
            f"pair-{name}",
            f"socket.socketpair(type=socket.SOCK_DGRAM)[0].sendto(b'x', SOCKETS['{name}'])",
        )
        for name in ("datagram", "abstract")
    ),
    Escape(
        "pair-message",
        "socket.socketpair(type=socket.SOCK_DGRAM)[0].sendmsg([b'x'], (), 0, SOCKETS['datagram'])",
    ),
    Escape(
        # An address whose lower half is zero looks like none to whoever reads the lower half alone.
        "pair-address",
        "libc.mmap.restype = ctypes.c_void_p\n"
        "size, flags = ctypes.c_size_t(4096), mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x10\n"
        "place = libc.mmap(ctypes.c_void_p(7 << 32), size, 3, flags, -1, ctypes.c_long(0))\n"
        "address = struct.pack('H', socket.AF_UNIX) + SOCKETS['datagram'].encode() + b'\\0'\n"
        "ctypes.memmove(place, address, len(address))\n"
        "pair = socket.socketpair(type=socket.SOCK_DGRAM)\n"
        "place & 0xFFFFFFFF, call('sendto', pair[0].fileno(), b'x', 1, 0, place, len(address))",
        "(0, 'EPERM')",
    ),
    Escape("pair-many", "call('sendmmsg', socket.socketpair()[0].fileno(), 0, 0, 0)", "'EPERM'"),
    *(
        Escape(f"family-{name}", f"socket.socket({family}, {kind}, {protocol})")
        for name, family, kind, protocol in (
            ("netlink", 16, 3, 0),
            ("packet", 17, 3, 0),
            ("raw", 2, 3, 1),
            ("crypto", 38, 5, 0),
            ("machine", 40, 1, 0),
        )
    ),
    Escape("family-cluster", "socket.socketpair(30, socket.SOCK_STREAM)"),
    Escape("io-uring", "call('io_uring_setup', 1, bytes(120))", "'EPERM'"),
    Escape("name", "socket.getaddrinfo('localhost.invalid', 80)", "gaierror"),
)
def test_no_network_is_reached(boxes: Boxes, escape: Escape, level: Level) -> None:
    """Nor any other socket: those that listen here hear nothing."""
    assert escape.ends == boxes(level).ended(escape.code)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="other processors have no such calls")
@tried(
    Escape("x32", "libc.syscall(0x40000000 + NUMBERS['socket'], 2, 1, 0), ctypes.get_errno()", "(-1, 38)"),
    Escape(
        # push rbx; mov eax, 359 (socket); mov ebx, 2; mov ecx, 1; xor edx, edx; int 0x80; pop rbx; ret
        "i386",
        "code = mmap.mmap(-1, 4096, prot=7)\n"
        "code.write(bytes.fromhex('53b867010000bb02000000b90100000031d2cd805bc3'))\n"
        "place = ctypes.addressof(ctypes.c_char.from_buffer(code))\n"
        "ctypes.CFUNCTYPE(ctypes.c_int)(place)()",
        "-1",
    ),
)
def test_no_other_numbering_of_calls_leads_out(boxes: Boxes, escape: Escape, level: Level) -> None:
    """A processor may know several; where the kernel does not, the snippet crashes."""
    assert boxes(level).ended(escape.code) in {escape.ends, "crashed: killed by SIGSEGV"}


@tried(
    *(
        Escape(f"write-{place}", f"open(os.path.join(PLACES['{place}'], MARK), 'w')")
        for place in ("repository", "home", "temporary", "shared", "outside")
    ),
    Escape("write-beside", "open(f'../{MARK}', 'w')"),
    Escape("append", "open(SECRET, 'a')"),
    Escape("truncate", "os.truncate(SECRET, 0)"),
    Escape("remove", "os.unlink(SECRET)"),
    Escape("replace", "open('new', 'w').close()\nos.replace('new', SECRET)"),
    Escape("move-in", "os.rename(SECRET, 'mine')"),
    Escape("link-in", "os.link(SECRET, 'mine')", "OSError"),
    Escape("link-out", "open('new', 'w').close()\nos.link('new', os.path.join(PLACES['outside'], MARK))"),
    Escape("symlink-out", "os.symlink('/', os.path.join(PLACES['outside'], MARK))"),
    Escape("folder-out", "os.mkdir(os.path.join(PLACES['outside'], MARK))"),
    Escape("fifo-out", "os.mkfifo(os.path.join(PLACES['outside'], MARK))"),
    Escape("temporary-out", "import tempfile\ntempfile.mkstemp(dir=PLACES['temporary'])"),
    Escape("device", "os.mknod('disk', 0o60600, os.makedev(8, 0))\nopen('disk', 'rb')"),
    Escape("mode", "os.chmod(SECRET, 0o777)"),
    Escape("mode-opened", "os.fchmod(opened(os.__file__), os.stat(os.__file__).st_mode)"),
    Escape("owner", "os.chown(SECRET, os.getuid(), os.getgid())"),
    Escape("owner-opened", "os.fchown(opened(os.__file__), os.getuid(), os.getgid())"),
    Escape("time", "os.utime(SECRET, (1, 1))"),
    Escape("time-opened", "os.utime(opened(os.__file__), ns=(0, os.stat(os.__file__).st_mtime_ns))"),
    Escape("attribute", "os.setxattr(SECRET, 'user.mine', b'x')"),
    Escape("attribute-gone", "os.removexattr(SECRET, 'user.mine')"),
    # This asks only; its sisters change what a file is, and need no right to write either.
    Escape("flags", "fcntl.ioctl(opened(os.__file__), 0x80086601, bytes(8))"),
    Escape("lease", "fcntl.fcntl(opened(os.__file__), fcntl.F_SETLEASE, fcntl.F_RDLCK)"),
)
def test_no_file_outside_is_changed(boxes: Boxes, escape: Escape, level: Level) -> None:
    """Neither its content, nor its name, nor what else there is about it."""
    # Moving between folders is refused as between devices on some systems, as forbidden on others.
    assert boxes(level).ended(escape.code) in {escape.ends, "OSError"}


@tried(
    Escape("secret", "open(SECRET).read()"),
    Escape("secret-by-link", "os.symlink(SECRET, 'mine')\nopen('mine').read()"),
    Escape("secret-by-root", "open(f'/proc/self/root{SECRET}').read()"),
    Escape("secret-by-folder", "os.chdir(PLACES['outside'])\nopen('secret').read()"),
    Escape("secret-by-path", "open(f'/proc/self/fd/{os.open(SECRET, os.O_PATH)}').read()"),
    Escape(
        "secret-by-handle",
        "call('name_to_handle_at', -100, SECRET.encode(), bytes(136), bytes(4), 0)",
        "'EPERM'",
    ),
    Escape("passwords", "open('/etc/shadow').read()"),
    Escape("users", "open('/etc/passwd').read()"),
    Escape("list-home", "os.listdir(PLACES['home'])"),
    Escape("list-temporary", "os.listdir(PLACES['temporary'])"),
    Escape("list-repository", "os.listdir(PLACES['repository'])"),
    Escape("list-beside", "os.listdir('..')"),
    Escape("list-root", "os.listdir('/')"),
    Escape("list-processes", "os.listdir('/proc')"),
    Escape(
        "watch",
        "call('inotify_add_watch', libc.inotify_init(), PLACES['outside'].encode(), 0xFFF)",
        "'EPERM'",
    ),
    *(
        Escape(f"{name}-of-{process}", f"open(f'/proc/{{{process.upper()}}}/{name}', 'rb').read(1)")
        for process in ("main", "warm")
        for name in ("environ", "mem", "maps", "cmdline", "fd/0", "fd/1")
    ),
    Escape("written-mem", "open(f'/proc/{WARM}/mem', 'wb')"),
    Escape("written-pipe", "open(f'/proc/{WARM}/fd/1', 'wb')"),
    Escape("any-descriptor", "os.listdir(f'/proc/{WARM}/fd')"),
    Escape("shared-memory", "call('shmat', SEGMENT, 0, 0)", "'EPERM'"),
    Escape("shared-memory-gone", "call('shmctl', SEGMENT, 0, 0)", "'EPERM'"),
    Escape("semaphores", "call('semop', 0, bytes(6), 1)", "'EPERM'"),
    Escape("messages", "call('msgrcv', 0, bytes(64), 8, 0, 0o4000)", "'EPERM'"),
    Escape("queue", "call('mq_open', b'any', 0, 0, 0)", "'EPERM'"),
    Escape("queue-gone", "call('mq_unlink', b'any')", "'EPERM'"),
)
def test_no_secret_is_read(boxes: Boxes, escape: Escape, level: Level) -> None:
    """Files, folders, and what the kernel tells of other processes."""
    assert escape.ends == boxes(level).ended(escape.code)


@at(*Level)
def test_no_token_of_ours_is_in_a_snippets_process(boxes: Boxes, level: Level) -> None:
    """It is in our environment, and neither in that of a child nor anywhere in its memory."""
    code = """
import re

mine = b"tok" + b"en-" + b"0" * 32
found = set()
with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", 0) as memory:
    for span in [line.split()[0] for line in maps if " r" in line and "[v" not in line]:
        start, end = (int(one, 16) for one in span.split("-"))
        memory.seek(start)
        try:
            found |= set(re.findall(b"tok[e]n-[0-9a-f]{32}", memory.read(end - start)))
        except OSError:
            pass
found == {mine}, [name for name in os.environ if name not in ("HOME", "TMPDIR", "LC_ALL")]
"""
    box = boxes(level)
    assert TOKEN == os.environ["SECRET_TOKEN"]
    assert "(True, [])" == box.ended(code)


@tried(
    Escape("kill-parent", "os.kill(os.getppid(), 9)"),
    Escape("kill-warm", "os.kill(WARM, 9)"),
    Escape("stop-warm", "os.kill(WARM, signal.SIGSTOP)"),
    # Where the wall fails, nobody is to be hurt: signal 0 only asks.
    Escape("kill-main", "os.kill(MAIN, 0)"),
    Escape("kill-all", "os.kill(-1, 0)"),
    Escape("kill-group", "os.killpg(0, 9)"),
    Escape("kill-thread", "call('tkill', WARM, 9)", "'EPERM'"),
    Escape("kill-thread-of", "call('tgkill', WARM, WARM, 9)", "'EPERM'"),
    Escape("queue-signal", "call('rt_sigqueueinfo', WARM, 9, bytes(128))", "'EPERM'"),
    Escape("pidfd", "call('pidfd_open', WARM, 0)", "'EPERM'"),
    Escape("pidfd-signal", "call('pidfd_send_signal', opened('/proc/self'), 9, 0, 0)", "'EPERM'"),
    Escape("pidfd-descriptor", "call('pidfd_getfd', 0, 1, 0)", "'EPERM'"),
    Escape("signal-by-file", "fcntl.fcntl(os.pipe()[0], fcntl.F_SETOWN, MAIN)"),
    Escape("signal-of-file", "fcntl.fcntl(os.pipe()[0], 10, 9)"),
    Escape("signal-by-socket", "fcntl.ioctl(socket.socketpair()[0], 0x8901, struct.pack('i', MAIN))"),
    Escape("trace", "call('ptrace', 16, WARM, 0, 0)", "'EPERM'"),
    Escape("trace-main", "call('ptrace', 0x4206, MAIN, 0, 0)", "'EPERM'"),
    Escape("read-memory", "call('process_vm_readv', WARM, 0, 0, 0, 0, 0)", "'EPERM'"),
    Escape("advise-memory", "call('process_madvise', 0, 0, 0, 0, 0)", "'EPERM'"),
    Escape("compare", "call('kcmp', WARM, MAIN, 0, 0, 0)", "'EPERM'"),
    Escape("limits-of-warm", "resource.prlimit(WARM, resource.RLIMIT_NOFILE, (9, 9))"),
    Escape("limits-of-main", "resource.prlimit(MAIN, resource.RLIMIT_NOFILE)"),
    Escape("more-memory", "resource.setrlimit(resource.RLIMIT_AS, (2**40, 2**40))", "ValueError"),
    Escape("priority-of-warm", "call('setpriority', 0, WARM, 19)", "'EPERM'"),
    Escape("priority-of-user", "call('setpriority', 2, os.getuid(), os.getpriority(0, 0))", "'EPERM'"),
    Escape("disk-priority", "call('ioprio_set', 3, os.getuid(), 0)", "'EPERM'"),
    Escape("processors-of-main", "os.sched_setaffinity(MAIN, os.sched_getaffinity(0))"),
    Escape("processors", "os.sched_setaffinity(0, [0])"),
    Escape("scheduler-of-main", "call('sched_setscheduler', MAIN, 0, bytes(4))", "'EPERM'"),
)
def test_no_other_process_is_reached(boxes: Boxes, escape: Escape, level: Level) -> None:
    """Neither by signals, nor by its memory, nor by its share of the machine."""
    assert escape.ends == boxes(level).ended(escape.code)


BEYOND = """
for leave in (os.setsid, lambda: os.setpgid(0, 0), lambda: libc.prctl(1, 0, 0, 0, 0)):
    try:
        leave()
    except OSError:
        pass
for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
"""


@tried(
    Escape("fork", "os.fork()"),
    Escape("fork-terminal", "os.forkpty()"),
    Escape("clone", "call('clone', 17, 0, 0, 0, 0)", "'EPERM'"),
    Escape("clone-namespaces", "call('clone', 0x10000000 | 17, 0, 0, 0, 0)", "'EPERM'"),
    Escape("clone-vfork", "call('clone', 0x4100 | 17, 0, 0, 0, 0)", "'EPERM'"),
    Escape("vfork", "call('vfork', 17, 0, 0, 0, 0)", "'EPERM'"),
    Escape("clone3", "call('clone3', bytes(88), 88)", "'ENOSYS'"),
    Escape("spawn", "os.posix_spawn('/bin/true', ['true'], {})"),
    Escape("program", "subprocess.run(['/bin/true'])"),
    Escape("shell", "os.system('true') != 0", "True"),
    Escape("exec", "os.execv('/bin/true', ['true'])"),
    Escape("exec-privileged", "os.execv('/bin/su', ['su'])"),
    Escape("exec-own", "open('mine', 'w').close()\nos.execv('mine', ['mine'])"),
    Escape("exec-memory", "os.execve(os.memfd_create('mine'), ['mine'], {})"),
    Escape("pool", "import multiprocessing as m\nm.get_context('fork').Process(target=print).start()"),
    Escape("bomb", "while True:\n    os.fork()"),
    Escape("daemon", "if not os.fork():\n    os.setsid()\n    if not os.fork():\n        time.sleep(60)"),
    Escape("session", "os.setsid()"),
    Escape("group", "os.setpgid(0, 0)"),
    Escape("outlive-parent", "libc.prctl(1, 0, 0, 0, 0)", "-1"),
    Escape("no-end", f"{BEYOND}while True:\n    pass", "timed out", seconds=0.4),
    Escape("no-answer", f"{BEYOND}os.close(pipe())\nwhile True:\n    pass", "crashed: killed by SIGKILL"),
    Escape(
        "no-first-thread",
        f"{BEYOND}threading.Thread(target=time.sleep, args=(60,)).start()\ncall('exit', 0)",
        "timed out",
        seconds=0.4,
    ),
)
def test_no_process_is_made_and_none_stays(boxes: Boxes, escape: Escape, level: Level) -> None:
    """Threads alone; and with its deadline or its answer a snippet ends, whatever it left and ignores."""
    assert escape.ends == boxes(level).ended(escape.code, seconds=escape.seconds)


@tried(
    Escape(
        "namespaces",
        "[call('unshare', flag) for flag in (0x20000, 0x10000000, 0x40000000)]",
        "['EPERM', 'EPERM', 'EPERM']",
    ),
    Escape("namespace-of-warm", "call('setns', opened('/proc/self/ns/net'), 0)", "'EPERM'"),
    Escape("mount", "call('mount', b'none', b'.', b'tmpfs', 0, 0)", "'EPERM'"),
    Escape("mount-bound", "call('mount', b'/', b'.', 0, 0x1000, 0)", "'EPERM'"),
    Escape(
        "mount-new", "call('fsopen', b'tmpfs', 0), call('open_tree', -100, b'/', 1)", "('EPERM', 'EPERM')"
    ),
    Escape("unmount", "call('umount2', b'.', 0)", "'EPERM'"),
    Escape("root", "os.chroot('.')"),
    Escape("root-turned", "call('pivot_root', b'.', b'.')", "'EPERM'"),
    Escape("user", "try:\n    os.setuid(0)\nexcept OSError:\n    pass\nos.chroot('.')"),
    Escape(
        "capabilities",
        "call('capset', struct.pack('Ii', 0x20080522, 0), b'\\xff' * 24)",
        "'EPERM'",
    ),
    Escape("module", "call('init_module', b'', 0, b'')", "'EPERM'"),
    Escape("module-gone", "call('delete_module', b'any', 0)", "'EPERM'"),
    Escape("kernel", "call('kexec_load', 0, 0, 0, 0)", "'EPERM'"),
    Escape("reboot", "call('reboot', 0, 0, 0, 0)", "'EPERM'"),
    Escape("swap", "call('swapon', b'any', 0)", "'EPERM'"),
    Escape("clock", "time.clock_settime(time.CLOCK_REALTIME, time.time())"),
    Escape("clock-of-day", "call('settimeofday', 0, 0)", "'EPERM'"),
    Escape("clock-rate", "call('clock_adjtime', 0, bytes(208))", "'EPERM'"),
    Escape("name", "socket.sethostname(socket.gethostname())"),
    Escape("log", "call('syslog', 3, 0, 0)", "'EPERM'"),
    Escape("keys", "call('keyctl', 0, -3, 1)", "'EPERM'"),
    Escape("programs", "call('bpf', 0, bytes(64), 64)", "'EPERM'"),
    Escape("counters", "call('perf_event_open', bytes(128), 0, -1, -1, 0)", "'EPERM'"),
    Escape("faults", "call('userfaultfd', 0)", "'EPERM'"),
    Escape("addresses", "call('personality', 0x40000)", "'EPERM'"),
    Escape("newer", "call('unknown')", "'ENOSYS'"),
)
def test_no_privilege_is_gained(boxes: Boxes, escape: Escape, level: Level) -> None:
    """The machine and the kernel's odder corners are out of reach, also for an administrator's snippet."""
    assert escape.ends == boxes(level).ended(escape.code)


@at(*SEALED)
def test_a_snippet_has_no_privileges(boxes: Boxes, level: Level) -> None:
    """None, now and by any program to come; a filter is on."""
    code = "status = dict(line.split(':\\t') for line in open('/proc/self/status').read().splitlines())\n"
    code += "[status[name] for name in ('CapInh', 'CapPrm', 'CapEff', 'CapAmb', 'NoNewPrivs', 'Seccomp')]"
    none = f"{0:016x}"
    assert repr([none, none, none, none, "1", "2"]) == boxes(level).ended(code)


@at(Level.NAMESPACES)
def test_namespaces_are_a_second_wall(boxes: Boxes, level: Level) -> None:
    """A snippet is the first process of its own world, and its network has no way out."""
    code = "names = ('ipc', 'net', 'pid')\n"
    code += "[os.stat(f'/proc/self/ns/{name}').st_ino for name in names], os.getpid(), os.getppid()\n"
    namespaces, *pids = eval(boxes(level).ended(code))  # noqa: S307 - numbers of ours
    assert [1, 0] == pids
    ours = [os.stat(f"/proc/self/ns/{name}").st_ino for name in ("ipc", "net", "pid")]  # noqa: PTH116 - no file
    assert not set(ours) & set(namespaces)


@at(Level.NAMESPACES)
def test_an_administrator_forks_once_for_a_script(boxes: Boxes, level: Level) -> None:
    """The process around the snippets starts each in a namespace, and stays in its own."""
    box = boxes(level)
    warm = box.warm_pid
    parent = "[line.split()[1] for line in open('/proc/self/status') if line.startswith('PPid:')]"
    assert (os.geteuid() == 0) == (f"['{warm}']" == box.ended(parent))
    own, next_one = (os.stat(f"/proc/{warm}/ns/{name}").st_ino for name in ("pid", "pid_for_children"))  # noqa: PTH116 - no file
    assert own == next_one == os.stat("/proc/self/ns/pid").st_ino  # noqa: PTH116 - as above


WITHOUT_RETURN = "from generator import walls\nwalls.can_return = lambda: False\n"


@tried(
    Escape("honest", "os.getpid() + 1", "2", at=Level.NAMESPACES),
    Escape("fork", "os.fork()", at=Level.NAMESPACES),
    Escape("kill-warm", "os.kill(WARM, 9)", at=Level.NAMESPACES),
    Escape(
        "exit", "os._exit(3)", "crashed: ended by itself with status 3 and no answer", at=Level.NAMESPACES
    ),
    Escape("fault", "ctypes.string_at(0)", "crashed: killed by SIGSEGV", at=Level.NAMESPACES),
)
def test_who_cannot_return_has_the_same_walls(boxes: Boxes, escape: Escape, level: Level) -> None:
    """An ordinary user's process forks twice for a script: what it left once it cannot enter again."""
    assert escape.ends == boxes(level, WITHOUT_RETURN).ended(escape.code)


WITHOUT_LANDLOCK = "from generator import walls\nwalls._restrict_files = lambda *_: 1\n"


@tried(
    Escape("tcp", "socket.create_connection(SOCKETS['tcp'])"),
    Escape("abstract", "socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b'x', SOCKETS['abstract'])"),
    Escape("kill-warm", "os.kill(WARM, 9)"),
    Escape("signal-by-file", "fcntl.fcntl(os.pipe()[0], fcntl.F_SETOWN, MAIN)"),
    Escape("truncate", "os.truncate(SECRET, 0)"),
)
def test_the_filter_holds_what_an_old_landlock_does_not(boxes: Boxes, escape: Escape, level: Level) -> None:
    """Networks, signals and truncation came to it one by one: here it is away altogether."""
    assert escape.ends == boxes(level, WITHOUT_LANDLOCK).ended(escape.code)


# What is too much.


@tried(
    Escape("loop", "while True:\n    pass", "timed out", Level.LIMITS, 0.4),
    Escape("sleep", "time.sleep(3600)", "timed out", Level.LIMITS, 0.4),
    Escape("bomb", "while True:\n    os.fork()", "timed out|PermissionError", Level.LIMITS, 0.3),
    Escape(
        "daemon",
        "if not os.fork():\n    os.close(pipe())\n    os.setsid()\n    if os.fork():\n        os._exit(0)\n"
        "    time.sleep(60)\n1",
        "1|PermissionError",
        Level.LIMITS,
    ),
    Escape("memory", "bytearray(30 * 2**30)", "MemoryError", Level.LIMITS),
    Escape("objects", "kept = []\nwhile True:\n    kept.append(bytes(10**7))", "MemoryError", Level.LIMITS),
    Escape("mapped", "mmap.mmap(-1, 30 * 2**30)", "OSError", Level.LIMITS),
    Escape("file", "with open('big', 'wb') as file:\n    file.write(bytes(2**25))", "OSError", Level.LIMITS),
    Escape("sparse-file", "open('big', 'wb').truncate(2**40)", "OSError", Level.LIMITS),
    Escape("memory-file", "os.ftruncate(os.memfd_create('big'), 2**40)", "OSError", Level.LIMITS),
    Escape("descriptors", "kept = []\nwhile True:\n    kept.append(os.pipe())", "OSError", Level.LIMITS),
    Escape(
        "threads",
        "while True:\n    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()",
        "RuntimeError",
        Level.LIMITS,
    ),
    Escape("message", "raise KeyError('x' * 10**7)", "KeyError", Level.LIMITS),
    Escape(
        "answer",
        "while True:\n    os.write(pipe(), b'x' * 4096)",
        "crashed: killed by SIGKILL",
        Level.LIMITS,
    ),
    Escape(
        "answer-of-half-letters",
        "half = {'outcomes': {'trigger': {'kind': 'raised', 'text': '\\ud800'}}}\n"
        "import json\nos.write(pipe(), json.dumps(half).encode())\nos._exit(0)",
        "crashed: ended by itself with status 0 and no answer",
        Level.LIMITS,
    ),
    Escape(
        "deep-folders", "for _ in range(1100):\n    os.mkdir('in')\n    os.chdir('in')", "None", Level.LIMITS
    ),
    Escape(
        "closed-folders",
        "os.mkdir('in', 0o300)\nos.mkdir('in/no', 0)\n"
        "os.symlink('/', 'in/link')\nopen('in/file', 'w').close()",
        "None",
        Level.LIMITS,
    ),
    Escape(
        "many-files",
        "for n in range(1000):\n    open(str(n), 'w').close()",
        "None",
        Level.LIMITS,
    ),
    Escape(
        "large-files", "for n in range(2):\n    open(str(n), 'wb').write(bytes(2**24))", "None", Level.LIMITS
    ),
)
def test_what_is_too_much_ends(boxes: Boxes, escape: Escape, level: Level) -> None:
    """By an error, or at the deadline; what was written is removed, however much, deep or closed it is."""
    found = boxes(level).ended(escape.code, seconds=escape.seconds)
    assert found in escape.ends.split("|")


@at(*Level)
def test_what_one_snippet_leaves_costs_no_other_its_time(boxes: Boxes, level: Level) -> None:
    """A folder that takes long to remove is removed beside the work."""
    box = boxes(level)
    fill = "n = 0\nwhile True:\n    os.mkdir(str(n))\n    n += 1"
    late = box.request(fill, name="late", seconds=0.5)
    slow = box.request("time.sleep(0.7)\n1", name="slow", seconds=3.0)
    assert {"late": "timed out", "slow": "1"} == box.run(late, slow)


# What does no harm.


HONEST = """\
## json
import json
json.loads(json.dumps({'a': [1]}))
#> {'a': [1]}

## threads
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(4) as pool:
    found = list(pool.map(hex, range(3)))
found
#> ['0x0', '0x1', '0x2']

## asyncio
import asyncio
async def main():
    await asyncio.sleep(0.001)
    return await asyncio.to_thread(abs, -3)
asyncio.run(main())
#> 3

## tempfile
import tempfile
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, 'a')
    with open(path, 'w') as file:
        file.write('x')
    found = open(path).read()
with tempfile.NamedTemporaryFile() as file:
    file.write(b'y')
found, os.listdir()
#> ('x', [])

## pathlib
from pathlib import Path
Path('a/b').mkdir(parents=True)
Path('a/b/c').write_text('x')
Path('a/b/c').touch()
Path('a/b/c').rename('d')
sorted(str(path) for path in Path().rglob('*'))
#> ['a', 'a/b', 'd']

## sqlite3
import sqlite3
base = sqlite3.connect(':memory:')
base.execute('create table t (a)')
base.execute('insert into t values (5)')
base.execute('select * from t').fetchall()
#> [(5,)]

## sqlite3-in-a-file
import sqlite3
base = sqlite3.connect('t.db')
base.execute('create table t (a)')
base.commit()
base.execute('select count(*) from t').fetchone()
#> (0,)

## late-imports
import decimal, email.message, fractions, hashlib, html.parser, http.client, logging.handlers, secrets
import statistics, unittest.mock, uuid, zipfile
import xml.etree.ElementTree as tree
tree.fromstring('<a b="1"/>').attrib
#> {'b': '1'}

## zones
import datetime, zoneinfo
datetime.datetime(2026, 1, 2, tzinfo=zoneinfo.ZoneInfo('Europe/Berlin')).isoformat()
#> '2026-01-02T00:00:00+01:00'

## a-pair-of-sockets
a, b = socket.socketpair()
a.sendall(b'x')
b.recv(9)
#> b'x'

## signals-to-itself
found = []
signal.signal(signal.SIGUSR1, lambda *_: found.append(1))
os.kill(os.getpid(), signal.SIGUSR1)
signal.raise_signal(signal.SIGUSR1)
found
#> [1, 1]

## alarm
def late(*_):
    raise TimeoutError
signal.signal(signal.SIGALRM, late)
signal.setitimer(signal.ITIMER_REAL, 0.01)
try:
    time.sleep(5)
except TimeoutError:
    found = 'late'
found
#> 'late'

## map
shared = mmap.mmap(-1, 4096)
shared[:2] = b'ab'
shared[:2]
#> b'ab'

## a-lower-limit
resource.setrlimit(resource.RLIMIT_NOFILE, (32, 64))
resource.getrlimit(resource.RLIMIT_NOFILE)
#> (32, 64)

## the-machine
import platform
os.cpu_count() > 0, bool(platform.platform()), bool(socket.gethostname())
#> (True, True, True)

## an-absent-file
try:
    open('absent')
except FileNotFoundError as error:
    found = error.errno
found
#> 2

## streams
print('said')
sys.stdin.read(), sys.stdout.isatty()
#> ('', False)
"""


@at(*Level)
@pytest.mark.parametrize(
    "snippet", [pytest.param(one, id=one.split("\n", 1)[0]) for one in HONEST.split("## ")[1:]]
)
def test_honest_snippets_work(boxes: Boxes, snippet: str, level: Level) -> None:
    """Behind all walls: threads, files of their own, modules that are imported late."""
    code, _, text = snippet.rstrip().partition("\n#> ")
    assert text == boxes(level).ended(f"# {code}")


@at(*SEALED)
def test_other_programs_are_refused(boxes: Boxes, level: Level) -> None:
    """In the words that Python has for it: a snippet that needs one can say so."""
    code = (
        "try:\n    subprocess.run(['true'])\nexcept PermissionError as error:\n    found = str(error)\nfound"
    )
    assert "'[Errno 1] Operation not permitted'" == boxes(level).ended(code).replace(": 'true'", "")


def test_torch_works_behind_the_walls() -> None:
    """Behind the highest that are here; it was imported before they were closed."""
    subject = subjects.bundled()["sglang.LogicalHostPool"]
    if subjects.why_absent(subject):
        pytest.skip("the subject needs torch")
    code = (
        "LogicalHostPool(32, 16).alloc(16)",
        "torch.arange(6).reshape(2, 3).float().matmul(torch.ones(3, 2)).sum().item()",
        "torch.save(torch.ones(3), 'kept')\ntorch.load('kept').tolist()",
        "torch.linalg.inv(torch.eye(2)).tolist()",
    )
    scripts = tuple(Script(name=f"{n}", steps=(Step(role="call", code=one),)) for n, one in enumerate(code))
    with WarmProcess({}) as warm:
        (found,) = probe.observe(
            [(Trial(subject=subject.name, scripts=scripts), subject)], warm, Limits(level=AVAILABLE)
        )
    texts = [one.outcomes["call"].text for one in found[1].observations]
    assert ["30.0", "[1.0, 1.0, 1.0]", "[[1.0, 0.0], [0.0, 1.0]]"] == texts[1:]
    assert texts[0].startswith("tensor([")


# Walls that cannot be closed.


@pytest.mark.parametrize(
    ("part", "level"),
    [
        pytest.param(part, level, id=part, marks=_works(level))
        for part, level in (
            ("seal", Level.SEALED),
            ("_restrict_files", Level.SEALED),
            ("_drop_capabilities", Level.SEALED),
            ("_filter_calls", Level.SEALED),
            ("leave_processes", Level.NAMESPACES),
            ("leave_network", Level.NAMESPACES),
        )
    ],
)
def test_behind_walls_that_cannot_be_closed_nothing_is_run(boxes: Boxes, part: str, level: Level) -> None:
    """The answer says which would not; the snippet, which nothing would have held, did not write."""
    patch = (
        f"from generator import walls\ndef refuse(*_):\n    raise OSError(1, '{part}')\nwalls.{part} = refuse"
    )
    found = boxes(level, patch).ended("open(os.path.join(PLACES['outside'], MARK), 'w').close()")
    why = "the network could not be left" if part == "leave_network" else "a wall could not be closed"
    assert f"{why}: [Errno 1] {part}" == found


@at(*SEALED)
def test_a_record_behind_walls_that_cannot_be_closed_is_unavailable(level: Level) -> None:
    """An observation like any other, which no check takes for a proof, and which is not kept."""
    trial = Trial(subject="", scripts=(Script(name="trigger", steps=(Step(role="trigger", code="1 / 0"),)),))
    with WarmProcess({}) as warm:
        patch = (
            "from generator import walls\ndef refuse(*_):\n    raise OSError(1, 'no')\nwalls.seal = refuse"
        )
        warm.load("patched", patch)
        ((_, observed),) = probe.observe([(trial, subjects.PYTHON)], warm, Limits(level=level))
    why = "a wall could not be closed: [Errno 1] no"
    assert {"trigger": Outcome(kind="unavailable", text=why)} == observed.observations[0].outcomes
    assert not probe.is_lasting(observed)


def test_less_than_is_required_runs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command ends with 2 and says which level there is; no process is started, nothing is written."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a process was started")

    write_records(tmp_path / "records", {"loop": "while True:\n    pass"})
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(walls, "available", lambda: Level.LIMITS)
    monkeypatch.setattr(subprocess, "Popen", refuse)
    before = sorted(tmp_path.rglob("*"))
    for command in ("check", "build"):
        with pytest.raises(SystemExit) as end:
            cli.main([command, "--isolation", "3"])
        assert 2 == end.value.code
        message = "pagefault: isolation 3 was asked for, and here only level 1 works: nothing was run\n"
        assert ("", message) == capsys.readouterr()
    assert before == sorted(tmp_path.rglob("*"))


# Records.

RECORD = """\
repo: acme/{name}
slug: key-is-out-of-range
errorMessage: "RadixKey index out of range: {{idx}}"
errorClass: IndexError
filePath: src/keys.py
lineNumber: 7
documentation: A key has no such unit.
analyzedSha: "0132848349585cfe6aae51c4941cbae872505f8a"
verification:
  subject: sglang.RadixKey
  setup: key = RadixKey([5, 6, 7])
  trigger: |-
    {trigger}
  captures: {{idx: "3"}}
  more: ["key[-5]"]
"""
HONEST_TRIGGER = "key[3]"


def write_records(folder: Path, triggers: dict[str, str]) -> None:
    """Write a record for each trigger, and what says that their subject is upstream's."""
    folder.mkdir()
    for name, trigger in triggers.items():
        text = RECORD.format(name=name, trigger=trigger.replace("\n", "\n    "))
        (folder / f"{name}.yaml").write_text(text)
    subject = subjects.bundled()["sglang.RadixKey"]
    compared = {
        "source": "radix_key.py",
        "sourceSha256": subjects.source_digest(subject),
        "operations": 1,
        "upstream": {},
    }
    (folder / "differential.json").write_text(json.dumps({"subjects": {subject.name: compared}}))


def settings(root: Path, level: Level, **changes: Any) -> Settings:
    """Return the settings of a run on the records of a folder."""
    return Settings(
        records=root / "records",
        out=root / "site",
        cache=root / "cache",
        limits=Limits(seconds=2.0, memory=2**30, jobs=2, level=level),
        tracker="https://example.org/new",
        name=lambda path: path.name,
        **changes,
    )


# Each with the code of its finding, the line of its trigger that it points at, and what it says there.
HOSTILE = {
    "bomb": ("import os\nwhile True:\n    os.fork()", "E0403", 3, "raised `PermissionError: "),
    "loop": ("x = 1\nwhile True:\n    x += 1", "E0402", 1, "deadline of 2 s on the process group"),
    "kill": ("import os\nos.kill(os.getppid(), 9)", "E0403", 2, "raised `PermissionError: "),
    "write": ("open('{root}/{mark}', 'w')", "E0403", 1, "raised `PermissionError: "),
    "memory": ("x = 1\nkept = bytearray(30 * 2**30)", "E0403", 2, "raised `MemoryError`"),
    "socket": ("import socket\n\nsocket.socket()", "E0403", 3, "raised `PermissionError: "),
    "quit": ("import os\nos._exit(0)", "E0402", 1, ""),
    "flood": ("raise IndexError('x' * 10**6)", "E0404", 1, ""),
}
FIRST_LINE = 13


@at(*SEALED)
def test_hostile_records_cost_others_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, level: Level
) -> None:
    """Each has its finding at the line that tried; those beside them are proven, and nothing is left."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    hostile = {name: trigger.format(root=ROOT, mark=MARK) for name, (trigger, *_) in HOSTILE.items()}
    honest = {f"{place}-honest": HONEST_TRIGGER for place in ("a", "g", "m", "z")}
    write_records(tmp_path / "records", hostile | honest)
    before = sorted(tmp_path.rglob("*"))
    report = build.check(settings(tmp_path, level, is_caching=False))
    proven = {f"acme/{name}" for name in honest}
    assert proven == {one.record.repo for one in report.verified if one.standing == "proven"}
    errors = {one.path: one for one in report.diagnostics if one.severity == "error"}
    assert {f"{name}.yaml" for name in HOSTILE} == errors.keys()
    for name, (_, code, line, note) in HOSTILE.items():
        found = errors[f"{name}.yaml"]
        assert found.span
        assert (code, FIRST_LINE + line - 1) == (found.code, found.span.line), found
        assert note in " ".join(found.notes)
    assert before == sorted(tmp_path.rglob("*"))
    assert [] == processes(temporary)
    assert not (ROOT / MARK).exists()


@at(Level.LIMITS)
def test_accidents_cost_others_nothing(tmp_path: Path, level: Level) -> None:
    """Where there are limits alone, they still hold what is no attack."""
    accidents = ("loop", "memory", "quit", "flood")
    write_records(
        tmp_path / "records", {name: HOSTILE[name][0] for name in accidents} | {"honest": HONEST_TRIGGER}
    )
    report = build.check(settings(tmp_path, level, is_caching=False))
    assert {"proven": 1, "unproven": len(accidents)} == report.standings
    errors = {one.path: one.code for one in report.diagnostics if one.severity == "error"}
    assert {f"{name}.yaml": HOSTILE[name][1] for name in accidents} == errors


def test_a_page_says_behind_which_walls_its_record_ran(tmp_path: Path) -> None:
    """So does the observation; another level is another fact, and the snippets run again."""
    write_records(tmp_path / "records", {"honest": HONEST_TRIGGER})
    for level in Level:
        if level > AVAILABLE:
            continue
        first, second = (build.build(settings(tmp_path, level)) for _ in range(2))
        assert (2, 0) == (first.scripts_run, second.scripts_run)
        (verified,) = first.verified
        observed = verified.case.observed
        assert isinstance(observed, Observed)
        assert level.words == observed.walls[4:]
        page = (tmp_path / "site/acme/honest/key-is-out-of-range/index.html").read_text()
        said = {word for one in Level for word in one.words if word in page}
        assert set(level.words) == said


# The filter, as the kernel reads it.


def verdict(program: list[bytes], architecture: int, call: int, *arguments: int) -> str:
    """What a seccomp filter says of a call: `allow`, or the name of an error."""
    given = [one % 2**64 for one in (*arguments, *(0,) * 6)][:6]
    data = struct.pack("=IIQ6Q", call, architecture, 0, *given)
    at = held = 0
    while True:
        code, if_true, if_false, value = struct.unpack("=HBBI", program[at])
        at += 1
        if code == 0x06:
            return {0x7FFF0000: "allow", 0x50001: "EPERM", 0x50026: "ENOSYS"}[value]
        if code == 0x20:
            (held,) = struct.unpack_from("=I", data, value)
            continue
        is_true = {0x15: held == value, 0x35: held >= value, 0x45: bool(held & value)}[code]
        at += if_true if is_true else if_false


OWN = 4321


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(
    ("call", "arguments", "said"),
    [
        ("read", (3,), "allow"),
        ("openat", (), "allow"),
        ("getpid", (), "allow"),
        ("execve", (), "EPERM"),
        ("socket", (2, 1), "EPERM"),
        ("ptrace", (16, 1), "EPERM"),
        ("fchmodat", (), "EPERM"),
        ("setpriority", (), "EPERM"),
        ("shmat", (), "EPERM"),
        ("clone3", (), "ENOSYS"),
        ("unknown", (), "ENOSYS"),
        ("clone", (0x3D0F00,), "allow"),
        ("clone", (17,), "EPERM"),
        ("clone", (0x10000000,), "EPERM"),
        ("kill", (OWN, 9), "allow"),
        ("kill", (0, 9), "EPERM"),
        ("kill", (-1, 9), "EPERM"),
        ("kill", (-OWN, 9), "EPERM"),
        ("kill", (OWN + 1, 9), "EPERM"),
        ("tgkill", (OWN, 7, 9), "allow"),
        ("tgkill", (7, OWN, 9), "EPERM"),
        ("tkill", (OWN, 9), "allow"),
        ("prlimit64", (0, 7), "allow"),
        ("prlimit64", (1, 7), "EPERM"),
        ("sendto", (3, 5, 1, 0, 0, 0), "allow"),
        ("sendto", (3, 5, 1, 0, 0x1000, 16), "EPERM"),
        ("sendto", (3, 5, 1, 0, 7 << 32, 16), "EPERM"),
        ("socketpair", (1, 1), "allow"),
        ("socketpair", (30, 1), "EPERM"),
        ("ioctl", (3, 0x5401), "allow"),
        ("ioctl", (3, 0x541B), "allow"),
        ("ioctl", (3, 0x5412), "EPERM"),
        ("ioctl", (3, 0x40086602), "EPERM"),
        ("fcntl", (3, 1), "allow"),
        ("fcntl", (3, 1030), "allow"),
        ("fcntl", (3, 8, 1), "EPERM"),
        ("fcntl", (3, 1026), "EPERM"),
        ("prctl", (15,), "allow"),
        ("prctl", (1, 0), "EPERM"),
        ("truncate", (), "allow"),
    ],
)
def test_the_filter_says_no_to_what_it_should(
    machine: str, call: str, arguments: tuple[int, ...], said: str
) -> None:
    """The same on both processors, of which one alone can be tried here."""
    program = walls._program(machine, OWN, 7)
    assert said == verdict(program, walls._NUMBERS[machine][-1], numbers(machine)[call], *arguments)


@pytest.mark.parametrize("machine", MACHINES)
def test_the_filter_holds_truncation_beside_an_old_landlock(machine: str) -> None:
    """Its third version was the first to hold it."""
    said = [
        verdict(
            walls._program(machine, OWN, version), walls._NUMBERS[machine][-1], numbers(machine)["truncate"]
        )
        for version in (1, 2, 3)
    ]
    assert ["EPERM", "EPERM", "allow"] == said


@pytest.mark.parametrize("machine", MACHINES)
def test_the_filter_refuses_what_another_processor_would_call(machine: str) -> None:
    """Whatever the number, if it is counted by other rules."""
    assert "EPERM" == verdict(walls._program(machine, OWN, 7), 0x40000003, numbers(machine)["read"])


@pytest.mark.parametrize("machine", MACHINES)
def test_the_filter_is_short_enough(machine: str) -> None:
    """The kernel takes 4,096 instructions, and jumps of 255."""
    assert 4096 > len(walls._program(machine, OWN, 1))


def test_refused_calls_are_listed_once() -> None:
    """By name, and with both numbers, none twice."""
    words = " ".join((*walls._REFUSED, walls._TRUNCATE)).split()
    columns = [words[n::3] for n in range(3)]
    for column in columns:
        listed = [one for one in column if one != "-"]
        assert len(set(listed)) == len(listed)
    known = {name: row for name, *row in zip(*columns, strict=True)}
    assert [] == [
        (name, machine)
        for n, machine in enumerate(MACHINES)
        for name, call in numbers(machine).items()
        if name in known and known[name][n] not in {str(call), "-"}
    ]


def test_the_security_page_gives_the_limits_that_hold() -> None:
    """Its numbers are the code's."""
    text = (ROOT / "SECURITY.md").read_text()
    limits = Limits()
    row = (
        f"by default {limits.seconds:g} seconds, {limits.memory // 2**20} MiB of memory, "
        f"{sandbox.WRITTEN // 2**20} MiB a file, {sandbox.FILES} open files"
    )
    assert row in text
    most = document.LIMITS
    assert f"{most.size:,} bytes, {most.depth} levels and {most.nodes:,} keys and values" in " ".join(
        text.split()
    )


# Who is no administrator.

ORDINARY = """\
import json, os, sys
sys.dont_write_bytecode = True
sys.path.insert(0, {root!r})
from generator import walls
from generator.workers import WarmProcess
level = walls.available()
found = {{}}
with WarmProcess({{}}) as warm:
    warm.load("plain", "import os, socket")
    for code in {codes!r}:
        step = {{"role": "trigger", "code": code}}
        request = {{"do": "run", "id": "one", "subject": "plain", "files": [], "steps": [step]}}
        request |= {{"seconds": 5.0, "memory": 2**30, "jobs": 1, "level": int(level)}}
        (answer,) = warm.run([request])
        found[code] = answer["outcomes"]["trigger"].get("type")
    left = os.listdir(warm._folder.name)
print(json.dumps([os.getuid(), int(level), found, left]))
"""


def test_an_ordinary_user_has_walls_too() -> None:
    """The same walls, but for namespaces where the system gives them to nobody else."""
    if os.geteuid() != 0:
        pytest.skip("everything above was tried by an ordinary user")
    refused = ("os.fork()", "socket.socket()", "os.kill(os.getppid(), 9)", "os.listdir('/')", "os.setsid()")
    closed = "os.mkdir('a', 0o300)\nopen('a/b', 'w').close()"
    expected: dict[str, str] = {"1": "int", closed: "NoneType"} | dict.fromkeys(refused, "PermissionError")
    script = ORDINARY.format(root=str(ROOT), codes=list(expected))
    for python in (sys.executable, "/usr/bin/python3"):
        try:
            ran = subprocess.run(
                [python, "-c", script],
                user=NOBODY,
                group=NOBODY,
                extra_groups=[],
                cwd="/",
                env={},
                capture_output=True,
                check=False,
            )
        except OSError:
            continue
        if ran.returncode == 0:
            break
    else:
        pytest.skip("no interpreter here is another user's to run")
    user, level, found, left = json.loads(ran.stdout)
    assert (NOBODY, []) == (user, left)
    if level < Level.SEALED:
        pytest.skip("this kernel seals nobody")
    assert expected == found
