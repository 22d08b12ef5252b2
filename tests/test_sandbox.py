"""`generator.sandbox`: what a snippet did is told, whatever it did, and the next one is told too."""

import os
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from generator import sandbox
from generator.workers import WarmProcess

linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

SUBJECT = '''\
"""Stands in for code under test."""


class Refused(ValueError):
    """Raised by the gate."""


class Gate:
    def enter(self, size):
        if size % 16:
            raise Refused(f"size {size} is refused")
        return size


def call(function):
    return function()
'''

# Where the pipe for the answer is: the one descriptor beside the three streams.
PIPE = "pipe = max(n for n in range(3, 64) if os.path.exists(f'/proc/self/fd/{n}'))\n"

# No signal that a process may ignore reaches this one.
DEAF = """\
for n in range(1, 65):
    try:
        signal.signal(n, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
"""

# An exception whose class will not even say its name.
NAMELESS = """\
class Meta(type):
    __name__ = property(lambda self: 1 / 0)

class Odd(Exception, metaclass=Meta):
    pass

"""

Outcomes = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Box:
    """A warm process that has imported the subject above, which is at `file`."""

    warm: WarmProcess
    file: Path

    def request(
        self, name: str, steps: Mapping[str, str], *, seconds: float = 20.0, memory: int = 2**30
    ) -> dict[str, Any]:
        """Ask to run code by role, in order; the role `expect` is a final step."""
        return {
            "do": "run",
            "id": name,
            "subject": "gate",
            "files": [str(self.file)],
            "steps": [
                {"role": role, "code": code, "isFinal": role == "expect"} for role, code in steps.items()
            ],
            "seconds": seconds,
            "memory": memory,
            "jobs": 2,
        }

    def outcomes(self, **steps: str) -> Outcomes:
        """Run one script; its outcomes by role."""
        (answer,) = self.warm.run([self.request("one", steps)])
        outcomes: Outcomes = answer["outcomes"]
        return outcomes

    def outcome(self, code: str) -> dict[str, Any]:
        """Run one step; its outcome."""
        return self.outcomes(trigger=code)["trigger"]

    def beside_others(self, code: str, **limits: Any) -> dict[str, Any]:
        """Run one step amid honest scripts, all of which must be answered; its answer without its name."""
        honest = [self.request(f"honest {n}", {"trigger": str(n)}) for n in range(4)]
        hostile = self.request("hostile", {"trigger": code}, **limits)
        answers = {answer.pop("id"): answer for answer in self.warm.run([*honest[:2], hostile, *honest[2:]])}
        found = answers.pop("hostile")
        assert {
            f"honest {n}": {"outcomes": {"trigger": {"kind": "returned", "type": "int", "text": str(n)}}}
            for n in range(4)
        } == answers
        return found


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Box]:
    """One warm process for the whole file: that it serves to the end is part of the claim."""
    folder = tmp_path_factory.mktemp("subject")
    file = folder / "gate.py"
    file.write_text(SUBJECT)
    with WarmProcess({}) as warm:
        imports = f"import sys\nsys.path.insert(0, {str(folder)!r})\n"
        imports += "import ctypes, os, signal, threading, time\nfrom gate import Gate, call"
        loaded = warm.load("gate", imports)
        assert (loaded["error"], loaded["isSingle"]) == ("", True)
        yield Box(warm, file)


def is_running(pid: int) -> bool:
    """Whether the process is there and no zombie, looked at until it is not, for two seconds."""
    for _ in range(200):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return False
        if state in "ZX":
            return False
        time.sleep(0.01)
    return True


def read_pid(file: Path) -> int:
    """Return the process id that a snippet wrote, waiting for it for two seconds."""
    for _ in range(200):
        if file.exists() and (text := file.read_text()).endswith("\n"):
            return int(text)
        time.sleep(0.01)
    raise AssertionError("no process id was written")


# What a snippet returned.


