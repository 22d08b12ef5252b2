"""Writes records for measurements: `python -m tests.bench.records --packages FOLDER --out FOLDER --n 1000`.

Message, class, path, line and excerpt are those of real `raise` statements; prose and examples are put
together around their names. Where more are asked for than there are statements, each is taken again from a
fork of its repository: at another commit, with another part of the file around it, told in other words. So
no two are equal, and no repository grows with their number. The same Python and the same packages give the
same bytes, and one record after another is made and written: memory does not grow.
"""

import argparse
import gzip
import hashlib
import io
import json
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count, islice
from pathlib import Path
from random import Random
from typing import IO

from generator.template import template
from tests.bench.sites import Site, harvest, origins
from tests.bench.wording import Writer, topics

FORMS = ("json", "jsonl", "jsonl.gz")
MANY = 100_000  # records that are written into one file, if nothing else is asked for
VERSION = "2026-08-28T06:17:29.519Z"
BEFORE, AFTER = 18, 18  # lines of an excerpt around the `raise`
SHIFTS = 16  # lines by which it may be moved to either side
TAGS = 5
GUARDED = 0.45  # of records show a type guard

KINDS = {
    "ArgumentError": "validation",
    "AttributeError": "lookup",
    "FileNotFoundError": "io",
    "ImportError": "dependency",
    "ImproperlyConfigured": "configuration",
    "IndexError": "lookup",
    "KeyError": "lookup",
    "NetworkXError": "graph",
    "NotImplementedError": "unsupported",
    "OSError": "io",
    "RuntimeError": "state",
    "TypeError": "type",
    "ValueError": "validation",
}
GROUNDS = ("arguments", "bounds", "encodings", "life-cycle", "numerics", "protocols", "shapes", "settings")
TOPICS = (
    *("argument", "array", "axis", "bytes", "class", "column", "connection", "date", "dimension", "dtype"),
    *("edge", "encoding", "field", "file", "format", "function", "graph", "header", "index", "integer"),
    *("key", "keyword", "length", "matrix", "method", "mode", "model", "module", "name", "node", "order"),
    *("parameter", "path", "polynomial", "query", "range", "sample", "session", "shape", "size", "string"),
    *("symbol", "table", "thread", "time", "timeout", "tuple", "type", "unit", "url", "weight"),
)


def records(sites: Sequence[Site]) -> Iterator[dict[str, object]]:
    """Records without end: first one of each place, then of each another, and so on."""
    for turn in count():
        for site in sites:
            yield record(site, turn)


def record(site: Site, turn: int) -> dict[str, object]:
    """The record of a place; those of later turns are of forks."""
    repo = f"fork-{turn}/{site.repo.partition('/')[2]}" if turn else site.repo
    key = hashlib.sha256(f"{repo}\0{site.path}\0{site.line}".encode()).hexdigest()[:16]
    draw = Random(int(key, 16))  # noqa: S311 - sentences, not secrets
    sha = hashlib.sha256(f"{repo}@{site.release}".encode()).hexdigest()[:40]
    writer = Writer(site, draw)
    start, end, code = _excerpt(site, turn)
    kind = KINDS.get(site.error_class, "library")
    return {
        "id": key,
        "repo": repo,
        "slug": f"{_slug(site.message)}-{key[:10]}",
        "errorCode": None,
        "errorMessage": site.message,
        "messagePattern": template(site.message).pattern().text,
        "errorType": kind,
        "errorClass": site.error_class,
        "httpStatus": None,
        "severity": draw.choice(("error", "error", "error", "warning", "fatal")),
        "filePath": site.path,
        "lineNumber": site.line,
        "sourceCode": code,
        "sourceCodeStart": start,
        "sourceCodeEnd": end,
        "githubUrl": f"https://github.com/{repo}/blob/{sha}/{site.path}#L{start}-L{end}",
        "documentation": writer.documentation(),
        "triggerScenarios": writer.prose("trigger")[0],
        "commonSituations": " ".join(writer.prose("situations", 2, 3)),
        "solutions": writer.prose("solutions", 2, 3, 3, 4),
        "exampleFix": writer.fix(),
        "handlingStrategy": draw.choice(("validation", "fallback", "retry", "propagate")),
        "validationCode": writer.code("validation"),
        "typeGuard": writer.code("guard") if draw.random() < GUARDED else None,
        "tryCatchPattern": writer.code("recovery"),
        "preventionTips": writer.prose("prevention", 3),
        "tags": _tags(site, kind),
        "backgroundTag": draw.choice(GROUNDS),
        "analyzedSha": sha,
        "analyzedAt": f"2026-08-{draw.randrange(1, 29):02}T{draw.randrange(24):02}:30:07Z",
        "schemaVersion": 2,
    }


