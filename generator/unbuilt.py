"""Records that no site was built of, as a library: not run, they can be looked up all the same."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from generator import __version__, facts, reading
from generator.excerpts import Sources
from generator.libraries import Planned
from generator.model import Page, Site, Verified
from generator.pages import api_error, lookup
from generator.settings import Settings


def library(settings: Settings, only: Sequence[Path] = ()) -> Planned:
    """The look-up index and the API files of the records, or of `only` some. Nothing is run."""
    beside = reading.read_repositories(settings)
    read = reading.read_records(settings, only, sourced=beside.sourced)
    sources, inventory = Sources(settings.cache), facts.Inventory(beside.differentials, settings.limits)
    cases = [
        facts.gather(file, sources, beside.repositories.get(file.head.repo), inventory) for file in read.files
    ]
    reason = "it was read for this answer, and not run"
    site = Site(
        title=settings.title,
        base_url=settings.base_url,
        tracker=settings.tracker,
        version=__version__,
        records=tuple(Verified(case, "unproven", reason, ()) for case in cases),
        repositories=beside.repositories,
    )
    records = (page for one in site.records for page in api_error.of(site, one, {}))
    return Planned(dict(_files((*lookup.files(site), *records))), settings.base_url or "")


def _files(pages: Iterable[Page]) -> Iterator[tuple[str, bytes]]:
    for page in pages:
        if page.format == "json":
            yield page.path, msgspec.json.encode(page.made)