@pytest.mark.parametrize(
    ("code", "kind", "text"),
    [
        ("1 + 1", "int", "2"),
        ("x = 3\nx * 'ab'", "str", "'ababab'"),
        ("x = 3", "NoneType", "None"),
        ("", "NoneType", "None"),
        ("# nothing", "NoneType", "None"),
        ("for x in range(3):\n    x", "NoneType", "None"),
        ("Gate().enter(32)", "int", "32"),
        ("print('said')", "NoneType", "None"),
    ],
)
def test_a_snippet_has_the_value_of_its_last_expression(box: Box, code: str, kind: str, text: str) -> None:
    """Where it ends in a statement, or is empty, the value is None."""
    assert {"kind": "returned", "type": kind, "text": text} == box.outcome(code)


def test_the_next_step_knows_the_value_as_result(box: Box) -> None:
    """Names stay too: the steps of a script share one namespace."""
    found = box.outcomes(setup="gate = Gate()", call="gate.enter(48)", expect="result == 48 and gate")
    assert ["returned", "returned", "returned"] == [one["kind"] for one in found.values()]
    assert found["expect"]["isTrue"] is True


def test_a_statement_at_the_end_makes_the_result_none(box: Box) -> None:
    """The value of an earlier step does not stay."""
    assert box.outcomes(one="5", two="x = 6", expect="result is None")["expect"]["isTrue"] is True


@pytest.mark.parametrize(
    ("code", "is_true"), [("1 < 2", True), ("0", False), ("[]", False), ("x = 1", False)]
)
def test_a_final_step_says_whether_its_value_is_true(box: Box, code: str, *, is_true: bool) -> None:
    """Any value is true or false as Python takes it; a statement has none, which is false."""
    assert box.outcomes(expect=code)["expect"]["isTrue"] is is_true


def test_other_steps_do_not_say_whether_their_value_is_true(box: Box) -> None:
    """An array has no truth value, and to ask it would raise."""
    assert "isTrue" not in box.outcome("True")


def test_scripts_do_not_share_names_or_objects(box: Box) -> None:
    """Each begins with what the imports left, unchanged by the others."""
    change = "import gate\ngate.Gate.enter = None\nleft = 1"
    assert box.outcome(change)["kind"] == "returned"
    assert box.outcome("Gate().enter(16)")["text"] == "16"
    assert box.outcome("left")["type"] == "NameError"


def test_scripts_hash_alike(box: Box) -> None:
    """The order of a set of texts is the same in every process, so its repr is evidence."""
    with WarmProcess({}) as other:
        other.load("gate", "import os")
        code = "hash('text'), {'a', 'b', 'c', 'd'}"
        (answer,) = other.run([box.request("one", {"trigger": code})])
        assert answer["outcomes"]["trigger"] == box.outcome(code)


# What a snippet raised.


def test_a_raise_inside_the_subject_has_a_frame(box: Box) -> None:
    """The frame names the file below the subject's folder, the line and the qualified function."""
    assert {
        "kind": "raised",
        "type": "Refused",
        "text": "size 37 is refused",
        "bases": ["Refused", "ValueError", "Exception", "BaseException"],
        "line": 2,
        "frame": {"file": "gate.py", "line": 11, "function": "Gate.enter"},
        "isStated": True,
    } == box.outcome("gate = Gate()\ngate.enter(37)")


def test_a_raise_outside_the_subject_has_none(box: Box) -> None:
    """The snippet's own error is told from the subject's."""
    assert {
        "kind": "raised",
        "type": "KeyError",
        "text": "'a'",
        "bases": ["KeyError", "LookupError", "Exception", "BaseException"],
        "line": 3,
        "frame": None,
        "isStated": False,
    } == box.outcome("x = {}\n\nx['a']")


def test_a_raise_in_a_snippet_that_the_subject_called_has_none(box: Box) -> None:
    """The innermost frame decides; the line is that of the snippet's innermost one."""
    found = box.outcome("def mine():\n    raise ValueError('mine')\n\ncall(mine)")
    assert (2, None) == (found["line"], found["frame"])


def test_a_raise_in_compiled_code_has_none(box: Box) -> None:
    """Compiled code has no frames: the innermost one is the snippet's."""
    found = box.outcome("int('x')")
    assert ("ValueError", 1, None) == (found["type"], found["line"], found["frame"])