def _excerpt(site: Site, turn: int) -> tuple[int, int, str]:
    """The first and the last line of the excerpt of that turn, and what stands there."""
    turn, longer = turn % (2 * SHIFTS + 1), turn // (2 * SHIFTS + 1) % 3
    shift = (turn + 1) // 2 * (1 if turn % 2 else -1)
    lines = site.text.split("\n")
    at = site.line - site.first_line
    first = max(0, at - BEFORE - longer + shift)
    last = min(len(lines), max(at + AFTER + 1 + shift, site.last_line - site.first_line + 1))
    # Most highlighters drop blank lines at the end.
    while not lines[last - 1].strip():
        last -= 1
    return site.first_line + first, site.first_line + last - 1, "\n".join(lines[first:last])


def _tags(site: Site, kind: str) -> list[str]:
    library, folder = site.repo.partition("/")[2], site.path.split("/")[-2]
    words = [library, folder, kind, site.error_class, *topics(site.message, TOPICS)]
    return list(dict.fromkeys(_slug(word) for word in words))[:TAGS]


def _slug(text: str, longest: int = 48) -> str:
    """The words of a text, joined by hyphens, as far as they fit."""
    slug = "-".join(re.findall(r"[a-z0-9]+", text.lower()))[:longest].strip("-")
    return slug or "error"


def write(made: Iterator[dict[str, object]], folder: Path, form: str) -> dict[str, object]:
    """Writes records, in a file each or all in one; how many, their bytes, and a digest of all of them."""
    digest, number, size = hashlib.blake2b(digest_size=16), 0, 0
    folder.mkdir(parents=True)
    with _stream(folder, form) as stream:
        for one in made:
            whole = {"record": one, "datasetVersion": VERSION}
            line = json.dumps(whole, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
            if stream is not None:
                stream.write(line)
            else:
                place = folder / str(one["repo"])
                if not place.is_dir():
                    place.mkdir(parents=True)
                (place / f"{one['slug']}.json").write_bytes(line)
            digest.update(line)
            number, size = number + 1, size + len(line)
    return {"records": number, "bytes": size, "digest": digest.hexdigest()}


@contextmanager
def _stream(folder: Path, form: str) -> Iterator[IO[bytes] | None]:
    """The one file that all records go to; None where each has its own."""
    if form == "json":
        yield None
        return
    with (folder / f"records.{form}").open("wb") as file:
        if form == "jsonl":
            yield file
            return
        # A name or a time within would make other bytes of the same records.
        with gzip.GzipFile("", "wb", 6, file, mtime=0) as packed, io.BufferedWriter(packed) as stream:
            yield stream


def form_of(number: int) -> str:
    """How so many records are written where nothing else is asked for."""
    return "json" if number < MANY else "jsonl"


def main() -> None:
    """Writes as many records as asked for, each number of them into a folder of its own."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--packages", type=Path, required=True, help="folder of packages that raise errors")
    parser.add_argument("--out", type=Path, required=True, help="gets a folder for each number of records")
    parser.add_argument("--n", type=int, nargs="+", default=[1000], help="how many")
    parser.add_argument("--form", choices=FORMS, help="a file each, or all in one; by their number if absent")
    options = parser.parse_args()
    known = origins(options.packages)
    sites = harvest(known)
    for number in options.n:
        form = options.form or form_of(number)
        told = write(islice(records(sites), number), options.out / str(number), form)
        of = {one.repo: one.release for one in known}
        sys.stdout.write(
            json.dumps({"n": number, "form": form, "sites": len(sites), **told, "of": of}) + "\n"
        )
        sys.stdout.flush()


if __name__ == "__main__":
    main()
