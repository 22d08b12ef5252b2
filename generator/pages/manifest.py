"""`api/manifest.json`: the digest of every API file, for those who mirror the data."""

import re
from collections.abc import Iterator
from itertools import groupby

from generator.model import Page, Site
from generator.pages import Finished, PageKind

_RECORD = re.compile(r"api/errors/([0-9a-f]{2})[0-9a-f]{14}(\.json)?")


def after(site: Site, finished: Finished) -> Iterator[Page]:
    """The manifest, and its shards at `api/manifest/<first two digits of the ids>.json`.

    A shard lists the files of its records; the manifest lists the shards and every other API file. So a
    reader who has one of them knows whether anything below has changed.
    """
    listed: dict[str, str] = {}
    for name, entries in groupby(_digests(finished), key=lambda entry: _shard(entry[0])):
        held = {path: digest.hex() for path, digest in entries}
        if name is None:
            listed |= held
            continue
        yield Page(f"api/manifest/{name}.json", "json", {"files": held})
    listed |= {path: digest.hex() for path, digest in finished.digests("api/manifest/")}
    content = {"datasetVersion": site.version_date, "files": dict(sorted(listed.items()))}
    yield Page("api/manifest.json", "json", content)


def _digests(finished: Finished) -> Iterator[tuple[str, bytes]]:
    """Every API file that is no part of the manifest, and its digest."""
    for start in ("api/", "schema/"):
        for path, digest in finished.digests(start):
            if not path.endswith(".html") and not path.startswith("api/manifest"):
                yield path, digest


def _shard(path: str) -> str | None:
    """The shard that lists a file; None for a file of no record."""
    record = _RECORD.fullmatch(path)
    return record[1] if record else None


PAGE = PageKind("manifest", after=after, paths=("api/manifest.json",))