@pytest.mark.parametrize(("code", "line"), [("x = 1\ny = (", 2), ("  x = 1", 1), ("x = 1\n\nreturn 5", 3)])
def test_a_snippet_that_is_no_python_raises_at_its_line(box: Box, code: str, line: int) -> None:
    """A syntax error is an outcome like any other."""
    found = box.outcome(code)
    assert ("raised", line, None) == (found["kind"], found["line"], found["frame"])
    assert "SyntaxError" in found["bases"]


@pytest.mark.parametrize("code", ["'\0'", "(" * 10_000, "-" * 100_000 + "1", "x = '\ud800'"])
def test_a_snippet_that_cannot_be_compiled_raises(box: Box, code: str) -> None:
    """Null characters, endless nesting and lone surrogates are the snippet's fault, not a crash."""
    assert box.outcome(code)["kind"] == "raised"


@pytest.mark.parametrize("line", ["'three'", "None", "-1", "object()", "10.5"])
def test_a_made_up_syntax_error_is_told(box: Box, line: str) -> None:
    """Whatever it holds in place of a line."""
    found = box.outcome(f"raise SyntaxError('made up', ('file', {line}, 1, ''))")
    assert ("raised", "SyntaxError", 1) == (found["kind"], found["type"], found["line"])


def test_after_a_raise_only_final_steps_run(box: Box) -> None:
    """What the code left behind can be asked for; further code would prove nothing."""
    found = box.outcomes(setup="x = []", call="x.append(1)\n1 / 0", more="x.append(2)", expect="x == [1]")
    assert ["returned", "raised", "skipped", "returned"] == [one["kind"] for one in found.values()]
    assert found["expect"]["isTrue"] is True


def test_after_a_raise_the_result_is_not_set(box: Box) -> None:
    """There is no value: naming it is an error of the expectation."""
    assert box.outcomes(call="1 / 0", expect="result")["expect"]["type"] == "NameError"


def test_a_final_step_that_raises_is_not_true(box: Box) -> None:
    """It has no truth, also where its value refuses to be true or false."""
    code = "class Both:\n    def __bool__(self):\n        raise TypeError('both')\nBoth()"
    found = box.outcomes(expect=code)["expect"]
    assert ("raised", "TypeError", None) == (found["kind"], found["type"], found.get("isTrue"))


def test_a_setup_that_raises_ends_the_script(box: Box) -> None:
    """Not even final steps run: their names are not there."""
    assert ["setup"] == list(box.outcomes(setup="1 / 0", call="1", expect="True"))


@pytest.mark.parametrize(
    ("code", "kind", "text"),
    [
        ("raise SystemExit(3)", "SystemExit", "3"),
        ("import sys\nsys.exit('bye')", "SystemExit", "bye"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt", ""),
        ("raise GeneratorExit", "GeneratorExit", ""),
        ("os.kill(os.getpid(), signal.SIGINT)\ntime.sleep(5)", "KeyboardInterrupt", ""),
        ("raise BaseExceptionGroup('two', [KeyError(1)])", "ExceptionGroup", "two (1 sub-exception)"),
        ("def f():\n    return f()\nf()", "RecursionError", "maximum recursion depth exceeded"),
        ("assert 1 > 2, 'no'", "AssertionError", "no"),
        ("raise 5", "TypeError", "exceptions must derive from BaseException"),
    ],
)
def test_whatever_is_raised_is_told(box: Box, code: str, kind: str, text: str) -> None:
    """Also what ends a program elsewhere."""
    found = box.outcome(code)
    assert ("raised", kind, text) == (found["kind"], found["type"], found["text"])


# The text of messages and values.


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("object()", "<object object at 0x…>"),
        ("[Gate().enter]", "[<bound method Gate.enter of <gate.Gate object at 0x…>>]"),
        ("lambda: 1", "<function <lambda> at 0x…>"),
        ("raise ValueError(object())", "<object object at 0x…>"),
        ("raise ValueError('at 0x7f00 and 0x7f001234')", "at 0x7f00 and 0x7f001234"),
    ],
)
def test_memory_addresses_are_removed(box: Box, code: str, text: str) -> None:
    """They vary from run to run; other hexadecimal numbers stay."""
    assert text == box.outcome(code)["text"]


