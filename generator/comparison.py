"""Two sides of a branch held against each other: both were read, run and judged in the same way.

Records are matched by their ids, then by their addresses, then by aliases. Those whose files are the same are
not compared field by field.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Literal

import msgspec

from generator import fences, links, plain, twins
from generator.diagnostics import Diagnostic
from generator.difference import KINDS, Address, Ambiguity, Difference, Entry, Field, GuideEntry, Kind, Place
from generator.model import Article, Verified
from generator.pages import by_class, by_repo, by_tag, settings_of
from generator.twins import Pair, Side


def compare(
    before: Side,
    after: Side,
    *,
    commit: str,
    revision: str,
    findings: Sequence[Diagnostic],
    is_same: Callable[[str], bool],
) -> Difference:
    """What changed from one side to the other.

    `findings` are those of the branch that fail it; `is_same` says of a record's location whether its file
    is the same on both sides. Raises theme.TemplateFailed, plain.Changed.
    """
    pairs, gone, new = _matched(before.site.records, after.site.records)
    wrong = {finding.path for finding in findings}
    held = {one.file.path for one in after.site.records}
    unread = {one.head.id for one in gone if _is_unread(one.file.path, wrong, held)}
    pages = {pair[1].head.id: (old, now) for pair, old, now in twins.changed(before, after, pairs)}
    renamed = {one.head.id: other.head.id for one, other in pairs}
    ambiguities = _Ambiguities(after, renamed)
    entries = [_paired(pair, pages, ambiguities, is_same) for pair in pairs]
    entries += [
        Entry("unreadable" if one.head.id in unread else "removed", _place(one), None) for one in gone
    ]
    entries += [Entry("new", None, _place(one), ambiguities=ambiguities.gained(None, one)) for one in new]
    told = [one for one in entries if one is not None]
    return Difference(
        commit=commit,
        revision=revision,
        records=tuple(sorted(told, key=lambda one: (KINDS.index(one.kind), one.place.address))),
        guides=tuple(_guides(before.site.guides, after.site.guides)),
        vanished=tuple(_vanished(before, after, unread)),
        findings=tuple(findings),
        around=tuple(_around(before, after)),
        standings=(
            Counter(one.standing for one in before.site.records),
            Counter(one.standing for one in after.site.records),
        ),
    )


def _matched(
    old: Sequence[Verified], new: Sequence[Verified]
) -> tuple[list[Pair], list[Verified], list[Verified]]:
    """The records that are the same error on both sides; those that are gone, and those that are new."""
    by_id: dict[str, Verified] = {}
    by_path: dict[str, Verified] = {}
    former: dict[str, Verified] = {}
    for one in new:
        by_id.setdefault(one.head.id, one)
        by_path.setdefault(links.page_path(one.head.repo, one.head.slug), one)
        for alias in one.head.aliases:
            former.setdefault(links.alias_path(one.head, alias), one)
    ways: tuple[Callable[[Verified], Verified | None], ...] = (
        lambda one: by_id.get(one.head.id),
        lambda one: by_path.get(links.page_path(one.head.repo, one.head.slug)),
        lambda one: (
            former.get(links.api_path(one.head.id))
            or former.get(links.page_path(one.head.repo, one.head.slug))
        ),
    )
    pairs: list[Pair] = []
    taken: set[int] = set()
    left = list(old)
    for way in ways:
        rest = []
        for one in left:
            other = way(one)
            if other is None or id(other) in taken:
                rest.append(one)
                continue
            taken.add(id(other))
            pairs.append((one, other))
        left = rest
    return pairs, left, [one for one in new if id(one) not in taken]


def _is_unread(path: str, wrong: AbstractSet[str], held: AbstractSet[str]) -> bool:
    """Whether a record is missing because its file, or its line in a file of many, cannot be read."""
    file, _, line = path.rpartition(":")
    return path not in held and (path in wrong or (line.isdigit() and file in wrong))


def _place(one: Verified) -> Place:
    head = one.head
    title = f"{head.error_class}: {head.error_message}"
    file = one.file.path
    return Place(head.id, head.repo, head.slug, file, title, one.standing, one.reason)


def _paired(
    pair: Pair,
    pages: Mapping[str, tuple[str, str]],
    ambiguities: "_Ambiguities",
    is_same: Callable[[str], bool],
) -> Entry | None:
    """A record that is on both sides; None if nothing of it changed."""
    before, after = map(_place, pair)
    fields = () if _is_same(pair, is_same) else tuple(_fields(*pair))
    # In a file of many, a record's line is no part of what it is called.
    was, now = (one.file.location or one.file.path for one in pair)
    is_renamed = (before.id, before.address, was) != (after.id, after.address, now)
    kind: Kind = "renamed" if is_renamed else "changed" if fields else "affected"
    entry = Entry(
        kind, before, after, fields, ambiguities.gained(pair[0], pair[1]), pages.get(pair[1].head.id)
    )
    is_told = kind != "affected" or entry.is_judged_otherwise or entry.ambiguities or entry.page
    return entry if is_told else None


def _is_same(pair: Pair, is_same: Callable[[str], bool]) -> bool:
    """Whether two records say the same, as far as that is known without reading them."""
    files = [one.file for one in pair]
    if files[0].location == files[1].location and is_same(files[1].location):
        return files[0].path == files[1].path
    bodies = [file.body for file in files]
    meanings = [body.row.meaning if isinstance(body, plain.Stored) else None for body in bodies]
    return meanings[0] is not None and meanings[0] == meanings[1]


def _fields(before: Verified, after: Verified) -> Iterator[Field]:
    """The fields that changed, in their order."""
    old, new = (dict(_flat(msgspec.to_builtins(one.record))) for one in (before, after))
    names = [*new, *(name for name in old if name not in new)]
    for name in names:
        if old.get(name) != new.get(name):
            yield Field(name, old.get(name), new.get(name))


def _flat(record: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Every field that says something, as text; those of `verification` by themselves."""
    for name, value in record.items():
        if name == "verification" and isinstance(value, dict):
            yield from _flat(value, "verification.")
        elif value:
            yield f"{prefix}{name}", _text(value)


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple):
        return "\n".join(f"- {_text(one)}" for one in value)
    if isinstance(value, dict):
        return "\n".join(f"{name}: {_text(one)}" for name, one in value.items() if one is not None)
    return json.dumps(value)


