"""What the site consists of: each module of this folder plans one kind of page."""

import hashlib
import posixpath
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Protocol

import msgspec

from generator import chapters, links
from generator.model import STANDINGS, Article, Head, Page, Repository, Site, Standing, Verified


class Finished(Protocol):
    """What other pages became: for those that are about files."""

    def digests(self, start: str) -> Iterator[tuple[str, bytes]]:
        """The paths that begin so, in order, with the SHA-256 of each file."""

    def read(self, path: str) -> bytes:
        """A file's bytes. Raises OSError."""


class Listed(Protocol):
    """What another record's page, or a list, shows a record by."""

    @property
    def head(self) -> Head:
        """What all comparisons need of it."""

    @property
    def standing(self) -> Standing:
        """How far it is proven."""


@dataclass(frozen=True, slots=True)
class PageKind:
    """A kind of page: `plan` yields its pages with everything that they will show.

    `of` yields those that each record has, with what it is given of the records that they name, by their
    ids. `whole` gives what all pages of the kind are made of, and what makes them: if anything is new, all
    are looked at. `inputs` name what all pages of `plan` are made of, where that is known without planning
    them. `after` yields pages about the files of all other kinds but those behind it in the order
    of names; `paths` are those of them that texts may link to.
    """

    name: str
    plan: Callable[[Site], Iterator[Page]] | None = None
    of: Callable[[Site, Verified, Mapping[str, Listed]], Iterator[Page]] | None = None
    whole: Callable[[Site], tuple[bytes, Callable[[], Iterator[Page]]]] | None = None
    after: Callable[[Site, Finished], Iterator[Page]] | None = None
    inputs: Callable[[Site], bytes] | None = None
    paths: tuple[str, ...] = ()


def frame(site: Site, path: str) -> dict[str, object]:
    """What every template may use: the site's settings and the way to its root."""
    return {
        "site": {
            "title": site.title,
            "version": site.version,
            "logo": site.logo,
            "footer": site.footer,
            "is_whole": site.is_whole,
            "is_preview": site.is_preview,
        },
        "root": links.root(path),
        "path": path,
        "canonical": url(site, path) if site.base_url else None,
    }


def site_of(
    settings: Mapping[str, Any], repositories: Mapping[str, Repository], guides: Iterable[tuple[str, str]]
) -> Site:
    """The site without its records, for their own pages: its settings, and each guide's tag and title."""
    known = tuple(Article(tag, title, None, ()) for tag, title in guides)
    return Site(**settings, records=(), repositories=repositories, guides=known)


def settings_of(site: Site) -> dict[str, str | bool | None]:
    """The settings of a site: what all its pages depend on."""
    names = ("title", "base_url", "tracker", "version", "edit", "logo", "footer", "is_whole", "is_preview")
    return {name: getattr(site, name) for name in names}


def marks(site: Site) -> bytes:
    """What stands for all that lists show: of the records, of what surrounds them, and the settings."""
    return site.kept("marks", lambda: _marks(site))


def _marks(site: Site) -> bytes:
    guides = [(guide.tag, guide.title, guide.subject, guide.passages) for guide in site.guides]
    around = msgspec.msgpack.encode((settings_of(site), dict(site.repositories), guides))
    found = hashlib.sha256(around)
    for one in site.records:
        found.update(one.mark)
    return found.digest()


def url(site: Site, path: str) -> str:
    """The address of an output path for readers outside the site: absolute if the site knows its own."""
    short = path.removesuffix("index.html")
    return f"{site.base_url}{short}" if site.base_url else short


def parts(one: Listed) -> list[dict[str, str]]:
    """The message as texts and holes, in order."""
    head = one.head
    return [
        {"hole": part[1:]} if part.startswith("\0") else {"text": part}
        for part in head.parts or (head.error_message,)
    ]


def summary(one: Listed, start: str) -> dict[str, object]:
    """What lists show of a record, with its address as seen from the page at `start`."""
    record = one.head
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