@pytest.mark.parametrize(
    "code", ["'x' * 50_000", "raise ValueError('x' * 50_000)", "raise ValueError('x' * 10**8)"]
)
def test_texts_are_cut_at_the_limit(box: Box, code: str) -> None:
    """A message or repr has at most 20,000 characters."""
    found = box.outcome(code)["text"]
    assert sandbox.TEXT == len(found)
    assert {"x"} == set(found[1:])


def test_lone_surrogates_are_written_out(box: Box) -> None:
    """No file could hold them."""
    assert "half \\ud83d" == box.outcome("raise ValueError('half \\ud83d')")["text"]


def test_other_characters_are_kept(box: Box) -> None:
    """Line ends, null characters and colours belong to the message."""
    text = "é\n\t\x00\x1b[31m \u2028 😀"
    assert text == box.outcome(f"raise ValueError({text!r})")["text"]


@pytest.mark.parametrize(
    ("method", "body", "text"),
    [
        ("__str__", "raise KeyError('no')", "<str raised KeyError>"),
        ("__str__", "return 5", "<str raised TypeError>"),
        ("__str__", "return str(self)", "<str raised RecursionError>"),
    ],
)
def test_an_exception_without_a_message_is_told(box: Box, method: str, body: str, text: str) -> None:
    """An exception whose own message fails is still known by its class."""
    found = box.outcome(f"class Mute(Exception):\n    def {method}(self):\n        {body}\nraise Mute")
    assert ("raised", "Mute", text) == (found["kind"], found["type"], found["text"])


def test_a_value_without_a_repr_is_told(box: Box) -> None:
    """The snippet returned all the same."""
    found = box.outcome("class Shy:\n    def __repr__(self):\n        raise KeyError('no')\nShy()")
    assert {"kind": "returned", "type": "Shy", "text": "<repr raised KeyError>"} == found


# Walls.


@linux
def test_a_child_has_a_bare_environment_and_an_empty_folder_of_its_own(box: Box) -> None:
    """Three variables, all of them ours; the folder is the working, home and temporary one."""
    code = (
        "import tempfile\n"
        "[dict(os.environ), os.getcwd(), os.listdir(), tempfile.gettempdir(), os.umask(0), os.getcwd()[::-1]]"
    )
    first, second = (eval(box.outcome(code)["text"]) for _ in range(2))  # noqa: S307 - a list of ours
    environment, folder, content, temporary, umask, backwards = first
    assert {"HOME": folder, "TMPDIR": folder, "LC_ALL": "C.UTF-8"} == environment
    assert ([], folder, 0o077) == (content, temporary, umask)
    # What is said of it is the same everywhere; what it really is, is told backwards.
    assert "/scratch" == folder == second[1]
    assert backwards != second[5]


def test_a_childs_folder_is_gone_afterwards(box: Box) -> None:
    """With everything in it, however it was left."""
    code = "os.makedirs('a/b')\nopen('a/b/c', 'w').close()\nos.symlink('/', 'a/root')\nos.chmod('a', 0)"
    folder = Path(eval(box.outcome(f"{code}\nos.getcwd()[::-1]")["text"])[::-1])  # noqa: S307 - a text of ours
    assert folder.is_absolute()
    assert not folder.exists()
    assert Path("/").exists()


@linux
def test_a_child_inherits_no_descriptor(box: Box) -> None:
    """It has three streams that lead nowhere, and the pipe for its answer."""
    code = "found = []\nfor n in os.listdir('/proc/self/fd'):\n    try:\n        "
    code += (
        "found.append(os.readlink(f'/proc/self/fd/{n}').split(':')[0])\n    except OSError:\n        pass\n"
    )
    assert "['/dev/null', '/dev/null', '/dev/null', 'pipe']" == box.outcome(f"{code}sorted(found)")["text"]


@linux
def test_a_child_has_one_thread(box: Box) -> None:
    """And so has the process that it was forked from, at that time."""
    code = "[len(os.listdir(f'/proc/{pid}/task')) for pid in (os.getpid(), os.getppid())]"
    assert "[1, 1]" == box.outcome(code)["text"]


