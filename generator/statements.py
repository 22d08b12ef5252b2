"""What the files of a release raise and write, and what a message is known by."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from generator import raises, texts
from generator.excerpts import split
from generator.model import Edition, RaiseSite
from generator.pattern import Hole
from generator.template import TemplateError, template

APART = "\x1f"  # between the texts of one statement

_WORD = re.compile(r"\w{2,}")

Key = tuple[str, object]


@dataclass(frozen=True, slots=True)
class Copy:
    """A release's Python files: their paths in the repository, and what reads one (None: it cannot be)."""

    edition: Edition
    paths: tuple[str, ...]
    read: Callable[[str], str | None]


class Statements:
    """What the files of a release raise and write; each is read once."""

    def __init__(self, copy: Copy) -> None:
        self.edition = copy.edition
        self.paths = copy.paths
        self._read = copy.read
        self._texts: dict[str, str | None] = {}
        self._raises: dict[str, tuple[RaiseSite, ...]] = {}
        self._written: dict[str, tuple[RaiseSite, ...]] = {}
        self._functions: dict[str, tuple[str, ...]] = {}

    def text(self, path: str) -> str | None:
        """A file's text."""
        if path not in self._texts:
            self._texts[path] = self._read(path)
        return self._texts[path]

    def lines(self, path: str) -> list[str]:
        """A file's lines; none of one that is not there."""
        text = self.text(path)
        return [] if text is None else split(text)

    def raises(self, path: str) -> tuple[RaiseSite, ...]:
        """The `raise` statements of a file, in order.

        The template is the message; behind it all other text that the statement writes, each behind `APART`;
        empty where that is nothing.
        """
        if path not in self._raises:
            text = self.text(path) or ""
            lines = split(text)
            found = []
            for one, function in raises.every(text) if "raise" in text else ():
                parts = [one.message] if one.message else []
                if one.error_class is not None and not (one.message and one.is_alone):
                    rows = lines[one.first_line - 1 : one.last_line]
                    # Only the first line's indentation is in the way.
                    statement = "\n".join([rows[0].lstrip(), *rows[1:]])
                    known = segments(one.message) if one.message else None
                    others = (each.template for each in texts.every(statement))
                    parts += [each for each in others if segments(each) != known]
                template = APART.join(parts)
                found.append(RaiseSite(path, one.first_line, function, one.error_class or "", template))
            self._raises[path] = tuple(found)
        return self._raises[path]

    def written(self, path: str) -> tuple[RaiseSite, ...]:
        """The texts of a file, in order, as sites that raise no class."""
        if path not in self._written:
            self._written[path] = tuple(
                RaiseSite(path, one.first_line, one.function, "", one.template)
                for one in texts.every(self.text(path) or "")
            )
        return self._written[path]

    def functions(self, path: str) -> tuple[str, ...]:
        """The qualified name of the function or class that each line of a file stands in; empty outside."""
        if path not in self._functions:
            self._functions[path] = texts.functions(self.text(path) or "")
        return self._functions[path]

    def alike(self, mine: RaiseSite, path: str) -> tuple[RaiseSite, ...]:
        """The sites of a file that are of the same kind: texts, or statements that raise the same class."""
        sites = self.raises(path) if mine.error_class else self.written(path)
        return tuple(one for one in sites if one.error_class == mine.error_class and one.template)

    def holding(self, words: Iterable[str]) -> Iterator[str]:
        """The files whose texts hold all of these words."""
        wanted = tuple(words)
        for path in self.paths:
            text = self.text(path)
            if text is not None and all(word in text for word in wanted):
                yield path

    def is_unread(self, path: str) -> bool:
        """Whether a file is there that cannot be parsed here."""
        return bool(raises.unreadable(self.text(path) or ""))


def key_of(site: RaiseSite) -> Key:
    """What a message is known by: its class, and its text with open holes."""
    return (site.error_class, segments(site.template))


@lru_cache(maxsize=2**16)
def segments(text: str) -> tuple[str | Hole, ...]:
    """The fixed texts and the holes of a template; a text that is none is one."""
    try:
        return template(text).pattern().segments
    except TemplateError:
        return (text,)


def words(site: RaiseSite) -> list[str]:
    """The words of a message's fixed text, which the source holds however its strings are cut."""
    return [word for part in segments(site.template) if isinstance(part, str) for word in _WORD.findall(part)]
