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
from functools import cache
from pathlib import Path

CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x08000000, 0x10000000, 0x20000000, 0x40000000
_CLONE_THREAD = 0x00010000
_PR_SET_PDEATHSIG, _PR_SET_SECCOMP, _PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS = 1, 22, 36, 38
_SECCOMP_FILTER = 2
_INSTRUCTION = 8  # bytes
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


# System calls that are refused whatever their arguments: name, number on x86_64, on aarch64 ("-": has none).
_REFUSED = (
    # Other processes, and a life beyond the group and the parent that end this one.
    "fork 57 -  vfork 58 -  execve 59 221  execveat 322 281  setpgid 109 154  setsid 112 157",
    "ptrace 101 117  process_vm_readv 310 270  process_vm_writev 311 271  kcmp 312 272",
    "rt_sigqueueinfo 129 138  rt_tgsigqueueinfo 297 240  pidfd_send_signal 424 424  pidfd_open 434 434",
    "pidfd_getfd 438 438  process_madvise 440 440  process_mrelease 448 448",
    # The share of the processor that others get.
    "setpriority 141 140  sched_setparam 142 118  sched_setscheduler 144 119  sched_setaffinity 203 122",
    "sched_setattr 314 274  ioprio_set 251 30  migrate_pages 256 238  move_pages 279 239",
    # Sockets. `sendmsg` could name a receiver where no filter looks.
    "socket 41 198  connect 42 203  accept 43 202  accept4 288 242  bind 49 200  listen 50 201",
    "sendmsg 46 211  sendmmsg 307 269  io_uring_setup 425 425  io_uring_enter 426 426",
    "io_uring_register 427 427",
    # Memory, semaphores and queues of others: there they need not be opened, a number is enough.
    "shmget 29 194  shmat 30 196  shmctl 31 195  semget 64 190  semop 65 193  semctl 66 191",
    "semtimedop 220 192  msgget 68 186  msgsnd 69 189  msgrcv 70 188  msgctl 71 187",
    "mq_open 240 180  mq_unlink 241 181",
    # What a file is beside its content: Landlock does not hold these.
    "chmod 90 -  fchmod 91 52  fchmodat 268 53  fchmodat2 452 452  chown 92 -  fchown 93 55",
    "lchown 94 -  fchownat 260 54  utime 132 -  utimes 235 -  futimesat 261 -  utimensat 280 88",
    "setxattr 188 5  lsetxattr 189 6  fsetxattr 190 7  setxattrat 463 463",
    "removexattr 197 14  lremovexattr 198 15  fremovexattr 199 16  removexattrat 466 466",
    "inotify_add_watch 254 27  fanotify_init 300 262  name_to_handle_at 303 264",
    "open_by_handle_at 304 265",
    # The machine.
    "mount 165 40  umount2 166 39  pivot_root 155 41  chroot 161 51  open_tree 428 428",
    "move_mount 429 429  fsopen 430 430  fsconfig 431 431  fsmount 432 432  fspick 433 433",
    "mount_setattr 442 442  unshare 272 97  setns 308 268  swapon 167 224  swapoff 168 225",
    "acct 163 89  quotactl 179 60  quotactl_fd 443 443  reboot 169 142  kexec_load 246 104",
    "kexec_file_load 320 294  init_module 175 105  finit_module 313 273  delete_module 176 106",
    "sethostname 170 161  setdomainname 171 162  settimeofday 164 170  clock_settime 227 112",
    "adjtimex 159 171  clock_adjtime 305 266  syslog 103 116  iopl 172 -  ioperm 173 -",
    "modify_ldt 154 -  uselib 134 -  vhangup 153 58  personality 135 92",
    "bpf 321 280  perf_event_open 298 241  userfaultfd 323 282",
    "add_key 248 217  request_key 249 218  keyctl 250 219  lsm_set_self_attr 460 460",
)
_TRUNCATE = "truncate 76 45"  # held by Landlock since its third version
_CLONE3 = 435
_UNKNOWN = 467  # the first that this list does not know
# clone; kill, tkill, tgkill; prlimit64; sendto; socketpair; ioctl; fcntl; prctl; capset; and what the filter
# sees as the architecture.
_NUMBERS = {
    "x86_64": (56, (62, 200, 234), 302, 44, 53, 16, 72, 157, 126, 0xC000003E),
    "aarch64": (220, (129, 130, 131), 261, 206, 199, 29, 25, 167, 91, 0xC00000B7),
}
_AF_UNIX = 1
# Is it a terminal (asked in two ways), how large; keep or close over programs; block or not; how much there
# is to read. Others change what files are, and need no right to write for it.
_IOCTLS = (0x5401, 0x802C542A, 0x5413, 0x5450, 0x5451, 0x5421, 0x541B)
# Who is signalled about a file, by which signal; leases and watches.
_FCNTLS = (8, 10, 15, 1024, 1026)

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


def can_return() -> bool:
    """Whether this process can undo `leave_processes`: an ordinary user cannot."""
    try:
        return_to_processes()
    except OSError:
        return False
    return True


def return_to_processes() -> None:
    """Puts further children of this process into its own process namespace again. Raises OSError."""
    own = os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)
    try:
        _checked(_libc().setns(own, CLONE_NEWPID))
    finally:
        os.close(own)


def prepare() -> None:
    """Looks up once what `seal` needs, so that children need not, each for itself."""
    _python_paths()
    version = _libc().syscall(_LANDLOCK_CREATE, None, 0, 1)
    # The first process of a namespace is number 1.
    _filter(platform.machine(), 1, version)


