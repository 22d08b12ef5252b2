"""Records as Hugo reads them: a Markdown file each, its facts in front, its code in fences."""

import json
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.bench.peers.kin import Head, related

HERE = Path(__file__).parent


class Hugo:
    """A folder from which Hugo builds; what is shown of related records is settled when it is made."""

    def __init__(self, folder: Path, records: Iterable[Mapping[str, Any]]) -> None:
        self._folder = folder
        self._related = related(Head.of(record) for record in records)

    def prepare(self, records: Iterable[Mapping[str, Any]]) -> None:
        """Writes templates, settings, and the files of all records."""
        shutil.copytree(HERE / "hugo", self._folder)
        (self._folder / "content/errors").mkdir(parents=True)
        (self._folder / "static/api/errors").mkdir(parents=True)
        shutil.copy(HERE / "style.css", self._folder / "static")
        for record in records:
            self.write(record)

    def write(self, record: Mapping[str, Any]) -> None:
        """Writes the two files of a record: Hugo makes a page of one, and copies the other."""
        key = record["id"]
        front = json.dumps(self._front(record), ensure_ascii=False, indent=1)
        text = f"{front}\n\n{body(record)}"
        (self._folder / f"content/errors/{key}.md").write_text(text, encoding="utf-8")
        whole = json.dumps({"record": record}, ensure_ascii=False)
        (self._folder / f"static/api/errors/{key}.json").write_text(whole, encoding="utf-8")

    def _front(self, record: Mapping[str, Any]) -> dict[str, object]:
        return {
            "title": Head.of(record).title,
            "description": record["documentation"][:150],
            "repo": record["repo"],
            "class": record["errorClass"],
            "kind": record["errorType"],
            "severity": record["severity"],
            "handling": record["handlingStrategy"],
            "place": f"{record['filePath']}:{record['lineNumber']}",
            "pin": record["analyzedSha"][:10],
            "day": record["analyzedAt"][:10],
            "tags": record["tags"],
            "related": [{"id": one.id, "title": one.title} for one in self._related[record["id"]]],
        }


def body(record: Mapping[str, Any]) -> str:
    """The parts of a page as Markdown."""
    return "\n\n".join(f"## {name}\n\n{text}" for name, text in _parts(record)) + "\n"


def _parts(record: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    start, line = record["sourceCodeStart"], record["lineNumber"]
    numbered = f"python {{linenos=inline, linenostart={start}, hl_lines=[{line - start + 1}]}}"
    place = f"{record['filePath']}:{line} at {record['analyzedSha'][:10]}"
    yield "Message", _fenced(record["errorMessage"], "text")
    yield "What it means", record["documentation"]
    yield "Source", f"{_fenced(record['sourceCode'], numbered)}\n\n[{_plain(place)}]({record['githubUrl']})"
    yield "Solutions", "\n".join(f"{n}. {text}" for n, text in enumerate(record["solutions"], 1))
    yield "Example fix", _fenced(record["exampleFix"], "python")
    yield "Validation", _fenced(record["validationCode"], "python")
    if record["typeGuard"]:
        yield "Type guard", _fenced(record["typeGuard"], "python")
    yield "Try and except", _fenced(record["tryCatchPattern"], "python")
    trigger, situations = record["triggerScenarios"], record["commonSituations"]
    yield "When it happens", f"**Trigger:** {trigger}\n\n**Situations:** {situations}"
    yield "Prevention", "\n".join(f"- {text}" for text in record["preventionTips"])


def _fenced(code: str, kind: str) -> str:
    """A block of code; its fence is longer than any in it."""
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", code)), default=0))
    return f"{fence}{kind}\n{code}\n{fence}"


def _plain(text: str) -> str:
    return re.sub(r"([_*`\[\]<>\\])", r"\\\1", text)
