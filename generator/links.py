"""Addresses within the site."""

import re

from generator.model import Head

PER_PAGE = 300  # records on one page of a list, at most

# Folders at the site's top that are no owner's.
RESERVED = frozenset({"api", "classes", "guides", "lookup", "report", "schema", "static", "tags"})

# What an error page's sections are called, by their anchors, in their order; one that has nothing to say is
# not there.
SECTIONS = {
    "meaning": "What it means",
    "solutions": "Other solutions",
    "fix": "Example fix",
    "handling": "Guard and recovery",
    "when": "When it happens",
    "instead": "Looks alike",
    "source": "Source",
    "releases": "In other releases",
    "elsewhere": "Elsewhere",
    "related": "Related errors",
    "prevention": "Prevention",
    "evidence": "Evidence",
}
# Its other anchors, which every one of them has.
ANCHORS = frozenset({"content", "contents", "yours"})


def is_id(alias: str) -> bool:
    """Whether an alias is a former id, and not a former slug."""
    return re.fullmatch(r"[0-9a-f]{16}", alias) is not None


def alias_path(record: Head, alias: str) -> str:
    """The output path that an alias keeps: a former page's, or without its ending a former API file's.

    A slug is one of the record's own repository unless the alias names another.
    """
    if is_id(alias):
        return api_path(alias)
    repo, _, slug = alias.rpartition("/")
    return page_path(repo or record.repo, slug)


def api_path(id: str) -> str:  # noqa: A002 - the field's name
    """The output path of a record's API file, without its ending."""
    return f"api/errors/{id}"


def list_path(folder: str, part: str = "") -> str:
    """The output path of a list's front, or of a part of it by the part's name."""
    return f"{folder}/page/{part}/index.html" if part else f"{folder}/index.html"


def page_path(repo: str, slug: str) -> str:
    """The output path of a record's page."""
    return f"{repo}/{slug}/index.html"


def twin(path: str) -> str:
    """The output path of a page's Markdown twin."""
    return f"{path.removesuffix('.html')}.md"


def relative(target: str, start: str) -> str:
    """The address of one output path as seen from the page at another.

    It names the file, `index.html` too: then the same bytes work from a server and from a folder.
    """
    # Output paths are plain: `posixpath.relpath` asks the system for the working folder each time.
    if target.partition("/")[0] != start.partition("/")[0]:
        return "../" * start.count("/") + target
    here, there = start.split("/")[:-1], target.split("/")
    shared = 0
    while shared < min(len(here), len(there)) and here[shared] == there[shared]:
        shared += 1
    return "/".join([".."] * (len(here) - shared) + there[shared:]) or "."


def root(path: str) -> str:
    """What leads from a page to the site's root: empty, or `../` so many times."""
    return "../" * path.count("/")
