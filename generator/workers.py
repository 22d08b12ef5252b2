"""The process that runs strangers' code, and survives what that does to it."""

import json
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Protocol, Self

# Seconds without an answer, beyond what a script may take, after which the process counts as hung: a snippet
# can stop it. Imports take long on a busy machine.
PATIENCE = 120.0
LASTING = 3  # subjects whose processes are kept from run to run

# A bare environment, one thread (forking needs it), and hashes that do not vary from run to run.
_ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    "LC_ALL": "C.UTF-8",
}


class Runner(Protocol):
    """What runs scripts: a process kept warm, or this one."""

    def __enter__(self) -> Self:
        """Starts what has to be started."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None, /
    ) -> None:
        """Ends it."""

    def load(self, subject: str, code: str) -> dict[str, Any]:
        """Runs a subject's imports; `{"error": text, "isSingle": bool}`."""

    def run(self, requests: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """An answer for every request, as they come."""


class WarmProcess:
    """A `sandbox` process: send requests, iterate over answers.

    Requests are mappings with an `id`; each gets exactly one answer, in the order of completion. When
    the process dies under a request, or answers no more, it is started anew and the unanswered requests are
    sent again, one at a time, so that the culprit alone is answered with `{"lost": "crashed"}`.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        """`environment` is all that the process gets beside the settings that forking needs."""
        self._environment = dict(environment)
        self._process: subprocess.Popen[bytes] | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._imports: list[dict[str, Any]] = []
        self.starts = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the process, waits for it, and removes what its children left."""
        if self._process is not None:
            process, self._process = self._process, None
            if process.stdin:
                # What a dead process did not read is still in the buffer.
                with suppress(BrokenPipeError):
                    process.stdin.close()
            try:
                process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            if process.stdout:
                process.stdout.close()
        if self._folder is not None:
            folder, self._folder = self._folder, None
            folder.cleanup()

    def load(self, subject: str, code: str) -> dict[str, Any]:
        """Runs a subject's imports in the warm process; `{"error": text, "isSingle": bool}`."""
        request: dict[str, Any] = {
            "do": "import",
            "id": f"import {subject}",
            "subject": subject,
            "code": code,
            "jobs": 1,
        }
        answer = next(iter(self._converse([request])))
        if "lost" in answer:
            return {"error": f"importing it ended the process ({answer['why']})", "isSingle": True}
        self._imports.append(request)
        return answer

    def run(self, requests: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """An answer for every request, as they come."""
        unanswered = {request["id"]: request for request in requests}
        for answer in self._converse(requests):
            if "lost" in answer and answer["lost"] == "gone":
                break
            del unanswered[answer["id"]]
            yield answer
        for request in unanswered.values():
            answer = next(iter(self._converse([request])))
            yield answer | {"lost": "crashed"} if answer.get("lost") == "gone" else answer

    def _converse(self, requests: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """Sends all, yields answers; a last `{"lost": "gone"}` says that the process died."""
        process = self._alive()
        assert process.stdin is not None  # noqa: S101 - for the type checker
        assert process.stdout is not None  # noqa: S101 - for the type checker
        # Written from a thread: answers may fill their pipe before all the requests are through theirs.
        writer = threading.Thread(target=_send, args=(process.stdin, requests), daemon=True)
        writer.start()
        patience = PATIENCE + max((request.get("seconds", 0.0) for request in requests), default=0.0)
        for _ in requests:
            watch = threading.Timer(patience, process.kill)
            watch.daemon = True
            watch.start()
            line = process.stdout.readline()
            watch.cancel()
            if not line.endswith(b"\n"):
                status = process.wait()
                writer.join()
                self.close()
                why = f"the process around it ended with status {status}"
                yield {"id": requests[0]["id"], "lost": "gone", "why": why}
                return
            yield json.loads(line)
        writer.join()

    def _alive(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        self.close()
        root = str(Path(__file__).resolve().parent.parent)
        # Its own, so that nothing stays behind of children that it could not clean up after.
        self._folder = tempfile.TemporaryDirectory(prefix="pagefault-", ignore_cleanup_errors=True)
        # This package and no other of its name; after that its folder comes last, so that it shadows nothing.
        start = (
            f"import sys; sys.path.insert(0, {root!r}); from generator import sandbox; "
            "sys.path.append(sys.path.pop(0)); sandbox.main()"
        )
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-s", "-c", start],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=self._environment | _ENVIRONMENT | {"TMPDIR": self._folder.name},
            start_new_session=True,
        )
        self.starts += 1
        # A process started anew knows no subjects: what was loaded is loaded again.
        for request in self._imports:
            next(iter(self._converse([request])))
        return self._process


class LastingProcesses:
    """Warm processes that go on from run to run, until they are closed: of each subject one, of few subjects.

    Apart, because what runs in a process is a copy of all that was imported before: where a process serves
    many runs, the lightest subject cannot always come first.
    """

    def __init__(self) -> None:
        self._environment: Mapping[str, str] = {}
        self._processes: dict[str, WarmProcess] = {}
        self._loaded: dict[tuple[str, str], dict[str, Any]] = {}

    def __call__(self, environment: Mapping[str, str]) -> Self:
        """As starting a `WarmProcess`; those with another environment end."""
        if environment != self._environment:
            self.close()
            self._environment = environment
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> None:
        # What was asked for and not answered would be taken for answers to the next run.
        if kind is not None:
            self.close()

    def close(self) -> None:
        """Ends the processes."""
        while self._processes:
            self._end(next(iter(self._processes)))

    def load(self, subject: str, code: str) -> dict[str, Any]:
        """As `WarmProcess.load`, once for as long as the subject's process lasts."""
        process = self._of(subject)
        if (subject, code) not in self._loaded:
            self._loaded[subject, code] = process.load(subject, code)
        return self._loaded[subject, code]

    def run(self, requests: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """As `WarmProcess.run`, subject by subject."""
        by_subject: dict[str, list[dict[str, Any]]] = {}
        for request in requests:
            by_subject.setdefault(request.get("subject", ""), []).append(request)
        for subject, mine in by_subject.items():
            yield from self._of(subject).run(mine)

    def _of(self, subject: str) -> WarmProcess:
        process = self._processes.pop(subject, None) or WarmProcess(self._environment)
        # The last that was asked for comes last, and the first ends where there are too many.
        self._processes[subject] = process
        if len(self._processes) > LASTING:
            self._end(next(iter(self._processes)))
        return process

    def _end(self, subject: str) -> None:
        self._processes.pop(subject).close()
        self._loaded = {key: answer for key, answer in self._loaded.items() if key[0] != subject}


def _send(stream: IO[bytes], requests: Sequence[dict[str, Any]]) -> None:
    # A process that died is noticed by its silence on the other pipe.
    with suppress(BrokenPipeError, ValueError):
        for request in requests:
            stream.write(json.dumps(request).encode() + b"\n")
        stream.flush()
