"""The chain's values: where a field stands, what a hole is called, which outcome is a record's error."""

from dataclasses import replace

import msgspec
import pytest

from generator import document, schema
from generator.diagnostics import Source, Span
from generator.model import (
    Case,
    Excerpt,
    Frame,
    Held,
    Observation,
    Observed,
    Outcome,
    RecordFile,
)
from generator.nodes import Scalar

TEXT = """\
repo: acme/pool
errorMessage: "no room for {size} pages"
errorClass: errors.PoolError
filePath: pool.py
lineNumber: 7
documentation: |-
  There is
  no room.
solutions:
- Free some.
- >-
  Ask for
  fewer.
analyzedSha: 0123456789abcdef0123456789abcdef01234567
verification:
  subject: acme.Pool
  trigger: |
    pool = Pool(4)
    pool.take(9)
  captures: {size: "9"}
  instead:
    - call: pool.take(0)
      returns: "[]"
"""
FRAME = Frame("pool.py", 7, "Pool.take")


def file(text: str = TEXT) -> RecordFile:
    """Return the record of a text."""
    node, _ = document.parse(Source("r.yaml", text))
    assert node is not None
    found, problems = schema.decode(node, "r.yaml")
    assert found is not None, problems
    return found


def case(message: str | None = None, *outcomes: tuple[str, str, Outcome]) -> Case:
    """Return a case of the record, with that message, whose scripts' steps did that."""
    one = file(TEXT if message is None else TEXT.replace("no room for {size} pages", message))
    observations = tuple(Observation(script, {role: outcome}) for script, role, outcome in outcomes)
    return Case(
        file=one,
        observed=Observed(observations, {}, ()),
    )


def written(one: Case, pattern: str) -> Case:
    """Return the case with another pattern, which may be none."""
    assert isinstance(one.file.body, Held)
    head = msgspec.structs.replace(one.head, message_pattern=pattern)
    return replace(one, file=replace(one.file, body=replace(one.file.body, head=head)))


def raised(text: str, type: str = "PoolError", frame: Frame | None = FRAME) -> Outcome:  # noqa: A002 - the field's name
    """Return the outcome of code that raised."""
    return Outcome(kind="raised", type=type, text=text, bases=(type, "Exception"), frame=frame)


# Where a field stands.


@pytest.mark.parametrize(
    ("steps", "span"),
    [
        (("repo",), Span(1, 7, 1, 16)),
        (("errorMessage",), Span(2, 15, 2, 41)),
        (("documentation",), Span(6, 16, 6, 18)),
        (("solutions", 0), Span(10, 3, 10, 13)),
        (("solutions", 1), Span(11, 3, 11, 5)),
        (("verification", "subject"), Span(16, 12, 16, 21)),
        (("verification", "captures", "size"), Span(20, 20, 20, 23)),
        (("verification", "instead", 0, "call"), Span(22, 13, 22, 25)),
    ],
)
def test_a_field_stands_at_its_value(steps: tuple[str | int, ...], span: Span) -> None:
    """However deep; a block text at its header."""
    assert span == file().at(*steps)


@pytest.mark.parametrize(
    ("steps", "around"),
    [
        (("verification", "captures", "page"), ("verification", "captures")),
        (("verification", "instead", 0, "why"), ("verification", "instead", 0)),
        (("verification", "instead", 7, "why"), ("verification", "instead")),
        (("verification", "fixed", "expect"), ("verification",)),
        (("repo", "deeper"), ("repo",)),
        (("solutions", "first"), ("solutions",)),
        (("verification", 0), ("verification",)),
    ],
)
def test_what_is_not_written_stands_at_what_is_around_it(
    steps: tuple[str | int, ...], around: tuple[str | int, ...]
) -> None:
    """The nearest part that is there."""
    assert file().find(*steps) is None
    assert file().at(*around) == file().at(*steps)


@pytest.mark.parametrize("steps", [(), ("slug",), ("slug", "deeper")])
def test_what_has_nothing_around_it_stands_at_the_files_beginning(steps: tuple[str, ...]) -> None:
    """A derived field is written nowhere."""
    assert Span(1, 1, 1, 2) == file().at(*steps)


@pytest.mark.parametrize(
    ("steps", "line", "span"),
    [
        (("documentation",), 1, Span(7, 3, 7, 11)),
        (("documentation",), 2, Span(8, 3, 8, 11)),
        (("verification", "trigger"), 2, Span(19, 5, 19, 17)),
        (("errorMessage",), 1, Span(2, 16, 2, 40)),
        (("repo",), 1, Span(1, 7, 1, 16)),
    ],
)
def test_a_line_of_a_text_stands_at_itself(steps: tuple[str, ...], line: int, span: Span) -> None:
    """A snippet that fails on its second line is shown there."""
    assert span == file().at(*steps, line=line)


