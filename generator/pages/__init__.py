"""What the site consists of: each module of this folder plans one kind of page."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from generator import links
from generator.model import Page, Site, Verified


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
        "reason": one.reason,
        "url": links.relative(links.page_path(record.repo, record.slug), start),
    }
