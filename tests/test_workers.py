"""`generator.workers`: work is answered for, also when the process that does it dies."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from generator import workers
from generator.workers import LastingProcesses, WarmProcess

linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

ROOT = Path(workers.__file__).parent.parent

KILL = "os.kill(os.getppid(), signal.SIGKILL)\ntime.sleep(3600)"
STOP = "os.kill(os.getppid(), signal.SIGSTOP)\ntime.sleep(3600)"


def request(name: str, code: str, *, subject: str = "plain", jobs: int = 2) -> dict[str, Any]:
    """Ask to run one step."""
    return {
        "do": "run",
        "id": name,
        "subject": subject,
        "files": [],
        "steps": [{"role": "trigger", "code": code}],
        "seconds": 20.0,
        "memory": 2**30,
        "jobs": jobs,
    }


def texts(warm: WarmProcess, *requests: dict[str, Any]) -> dict[str, str]:
    """Run all; by request the text of what came out, or how it was lost."""
    found: dict[str, str] = {}
    for answer in warm.run(requests):
        assert answer["id"] not in found
        found[answer["id"]] = (
            f"{answer['lost']}: {answer['why']}"
            if "lost" in answer
            else answer["outcomes"]["trigger"]["text"]
        )
    return found


def pid_of(warm: WarmProcess) -> int:
    """Return the id of the process that forks the children."""
    return int(texts(warm, request("pid", "os.getppid()"))["pid"])


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


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder for temporary files in which nothing else works."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def warm(temporary: Path) -> Iterator[WarmProcess]:
    """Return a process that has imported a few modules; nothing may be left of it."""
    with WarmProcess({}) as process:
        loaded = process.load("plain", "import os, signal, time\nfrom types import SimpleNamespace")
        assert ("", True) == (loaded["error"], loaded["isSingle"])
        yield process
    assert not list(temporary.iterdir())


# Answers.


def test_every_request_is_answered_once_as_it_ends(warm: WarmProcess) -> None:
    """A slow one does not hold up those behind it."""
    slow = request("slow", "time.sleep(0.3)\n0")
    quick = [request(f"quick {n}", str(n)) for n in range(5)]
    found = texts(warm, slow, *quick)
    assert {"slow": "0"} | {f"quick {n}": str(n) for n in range(5)} == found
    assert "slow" == list(found)[-1]


def test_no_more_children_run_at_once_than_asked_for(warm: WarmProcess) -> None:
    """`jobs` of them, and not one after the other."""
    code = "start = time.monotonic()\ntime.sleep(0.06)\n[start, time.monotonic()]"
    most = {}
    for jobs in (1, 3):
        found = texts(warm, *(request(f"{n}", code, jobs=jobs) for n in range(6)))
        spans = [eval(text) for text in found.values()]  # noqa: S307 - two numbers of ours
        most[jobs] = max(sum(a <= start <= b for a, b in spans) for start, _ in spans)
    assert 1 == most[1] < most[3] <= 3


def test_neither_pipe_blocks_the_other(warm: WarmProcess) -> None:
    """More is sent and answered than both pipes hold."""
    code = f"# {'x' * 30_000}\n'y' * 15_000"
    found = texts(warm, *(request(f"{n}", code) for n in range(40)))
    assert {f"{n}": f"'{'y' * 15_000}'" for n in range(40)} == found


def test_nothing_is_answered_where_nothing_is_asked(warm: WarmProcess) -> None:
    """An empty batch is none."""
    assert {} == texts(warm)


def test_the_process_starts_at_the_first_need() -> None:
    """A run that finds everything in the cache starts none."""
    with WarmProcess({}) as idle:
        pass
    assert 0 == idle.starts


# Imports.


def test_an_import_is_done_once_for_all_scripts(warm: WarmProcess) -> None:
    """Each script finds what it left."""
    warm.load("counted", "import os, time\nstamp = time.monotonic()")
    first, second = (texts(warm, request("one", "stamp", subject="counted"))["one"] for _ in range(2))
    assert first == second


def test_subjects_do_not_see_each_others_names(warm: WarmProcess) -> None:
    """Each has a namespace of its own."""
    warm.load("other", "mine = 5")
    found = texts(warm, request("a", "mine", subject="other"), request("b", "mine"))
    assert {"a": "5", "b": "name 'mine' is not defined"} == found


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("import absent_module", "ModuleNotFoundError: No module named 'absent_module'"),
        ("raise ValueError('two\\nlines')", "ValueError: two\nlines"),
        ("raise SystemExit(2)", "SystemExit: 2"),
        ("x = (", "SyntaxError: '(' was never closed"),
        (
            "import os\nos._exit(3)",
            "importing it ended the process (the process around it ended with status 3)",
        ),
        (
            "import os\nos.kill(os.getpid(), 9)",
            "importing it ended the process (the process around it ended with status -9)",
        ),
    ],
)
def test_an_import_that_fails_says_why(warm: WarmProcess, code: str, error: str) -> None:
    """And what was loaded before works on."""
    assert error == warm.load("broken", code)["error"]
    assert {"one": "2"} == texts(warm, request("one", "1 + 1"))


def test_what_an_import_prints_goes_nowhere(warm: WarmProcess) -> None:
    """Answers have a stream of their own, and nobody's terminal is written to."""
    code = (
        'import sys\nprint(\'{"id": "x"}\', flush=True)\nsys.stderr.write("x")\nassert not sys.stdin.read()'
    )
    assert "" == warm.load("loud", code)["error"]
    assert {"one": "2"} == texts(warm, request("one", "1 + 1"))


