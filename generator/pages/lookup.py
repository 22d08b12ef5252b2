"""The look-up index: `lookup/meta` and the shards, each as `.json` for programs and as `.js` for pages.

A page opened from a folder cannot fetch a file; it can load a script.
"""

from collections.abc import Callable, Iterator
from functools import partial

import msgspec

from generator import shards
from generator.entries import entry, undocumented
from generator.model import Page, Site
from generator.pages import PageKind


def whole(site: Site) -> tuple[bytes, Callable[[], Iterator[Page]]]:
    """What the index is made of, and what makes it."""
    functions = (
        (outcome.frame.function, one.mark)
        for one in site.claiming
        if (outcome := one.case.outcome("trigger", "trigger")) and outcome.frame
    )
    known = msgspec.msgpack.encode((list(functions), dict(site.sites)))
    return b"".join((known, *(one.mark for one in site.records))), partial(files, site)


def files(site: Site) -> Iterator[Page]:
    """Two files for what must be known first, and two for each shard."""
    entries = [entry(one.case, one.standing) for one in site.records]
    entries += [undocumented(repo, one) for repo, known in sorted(site.sites.items()) for one in known]
    meta, filed = shards.shard(entries)
    yield from _files("meta", msgspec.to_builtins(meta))
    for name, shard in filed.items():
        yield from _files(name, msgspec.to_builtins(shard))


def _files(name: str, content: object) -> Iterator[Page]:
    yield Page(f"lookup/{name}.json", "json", content)
    yield Page(f"lookup/{name}.js", "script", {"name": name, "content": content})


PAGE = PageKind("lookup", whole=whole)