class _Ambiguities:
    """Which messages of others each pattern matches that it did not match before."""

    def __init__(self, after: Side, renamed: Mapping[str, str]) -> None:
        self._after = after
        self._renamed = renamed

    def gained(self, before: Verified | None, after: Verified) -> tuple[Ambiguity, ...]:
        """Those of one record."""
        known = {self._renamed.get(other, other) for other in before.matched} if before else set()
        return tuple(self._ambiguity(after, other) for other in after.matched if other not in known)

    def _ambiguity(self, one: Verified, id: str) -> Ambiguity:  # noqa: A002 - the field's name
        other = self._after.by_id[id]
        pattern = one.case.pattern
        matched = (
            message
            for message in other.case.messages
            if pattern is not None and pattern.captures(message) is not None
        )
        return Ambiguity(id, other.case.place, next(matched, ""))


def _vanished(before: Side, after: Side, unread: AbstractSet[str]) -> Iterator[Address]:
    """The addresses that were there and would not be, in their order; none of what cannot be read."""
    there = {one.path for one in _addresses(after, frozenset())}
    found = {one.path: one for one in _addresses(before, unread) if one.path not in there}
    yield from (found[path] for path in sorted(found, key=lambda path: (not found[path].is_error, path)))


def _addresses(side: Side, without: AbstractSet[str]) -> Iterator[Address]:
    """The addresses of records, former ones too, of guides, and of the fronts of lists."""
    for one in side.site.records:
        head = one.head
        if head.id in without:
            continue
        paths = [links.page_path(head.repo, head.slug), links.api_path(head.id)]
        paths += [links.alias_path(head, alias) for alias in head.aliases]
        for path in paths:
            is_page = path.endswith(".html")
            yield Address(path if is_page else f"{path}.json", "page" if is_page else "data", head.id)
    for guide in side.site.guides:
        yield Address(links.list_path(f"guides/{guide.tag}"), "guide")
    if without:
        # What is left of lists is not known while records cannot be read.
        return
    folders = [*by_repo(side.site), *(f"classes/{name}" for name in by_class(side.site))]
    for folder in (*folders, *(f"tags/{name}" for name in by_tag(side.site))):
        yield Address(links.list_path(folder), "list")


def _guides(before: Sequence[Article], after: Sequence[Article]) -> Iterator[GuideEntry]:
    """The guides that are not as they were, in the order of their tags."""
    old, new = ({guide.tag: guide for guide in side} for side in (before, after))
    for tag in sorted(old.keys() | new.keys()):
        was, now = old.get(tag), new.get(tag)
        texts = [None if guide is None else _article(guide) for guide in (was, now)]
        if texts[0] == texts[1]:
            continue
        kind: Literal["new", "changed", "removed"] = (
            "new" if was is None else "removed" if now is None else "changed"
        )
        title = (now or was or Article(tag, tag, None, ())).title
        yield GuideEntry(kind, tag, title, texts[0], texts[1])


def _article(guide: Article) -> str:
    """A guide as Markdown, with what its code did."""
    said = [f"# {guide.title}", *([f"Run with {guide.subject}."] if guide.subject else [])]
    for passage in guide.passages:
        said.append(fences.fenced(passage.text) if passage.is_code else passage.text)
        if passage.claim is not None:
            said.append(f"Claimed:\n\n{fences.fenced(passage.claim, '')}")
        if passage.happened is not None:
            said.append(f"It {passage.happened}.")
    return "\n\n".join(said) + "\n"


def _around(before: Side, after: Side) -> Iterator[str]:
    """What changed beside records and guides, in words."""
    if settings_of(before.site) != settings_of(after.site):
        yield "settings of the site"
    if before.look != after.look:
        yield "templates of Markdown pages"
    if dict(before.site.repositories) != dict(after.site.repositories):
        yield "what `repo.yaml` says"