@linux
def test_an_import_that_starts_a_thread_is_noticed(warm: WarmProcess) -> None:
    """A process with threads cannot be forked safely."""
    code = "import threading, time\nthreading.Thread(target=time.sleep, args=(3600,), daemon=True).start()"
    loaded = warm.load("threads", code)
    assert ("", False) == (loaded["error"], loaded["isSingle"])


# What the process knows of its surroundings.


@linux
def test_the_process_has_a_bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """It gets what it is given, and what forking needs; no token of a build server is among it."""
    monkeypatch.setenv("SECRET_TOKEN", "hidden")
    monkeypatch.setenv("PYTHONPATH", "/nowhere")
    with WarmProcess({"OPENBLAS_CORETYPE": "Haswell"}) as warm:
        warm.load("plain", "import os, sys")
        code = "sorted(item.split(b'=')[0].decode() for item in "
        code += "open(f'/proc/{os.getppid()}/environ', 'rb').read().split(b'\\0') if item)"
        found = texts(warm, request("names", code), request("path", "[p for p in sys.path if not p]"))
    names = "MKL_NUM_THREADS OMP_NUM_THREADS OPENBLAS_NUM_THREADS PYTHONHASHSEED PYTHONDONTWRITEBYTECODE"
    assert sorted([*names.split(), "LC_ALL", "TMPDIR", "OPENBLAS_CORETYPE"]) == eval(found["names"])  # noqa: S307 - a list of ours
    assert "[]" == found["path"]


# The process dies.


@linux
def test_a_process_that_is_killed_costs_the_culprit_alone(warm: WarmProcess) -> None:
    """It is started anew, and what was not answered is asked again, one at a time."""
    requests = [request(f"{n}", str(n)) for n in range(6)]
    found = texts(warm, *requests[:3], request("culprit", KILL), *requests[3:])
    crashed = {"culprit": "crashed: the process around it ended with status -9"}
    assert {f"{n}": str(n) for n in range(6)} | crashed == found
    assert 3 == warm.starts


@linux
def test_every_culprit_is_found(warm: WarmProcess) -> None:
    """Two in one batch, and honest ones between them."""
    found = texts(
        warm, request("a", KILL), request("b", "1"), request("c", "2"), request("d", KILL), request("e", "3")
    )
    crashed = "crashed: the process around it ended with status -9"
    assert {"a": crashed, "b": "1", "c": "2", "d": crashed, "e": "3"} == found