def test_an_indented_line_stands_where_its_first_word_does() -> None:
    """Spaces are not what is wrong with it; an empty line is a place too."""
    one = file(TEXT.replace("    pool.take(9)\n", "    if pool:\n\n        pool.take(9)\n"))
    trigger = ("verification", "trigger")
    assert Span(21, 9, 21, 21) == one.at(*trigger, line=4)
    assert Span(20, 5, 20, 5) == one.at(*trigger, line=3)


@pytest.mark.parametrize(
    ("steps", "line"),
    [(("documentation",), 3), (("documentation",), 0), (("solutions", 1), 1), (("verification",), 1)],
)
def test_a_line_that_cannot_be_placed_stands_at_the_whole(steps: tuple[str | int, ...], line: int) -> None:
    """The text has no such line, or its lines are not the file's, or it is no text."""
    assert file().at(*steps) == file().at(*steps, line=line)


def test_a_line_of_what_is_not_written_stands_around_it() -> None:
    """The line meant another text than the one that is there."""
    assert file().at("documentation") == file().at("documentation", "deeper", line=1)


def test_a_field_is_found_by_name_and_number() -> None:
    """Only in what has names, and only as far as there are items."""
    one = file()
    found = one.find("solutions", 0)
    assert isinstance(found, Scalar)
    assert "Free some." == found.text
    assert one.node is one.find()
    assert one.find("solutions", 2) is None
    assert one.find(0) is None


# What a hole is called.


@pytest.mark.parametrize(
    ("message", "names"),
    [
        ("no holes here", ()),
        ("{size} pages", ("size",)),
        ("{self.page_size} of {size}", ("page_size", "size")),
        ("{a.b.c}", ("c",)),
        ("{self.size} of {size}", ("self.size", "size")),
        ("{a.size} of {b.size}", ("a.size", "b.size")),
        ("{size} and {size}", ("size (1)", "size (2)")),
        ("{a.size} and {b} and {a.size}", ("a.size (1)", "b", "a.size (3)")),
        ("{len(indices)}", ("len(indices)",)),
        ("{row['a.b']}", ("row['a.b']",)),
        ("{rows[0].size}", ("rows[0].size",)),
        ("{a + b}", ("a + b",)),
        ("{} and {}", ("0", "1")),
        ("{0.shape}", ("0.shape",)),
        ("%s and %(size)d", ("1", "size")),
    ],
)
def test_a_hole_is_called_by_its_last_name_where_that_is_unmistakable(
    message: str, names: tuple[str, ...]
) -> None:
    """Else by its expression, and with its number where even that comes twice."""
    assert names == case(message).holes
    assert len(set(names)) == len(names)


# Which outcome is the record's error.


@pytest.mark.parametrize(
    ("outcome", "is_it"),
    [
        (raised("no room for 9 pages"), True),
        (raised("no room for  pages"), False),
        (raised("no room for \n pages"), True),
        (raised("no room for 9 pages", frame=None), True),
        (raised("no room at all"), False),
        (raised("no room for 9 pages", "LakeError"), False),
        (Outcome(kind="returned", type="PoolError", text="no room for 9 pages"), False),
        (Outcome(kind="timed out", type="PoolError", text="no room for 9 pages"), False),
    ],
)
def test_an_outcome_is_the_error_by_class_and_message(outcome: Outcome, is_it: bool) -> None:  # noqa: FBT001 - a table's column
    """The class's last name, as an observation has it."""
    assert is_it == case().is_raised_by(outcome)


def test_the_class_that_was_really_raised_counts() -> None:
    """A wrong `errorClass` is reported once, not again by every check of behaviour."""
    one = case(None, ("trigger", "trigger", raised("no room for 9 pages", "LakeError")))
    assert one.is_raised_by(raised("no room for 7 pages", "LakeError"))
    assert not one.is_raised_by(raised("no room for 7 pages"))


@pytest.mark.parametrize(
    "outcome",
    [raised("no room for 9 pages", "LakeError", frame=None), Outcome(kind="returned", type="LakeError")],
)
def test_a_trigger_that_raised_nothing_inside_the_subject_decides_nothing(outcome: Outcome) -> None:
    """The record's own class then counts."""
    one = case(None, ("trigger", "trigger", outcome))
    assert one.is_raised_by(raised("no room for 7 pages"))
    assert not one.is_raised_by(raised("no room for 7 pages", "LakeError"))