def die_with_parent() -> None:
    """Has this process killed when its parent ends; on Linux, elsewhere nothing."""
    if sys.platform == "linux":
        _libc().prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def adopt_orphans() -> None:
    """Makes this process the parent of what its children leave behind; on Linux, elsewhere nothing."""
    if sys.platform == "linux":
        _libc().prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def children() -> list[int]:
    """The children of this process, which has one thread, dead ones too; none where nothing lists them."""
    try:
        return [int(pid) for pid in Path("/proc/thread-self/children").read_text().split()]
    except OSError:
        return []


def seal(folder: str, readable: Sequence[str] = ()) -> None:
    """Gives up privileges, files outside, sockets, processes and signals, for good. Raises OSError.

    `folder` alone may be written; beside where Python lives, `readable` may be read.
    """
    libc = _libc()
    _checked(libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    version = _restrict_files(libc, folder, (*_python_paths(), *readable))
    _drop_capabilities(libc)
    _filter_calls(libc, version)


@cache
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


@cache
def _python_paths() -> tuple[str, ...]:
    """Where imports, shared libraries and the little that they look at lie."""
    return (
        *{sys.prefix, sys.base_prefix, sys.exec_prefix, *sysconfig.get_paths().values()},
        str(Path(__file__).parent),
        *("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/share/zoneinfo"),
        *("/etc/ld.so.cache", "/etc/localtime", "/etc/mime.types", "/sys/devices/system/cpu"),
        *("/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/dev/zero", "/dev/urandom", "/dev/random"),
    )


def _restrict_files(libc: ctypes.CDLL, folder: str, readable: Sequence[str]) -> int:
    """The version of Landlock that holds from now on."""
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
    return version


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
    _checked(libc.syscall(_NUMBERS[platform.machine()][-2], header, bytes(24)))


def _filter_calls(libc: ctypes.CDLL, landlock: int) -> None:
    program = _filter(platform.machine(), os.getpid(), landlock)
    instructions = ctypes.create_string_buffer(program, len(program))
    # struct sock_fprog: a count, padding, a pointer.
    wanted = struct.pack("HxxxxxxP", len(program) // _INSTRUCTION, ctypes.addressof(instructions))
    _checked(libc.prctl(_PR_SET_SECCOMP, _SECCOMP_FILTER, wanted, 0, 0))


@cache
def _filter(machine: str, pid: int, landlock: int) -> bytes:
    """The filter's instructions, `_INSTRUCTION` bytes each."""
    return b"".join(_program(machine, pid, landlock))


def _refused(machine: str, landlock: int) -> Iterator[int]:
    """The numbers of the calls that are refused beside that version of Landlock."""
    column = ("x86_64", "aarch64").index(machine) + 1
    for line in (*_REFUSED, *((_TRUNCATE,) if landlock < 3 else ())):
        yield from (int(number) for number in line.split()[column::3] if number != "-")


def _program(machine: str, pid: int, landlock: int) -> list[bytes]:
    """A seccomp filter in classic BPF: refused calls fail with EPERM, every other goes through.

    `clone` may only make threads (`clone3` cannot be looked into: it answers ENOSYS, and callers fall
    back to `clone`; so do calls that are newer than this list). Signals may go to this process; limits may
    be set for it, but not the signal that it gets when its parent ends; data may be sent on sockets that
    are connected already, which are those of a pair.
    """
    clone, signals, prlimit, sendto, socketpair, ioctl, fcntl, prctl, _, architecture = _NUMBERS[machine]
    load, equal, at_least, any_bit, give = 0x20, 0x15, 0x35, 0x45, 0x06
    allow, refuse, absent = 0x7FFF0000, 0x00050000 | _EPERM, 0x00050000 | _ENOSYS

    def one(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
        return struct.pack("=HBBI", code, if_true, if_false, value)

    def argument(index: int, *, is_high: bool = False) -> bytes:
        """Loads the lower half of an argument, or the higher."""
        return one(load, 16 + 8 * index + 4 * is_high)

    def among(values: Sequence[int], test: int = equal) -> list[bytes]:
        """Refuses what is none of the values; else goes on."""
        tests = [one(test, value, len(values) - n) for n, value in enumerate(values)]
        return [*tests, one(give, refuse)]

    def except_(values: Sequence[int]) -> list[bytes]:
        """Refuses what is one of the values; else goes on."""
        return [step for value in values for step in (one(equal, value, 0, 1), one(give, refuse))]

    program = [one(load, 4), one(equal, architecture, 1, 0), one(give, refuse), one(load, 0)]
    # Also the calls of the x32 kind, whose numbers are far above.
    program += [one(at_least, _UNKNOWN, 0, 1), one(give, absent)]
    program += [one(equal, _CLONE3, 0, 1), one(give, absent)]
    program += except_(tuple(_refused(machine, landlock)))
    for number, steps in (
        (clone, [argument(0), *among((_CLONE_THREAD,), any_bit)]),
        *((number, [argument(0), *among((pid,))]) for number in signals),
        (prlimit, [argument(0), *among((0,))]),
        # A pointer: one whose lower half alone is zero is none to nowhere.
        (sendto, [argument(4), *among((0,)), argument(4, is_high=True), *among((0,))]),
        (socketpair, [argument(0), *among((_AF_UNIX,))]),
        (ioctl, [argument(1), *among(_IOCTLS)]),
        (fcntl, [argument(1), *except_(_FCNTLS)]),
        (prctl, [argument(0), *except_((_PR_SET_PDEATHSIG,))]),
    ):
        program += [one(equal, number, 0, len(steps) + 1), *steps, one(give, allow)]
    return [*program, one(give, allow)]