@linux
def test_a_process_that_is_stopped_costs_the_culprit_alone(
    warm: WarmProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It answers no more, and nobody there watches the deadlines: it is killed after a while."""
    monkeypatch.setattr(workers, "PATIENCE", 0.5)
    culprit = request("culprit", STOP) | {"seconds": 0.3}
    honest = [request(f"{n}", str(n)) | {"seconds": 0.3} for n in range(4)]
    found = texts(warm, *honest[:2], culprit, *honest[2:])
    crashed = {"culprit": "crashed: the process around it ended with status -9"}
    assert {f"{n}": str(n) for n in range(4)} | crashed == found


@linux
def test_a_process_that_dies_with_requests_unread_is_replaced(warm: WarmProcess) -> None:
    """The rest of what was sent to it has no reader, which is no error of ours."""
    unread = request("unread", f"# {'x' * 20_000_000}")
    assert "crashed" == next(iter(warm.run([request("culprit", KILL), unread])))["lost"]
    assert {"one": "2"} == texts(warm, request("one", "1 + 1"))


@linux
def test_a_process_that_died_between_batches_is_replaced(warm: WarmProcess) -> None:
    """And has what was imported before."""
    os.kill(pid_of(warm), signal.SIGKILL)
    assert {"one": "namespace(a=1)"} == texts(warm, request("one", "SimpleNamespace(a=1)"))
    assert 2 == warm.starts


@linux
def test_children_end_with_the_process(warm: WarmProcess, tmp_path: Path) -> None:
    """A child never outlives the process that holds its deadline."""
    file = tmp_path / "pid"
    code = f"with open({str(file)!r}, 'w') as file:\n    file.write(str(os.getpid()))\n{KILL}"
    texts(warm, request("culprit", code))
    assert not is_running(int(file.read_text()))


@linux
def test_the_process_ends_with_ours() -> None:
    """Also when ours is killed: its requests have ended then."""
    code = "import os, signal\nfrom generator.workers import WarmProcess\nwarm = WarmProcess({})\n"
    code += (
        "warm.load('plain', '')\nprint(warm._process.pid, flush=True)\nos.kill(os.getpid(), signal.SIGKILL)"
    )
    ours = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False)
    assert -signal.SIGKILL == ours.returncode
    assert not is_running(int(ours.stdout))


@linux
def test_closing_ends_the_process(warm: WarmProcess) -> None:
    """Once and for all; a later request starts another."""
    pid = pid_of(warm)
    warm.close()
    warm.close()
    assert not is_running(pid)
    assert {"one": "2"} == texts(warm, request("one", "1 + 1"))
    assert 2 == warm.starts


def test_nothing_is_left_of_children_that_were_lost(warm: WarmProcess, temporary: Path) -> None:
    """When the process is killed, their folders go with its own."""
    texts(warm, request("culprit", f"open('left', 'w').close()\n{KILL}"))
    warm.close()
    assert not list(temporary.iterdir())


def pid_in(processes: LastingProcesses, subject: str) -> int:
    """Return the id of the process that runs a subject's scripts."""
    (answer,) = processes.run([request("pid", "os.getppid()", subject=subject)])
    return int(answer["outcomes"]["trigger"]["text"])


def test_processes_last_from_run_to_run() -> None:
    """Each subject has its own, with nothing else imported, and is loaded once."""
    processes = LastingProcesses()
    found = []
    for _ in range(2):
        with processes({}) as runner:
            for subject, module in (("plain", "colorsys"), ("other", "chunk_of_nothing")):
                loaded = runner.load(subject, f"import os\nimport {module}\n")
                assert ("colorsys" == module) == (not loaded["error"])
            found.append({subject: pid_in(processes, subject) for subject in ("plain", "other")})
            (answer,) = runner.run([request("x", "'colorsys' in __import__('sys').modules", subject="other")])
            assert "False" == answer["outcomes"]["trigger"]["text"]
    assert found[0] == found[1]
    assert 2 == len(set(found[0].values()))
    processes.close()
    assert not any(map(is_running, found[0].values()))


def test_few_processes_last() -> None:
    """The one that was longest not asked for ends."""
    processes = LastingProcesses()
    names = [f"subject {number}" for number in range(workers.LASTING)]
    pids = {}
    for name in names:
        processes({}).load(name, "import os")
        pids[name] = pid_in(processes, name)
    assert pids[names[0]] == pid_in(processes, names[0])
    processes.load("one more", "import os")
    assert [False, True] == [is_running(pids[names[1]]), is_running(pids[names[0]])]
    # What has ended is loaded anew where it is asked for.
    processes.load(names[1], "import os")
    assert pids[names[1]] != pid_in(processes, names[1])
    processes.close()


def test_another_environment_and_a_failure_end_them() -> None:
    """What runs next must not meet what was left."""
    processes = LastingProcesses()
    processes({}).load("plain", "import os")
    first = pid_in(processes, "plain")
    processes({"OPENBLAS_CORETYPE": "Haswell"}).load("plain", "import os")
    second = pid_in(processes, "plain")
    assert not is_running(first)
    with pytest.raises(RuntimeError), processes({"OPENBLAS_CORETYPE": "Haswell"}):
        raise RuntimeError
    assert not is_running(second)
    processes.close()