def grouped(site: Site, keys: Callable[[Head], Sequence[str]]) -> dict[str, list[Verified]]:
    """The records by each of their keys, in the order of the keys."""
    groups: dict[str, list[Verified]] = defaultdict(list)
    for one in site.records:
        for key in keys(one.head):
            groups[key].append(one)
    return dict(sorted(groups.items()))


def by_tag(site: Site) -> dict[str, list[Verified]]:
    """The records that carry each tag, by tag."""
    return site.kept("by tag", lambda: grouped(site, lambda record: sorted(set(record.tags))))


def by_class(site: Site) -> dict[str, list[Verified]]:
    """The records of each class of exception, by class."""
    return site.kept("by class", lambda: grouped(site, lambda record: (record.error_class,)))


def by_repo(site: Site) -> dict[str, list[Verified]]:
    """The records of each repository, by its name."""
    return site.kept("by repo", lambda: grouped(site, lambda record: (record.repo,)))


def by_id(site: Site) -> Mapping[str, Verified]:
    """The records by their ids; of a large site this is much, for who needs few."""
    return site.kept("by id", lambda: {one.head.id: one for one in site.records})


Key = Callable[[Head], str]


def by_file(record: Head) -> str:
    """The file that raises it: what a repository's list is grouped by."""
    return record.file_path


def by_owner(record: Head) -> str:
    """The repository: what lists over several of them are grouped by."""
    return record.repo


def listing(
    site: Site, folder: str, records: Sequence[Verified], group: Key, about: Mapping[str, object]
) -> Iterator[Page]:
    """The pages of one list of records; a long one has a front that lists its parts.

    What `about` says stands on the front: its title, and what `list.html` may show beside it.
    """
    front = links.list_path(folder)
    ordered: Sequence[Verified] = records
    if group is not by_owner:
        # By owner they are ordered as they come.
        ordered = sorted(records, key=lambda one: (group(head := one.head), head.slug))
    parts_of = part(folder, ordered, group)
    whole = {
        "kind": "",
        "description": None,
        "link": None,
        "up": None,
        "near": [],
        "bases": [],
        "classes": [],
        "count": len(records),
        "standing": standings(records),
        "structured": crumbs(site, [(site.title, "index.html"), (str(about["title"]), front)]),
        **about,
    }
    if len(parts_of) == 1:
        yield _listed({**whole, **frame(site, front)}, ordered, group, front)
        return
    context = {
        **whole,
        **frame(site, front),
        **_leaf((), group, front),
        "chapters": contents(parts_of, front),
    }
    yield Page(front, "template", context, "list.html")
    # What would change with any record of the list stands on the front alone.
    still: dict[str, object] = {
        "description": None,
        "link": None,
        "near": [],
        "bases": [],
        "classes": [],
        "count": 0,
    }
    for one in parts_of:
        context = {
            **whole,
            **still,
            "standing": {},
            "structured": None,
            "up": relocated(about.get("up"), front, one.path),
            **frame(site, one.path),
        }
        beside = {"span": one.span, "front": links.relative(front, one.path), **neighbours(one)}
        yield _listed(context, one.records, group, one.path, beside)


def _listed(
    context: Mapping[str, object],
    records: Sequence[Verified],
    group: Key,
    path: str,
    beside: Mapping[str, object] | None = None,
) -> Page:
    """A page of a list: it is made of what its records' marks stand for."""
    known = {**context, **(beside or {})}
    inputs = b"".join((msgspec.msgpack.encode(known), *(one.mark for one in records)))

    def make() -> dict[str, object]:
        return {**context, **_leaf(records, group, path), **(beside or {})}

    return Page(path, "template", make, "list.html", inputs)