def test_limits_hold(box: Box) -> None:
    """Files of 16 MiB, 64 descriptors, no core; processor time just above the deadline."""
    code = "import resource\n[resource.getrlimit(getattr(resource, f'RLIMIT_{name}')) for name in "
    code += "('FSIZE', 'NOFILE', 'CORE', 'CPU', 'AS')]"
    limits = [(n, n) for n in (16 * 2**20, 64, 0, 21, 2**30)]
    assert repr(limits) == box.outcome(code)["text"]


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("with open('big', 'wb') as file:\n    file.write(bytes(17 * 2**20))", "OSError"),
        ("kept = [open(os.devnull) for _ in range(65)]", "OSError"),
        ("bytearray(10 * 2**30)", "MemoryError"),
        ("kept = []\nwhile True:\n    kept.append(bytearray(2**24))", "MemoryError"),
    ],
)
def test_beyond_a_limit_the_snippet_raises(box: Box, code: str, kind: str) -> None:
    """Written bytes, descriptors and memory."""
    found = box.beside_others(code, memory=2**29)["outcomes"]["trigger"]
    assert ("raised", kind) == (found["kind"], found["type"])


# Snippets that end otherwise: each is answered for, and so are those beside it.


@pytest.mark.parametrize(
    "code",
    [
        "while True:\n    pass",
        "time.sleep(3600)",
        f"{DEAF}while True:\n    pass",
        "while True:\n    try:\n        time.sleep(3600)\n    except BaseException:\n        pass",
        "os.kill(os.getpid(), signal.SIGSTOP)",
        "class Loop(Exception):\n    def __str__(self):\n        while True:\n            pass\nraise Loop",
        "10 ** 10 ** 10",
        "import re\nre.fullmatch('(a+)+', 'a' * 100 + 'b')",
    ],
)
def test_a_snippet_without_end_is_timed_out(box: Box, code: str) -> None:
    """At its own deadline, whatever it does about signals."""
    starts = box.warm.starts
    assert {"lost": "timed out", "why": ""} == box.beside_others(code, seconds=0.4)
    assert starts == box.warm.starts


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("os._exit(0)", "ended by itself with status 0 and no answer"),
        ("os._exit(7)", "ended by itself with status 7 and no answer"),
        ("ctypes.string_at(0)", "killed by SIGSEGV"),
        ("os.abort()", "killed by SIGABRT"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "killed by SIGKILL"),
        ("os.kill(os.getpid(), signal.SIGTERM)\ntime.sleep(5)", "killed by SIGTERM"),
        ("os.killpg(0, signal.SIGKILL)", "killed by SIGKILL"),
        ("os.closerange(0, 4096)", "ended by itself with status 70 and no answer"),
        ("os.closerange(0, 4096)\nos._exit(0)", "ended by itself with status 0 and no answer"),
        ("os.closerange(0, 4096)\ntime.sleep(3600)", "killed by SIGKILL"),
        ("os.execv('/bin/sleep', ['sleep', '3600'])", "killed by SIGKILL"),
        ("os.fork()", "ended by itself with status 0 and no answer"),
        (
            "class Quit(Exception):\n    def __str__(self):\n        raise SystemExit\nraise Quit",
            "ended by itself with status 70 and no answer",
        ),
        (
            f"{NAMELESS}raise Odd",
            "ended by itself with status 70 and no answer",
        ),
    ],
)
def test_a_snippet_that_ends_its_process_has_crashed(box: Box, code: str, why: str) -> None:
    """The answer says how it ended."""
    starts = box.warm.starts
    assert {"lost": "crashed", "why": why} == box.beside_others(code)
    assert starts == box.warm.starts


