"""Code within Markdown, whatever backticks it holds."""

import re


def in_backticks(text: str) -> str:
    """The text as code within a sentence."""
    fence = "`" * (_longest(text) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def fenced(text: str, language: str = "python") -> str:
    """A block of code, in a fence longer than any run of backticks in it."""
    fence = "`" * max(3, _longest(text) + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _longest(text: str) -> int:
    if "`" not in text:
        return 0
    return max(len(run) for run in re.findall("`+", text))
