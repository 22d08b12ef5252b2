"""Links within the site, written in records and guides, that lead nowhere."""

import posixpath
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from urllib.parse import unquote, urlsplit

from generator import links, prose
from generator.diagnostics import Diagnostic, Span
from generator.guides import Guide
from generator.model import Record, RecordFile, Verified

# What an error page's sections are called, for links to a part of it.
SECTIONS = frozenset(
    "content meaning solutions fix handling when instead overlaps source related prevention evidence".split()  # noqa: SIM905 - a list of words
)
_TEXTS = ("documentation", "triggerScenarios", "commonSituations", "reason")
_LISTS = ("solutions", "preventionTips")


def dead_links(
    verified: Sequence[Verified], guides: Sequence[Guide], plan: Callable[[], frozenset[str]]
) -> Iterator[Diagnostic]:
    """One finding for each link whose target is no output path, or no section of its page.

    `plan` gives the output paths; it is asked only if there are links within the site at all.
    """
    paths = _Paths(plan)
    for one in verified:
        record, file = one.record, one.case.file
        page = links.page_path(record.repo, record.slug)
        for steps, text in _texts(record):
            for target in prose.targets(text):
                if why := _why_dead(target, page, paths):
                    line = text[: max(text.find(target), 0)].count("\n") + 1
                    yield _finding(target, why, file.path, _place(file, steps, line))
    for guide in guides:
        page = links.list_path(f"guides/{guide.tag}")
        for part in guide.parts:
            for target in prose.targets(part) if isinstance(part, str) else ():
                if why := _why_dead(target, page, paths):
                    yield _finding(target, why, guide.path, None)


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
    for number, case in enumerate(record.verification.instead if record.verification else ()):
        if case.why:
            yield ("verification", "instead", number, "why"), case.why


def _place(file: RecordFile, steps: tuple[str | int, ...], line: int) -> Span | None:
    return file.at(*steps, line=line)


def _finding(target: str, why: str, path: str, span: Span | None) -> Diagnostic:
    return Diagnostic(
        "E0604",
        f"the link to `{target}` leads nowhere: {why}",
        path,
        span,
        help="links within the site name a file, such as `../other-slug/index.html`",
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


def _why_dead(target: str, page: str, paths: _Paths) -> str:
    """Why a link is dead, seen from a page; empty for one that is not, and for one that leaves the site."""
    parts = urlsplit(target)
    if parts.scheme or parts.netloc:
        return ""
    there = page
    if parts.path:
        there = posixpath.normpath(posixpath.join(posixpath.dirname(page), unquote(parts.path)))
    if there not in paths:
        return f"there is no `{there}`"
    is_error_page = there.count("/") == 3  # owner, repository, slug, file
    if parts.fragment and is_error_page and there.endswith(".html"):
        name = parts.fragment
        if name not in SECTIONS and not (name[:1] == "L" and name[1:].isdigit()):
            return f"`{there}` has no part `{name}`"
    return ""