@linux
@pytest.mark.parametrize(
    "data",
    [
        b"garbage",
        b"",
        b"5",
        b"null",
        b"[]",
        b'"text"',
        b"{}",
        b'{"id": "honest 3", "outcomes": {}}',
        b'{"lost": "gone"}',
        b'{"outcomes": {}, "lost": "gone"}',
        b'{"outcomes": {}}{"outcomes": {}}',
        b'{"outcomes": {}}\n{"id": "honest 3", "outcomes": {}}\n',
        b"\xff\xfe",
        b"[" * 60_000,
        b'{"outcomes": ' + b"9" * 10_000,
    ],
)
def test_bytes_in_the_pipe_that_are_no_answer_are_a_crash(box: Box, data: bytes) -> None:
    """A snippet that finds the pipe can neither answer for others nor end the process around it."""
    starts = box.warm.starts
    code = f"{PIPE}for n in range(0, len(data := {data!r}), 4096):\n    os.write(pipe, data[n : n + 4096])\n"
    found = box.beside_others(f"{code}os._exit(0)")
    assert {"lost": "crashed", "why": "ended by itself with status 0 and no answer"} == found
    assert starts == box.warm.starts


@linux
def test_an_answer_without_end_is_a_crash(box: Box) -> None:
    """No more than a million bytes are read, and none of them are kept."""
    found = box.beside_others(f"{PIPE}while True:\n    os.write(pipe, b'x' * 4096)")
    assert {"lost": "crashed", "why": "killed by SIGKILL"} == found


def test_an_answer_beyond_the_limit_is_a_crash(box: Box) -> None:
    """Many steps with long values come to more than a million bytes."""
    steps = {f"step {n}": "'x' * 20_000" for n in range(60)}
    (answer,) = box.warm.run([box.request("long", steps)])
    assert {"id": "long", "lost": "crashed", "why": "killed by SIGKILL"} == answer


@pytest.mark.parametrize(
    "code",
    [
        "os.write(1, b'garbage\\n')\nos.write(2, b'garbage\\n')\n1",
        'print(\'{"id": "honest 3", "outcomes": {}}\', flush=True)\n1',
        "import sys\nsys.stdout.buffer.write(b'\\xff' * 10**6)\nsys.stdin.read()\n1",
        "os.system('echo garbage; echo garbage >&2')\n1",
        "os.close(0)\nos.close(1)\nos.close(2)\n1",
        "threading.Thread(target=time.sleep, args=(3600,)).start()\n1",
        "import atexit\natexit.register(time.sleep, 3600)\n1",
        "signal.alarm(3600)\n1",
        "import sys\nsys.setrecursionlimit(10**9)\n1",
    ],
)
def test_noise_changes_nothing(box: Box, code: str) -> None:
    """Streams lead nowhere, threads and alarms end with the child, and exit handlers do not run."""
    returned = {"kind": "returned", "type": "int", "text": "1"}
    assert {"outcomes": {"trigger": returned}} == box.beside_others(code)


@pytest.mark.parametrize(
    "code",
    [
        "import builtins\nbuiltins.repr = builtins.str = builtins.len = None\ndel builtins.type\n1",
        "import json\njson.dumps = os.write = os._exit = None\n1",
        "from generator import sandbox\nsandbox._run_step = sandbox._clean = None\n1",
        "import gc, types\nfor one in gc.get_objects():\n    if type(one) is dict:\n        one.clear()\n1",
    ],
)
def test_a_snippet_that_breaks_its_interpreter_harms_itself_alone(box: Box, code: str) -> None:
    """Its own answer is whatever became of it."""
    starts = box.warm.starts
    assert box.beside_others(code)
    assert starts == box.warm.starts


# Processes that a snippet leaves behind.


@linux
def test_a_forked_process_ends_with_its_script(box: Box) -> None:
    """The script returns, and the whole group of processes is killed."""
    code = "pid = os.fork()\nif not pid:\n    os.closerange(0, 4096)\n    time.sleep(3600)\npid"
    found = box.beside_others(code)["outcomes"]["trigger"]
    assert "returned" == found["kind"]
    assert not is_running(int(found["text"]))


@linux
def test_a_forked_process_that_holds_the_pipe_ends_at_the_deadline(box: Box, tmp_path: Path) -> None:
    """As long as it could still answer, the script has not ended."""
    file = tmp_path / "pid"
    code = "pid = os.fork()\nif not pid:\n    time.sleep(3600)\n"
    code += f"with open({str(file)!r}, 'w') as file:\n    print(pid, file=file)"
    assert {"lost": "timed out", "why": ""} == box.beside_others(code, seconds=0.6)
    assert not is_running(read_pid(file))