def _leaf(records: Sequence[Verified], group: Key, path: str) -> dict[str, object]:
    """The records of one page, by their groups."""
    return {
        "groups": [
            {"name": name, "records": [summary(one, path) for one in members]}
            for name, members in groupby(records, key=lambda one: group(one.head))
        ],
        "chapters": [],
        "span": None,
        "front": None,
        "previous": None,
        "next": None,
    }


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a long list: its output path, what it spans, its records, and the paths of its neighbours."""

    path: str
    span: str
    records: Sequence[Verified]
    previous: str | None = None
    next: str | None = None


def part(folder: str, ordered: Sequence[Verified], group: Key) -> list[Part]:
    """The parts of a list in the order of group, slug and repository; an only part has the front's path."""
    if len(ordered) <= links.PER_PAGE:
        return [Part(links.list_path(folder), "", ordered)]

    def name(one: Verified) -> str:
        head = one.head
        return f"{group(head)} {head.slug} {head.repo}"

    pieces = chapters.cut(map(name, ordered), links.PER_PAGE)
    if len(pieces) < 2:
        return [Part(links.list_path(folder), "", ordered)]
    paths = [links.list_path(folder, part_name(name(ordered[piece.start]))) for piece in pieces]
    held = [ordered[piece.start : piece.stop] for piece in pieces]
    return [
        Part(path, _span(records, group), records, before, after)
        for path, records, before, after in zip(
            paths, held, [None, *paths[:-1]], [*paths[1:], None], strict=True
        )
    ]


def contents(parts_of: Sequence[Part], front: str) -> list[dict[str, object]]:
    """The parts as the front of their list names them."""
    return [
        {"url": links.relative(one.path, front), "span": one.span, "count": len(one.records)}
        for one in parts_of
    ]


def neighbours(one: Part) -> dict[str, str | None]:
    """The addresses of the parts before and behind, as seen from one; None at the ends."""
    return {
        name: links.relative(target, one.path) if target else None
        for name, target in (("previous", one.previous), ("next", one.next))
    }


def part_name(first: str) -> str:
    """What a part is called in its address: it stays as long as its first entry does."""
    return hashlib.blake2b(first.encode(), digest_size=5).hexdigest()


def _span(records: Sequence[Verified], group: Key) -> str:
    first, last = records[0].head, records[-1].head
    if group(first) != group(last):
        return f"{group(first)} to {group(last)}"
    return (
        f"{group(first)}: {first.slug} to {last.slug}" if first != last else f"{group(first)}: {first.slug}"
    )


def relocated(link: object, start: str, to: str) -> object:
    """A link that leads from the page at `start`, as seen from the page at `to`."""
    if not isinstance(link, dict):
        return link
    target = posixpath.normpath(posixpath.join(posixpath.dirname(start), str(link["url"])))
    return link | {"url": links.relative(target, to)}


def crumbs(site: Site, way: Sequence[tuple[str, str]]) -> dict[str, object]:
    """The way to a page, for search engines: names and output paths."""
    return {
        "@context": "https://schema.org",
        "@type": "BreadcrumbList",
        "itemListElement": [
            {"@type": "ListItem", "position": number, "name": name}
            | ({"item": url(site, target)} if site.base_url else {})
            for number, (name, target) in enumerate(way, 1)
        ],
    }


def overview(
    site: Site, folder: str, title: str, entries: Sequence[tuple[str, str, Sequence[Verified]]]
) -> Page:
    """The page that lists lists: each entry is a name, its output path, and its records.

    Many are grouped by their first letters, that of a class being the one of its last name.
    """
    path = links.list_path(folder)
    is_long = len(entries) > 40

    def letter(entry: tuple[str, str, Sequence[Verified]]) -> str:
        return entry[0].rpartition(".")[2][:1].upper() if is_long else ""

    context = {
        **frame(site, path),
        "title": title,
        "groups": [
            {
                "name": name,
                "entries": [
                    {"name": name, "url": links.relative(target, path), "count": len(records)}
                    for name, target, records in members
                ],
            }
            for name, members in groupby(sorted(entries, key=letter), key=letter)
        ],
    }
    return Page(path, "template", context, "overview.html")
