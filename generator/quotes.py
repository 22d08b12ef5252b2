'''Where the strings of Python code that are longer than a line begin, for excerpts that begin within one.

Of 10,000 excerpts of 18 lines around a `raise`, a third begin in a docstring. Read alone, such an excerpt is
inside out: its prose is code, and its code is a string from the first `"""` on.
'''

import re
from bisect import bisect_left, bisect_right
from functools import lru_cache

# Where each begins and ends, in order.
Strings = list[tuple[int, int]]

LONGEST = 200  # characters of an opening; of a longer line the quotes alone are kept
# Comments and strings of one line are there to be passed over: they may hold quotes. The first character
# stands alone, for `re` to look for it.
_PASSED = re.compile(
    r"""["'\#](?:
    (?<=\#) [^\n]*+
    | (?<=") (?: (\"\"(?:[^\\"]++|\\.|"(?!\"\"))*+) (?:\"{3}|\\?\Z) | [^"\\\n]*+(?:\\.[^"\\\n]*+)*+"? )
    | (?<=') (?: (''(?:[^\\']++|\\.|'(?!''))*+) (?:'{3}|\\?\Z) | [^'\\\n]*+(?:\\.[^'\\\n]*+)*+'? )
    )""",
    re.VERBOSE | re.DOTALL,
)
_PREFIXED = re.compile(r"""\w{0,2}["']{3}\Z""")
# What may stand before quotes that open a string, and behind such that close one.
_OPENS_BEHIND = re.compile(
    r"""(?:[=(\[{,:%+\\]|\b(?:return|in|raise|yield|and|or|not|else|if)|^)\s*[rRbBuUfFtT]{0,2}\Z"""
)
_CLOSES_BEFORE = re.compile(r"""\s*(?:[)\]},.%:;+*\\#]|\Z)""")
# Behind the end of the line before, which is found faster than the start of a line.
_STATEMENT = re.compile(
    r"""\n[ \t]*+(?:
    (?:def|class)\ \w+.*[:(,]$ | (?:if|elif|for|while|with|except)\b.*:$ | (?:try|else|finally):$
    | raise\ \w++\( | return(?:\ [\w.]++(?:\(.*)?)?$ | @\w | import\ \w+$ | from\ [\w.]++\ import\b
    | [\w.]++(?: (?:\[[^\]\n]*\])?\ [-+*/|&]?=\ . | \(.*\)$ )
    )""",
    re.VERBOSE | re.MULTILINE,
)


def opening(text: str, line: int) -> str:
    """What opens the string in which a line (1-based) begins: its line up to the quotes; else nothing."""
    strings = _strings(text)
    number = bisect_right(strings, line, key=lambda string: string[0]) - 1
    if number < 0:
        return ""
    first, last, opened = strings[number]
    return opened if first < line <= last else ""


@lru_cache(maxsize=256)
def _strings(text: str) -> tuple[tuple[int, int, str], ...]:
    """The first and the last line of each string that has several, and what opens it."""
    found = []
    line, counted = 1, 0
    for begin, end in _long(text):
        count = text.count("\n", begin, end)
        if count:
            line += text.count("\n", counted, begin)
            opened = text[text.rfind("\n", 0, begin) + 1 : begin + 3]
            if len(opened) > LONGEST and (short := _PREFIXED.search(opened)):
                opened = short[0]
            found.append((line, line + count, opened))
            counted = begin
    return tuple(found)


def _long(text: str) -> Strings:
    """Where the strings in three quotes begin and end."""
    if '"""' not in text and "'''" not in text:
        return []
    return [match.span() for match in _PASSED.finditer(text) if match.lastindex]


def around(text: str, before: str | None = None) -> tuple[str, str]:
    """What opens the string in which a text begins, and what closes that in which it ends.

    `before` is what is known to open it; None is guessed.
    """
    if before is None:
        before, strings = _guess(text)
        return before, _closing(f"{before}\n{text}" if before else text, strings)
    return before, closing(f"{before}\n{text}" if before else text)


def closing(text: str) -> str:
    """What closes the string in which a text ends, its quotes; else nothing."""
    return _closing(text, _long(text))


def guess(text: str) -> str:
    """The same for the first line of a text whose file is not at hand: nothing, or quotes.

    The text is read both ways. Lines that look like statements count for the way in which they are none of a
    string's, and so do the surroundings of the first quotes.
    """
    return _guess(text)[0]


def _closing(text: str, strings: Strings) -> str:
    if not strings or strings[-1][1] < len(text):
        return ""
    begin, end = strings[-1]
    quotes = text[begin : begin + 3]
    return "" if end - begin >= 6 and text.endswith(quotes) else quotes


def _guess(text: str) -> tuple[str, Strings]:
    """What opens the string in which a text begins, and the strings of both together."""
    strings = _long(text)
    if not strings:
        return "", strings
    at = strings[0][0]
    quotes = text[at : at + 3]
    others = _long(f"{quotes}\n{text}")
    statements = [match.start() for match in _STATEMENT.finditer(f"\n{text}")]
    outside = _outside(statements, strings, 0) - _outside(statements, others, 4)
    return (quotes, others) if outside + _opens(text, at) < 0 else ("", strings)


def _outside(places: list[int], strings: Strings, before: int) -> int:
    """How many places are outside of strings, which are of a text with so many characters before it."""
    found = len(places)
    for begin, end in strings:
        found -= bisect_left(places, end - before) - bisect_left(places, begin - before)
    return found


def _opens(text: str, at: int) -> int:
    """What speaks for quotes that open a string, and below zero for such that close one."""
    before = text[text.rfind("\n", 0, at) + 1 : at]
    behind = text[at + 3 :].partition("\n")[0]
    if not _OPENS_BEHIND.search(before):
        return -2
    if before.strip() or not _CLOSES_BEFORE.match(behind):
        return 2
    return 1 if text[:at].rstrip().endswith(":") else -1
