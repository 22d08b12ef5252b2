"""pagefault checking records for pagefault's own records: a finding becomes an exception.

This is the subject `pagefault`. Its snippets call `check`, which runs where they run: in a child whose
walls are closed, so scripts of the records checked run in that very process.
"""

import tempfile
from collections.abc import Mapping
from pathlib import Path

from generator import build, config
from generator.build import Settings
from generator.sandbox import InlineProcess

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


class Diagnostic(Exception):  # noqa: N818 - named as the records about it name it
    """A finding, raised: `code` and `path` beside the message."""

    def __init__(self, code: str, message: str, path: str) -> None:
        super().__init__(message)
        self.code = code
        self.path = path


def check(
    record: str | bytes = GOOD,
    *,
    name: str = "record.yaml",
    others: Mapping[str, str] | None = None,
    settings: str = 'tracker = "https://example.org/new"',
) -> list[str]:
    """Checks a record as `pagefault check` would: returns what was proven, raises the first finding.

    The record's text stands in a file called `name` below the records folder; `others` are further files by
    their names there, `settings` the text of the `[tool.pagefault]` table. An error comes before a warning
    of an earlier place. Raises Diagnostic.
    """
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        file = folder / config.FILE
        file.write_text(f"[tool.pagefault]\n{settings}\n")
        for path, text in {name: record, **(others or {})}.items():
            target = folder / "records" / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text if isinstance(text, bytes) else text.encode())
        project, problems = config.load(file, config.FILE, folder)
        report = build.check(
            Settings(
                records=folder / "records",
                out=folder / "site",
                cache=folder / "cache",
                is_caching=False,
                tracker=project.config.tracker,
                floor=project.config.floor,
                start=lambda _: InlineProcess(),
                name=lambda path: path.relative_to(folder).as_posix(),
            )
        )
        # The subject of these records stands for no release here: that it was not compared is no finding.
        found = [one for one in (*problems, *report.diagnostics) if one.code != "E0410"]
        for one in sorted(found, key=lambda each: each.severity):
            raise Diagnostic(one.code, one.message, one.path)
        return [one.standing for one in report.verified]
