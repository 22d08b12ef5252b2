"""Walls that a process closes around itself, on Linux, with nothing but its own system calls.

Three levels, each holding what the one below holds:

1. *limits*: resource limits, an empty folder, a bare environment (`sandbox` sets these up)
2. *sealed*: no privileges; Landlock: files are read only where Python lives and written only in the
   folder; seccomp: no sockets, no new processes, no signals to others, no administration
3. *namespaces*: sealed, in process, network and IPC namespaces of its own

`available` tries the levels in children of this process and believes only what worked. Elsewhere than on
Linux, and on processors whose system calls are not listed here, there is level 1.
"""

import ctypes
import os
import platform
import signal
import struct
import sys
import sysconfig
from collections.abc import Callable, Iterator, Sequence
from enum import IntEnum
from pathlib import Path

CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x08000000, 0x10000000, 0x20000000, 0x40000000
_CLONE_THREAD = 0x00010000
_PR_SET_PDEATHSIG, _PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS, _SECCOMP_FILTER = 1, 22, 38, 2
_EPERM, _ENOSYS = 1, 38


class Level(IntEnum):
    """How much is walled in."""

    LIMITS = 1
    SEALED = 2
    NAMESPACES = 3

    @property
    def words(self) -> tuple[str, ...]:
        """What holds at this level beyond the limits."""
        sealed = ("no network", "no other processes", "no files outside", "no privileges")
        return {
            Level.LIMITS: (),
            Level.SEALED: sealed,
            Level.NAMESPACES: (*sealed, "own process, network and IPC namespaces"),
        }[self]


# System calls by processor: those that are refused whatever their arguments.
_REFUSED = {
    "x86_64": (
        *(57, 58, 59, 322, 41, 42, 43, 288, 49, 50, 46, 307, 29, 68, 64, 240, 129, 297, 101, 310, 311, 312),
        *(165, 166, 155, 161, 272, 308, 321, 298, 250, 248, 249, 323, 169, 246, 320, 175, 313, 176, 167, 168),
        *(304, 303, 163, 164, 227, 159, 305, 170, 171, 172, 173, 179, 103, 256, 279, 300, 135),
    ),
    "aarch64": (
        *(221, 281, 198, 203, 202, 242, 200, 201, 211, 269, 194, 186, 190, 180, 138, 240, 117, 270, 271, 272),
        *(40, 39, 41, 51, 97, 268, 280, 241, 219, 217, 218, 282, 142, 104, 294, 105, 273, 106, 224, 225),
        *(265, 264, 89, 170, 112, 171, 266, 161, 162, 60, 116, 238, 239, 262, 92),
    ),
}
# The newer ones have one number everywhere: pidfd_*, io_uring_*, mounts by descriptor, process_madvise, …
_REFUSED_EVERYWHERE = (424, 425, 426, 427, 428, 429, 430, 431, 432, 433, 434, 438, 440, 442, 448)
_CLONE3 = 435
# clone; kill, tkill, tgkill; prlimit64; sendto; capset; and what the filter sees as the architecture.
_NUMBERS = {
    "x86_64": (56, (62, 200, 234), 302, 44, 126, 0xC000003E),
    "aarch64": (220, (129, 130, 131), 261, 206, 91, 0xC00000B7),
}

_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446
_READ = 0b1100  # READ_FILE, READ_DIR
_FILE_ACCESS = 0b1100000000000111  # what may be said of a file: execute, write, read, truncate, ioctl
_FS_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}  # how many rights each version knows; 16 since the fifth


def available() -> Level:
    """The highest level that works here, found by trying. For a process with one thread."""
    if sys.platform != "linux" or platform.machine() not in _NUMBERS:
        return Level.LIMITS
    for level in (Level.NAMESPACES, Level.SEALED):
        if _works(level):
            return level
    return Level.LIMITS


def leave_network() -> None:
    """Takes this process, and all that it will start, to network and IPC namespaces of its own.

    Once for all children: making a network for each costs more than running it. Raises OSError.
    """
    flags = CLONE_NEWNET | CLONE_NEWIPC
    user, group = os.geteuid(), os.getegid()
    if user != 0:
        flags |= CLONE_NEWUSER
    _checked(_libc().unshare(flags))
    if user != 0:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")


def leave_processes() -> None:
    """Puts the next child of this process into a process namespace, as its first. Raises OSError."""
    _checked(_libc().unshare(CLONE_NEWPID))


