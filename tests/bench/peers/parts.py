"""Whether a page of any of the builders shows all that it should of its record."""

import html
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from generator.template import template

_NUMBER = re.compile(r'class="(?:ln|linenos)">\s*(\d+)|data-line="(\d+)"')
_MARKED = re.compile(
    r'class="[^"]*\bhll?"><span class="(?:ln|linenos)">\s*(\d+)|raising" id="\w+" data-line="(\d+)"'
)
_COUNTED = re.compile(r'<span class="(?:ln|linenos)">[^<]*</span>')
_TAG = re.compile(r"<[^>]+>")
_COLORED = re.compile(r'<span class="[a-z]{1,2}\d?">')
_LINK = re.compile(r'<li><a href="([^"#]+)"')


@dataclass(frozen=True, slots=True)
class Layout:
    """Where a builder puts a record's page and a tag's, as formats over the record's fields and the tag."""

    page: str
    tag: str


PAGEFAULT = Layout("{repo}/{slug}/index.html", "tags/{tag}/index.html")
PEER = Layout("errors/{id}.html", "tags/{tag}.html")


def missing(out: Path, record: Mapping[str, Any], layout: Layout) -> list[str]:
    """The names of the parts that are not in the output folder as they should be."""
    try:
        page = (out / layout.page.format_map(record)).read_text(encoding="utf-8")
    except FileNotFoundError:
        return ["page"]
    beside = {
        "record as JSON": _is_kept(out / f"api/errors/{record['id']}.json", record),
        "pages of tags": all((out / layout.tag.format(tag=tag)).is_file() for tag in record["tags"]),
        "list of tags": (out / "tags/index.html").is_file(),
        "front page": (out / "index.html").is_file(),
    }
    return [name for name, is_there in (*_parts(page, record), *beside.items()) if not is_there]


def _parts(page: str, record: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    shown = _squeezed(html.unescape(_TAG.sub("", _COUNTED.sub("", page))))
    fixed = template(record["errorMessage"]).pattern().literals
    numbers = [int(one or other) for one, other in _NUMBER.findall(page)]
    marked = [int(one or other) for one, other in _MARKED.findall(page)]
    related = re.search(r'id="related".*?</ul>', page, re.DOTALL)
    yield "heading", "<h1" in page
    yield "header and footer", "<header" in page and "<footer" in page
    yield "facts", page.count("<dt>") >= 4 and all(record[name] in page for name in ("severity", "errorType"))
    yield "message", all(_squeezed(text) in shown for text in fixed)
    yield "documentation", _prose(record["documentation"]) in shown
    yield "excerpt", _squeezed(record["sourceCode"]) in shown
    yield "numbers of lines", numbers == list(range(record["sourceCodeStart"], record["sourceCodeEnd"] + 1))
    yield "marked line", marked == [record["lineNumber"]]
    yield "link to the source", html.escape(record["githubUrl"]) in page
    for name in ("triggerScenarios", "commonSituations"):
        yield name, _prose(record[name]) in shown
    for name in ("solutions", "preventionTips"):
        yield name, all(_prose(text) in shown for text in record[name])
    # What is before and what is after may stand apart.
    code = record["exampleFix"].replace("# after", "# before").split("# before")
    yield "exampleFix", all(_squeezed(part) in shown for part in code)
    for name in ("validationCode", "typeGuard", "tryCatchPattern"):
        yield name, record[name] is None or _squeezed(record[name]) in shown
    yield "color", len(_COLORED.findall(page)) >= 20
    yield "related", related is not None and _LINK.search(related[0]) is not None
    yield "links to tags", all(f"/{tag}" in page and f">{tag}</a>" in page for tag in record["tags"])
    yield "link to JSON", f'api/errors/{record["id"]}.json"' in page


def _is_kept(file: Path, record: Mapping[str, Any]) -> bool:
    try:
        return bool(json.loads(file.read_text(encoding="utf-8"))["record"].items() >= record.items())
    except FileNotFoundError:
        return False


def _prose(text: str) -> str:
    """What is left of Markdown where it is shown."""
    return _squeezed(re.sub(r"\]\([^)]*\)", "]", text))


def _squeezed(text: str) -> str:
    """Letters and digits alone: builders break lines, quote and space in ways of their own."""
    return re.sub(r"[\W_]+", "", text)
