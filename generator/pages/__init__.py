"""What the site consists of: each module of this folder plans one kind of page."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from generator import links
from generator.model import STANDINGS, Page, Record, Site, Verified


@dataclass(frozen=True, slots=True)
class PageKind:
    """A kind of page: `plan` yields its pages with everything that they will show."""

    name: str
    plan: Callable[[Site], Iterator[Page]]


def frame(site: Site, path: str) -> dict[str, object]:
    """What every template may use: the site's settings and the way to its root."""
    return {
        "site": {"title": site.title, "version": site.version},
        "root": links.root(path),
        "path": path,
    }


def url(site: Site, path: str) -> str:
    """The address of an output path for readers outside the site: absolute if the site knows its own."""
    short = path.removesuffix("index.html")
    return f"{site.base_url}{short}" if site.base_url else short


def parts(one: Verified) -> list[dict[str, str]]:
    """The message as texts and holes, in order."""
    return [
        {"text": part} if isinstance(part, str) else {"hole": part.name} for part in one.case.template.parts
    ]


def summary(one: Verified, start: str) -> dict[str, object]:
    """What lists show of a record, with its address as seen from the page at `start`."""
    record = one.record
    return {
        "parts": parts(one),
        "message": record.error_message,
        "class": record.error_class,
        "repo": record.repo,
        "place": f"{record.file_path}:{record.line_number}",
        "standing": one.standing,
        "is_removed": record.status == "removed",
        "url": links.relative(links.page_path(record.repo, record.slug), start),
    }


def standings(records: Sequence[Verified]) -> dict[str, int]:
    """How many of the records have each standing, best first."""
    counts = Counter(one.standing for one in records)
    return {standing: counts[standing] for standing in STANDINGS if counts[standing]}


def grouped(site: Site, keys: Callable[[Record], Sequence[str]]) -> dict[str, list[Verified]]:
    """The records by each of their keys, in the order of the keys."""
    groups: dict[str, list[Verified]] = defaultdict(list)
    for one in site.records:
        for key in keys(one.record):
            groups[key].append(one)
    return dict(sorted(groups.items()))


def by_tag(site: Site) -> dict[str, list[Verified]]:
    """The records that carry each tag, by tag."""
    return grouped(site, lambda record: sorted(set(record.tags)))


def by_class(site: Site) -> dict[str, list[Verified]]:
    """The records of each class of exception, by class."""
    return grouped(site, lambda record: (record.error_class,))


def by_repo(site: Site) -> dict[str, list[Verified]]:
    """The records of each repository, by its name."""
    return grouped(site, lambda record: (record.repo,))


def listing(site: Site, folder: str, records: Sequence[Verified], about: dict[str, object]) -> Iterator[Page]:
    """The pages of one list of records, `links.PER_PAGE` on each."""
    count = -(-len(records) // links.PER_PAGE)
    for number in range(1, count + 1):
        path = links.list_path(folder, number)
        shown = records[(number - 1) * links.PER_PAGE : number * links.PER_PAGE]
        near = {
            name: links.relative(links.list_path(folder, other), path) if 0 < other <= count else None
            for name, other in (("previous", number - 1), ("next", number + 1))
        }
        context = {
            **frame(site, path),
            **about,
            **near,
            "number": number,
            "pages": count,
            "count": len(records),
            "standing": standings(records),
            "records": [summary(one, path) for one in shown],
        }
        yield Page(path, "template", context, "list.html")


def overview(
    site: Site, folder: str, title: str, entries: Sequence[tuple[str, str, Sequence[Verified]]]
) -> Page:
    """The page that lists lists: each entry is a name, its output path, and its records."""
    path = links.list_path(folder)
    context = {
        **frame(site, path),
        "title": title,
        "entries": [
            {"name": name, "url": links.relative(target, path), "count": len(records)}
            for name, target, records in entries
        ],
    }
    return Page(path, "template", context, "overview.html")
