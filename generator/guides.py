"""Guides: the ground that several errors stand on, as articles whose code is run.

`records/guides/<tag>.md` begins, after an optional front matter that names a `subject`, with `# Title`.
Its `python` blocks are run in order in one namespace, after the subject's imports. A block that ends in
lines `#> …` claims what came of it: the value's repr, or `Class: message` of what it raised (the class
alone where the words differ between versions).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from generator import document
from generator.diagnostics import Diagnostic, Rejected, Source, Span
from generator.model import Article, Observed, Outcome, Passage, Script, Step, Trial
from generator.nodes import Mapping, Scalar

CLAIM = "#>"
_FENCE = re.compile(r"^(`{3,})([^`\n]*)$")
# Python that would be coloured as such and not be run.
_UNRUN = re.compile(r"^(?: +(?:`{3,}|~{3,}) *(?:python|py)|~{3,} *(?:python|py)|`{3,} *py)\b *$")
_TAG = re.compile(r"[a-z0-9]+([_-][a-z0-9]+)*")
_FIELDS = ("subject",)


@dataclass(frozen=True, slots=True)
class Block:
    """Code of a guide: `claim` is what it says comes of it, or None; lines are 1-based, in the file."""

    code: str
    claim: str | None
    line: int
    claim_line: int


@dataclass(frozen=True, slots=True)
class Guide:
    """An article: Markdown texts and blocks of code, in order."""

    path: str
    tag: str
    title: str
    subject: str | None
    subject_at: Span | None
    parts: tuple[str | Block, ...]

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The code, in the order in which it is run."""
        return tuple(part for part in self.parts if isinstance(part, Block))


def load(file: Path, name: str) -> tuple[Guide | None, tuple[Diagnostic, ...]]:
    """The guide in a file, and what is wrong with its form."""
    try:
        source = document.read(file, name=name)
    except Rejected as rejected:
        return None, rejected.diagnostics
    if not _TAG.fullmatch(file.stem):
        return None, (Diagnostic("E0603", "a guide's file is named for its tag", name),)
    lines = source.text.replace("\r\n", "\n").split("\n")
    subject, at, body, found = _front_matter(lines, source)
    while body < len(lines) and not lines[body].strip():
        body += 1
    if body == len(lines) or not lines[body].startswith("# "):
        place = Span(min(body, len(lines) - 1) + 1, 1, min(body, len(lines) - 1) + 1, 2)
        missing = Diagnostic(
            "E0603", "a guide begins with its title", name, place, help="write `# Title` first"
        )
        return None, (*found, missing)
    unrun = tuple(
        Diagnostic(
            "E0603",
            "this block of Python is not run",
            name,
            _line(number),
            help="begin it with ```python, at the start of the line",
        )
        for number, line in enumerate(lines, 1)
        if _UNRUN.match(line)
    )
    found = (*found, *unrun)
    title = lines[body].removeprefix("# ").strip()
    return Guide(name, file.stem, title, subject, at, tuple(_parts(lines, body + 1))), found


def trial(guide: Guide) -> Trial | None:
    """What to run for a guide, or None if it holds no code."""
    steps = tuple(
        Step(role=_role(number), code=block.code, is_final=True) for number, block in enumerate(guide.blocks)
    )
    if not steps:
        return None
    return Trial(subject=guide.subject or "", scripts=(Script(name="guide", steps=steps),))


def outcomes(guide: Guide, observed: Observed | None) -> tuple[Outcome | None, ...]:
    """What each block did; None where it was not run."""
    observation = observed.get("guide") if observed else None
    known = observation.outcomes if observation else {}
    return tuple(known.get(_role(number)) for number in range(len(guide.blocks)))


def article(guide: Guide, observed: Observed | None) -> Article:
    """The guide with what its code did."""
    did = iter(outcomes(guide, observed))
    passages = []
    for part in guide.parts:
        if isinstance(part, str):
            passages.append(Passage(text=part))
            continue
        outcome = next(did)
        happened = None if outcome is None else str(outcome)
        passages.append(Passage(text=part.code, is_code=True, claim=part.claim, happened=happened))
    return Article(tag=guide.tag, title=guide.title, subject=guide.subject, passages=tuple(passages))