def die_with_parent() -> None:
    """Has this process killed when its parent ends; on Linux, elsewhere nothing."""
    if sys.platform == "linux":
        _libc().prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def seal(folder: str, readable: Sequence[str] = ()) -> None:
    """Gives up privileges, files outside, sockets, processes and signals, for good. Raises OSError.

    `folder` alone may be written; beside where Python lives, `readable` may be read.
    """
    libc = _libc()
    _checked(libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    _restrict_files(libc, folder, (*_python_paths(), *readable))
    _drop_capabilities(libc)
    _filter_calls(libc)


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def _works(level: Level) -> bool:
    """Whether a child can close the walls of a level, and then still end as it wants."""

    def close() -> None:
        if level >= Level.NAMESPACES:
            leave_network()
            leave_processes()
            _end(lambda: seal("/tmp"))  # noqa: S108 - nothing is written there
        seal("/tmp")  # noqa: S108 - as above

    return _ends_well(close)


def _end(close: Callable[[], None]) -> None:
    os._exit(0 if _ends_well(close) else 1)


def _ends_well(close: Callable[[], None]) -> bool:
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            close()
            status = 0
        finally:
            os._exit(status)
    return os.waitpid(pid, 0)[1] == 0


def _python_paths() -> Iterator[str]:
    """Where imports, shared libraries and the little that they look at lie."""
    yield from {sys.prefix, sys.base_prefix, sys.exec_prefix, *sysconfig.get_paths().values()}
    yield str(Path(__file__).parent)
    yield from ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/share/zoneinfo")
    yield from ("/etc/ld.so.cache", "/etc/localtime", "/etc/mime.types", "/sys/devices/system/cpu")
    yield from ("/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/dev/zero", "/dev/urandom", "/dev/random")


def _restrict_files(libc: ctypes.CDLL, folder: str, readable: Sequence[str]) -> None:
    version = _checked(libc.syscall(_LANDLOCK_CREATE, None, 0, 1))
    rights = (1 << _FS_RIGHTS.get(version, 16)) - 1
    # Files; then TCP since the fourth version; then abstract sockets and signals since the sixth.
    attributes = struct.pack("=QQQ", rights, 0b11 if version >= 4 else 0, 0b11 if version >= 6 else 0)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    rules = _checked(libc.syscall(_LANDLOCK_CREATE, attributes, size, 0))
    try:
        for path, access in ((folder, rights), ("/dev/null", rights), *((one, _READ) for one in readable)):
            _allow(libc, rules, path, access & rights)
        _checked(libc.syscall(_LANDLOCK_RESTRICT, rules, 0))
    finally:
        os.close(rules)


def _allow(libc: ctypes.CDLL, rules: int, path: str, access: int) -> None:
    """Allows what is below a path; a path that is not there needs no rule."""
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not os.path.isdir(path):  # noqa: PTH112 - in a child, before its walls are closed
            access &= _FILE_ACCESS
        rule = struct.pack("=Qi", access, descriptor)
        _checked(libc.syscall(_LANDLOCK_ADD, rules, 1, rule, 0))
    finally:
        os.close(descriptor)


def _drop_capabilities(libc: ctypes.CDLL) -> None:
    header = struct.pack("=Ii", 0x20080522, 0)  # the third version of the structure, this process
    _checked(libc.syscall(_NUMBERS[platform.machine()][4], header, bytes(24)))


def _filter_calls(libc: ctypes.CDLL) -> None:
    program = _program(platform.machine(), os.getpid())
    instructions = ctypes.create_string_buffer(b"".join(program))
    # struct sock_fprog: a count, padding, a pointer.
    wanted = struct.pack("HxxxxxxP", len(program), ctypes.addressof(instructions))
    _checked(libc.prctl(_PR_SET_SECCOMP, _SECCOMP_FILTER, wanted, 0, 0))


def _program(machine: str, pid: int) -> list[bytes]:
    """A seccomp filter in classic BPF: refused calls fail with EPERM, every other goes through.

    `clone` may only make threads (`clone3` cannot be looked into: it answers ENOSYS, and callers fall
    back to `clone`). Signals may go to this process; limits may be set for it; data may be sent on
    sockets that are connected already, which are those of a pair.
    """
    clone, signals, prlimit, sendto, _, architecture = _NUMBERS[machine]
    load, equal, at_least, any_bit, give = 0x20, 0x15, 0x35, 0x45, 0x06
    allow, refuse, absent = 0x7FFF0000, 0x00050000 | _EPERM, 0x00050000 | _ENOSYS

    def argument(index: int) -> int:
        return 16 + 8 * index

    def one(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
        return struct.pack("=HBBI", code, if_true, if_false, value)

    program = [one(load, 4), one(equal, architecture, 1, 0), one(give, refuse), one(load, 0)]
    if machine == "x86_64":
        # The calls of the x32 kind have numbers of their own.
        program += [one(at_least, 0x40000000, 0, 1), one(give, refuse)]
    for number in (*_REFUSED[machine], *_REFUSED_EVERYWHERE):
        program += [one(equal, number, 0, 1), one(give, refuse)]
    program += [one(equal, _CLONE3, 0, 1), one(give, absent)]
    for number, index, test, value in (
        (clone, 0, any_bit, _CLONE_THREAD),
        *((number, 0, equal, pid) for number in signals),
        (prlimit, 0, equal, 0),
        (sendto, 4, equal, 0),
    ):
        program += [
            one(equal, number, 0, 4),
            one(load, argument(index)),
            one(test, value, 0, 1),
            one(give, allow),
            one(give, refuse),
        ]
    return [*program, one(give, allow)]