def test_the_pattern_or_the_template_may_fit() -> None:
    """Where one of the two is wrong, it alone is to be reported."""
    one = written(case(), "no rooms for (.+?) pages")
    assert one.is_raised_by(raised("no room for 9 pages"))
    assert one.is_raised_by(raised("no rooms for 9 pages"))
    assert not one.is_raised_by(raised("no space for 9 pages"))
    assert written(one, "no room (for").is_raised_by(raised("no room for 9 pages"))


# What a case knows.


def test_what_was_lost_is_no_outcome() -> None:
    """Checks of behaviour have nothing to say of it; one check reports it."""
    kept, lost = raised("no room for 9 pages"), Outcome(kind="timed out")
    one = case(None, ("trigger", "trigger", kept), ("more[0]", "trigger", lost), ("after", "fix", kept))
    assert kept == one.outcome("trigger", "trigger")
    assert one.outcome("more[0]", "trigger") is None
    assert one.outcome("trigger", "setup") is None
    assert one.outcome("absent", "trigger") is None
    assert replace(one, observed=None).outcome("trigger", "trigger") is None
    assert (("trigger", kept),) == one.triggered
    assert () == replace(one, observed=None).triggered


def test_messages_are_those_raised_inside_the_subject_once_each() -> None:
    """A snippet's own `raise` proves nothing."""
    one = case(
        None,
        ("trigger", "trigger", raised("a")),
        ("more[0]", "trigger", raised("b", frame=None)),
        ("more[1]", "trigger", raised("c")),
        ("more[2]", "trigger", raised("a")),
        ("more[3]", "trigger", Outcome(kind="returned", text="d", frame=FRAME)),
    )
    assert ("a", "c") == one.messages


def test_messages_of_a_native_record_may_come_from_anywhere() -> None:
    """What C raises has no frame."""
    one = case(None, ("trigger", "trigger", raised("a", frame=None)))
    native = TEXT.replace("  subject: acme.Pool\n", "  subject: acme.Pool\n  native: true\n")
    assert () == one.messages
    assert ("a",) == replace(one, file=file(native)).messages


def test_a_record_that_says_why_it_is_unproven_claims_nothing() -> None:
    """Nor does one that says nothing of proof."""
    assert case().claims is not None
    head = TEXT[: TEXT.index("verification")]
    assert replace(case(), file=file(head)).claims is None
    assert replace(case(), file=file(f"{head}verification: {{unproven: no device}}\n")).claims is None


def test_a_case_is_compared_if_it_was_on_any_operation() -> None:
    """None at all is as if it had not been."""
    assert not case().is_compared
    assert replace(case(), operations=1).is_compared


def test_a_record_has_an_address() -> None:
    """By repository and slug."""
    assert "acme/pool/no-room-for-size-pages" == case().place


# What happened, in words.


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (Outcome(kind="returned", type="int", text="7"), "returned `7`"),
        (raised("no room"), "raised `PoolError: no room`"),
        (raised(""), "raised `PoolError`"),
        (Outcome(kind="timed out", text="after 10 s"), "timed out: after 10 s"),
        (Outcome(kind="crashed"), "crashed"),
        (Outcome(kind="skipped"), "skipped"),
        (raised("a" * 300), f"raised `PoolError: {'a' * 300}`"),
        (raised("a" * 301), f"raised `PoolError: {'a' * 299}…`"),
    ],
)
def test_an_outcome_says_what_happened(outcome: Outcome, words: str) -> None:
    """A long text in part."""
    assert words == str(outcome)


def test_an_excerpt_knows_its_lines() -> None:
    """A text without line ends is one line, and so is an empty one."""
    assert (["a", " b"], 8) == (Excerpt("a\n b", 7, "here").lines, Excerpt("a\n b", 7, "here").last_line)
    assert ([""], 7) == (Excerpt("", 7, "here").lines, Excerpt("", 7, "here").last_line)


def test_observations_survive_the_cache() -> None:
    """Facts are kept as JSON and are the same when they come back."""
    observed = case(None, ("trigger", "trigger", raised("no room for 9 pages"))).observed
    assert observed == msgspec.json.decode(msgspec.json.encode(observed), type=Observed)
    assert observed is not None
    assert observed.observations[0] == observed.get("trigger")
    assert observed.get("absent") is None
