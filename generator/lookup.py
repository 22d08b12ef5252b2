"""Which of many patterns match a message: by one rare word each, then by the walk.

Every pattern is filed under its *anchor*, the rarest of its *safe* words: those that no hole can have
lengthened or cut. A message that the pattern matches holds that word whole, so looking up a message's
words finds every pattern that can match it, and few others. The browser does the same.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from generator.pattern import Hole, Pattern

# `[A-Za-z0-9_\u0080-\U0010ffff]`, said by what is none: a set beyond ASCII takes milliseconds to compile.
TOKEN = re.compile(r"[^\x00-/:-@\[-^`{-\x7f]{2,}")
# Only ASCII is folded: what lower case is beyond it depends on the language's version.
_FOLDED = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")


def tokens(text: str) -> list[str]:
    """The words of a text, in order, folded."""
    return [word.translate(_FOLDED) for word in TOKEN.findall(text)]


def safe_tokens(pattern: Pattern) -> list[str]:
    """The words of a pattern's fixed text that touch no hole."""
    found = []
    segments = pattern.segments
    for number, segment in enumerate(segments):
        if isinstance(segment, Hole):
            continue
        for match in TOKEN.finditer(segment):
            touches_before = match.start() == 0 and number > 0
            touches_after = match.end() == len(segment) and number < len(segments) - 1
            if not (touches_before or touches_after):
                found.append(match[0].translate(_FOLDED))
    return found


class Index:
    """Patterns, found by the messages that they match."""

    def __init__(self, patterns: Sequence[Pattern]) -> None:
        """The patterns are known by their place in the sequence."""
        self._patterns = patterns
        safe = [sorted(set(safe_tokens(pattern))) for pattern in patterns]
        frequency = Counter(word for words in safe for word in words)
        self._anchored: dict[str, list[int]] = defaultdict(list)
        self._loose: list[int] = []
        for number, words in enumerate(safe):
            if words:
                anchor = min(words, key=lambda word: (frequency[word], -len(word), word))
                self._anchored[anchor].append(number)
            else:
                self._loose.append(number)

    def candidates(self, message: str) -> Iterator[int]:
        """The patterns that may match; in no order, each once."""
        yield from self._loose
        for word in set(tokens(message)):
            yield from self._anchored.get(word, ())

    def matches(self, message: str) -> list[int]:
        """The patterns that match the whole message, in order."""
        return sorted(
            number
            for number in self.candidates(message)
            if self._patterns[number].captures(message) is not None
        )
