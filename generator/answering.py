"""A paste to an answer: what fits it, its page with the reader's values, and what programs are told."""

import re
from dataclasses import dataclass

import msgspec

from generator import explained, libraries, search, shards
from generator.libraries import Library, LibraryUnavailable
from generator.search import Found
from generator.shards import Entry, Meta, Shard

COMPARED = 20_000  # names among which the nearest is looked for
_NAME = re.compile(r"[0-9a-f]{16}|(?:[\w-]+/[\w.-]+/)?[a-z0-9]+(?:-[a-z0-9]+){2,}")


@dataclass(frozen=True, slots=True)
class Answer:
    """What is known of a paste. `page` is the best record's as Markdown, empty where none fits whole.

    `others` says in short what else fits, or what comes near; `urls` are the addresses of the matches.
    """

    query: str
    found: Found
    urls: tuple[str, ...]
    page: str
    others: str

    @property
    def is_exact(self) -> bool:
        """Whether a record is about just this."""
        return bool(self.page)

    def as_json(self) -> bytes:
        """For programs; the best first."""
        matches = [
            {
                "id": match.id,
                "repo": match.repo,
                "slug": match.slug,
                "errorClass": match.error_class,
                "message": match.message,
                "match": match.match,
                "values": match.values,
                "url": url or None,
            }
            for match, url in zip(self.found.matches, self.urls, strict=True)
        ]
        return msgspec.json.encode({"matches": matches, "query": self.query}) + b"\n"


def answer(text: str, library: Library) -> Answer:
    """What the library knows of a paste. Raises LibraryUnavailable."""
    found = search.search(text, lambda name: library.read(f"lookup/{name}.json"))
    urls = tuple(libraries.address(library, match.url) for match in found.matches)
    exact = [match for match in found.matches if match.match == "exact"]
    if not exact:
        return Answer(text, found, urls, "", explained.summary(found.matches, urls))
    record = libraries.record(library, exact[0].id)
    page = explained.page(record, exact[0], urls[0])
    return Answer(text, found, urls, page, explained.summary(found.matches[1:], urls[1:]))


def by_code(code: str, library: Library) -> Answer | None:
    """The page of the record whose own code this is, whatever its case; None if the library has none.

    Raises LibraryUnavailable.
    """
    word = shards.code_word(code.strip())
    if word is None:
        return None
    try:
        known = shards.words(msgspec.json.decode(library.read("lookup/meta.json"), type=Meta))
        shard = msgspec.json.decode(library.read(f"lookup/{known.shard(word)}.json"), type=Shard)
    except msgspec.DecodeError as error:
        raise LibraryUnavailable(f"the look-up index is damaged: {error}") from error
    entry = next((one for one in shard.entries if shards.code_word(one.error_code) == word), None)
    if entry is None or entry.slug is None:
        return None
    return _of(code, entry, library)


def is_name(text: str) -> bool:
    """Whether a text may be a record's id, its slug, or `owner/name/slug`, and is no message."""
    return _NAME.fullmatch(text.strip()) is not None


def by_name(name: str, library: Library) -> Answer | tuple[str, ...]:
    """The page of the record of that id or slug; if there is none, the names that are nearest.

    Raises LibraryUnavailable.
    """
    word = name.strip()
    entries = libraries.entries(library)
    for entry in entries:
        if word in {entry.id, entry.slug, f"{entry.repo}/{entry.slug}"}:
            return _of(name, entry, library)
    import difflib  # noqa: PLC0415 - slow to import, and only after a mistake

    known = [entry.slug for entry in entries if entry.slug]
    return tuple(difflib.get_close_matches(word.rpartition("/")[2], known[:COMPARED], n=3))


def _of(query: str, entry: Entry, library: Library) -> Answer:
    """The page of a record, whatever it was asked by. Raises LibraryUnavailable."""
    record = libraries.record(library, entry.id)
    match = search.match_of(entry, str(record["errorMessage"]), "exact", {})
    url = libraries.address(library, match.url)
    return Answer(query, Found(None, (match,)), (url,), explained.page(record, None, url), "")