@linux
def test_another_program_ends_with_its_script(box: Box) -> None:
    """Started as a child of the snippet."""
    found = box.outcome("import subprocess\nsubprocess.Popen(['/bin/sleep', '3600']).pid")
    assert "returned" == found["kind"]
    assert not is_running(int(found["text"]))


@linux
def test_a_daemon_costs_its_script_alone(box: Box, tmp_path: Path) -> None:
    """A process that left its group, session and parent: the script is answered, and those beside it."""
    file = tmp_path / "pid"
    # Once its parent has ended, it may be ended at any moment: so it says who it is before that.
    code = "ready, said = os.pipe()\npid = os.fork()\nif not pid:\n    os.setsid()\n    if not os.fork():\n"
    code += f"        with open({str(file)!r}, 'w') as file:\n            print(os.getpid(), file=file)\n"
    code += "        os.closerange(0, 4096)\n        time.sleep(20)\n        os._exit(0)\n"
    code += "    os.close(said)\n    os.read(ready, 1)\n    os._exit(0)\n"
    code += "os.close(said)\nos.waitpid(pid, 0)\n1"
    found = box.beside_others(code)["outcomes"]["trigger"]
    try:
        assert ("returned", "1") == (found["kind"], found["text"])
    finally:
        with suppress(ProcessLookupError):
            os.kill(read_pid(file), signal.SIGKILL)


# Regular expressions.

ENDLESS = ("(.+?)" * 12 + "x", "a" * 400)


def _match(box: Box, *batch: tuple[str, ...], seconds: float = 20.0) -> dict[str, Any]:
    """What one child answers for patterns, each before its messages."""
    named = [(pattern, messages) for pattern, *messages in batch]
    request = {"do": "match", "id": "match", "batch": named}
    (answer,) = box.warm.run([request | {"seconds": seconds, "memory": 2**30, "jobs": 2}])
    assert "match" == answer.pop("id")
    return answer


def test_a_match_is_of_the_whole_message(box: Box) -> None:
    """Dot matches line ends; a message that does not match has no groups."""
    messages = ("size 3 of 16", "size 3 of 1\n6", " size 3 of 16", "")
    assert {"groups": [[["3", "16"], ["3", "1\n6"], None, None]]} == _match(
        box, ("size (.+?) of (.+?)", *messages)
    )


def test_a_match_without_holes_has_no_groups(box: Box) -> None:
    """It matches all the same."""
    assert {"groups": [[[], None]]} == _match(box, ("size", "size", "sizes"))


def test_a_match_without_end_is_timed_out(box: Box) -> None:
    """The engine takes n to the power of k steps for k holes."""
    found = _match(box, ENDLESS, seconds=0.4)
    assert {"lost": "timed out", "why": ""} == found


def test_an_expression_that_is_none_is_a_crash(box: Box) -> None:
    """Patterns are checked before; this is the last line."""
    assert "crashed" == _match(box, ("(", "message"))["lost"]


def test_a_pattern_among_others_costs_itself_alone(box: Box) -> None:
    """It is left out where it is late, or is none, wherever it stands: that is asked for in a child alone."""
    honest = ("a(.+?)", "ab")
    none = ("(", "message")
    assert {"groups": [[["b"]], None, [["b"]], None, [["b"]], None]} == _match(
        box, honest, ENDLESS, honest, none, honest, ENDLESS
    )
    assert {"groups": [None, [["b"]], None]} == _match(box, none, honest, none)


def test_patterns_that_are_late_together_are_timed_out(box: Box) -> None:
    """The deadline is the child's, however many it was given."""
    assert {"lost": "timed out", "why": ""} == _match(box, *[ENDLESS] * 20, seconds=0.4)


def test_the_process_was_started_once(box: Box) -> None:
    """Nothing above has ended it, and it serves to the end."""
    assert 1 == box.warm.starts
    assert "4" == box.outcome("2 + 2")["text"]