def findings(guide: Guide, observed: Observed | None) -> Iterator[Diagnostic]:
    """One finding for each block that does not do what it claims, or raises without saying so."""
    for block, outcome in zip(guide.blocks, outcomes(guide, observed), strict=True):
        if outcome is None:
            continue
        line, claim = block.claim_line, block.claim
        if outcome.kind == "unavailable":
            yield Diagnostic(
                "E0602",
                f"the guide's code cannot be run here: {outcome.text}",
                guide.path,
                guide.subject_at,
                "warning",
            )
            return
        if outcome.kind not in {"returned", "raised"}:
            yield Diagnostic("E0602", f"the guide's code {outcome.kind}", guide.path, _line(block.line))
            return
        if claim is None and outcome.kind == "raised":
            line = block.line + (outcome.line or 1) - 1
            yield Diagnostic(
                "E0602",
                f"the block raises {outcome.type}",
                guide.path,
                _line(line),
                notes=(str(outcome),),
                help=f"say so in a last line `{CLAIM} {said(outcome)}`, or mend it",
            )
        elif claim not in (None, said(outcome), outcome.type if outcome.kind == "raised" else None):
            yield Diagnostic(
                "E0602",
                "the block does not do what it claims",
                guide.path,
                _line(line),
                notes=(str(outcome),),
                help=f"write `{CLAIM} {said(outcome)}`",
            )


def said(outcome: Outcome) -> str:
    """What a block would have to claim."""
    if outcome.kind == "raised":
        return f"{outcome.type}: {outcome.text}" if outcome.text else str(outcome.type)
    return outcome.text


def _role(number: int) -> str:
    return f"block {number + 1}"


def _line(line: int) -> Span:
    return Span(line, 1, line, 2)


def _front_matter(
    lines: list[str], source: Source
) -> tuple[str | None, Span | None, int, tuple[Diagnostic, ...]]:
    """The subject and its place, the index of the first line after, and what is wrong."""
    if lines[0] != "---":
        return None, None, 0, ()
    try:
        end = lines.index("---", 1)
    except ValueError:
        endless = Diagnostic("E0603", "the front matter does not end", source.path, _line(1))
        return None, None, len(lines), (endless,)
    # Blank lines in front keep the places of what is read where they are in the file.
    node, found = document.parse(Source(source.path, "\n" + "\n".join(lines[1:end])))
    if not isinstance(node, Mapping):
        return None, None, end + 1, found
    unknown = tuple(
        Diagnostic(
            "E0603",
            f"unknown field `{entry.key.text}`",
            source.path,
            entry.key.span,
            help=f"known fields: {', '.join(_FIELDS)}",
        )
        for entry in node.entries
        if entry.key.text not in _FIELDS
    )
    subject = node.get("subject")
    if not isinstance(subject, Scalar):
        return None, None, end + 1, (*found, *unknown)
    return subject.text, subject.span, end + 1, (*found, *unknown)


def _parts(lines: list[str], start: int) -> Iterator[str | Block]:
    """Markdown and `python` blocks; other fenced blocks stay within the Markdown."""
    text: list[str] = []
    index = start
    while index < len(lines):
        fence = _FENCE.match(lines[index])
        if fence is None:
            text.append(lines[index])
            index += 1
            continue
        end = index + 1
        while end < len(lines) and lines[end].strip() != fence[1]:
            end += 1
        if fence[2].strip() == "python":
            if any(line.strip() for line in text):
                yield "\n".join(text).strip("\n")
            text = []
            yield _block(lines[index + 1 : end], index + 2)
        else:
            text += lines[index : end + 1]
        index = end + 1
    if any(line.strip() for line in text):
        yield "\n".join(text).strip("\n")


def _block(lines: list[str], first_line: int) -> Block:
    """The code, and the claim in its last lines; `first_line` is that of the code, 1-based."""
    count = len(lines)
    while count and lines[count - 1].startswith(CLAIM):
        count -= 1
    claimed = [line.removeprefix(CLAIM).removeprefix(" ") for line in lines[count:]]
    code = "\n".join(lines[:count]).rstrip()
    return Block(code, "\n".join(claimed) if claimed else None, first_line, first_line + count)
