"""What a site's files are made in: units of its records and of its other pages, as far as they are new."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

import msgspec

from generator import kinship, plain
from generator.encoding import (
    Beside,
    Groups,
    Surroundings,
    Unit,
    kinds,
    of_kind,
    of_page,
    of_plain,
    output_of,
)
from generator.model import Drift, Page, Relation, Site, Verified
from generator.pages import by_id, by_repo
from generator.theme import Theme


def of_records(
    site: Site, relations: Mapping[str, bytes], around: Surroundings, theme: Theme, groups: Groups
) -> Iterator[Unit]:
    """The units of records, in their order; none of a repository that is as it was."""
    # Where templates and output lie has no say in what pages hold.
    common = msgspec.msgpack.encode(msgspec.structs.replace(around, out="", folders=[]))
    for repo, members in by_repo(site).items():
        drift = site.drifts.get(repo)
        if groups.is_as(f"records of {repo}", inputs(members, relations[repo], common, drift)):
            continue
        # What is related is of one repository.
        known = {one.head.id: one for one in members}
        for one, related in zip(members, kinship.relations(relations[repo]), strict=True):
            body = one.file.body
            if isinstance(body, plain.Stored) and not meets(one):
                became = drift.of(one.head.id) if drift else None
                yield groups.of(of_plain(one, body, beside(related, known), common, became))
                continue
            shown = with_body(one, related, drift)
            for kind in kinds():
                for page in kind.of(site, shown, by_id(site)) if kind.of is not None else ():
                    if output_of(page) in around.outputs:
                        yield groups.of(of_page(page, theme))


def beside(related: Sequence[Relation], known: Mapping[str, Verified]) -> list[Beside]:
    """What a record's page says of those that it is related to."""
    return [
        Beside(other.head, other.standing, relation.reasons)
        for relation in related
        for other in [known[relation.id]]
    ]


def inputs(members: Sequence[Verified], relations: bytes, common: bytes, drift: Drift | None) -> bytes | None:
    """What the pages of a repository's records are made of; None where that is known by making them alone."""
    parts = [common, relations, msgspec.msgpack.encode(drift)]
    for one in members:
        body = one.file.body
        if not isinstance(body, plain.Stored) or meets(one):
            return None
        parts += (body.row.mark, body.row.meaning, one.file.location.encode())
    return b"".join(parts)


def meets(one: Verified) -> bool:
    """Whether a record shares messages with another, or nearly does."""
    return bool(one.overlaps or one.near or one.matched)


def whole(relations: Mapping[str, bytes], site: Site, one: Verified) -> Verified:
    """A record with its body, what it is related to, and what became of it in other releases."""
    head = one.head
    known = zip(by_repo(site)[head.repo], kinship.relations(relations[head.repo]), strict=True)
    related = next(found for each, found in known if each.head.id == head.id)
    return with_body(one, related, site.drifts.get(head.repo))


def with_body(one: Verified, related: tuple[Relation, ...], drift: Drift | None) -> Verified:
    """A record with its body, what it is related to, and what became of it in other releases."""
    file = one.file
    case = plain.whole(file.body, file.location).case if isinstance(file.body, plain.Stored) else one.case
    return replace(one, known=case, related=related, drift=drift.of(one.head.id) if drift else None)


def of_pages(site: Site, theme: Theme, outputs: frozenset[str], groups: Groups) -> Iterator[Unit]:
    """The units of all other pages; none of a kind whose pages are as they were."""
    for name, path in theme.assets.items() if "html" in outputs else ():
        yield of_page(Page(path, "asset", f"static/{name}"), theme)
    around = f"{theme.digest} {sorted(outputs)} ".encode()
    for kind in kinds():
        if kind.plan is not None:
            made_of = around + kind.inputs(site) if kind.inputs is not None else None
            if groups.is_as(f"pages of {kind.name}", made_of):
                continue
            for page in kind.plan(site):
                if output_of(page) in outputs:
                    yield groups.of(of_page(page, theme))
        if kind.whole is not None and "other" in outputs:
            yield of_kind(kind.name, *kind.whole(site))


def woven(many: Iterator[Unit], few: Iterator[Unit]) -> Iterator[Unit]:
    """Both, four of the first to one of the second: the first are rendered elsewhere from here on."""
    while some := [*islice(many, 4), *islice(few, 1)]:
        yield from some


def paths(site: Site) -> Iterator[str]:
    """Every output path but those of assets and of what is about files."""
    for kind in kinds():
        if kind.plan is not None:
            yield from (page.path for page in kind.plan(site))
        if kind.of is not None:
            yield from (page.path for one in site.records for page in kind.of(site, one, {}))
        if kind.whole is not None:
            yield from (page.path for page in kind.whole(site)[1]())
        if kind.after is not None:
            yield from kind.paths
