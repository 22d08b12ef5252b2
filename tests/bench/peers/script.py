"""A site of records as a plain script builds it: `python -m tests.bench.peers.script RECORDS OUT`.

Jinja, markdown-it and Pygments, one process, nothing kept from one run to the next.
"""

import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader
from markdown_it import MarkdownIt
from markupsafe import Markup
from pygments import highlight
from pygments.formatters.html import HtmlFormatter
from pygments.lexers.python import PythonLexer

from tests.bench.peers.kin import Head, related

HERE = Path(__file__).parent
INDEX = 100  # records on the front page

Record = dict[str, Any]

markdown = MarkdownIt("commonmark", {"html": False})
# It would drop blank lines at the beginning, and the numbers of lines would be wrong.
lexer = PythonLexer(stripnl=False)
plain = HtmlFormatter[str](wrapcode=True)


def code(text: str) -> Markup:
    """Colored code."""
    return Markup(highlight(text, lexer, plain))  # noqa: S704 - Pygments escapes


def excerpt(text: str, start: int, line: int) -> Markup:
    """Colored code with its numbers, one line marked."""
    numbered = HtmlFormatter[str](
        wrapcode=True, linenos="inline", linenostart=start, hl_lines=[line - start + 1]
    )
    return Markup(highlight(text, lexer, numbered))  # noqa: S704 - as above


def load(folder: Path) -> list[Record]:
    """The records of a folder, by their ids."""
    texts = [path.read_text(encoding="utf-8") for path in folder.rglob("*.json")]
    for path in folder.rglob("*.jsonl"):
        texts += path.read_text(encoding="utf-8").splitlines()
    return sorted((json.loads(text)["record"] for text in texts), key=lambda one: str(one["id"]))


def build(folder: Path, out: Path) -> None:
    """Writes all pages and files."""
    records = load(folder)
    environment = Environment(
        loader=FileSystemLoader(HERE / "script"), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {
        "code": code,
        "excerpt": excerpt,
        "markdown": lambda text: Markup(markdown.render(text)),  # noqa: S704 - no HTML passes
        "inline": lambda text: Markup(markdown.renderInline(text)),  # noqa: S704 - as above
    }
    for name in ("errors", "tags", "api/errors"):
        (out / name).mkdir(parents=True, exist_ok=True)
    heads = {record["id"]: Head.of(record) for record in records}
    kin = related(heads.values())
    listed = [
        {"id": record["id"], "title": heads[record["id"]].title, "record": record} for record in records
    ]
    tags = defaultdict(list)
    for one in listed:
        for tag in one["record"]["tags"]:
            tags[tag].append(one)

    def write(path: str, template: str, **context: object) -> None:
        text = environment.get_template(template).render(**context)
        (out / path).write_text(text, encoding="utf-8")
        paths.append(path)

    paths: list[str] = []
    for one in listed:
        key = one["id"]
        write(f"errors/{key}.html", "error.html", **one, related=kin[key])
        (out / f"api/errors/{key}.json").write_text(
            json.dumps({"record": one["record"]}, ensure_ascii=False), encoding="utf-8"
        )
    for tag, members in tags.items():
        write(f"tags/{tag}.html", "list.html", title=tag, listed=members)
    write("tags/index.html", "tags.html", title="Tags", tags=sorted(tags.items()))
    write("index.html", "list.html", title="Error reference", listed=listed[:INDEX])
    write("sitemap.xml", "sitemap.xml", paths=tuple(paths))
    (out / "style.css").write_bytes((HERE / "style.css").read_bytes())


if __name__ == "__main__":
    build(Path(sys.argv[1]), Path(sys.argv[2]))
