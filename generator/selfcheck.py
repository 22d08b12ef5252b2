"""pagefault checking records for pagefault's own records: a finding becomes an exception.

This is the subject `pagefault`. Its snippets call `check`, which runs where they run: in a child whose
walls are closed, so scripts of the records checked run in that very process.
"""

import json
import signal
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from generator import build, checks, config, subjects
from generator.checks import Check
from generator.diagnostics import Severity
from generator.probe import Limits
from generator.registry import discover
from generator.sandbox import InlineProcess
from generator.settings import Settings
from generator.theme import Theme, default_templates

# A record that is proven; the records about pagefault break it in one place each.
GOOD = """\
repo: acme/keys
slug: index-out-of-range
errorMessage: "RadixKey index out of range: {idx}"
errorClass: IndexError
filePath: src/keys.py
lineNumber: 2
sourceCode: |-
  if not 0 <= idx < len(self):
      raise IndexError(f"RadixKey index out of range: {idx}")
sourceCodeStart: 1
sourceCodeEnd: 2
documentation: A key has no such unit.
exampleFix: |-
  # before
  unit = key[3]
  # after
  unit = key[2]
validationCode: assert 3 < len(key)
tryCatchPattern: |-
  try:
      unit = key[3]
  except IndexError:
      unit = key[-1]
analyzedSha: "0123456789012345678901234567890123456789"
verification:
  subject: sglang.RadixKey
  setup: key = RadixKey([5, 6, 7])
  trigger: key[3]
  captures: {idx: "3"}
  more: ["key[-5]"]
  instead:
    - call: key[3:]
      returns: an empty key
      expect: len(result) == 0
  fixed: {expect: len(unit) == 1}
  guarded: key[3]
  recovered: {expect: len(unit) == 1}
"""


# What a run would import is imported here, once, in the process that every snippet's own is forked from. What
# a build reads is read here too: behind the walls our templates are out of reach.
discover(checks, Check)
subjects.bundled()
_TEMPLATES = Theme((default_templates(),)).files


class Diagnostic(Exception):  # noqa: N818 - named as the records about it name it
    """A finding, raised: `code`, `path` and `severity` beside the message."""

    def __init__(self, code: str, message: str, path: str, severity: Severity) -> None:
        super().__init__(message)
        self.code = code
        self.path = path
        self.severity = severity


class _TimedProcess(InlineProcess):
    """With the deadline that a process of its own would have: a signal ends what is late.

    A script can hold on to its time, if it catches everything.
    """

    def run(self, requests: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """An answer for every request, in order."""
        is_late = False

        def end(*_: object) -> None:
            nonlocal is_late
            is_late = True
            raise TimeoutError

        before = signal.signal(signal.SIGALRM, end)
        try:
            for request in requests:
                is_late = False
                answers: list[dict[str, Any]] = []
                try:
                    signal.setitimer(signal.ITIMER_REAL, request["seconds"])
                    answers += super().run([request])
                except TimeoutError:
                    if not is_late:
                        raise
                finally:
                    signal.setitimer(signal.ITIMER_REAL, 0)
                late = {"id": request["id"], "lost": "timed out", "why": ""}
                yield late if is_late else answers[0]
        finally:
            signal.signal(signal.SIGALRM, before)


def check(
    record: str | bytes = GOOD,
    *,
    name: str = "record.yaml",
    others: Mapping[str, str | bytes] | None = None,
    settings: str = 'tracker = "https://example.org/new"',
    clones: Mapping[str, str] | None = None,
    seconds: float = 5,
    is_compared: bool = True,
    is_built: bool = False,
) -> list[str]:
    """The standing of each record, where `pagefault check` would say nothing; else raises what it says first.

    The record's text stands in a file called `name` below the records folder; `others` are further files by
    their names there, `settings` the text of the `[tool.pagefault]` table. With `clones` (folders by
    `owner/name`, or none) records are held against their pinned source. A script may take `seconds`. Bundled
    subjects count as compared with upstream if `is_compared`. With `is_built` the site is made too, as by
    `pagefault build`, and published nowhere.

    An error comes before a warning of an earlier place. Raises Diagnostic.
    """
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        file = folder / config.FILE
        file.write_text(f"[tool.pagefault]\n{settings}\n")
        compared = {"differential.json": json.dumps({"subjects": _compared()})} if is_compared else {}
        files = {
            f"records/{path}": text for path, text in {**compared, name: record, **(others or {})}.items()
        }
        if is_built:
            files |= {f"templates/{path}": data for path, data in _TEMPLATES.items()}
        for path, text in files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text if isinstance(text, bytes) else text.encode())
        project, problems = config.load(file, config.FILE, folder)
        kept = project.config
        around = Settings(
            records=folder / "records",
            out=folder / "site",
            cache=folder / "cache",
            templates=folder / "templates" if is_built else None,
            is_caching=False,
            tracker=kept.tracker,
            logo=folder / kept.logo if kept.logo else None,
            max_size=kept.max_size * 2**20,
            floor=kept.floor,
            limits=Limits(seconds=seconds),
            clones=None if clones is None else {repo: Path(path) for repo, path in clones.items()},
            start=lambda _: _TimedProcess(),
            name=lambda path: path.relative_to(folder).as_posix(),
        )
        report = build.build(around) if is_built else build.check(around)
        for one in sorted((*problems, *report.diagnostics), key=lambda each: each.severity):
            raise Diagnostic(one.code, one.message, one.path, one.severity)
        return [one.standing for one in report.verified]


def _compared() -> dict[str, dict[str, Any]]:
    """What the differential test would say of every bundled subject, had it just run."""
    return {
        subject.name: {
            "source": subject.module,
            "sourceSha256": subjects.source_digest(subject),
            "operations": 1,
            "upstream": {},
        }
        for subject in subjects.bundled().values()
        if subject.is_bundled
    }
