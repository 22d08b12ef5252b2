"""`api/dataset.jsonl.gz`: every record as the API has it, one a line, for those who want them all."""

from collections.abc import Iterator
from functools import partial

import msgspec

from generator import links
from generator.model import Page, Site
from generator.pages import Finished, PageKind

_START, _END = b'{"record":', b',"datasetVersion":'


def after(site: Site, finished: Finished) -> Iterator[Page]:
    """The one file, out of the records' own: none of them is read again."""
    digests = b"".join(digest for _, digest in finished.digests("api/errors/"))
    if digests:
        yield Page("api/dataset.jsonl.gz", "jsonl_gz", partial(_lines, site, finished), inputs=digests)


def _lines(site: Site, finished: Finished) -> Iterator[msgspec.Raw]:
    for one in site.records:
        data = finished.read(f"{links.api_path(one.head.id)}.json")
        yield msgspec.Raw(data[len(_START) : data.rindex(_END)])


PAGE = PageKind("dataset", after=after, paths=("api/dataset.jsonl.gz",))
