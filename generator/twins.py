"""Which pages read otherwise on one side of a change than on the other, by their Markdown twins.

Most pages are told to be the same without being made: by the marks of their records, by what they are made
of, by their contexts. Only where these differ are two texts rendered.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import msgspec

from generator import kinship, plain, store, units
from generator.model import Page, Relation, Site, Verified
from generator.pages import by_repo, settings_of
from generator.pages.error import PAGE
from generator.theme import Theme

MARKDOWN = (".md",)


@dataclass(frozen=True)
class Side:
    """What a site is made of: its records, their relations by repository, and how pages look."""

    site: Site
    relations: Mapping[str, bytes]
    theme: Theme

    @cached_property
    def by_id(self) -> dict[str, Verified]:
        """The records by their ids."""
        return {one.head.id: one for one in self.site.records}

    @cached_property
    def look(self) -> str:
        """The digest of the templates of Markdown."""
        names = sorted(name for name in self.theme.files if name.endswith(MARKDOWN))
        return store.digest(*(part for name in names for part in (name, self.theme.files[name])))

    def common(self, repo: str) -> bytes:
        """What all pages of a repository's errors are made of, beside records."""
        guides = [(guide.tag, guide.title) for guide in self.site.guides]
        repository = self.site.repositories.get(repo)
        return msgspec.msgpack.encode((settings_of(self.site), repository, guides, self.look))

    def inputs(self, repo: str) -> bytes | None:
        """What the pages of a repository's errors are made of; None where that is known by making them."""
        members = by_repo(self.site).get(repo, ())
        if not members:
            return b""
        return units.inputs(members, self.relations[repo], self.common(repo), self.site.drifts.get(repo))

    def related(self, repo: str) -> dict[str, tuple[Relation, ...]]:
        """What each record of a repository is related to, by its id."""
        members = by_repo(self.site)[repo]
        found = kinship.relations(self.relations[repo])
        return {one.head.id: related for one, related in zip(members, found, strict=True)}

    def key(self, one: Verified, related: Sequence[Relation]) -> bytes | None:
        """What the page of a plain record is made of; None for one that is known by making it."""
        body = one.file.body
        if not isinstance(body, plain.Stored) or units.meets(one):
            return None
        beside = units.beside(related, self.by_id)
        drift = self.site.drifts.get(one.head.repo)
        became = drift.of(one.head.id) if drift else None
        return msgspec.msgpack.encode((one.mark, body.row.meaning, one.file.location, beside, became))

    def twin(self, one: Verified, related: tuple[Relation, ...]) -> Page:
        """The page of a record as Markdown, to be rendered."""
        assert PAGE.of is not None  # noqa: S101 - for the type checker
        drift = self.site.drifts.get(one.head.repo)
        made = PAGE.of(self.site, units.with_body(one, related, drift), self.by_id)
        return next(page for page in made if page.path.endswith(MARKDOWN))


Pair = tuple[Verified, Verified]


def changed(before: Side, after: Side, pairs: Sequence[Pair]) -> Iterator[tuple[Pair, str, str]]:
    """The pairs of records whose pages read otherwise, with both texts.

    Raises theme.TemplateFailed, plain.Changed.
    """
    groups: dict[tuple[str, str], list[Pair]] = {}
    for pair in pairs:
        groups.setdefault((pair[0].head.repo, pair[1].head.repo), []).append(pair)
    for (old, new), members in sorted(groups.items()):
        is_same = old == new and before.common(old) == after.common(new)
        if is_same and (inputs := before.inputs(old)) is not None and inputs == after.inputs(new):
            continue
        related = before.related(old), after.related(new)
        for pair in members:
            found = _texts(before, after, pair, related, is_same=is_same)
            if found is not None:
                yield pair, *found


def _texts(
    before: Side,
    after: Side,
    pair: Pair,
    related: tuple[Mapping[str, tuple[Relation, ...]], ...],
    *,
    is_same: bool,
) -> tuple[str, str] | None:
    """Both texts of a page; None where they are the same. `is_same` says that what is around it is."""
    old, new = (known[one.head.id] for one, known in zip(pair, related, strict=True))
    if is_same and (key := before.key(pair[0], old)) is not None and key == after.key(pair[1], new):
        return None
    pages = before.twin(pair[0], old), after.twin(pair[1], new)
    contexts = [msgspec.to_builtins(page.made) for page in pages]
    if before.look == after.look and contexts[0] == contexts[1]:
        return None
    texts = [
        side.theme.render(page.template, context)
        for side, page, context in zip((before, after), pages, contexts, strict=True)
    ]
    return (texts[0], texts[1]) if texts[0] != texts[1] else None
