"""Links within the site, written in records and guides, that lead nowhere."""

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import SplitResult, unquote, urlsplit

from generator import links, prose
from generator.diagnostics import Diagnostic, Span
from generator.guides import Guide
from generator.model import Record, RecordFile, Repository, Verification

_TEXTS = ("documentation", "triggerScenarios", "commonSituations", "reason")
_LISTS = ("solutions", "preventionTips")
_LEAVING = re.compile(r"\]\((?:https?://|mailto:)[a-z]")


@dataclass(frozen=True, slots=True)
class Text:
    """Markdown that the site shows: what it says, the page that shows it, and the file that it stands in.

    `page` is None for what stands on pages in several folders, where no relative link can be right. `at`
    gives the place of a line (1-based, in the text).
    """

    text: str
    page: str | None
    file: str
    at: Callable[[int], Span | None] = lambda line: None  # noqa: ARG005 - of a place that is not known


def dead_links(texts: Iterable[Text], plan: Callable[[], frozenset[str]]) -> Iterator[Diagnostic]:
    """One finding for each link whose target is no output path, or no section of its page.

    `plan` gives the output paths; it is asked only if there are links within the site at all.
    """
    paths = _Paths(plan)
    for one in texts:
        for target in prose.targets(one.text):
            if why := _why_dead(target, one.page, paths):
                line = one.text[: max(one.text.find(target), 0)].count("\n") + 1
                yield _finding(target, why, one, one.at(line))


def is_within(text: str) -> bool:
    """Whether a Markdown text has a link that leads to a place of the site."""
    # Told without reading it where every bracket that could open an address is followed by a scheme.
    if (count := text.count("](")) == 0 or count == len(_LEAVING.findall(text)):
        return False
    return any(_is_within(urlsplit(target)) for target in prose.targets(text))


def _is_within(parts: SplitResult) -> bool:
    return not (parts.scheme or parts.netloc)


def leads_within(record: Record) -> bool:
    """Whether a record has a link that leads to a place of the site."""
    return any(is_within(text) for _, text in _texts(record))


def of_record(file: RecordFile) -> Iterator[Text]:
    """Every Markdown text of a record."""
    page = links.page_path(file.head.repo, file.head.slug)
    for steps, text in _texts(file.record):
        # The report shows it too.
        is_shared = steps == ("verification", "unproven")
        yield Text(
            text,
            None if is_shared else page,
            file.path,
            lambda line, steps=steps: file.at(*steps, line=line),  # type: ignore[misc]  # bound here and now
        )


def of_guide(guide: Guide) -> Iterator[Text]:
    """Every Markdown text of a guide."""
    page = links.list_path(f"guides/{guide.tag}")
    for part in guide.parts:
        if isinstance(part, str):
            yield Text(part, page, guide.path)


def of_repository(repository: Repository, name: str) -> Iterator[Text]:
    """What a `repo.yaml`, called `name`, says on the pages of its errors, which all lie equally deep."""
    if repository.package is not None and repository.package.caveat is not None:
        yield Text(repository.package.caveat, links.page_path(repository.repo, "error"), name)


def _texts(record: Record) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Every Markdown text of a record, and where it stands."""
    values: Mapping[str, object] = {
        "documentation": record.documentation,
        "triggerScenarios": record.trigger_scenarios,
        "commonSituations": record.common_situations,
        "reason": record.reason,
    }
    for name in _TEXTS:
        if isinstance(text := values[name], str):
            yield (name,), text
    for name, texts in zip(_LISTS, (record.solutions, record.prevention_tips), strict=True):
        for number, text in enumerate(texts):
            yield (name, number), text
    for steps, text in _claimed(record.verification) if record.verification else ():
        yield ("verification", *steps), text


def _claimed(claims: Verification) -> Iterator[tuple[tuple[str | int, ...], str]]:
    for number, case in enumerate(claims.instead):
        if case.why:
            yield ("instead", number, "why"), case.why
    for number, overlap in enumerate(claims.overlaps):
        yield ("overlaps", number, "apart"), overlap.apart
    if claims.reachable:
        yield ("reachable", "via"), claims.reachable.via
    if claims.unproven:
        yield ("unproven",), claims.unproven


def _finding(target: str, why: str, one: Text, span: Span | None) -> Diagnostic:
    return Diagnostic(
        "E0604",
        f"the link to `{target}` leads nowhere: {why}",
        one.file,
        span,
        help="links within the site name a file, such as `../other-slug/index.html`"
        if one.page
        else "give the whole address",
    )


class _Paths:
    """The output paths, planned once they are asked for."""

    def __init__(self, plan: Callable[[], frozenset[str]]) -> None:
        self._plan = plan

    @cached_property
    def _known(self) -> frozenset[str]:
        return self._plan()

    def __contains__(self, path: object) -> bool:
        return path in self._known


def _why_dead(target: str, page: str | None, paths: _Paths) -> str:
    """Why a link is dead, seen from a page; empty for one that is not, and for one that leaves the site."""
    parts = urlsplit(target)
    if not _is_within(parts):
        return ""
    if page is None:
        return "" if target == "#content" else "it stands on pages in several folders"
    there = page
    if parts.path:
        there = posixpath.normpath(posixpath.join(posixpath.dirname(page), unquote(parts.path)))
        if there not in paths:
            return f"there is no `{there}`"
    owner, *folders = there.split("/")
    is_error_page = len(folders) == 3 and owner not in links.RESERVED  # repository, slug, file
    if parts.fragment and is_error_page and there.endswith(".html"):
        name = parts.fragment
        if name not in {*links.SECTIONS, *links.ANCHORS} and not (name[:1] == "L" and name[1:].isdigit()):
            return f"`{there}` has no part `{name}`"
    return ""
