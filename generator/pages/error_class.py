"""The lists of errors by class of exception, and the list of those."""

from collections.abc import Iterator, Sequence

from generator import links
from generator.model import Page, Site, Verified
from generator.pages import PageKind, by_class, by_owner, listing, marks, overview


def plan(site: Site) -> Iterator[Page]:
    """The pages of one list for each class, and the overview."""
    classes = by_class(site)
    for name, records in classes.items():
        folder = f"classes/{name}"
        about: dict[str, object] = {
            "kind": "Class of exception",
            "title": name,
            "up": {"url": links.relative("classes/index.html", links.list_path(folder)), "text": "Classes"},
            "bases": _bases(records),
        }
        yield from listing(site, folder, records, by_owner, about)
    entries = [(name, links.list_path(f"classes/{name}"), records) for name, records in classes.items()]
    yield overview(site, "classes", "Errors by class", entries)


def _bases(records: Sequence[Verified]) -> list[str]:
    """What the class was seen to inherit from, nearest first; empty where none was raised."""
    raised = (one.case.outcome("trigger", "trigger") for one in records if not one.file.is_plain)
    seen = next((one.bases for one in raised if one and one.kind == "raised"), ())
    return [name for name in seen[1:] if name != "object"]


def inputs(site: Site) -> bytes:
    """What lists show, and the bases of classes."""
    return marks(site) + repr([(name, _bases(records)) for name, records in by_class(site).items()]).encode()


PAGE = PageKind("error_class", plan, inputs=inputs)
