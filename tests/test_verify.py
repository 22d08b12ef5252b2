"""Verdicts: a record's standing with its reason, and what was run in words.

Records and observations are made by hand: nothing runs here.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

import msgspec
import pytest

from generator import document, schema, verify
from generator.diagnostics import Diagnostic, Source
from generator.model import (
    Case,
    Claim,
    Frame,
    Held,
    Observation,
    Observed,
    Outcome,
    Standing,
    Subject,
    Verified,
)
from generator.pattern import parse

PATH = "records/acme/pool/no-room.yaml"
RECORD = """\
repo: acme/pool
slug: no-room
errorMessage: "no room for {self.size} of {size} pages"
errorClass: PoolError
filePath: pool.py
lineNumber: 7
documentation: There is no room.
analyzedSha: 0123456789abcdef0123456789abcdef01234567
"""
SNIPPETS = """\
exampleFix: |-
  # before
  pool.take(9)

  # after
  pool.take(3)
validationCode: assert size < 4
typeGuard: assert type(size) is int
tryCatchPattern: |-
  try:
      pool.take(size)
  except PoolError:
      pool.take(3)
"""
VERIFICATION = """\
verification:
  subject: acme.Pool
  setup: pool = Pool(4)
  trigger: pool.take(9)
  captures: {self.size: "9", size: "4"}
  more: [pool.take(7)]
  instead:
    - call: pool.take(0)
      returns: no pages
      expect: result == []
  fixed: {expect: pool.free == 1}
  guarded: pool.take(size)
  recovered: {expect: pool.free == 1}
"""
UNPROVEN = """\
verification:
  unproven: it needs a device
"""
BUNDLED = Subject("acme.Pool", "from pool import Pool", "pool")
PACKAGE = replace(BUNDLED, name="pool==1.5", kind="package")


def returned(text: str = "None", type: str = "NoneType") -> Outcome:  # noqa: A002 - the field's name
    """Return the outcome of code that returned a value."""
    return Outcome(kind="returned", type=type, text=text)


def held(*, is_true: bool = True) -> Outcome:
    """Return the outcome of an expression that was to be true."""
    return Outcome(kind="returned", type="bool", text=str(is_true), is_true=is_true)


def raised(text: str, type: str = "PoolError") -> Outcome:  # noqa: A002 - the field's name
    """Return the outcome of code that raised inside the subject."""
    return Outcome(
        kind="raised",
        type=type,
        text=text,
        bases=(type, "Exception"),
        line=1,
        frame=Frame("pool.py", 7, "Pool.take"),
    )


NINE, SEVEN = raised("no room for 9 of 4 pages"), raised("no room for 7 of 4 pages")
SKIPPED = Outcome(kind="skipped")
SETUP = {"setup": returned()}
HELD: Mapping[str, Mapping[str, Outcome]] = {
    "trigger": SETUP | {"trigger": NINE},
    "more[0]": SETUP | {"trigger": SEVEN},
    "instead[0]": SETUP | {"call": returned("[]", "list"), "expect": held()},
    "before": SETUP | {"trigger": NINE, "expect": held(is_true=False)},
    "after": SETUP | {"fix": returned("[1, 2, 3]", "list"), "expect": held()},
    "guarded": SETUP
    | {"validationCode": raised("", "AssertionError"), "typeGuard": SKIPPED, "guarded": SKIPPED},
    "unrecovered": SETUP | {"trigger": NINE},
    "recovered": SETUP | {"recovery": returned(), "expect": held()},
}


def observed(outcomes: Mapping[str, Mapping[str, Outcome]]) -> Observed:
    """Return what running scripts did, by script and role."""
    return Observed(tuple(Observation(name, dict(one)) for name, one in outcomes.items()), {}, ("a wall",))


def case(
    text: str = RECORD + SNIPPETS + VERIFICATION,
    outcomes: Mapping[str, Mapping[str, Outcome]] | None = HELD,
    subject: Subject | None = BUNDLED,
    operations: int = 12_000,
    path: str = PATH,
) -> Case:
    """Return a case of that record; the regular expression engine agrees with whatever was raised."""
    node, problems = document.parse(Source(path, text))
    assert node is not None
    file, found = schema.decode(node, path)
    assert file is not None, found
    assert () == (*problems, *found)
    pattern, _ = parse(file.record.message_pattern)
    raised_texts = {
        one.text for each in (outcomes or {}).values() for one in each.values() if one.kind == "raised"
    }
    return Case(
        file=file,
        subject=subject,
        observed=None if outcomes is None else observed(outcomes),
        matches={one: pattern.captures(one) for one in sorted(raised_texts) if pattern.captures(one)},
        operations=operations,
    )


def judged(one: Case) -> tuple[Verified, tuple[Diagnostic, ...]]:
    """Return the verdict on one case alone."""
    (verified,), found = verify.judge([one])
    return verified, found


def verdict(one: Case) -> tuple[Standing, str]:
    """Return the standing of one case alone and its reason."""
    verified, _ = judged(one)
    return verified.standing, verified.reason


def codes(one: Case) -> set[tuple[str, str]]:
    """Return code and severity of what is said of one case alone."""
    return {(found.code, found.severity) for found in judged(one)[1]}


# Standings.


@pytest.mark.parametrize("subject", [BUNDLED, PACKAGE])
def test_a_record_whose_every_claim_held_is_proven(subject: Subject) -> None:
    """Nothing is said of it, and there is no reason to give."""
    verified, found = judged(case(subject=subject))
    assert ("proven", "") == (verified.standing, verified.reason)
    assert () == found
    assert verified.case.record == verified.record


def test_a_record_that_says_nothing_to_run_is_unproven() -> None:
    """As an imported one is."""
    assert ("unproven", "the record does not say what to run") == verdict(case(RECORD, None, None))


def test_a_record_may_say_why_it_is_unproven() -> None:
    """Its own words are the reason."""
    assert ("unproven", "it needs a device") == verdict(case(RECORD + UNPROVEN, None, None))


@pytest.mark.parametrize(
    ("script", "outcomes"),
    [
        ("trigger", {"trigger": returned()}),
        ("trigger", {"trigger": raised("no room at all")}),
        ("more[0]", {"trigger": raised("a", "TypeError")}),
        ("instead[0]", {"call": NINE, "expect": held(is_true=False)}),
        ("before", {"trigger": returned(), "expect": held()}),
        ("after", {"fix": NINE, "expect": SKIPPED}),
        ("after", {"fix": returned(), "expect": held(is_true=False)}),
        ("guarded", {"validationCode": returned(), "typeGuard": returned(), "guarded": NINE}),
        ("recovered", {"recovery": NINE, "expect": SKIPPED}),
        ("trigger", {"trigger": Outcome(kind="timed out", text="10 s")}),
        ("after", {"fix": Outcome(kind="crashed"), "expect": Outcome(kind="crashed")}),
    ],
)
def test_a_record_that_does_not_hold_is_unproven(script: str, outcomes: dict[str, Outcome]) -> None:
    """Whatever it is that did not: the reason is one of the errors."""
    verified, found = judged(case(outcomes={**HELD, script: SETUP | outcomes}))
    assert "unproven" == verified.standing
    errors = {f"it does not hold: {one.message}" for one in found if one.severity == "error"}
    assert verified.reason in errors


def test_code_that_could_not_be_run_is_read() -> None:
    """Its source was checked, and the reason says what is missing."""
    missing = Outcome(kind="unavailable", text="torch not installed")
    outcomes = {name: dict.fromkeys(each, missing) for name, each in HELD.items()}
    assert ("read", "its code was not run: torch not installed") == verdict(case(outcomes=outcomes))
    assert {("E0409", "warning")} == codes(case(outcomes=outcomes))


@pytest.mark.parametrize("script", HELD)
def test_one_script_that_could_not_be_run_is_enough_to_be_read(script: str) -> None:
    """Proven means everything."""
    missing = dict.fromkeys(HELD[script], Outcome(kind="unavailable", text="no device"))
    assert ("read", "its code was not run: no device") == verdict(case(outcomes={**HELD, script: missing}))


def test_code_that_was_not_run_is_never_proven() -> None:
    """Nor is a record of which one script has no observation: silence holds nothing."""
    assert ("read", "its code was not run") == verdict(case(outcomes=None))
    assert ("read", "its code was not run") == verdict(case(outcomes={}))
    for script in HELD:
        rest = {name: each for name, each in HELD.items() if name != script}
        assert ("read", "its code was not run") == verdict(case(outcomes=rest))


def test_a_bundled_subject_that_was_not_compared_is_read() -> None:
    """What ran is our copy; whether upstream does the same is not known."""
    why = "our copy of the code was not compared with upstream since it last changed"
    assert ("read", why) == verdict(case(operations=0))
    assert {("E0410", "warning")} == codes(case(operations=0))


def test_a_package_is_compared_with_nothing() -> None:
    """It is upstream's own code."""
    assert ("proven", "") == verdict(case(subject=PACKAGE, operations=0))


def test_an_error_weighs_more_than_what_is_missing() -> None:
    """A record that does not hold is not `read` because it was not compared either."""
    outcomes = {**HELD, "trigger": SETUP | {"trigger": returned()}}
    standing, reason = verdict(case(outcomes=outcomes, operations=0))
    assert "unproven" == standing
    assert reason.startswith("it does not hold: ")


def test_a_warning_alone_leaves_a_record_proven() -> None:
    """What is run and has no aim is a gap, and no lie."""
    text = (RECORD + SNIPPETS + VERIFICATION).replace("  guarded: pool.take(size)\n", "")
    outcomes = {
        **HELD,
        "guarded": SETUP | {"validationCode": raised("", "AssertionError"), "typeGuard": SKIPPED},
    }
    assert ("proven", "") == verdict(case(text, outcomes))
    assert {("E0401", "warning")} == codes(case(text, outcomes))


# Severity.

LIE = RECORD + 'messagePattern: "no rooms for (.+?) of (.+?) pages"\n'


def test_findings_of_a_record_that_claims_no_proof_are_warnings() -> None:
    """Ten thousand imported records still build."""
    assert {("E0203", "warning")} == codes(case(LIE, None, None))


@pytest.mark.parametrize("claim", [VERIFICATION, UNPROVEN])
def test_findings_of_a_record_that_speaks_of_proof_are_errors(claim: str) -> None:
    """Whoever wrote `verification` has read the rules."""
    assert ("E0203", "error") in codes(case(LIE + claim, None, None))


def test_a_record_without_verification_still_needs_an_id_of_its_own() -> None:
    """Two records of one id cannot both be published: the form of a record is never soft."""
    one, other = case(RECORD, None, None), case(RECORD, None, None, path="records/b.yaml")
    _, found = verify.judge([one, other])
    assert "E0121" in {each.code for each in found if each.severity == "error"}


def test_a_warning_stays_one_whatever_a_record_claims() -> None:
    """A check knows best how grave its finding is."""
    assert {("E0410", "warning")} == codes(case(operations=0))


# Findings.


def test_findings_carry_all_that_the_check_said() -> None:
    """Code and path are added; place, notes and help are the check's."""
    (found,) = judged(case(operations=0))[1]
    assert ("E0410", PATH, "warning") == (found.code, found.path, found.severity)
    assert found.span is not None
    assert (23, 12) == (found.span.line, found.span.column)
    assert found.notes
    assert found.help


def test_findings_are_sorted_by_place() -> None:
    """Whatever the order of cases and checks; verdicts come in the order of the cases."""
    cases = [case(LIE + UNPROVEN, None, None, path=path) for path in ("b.yaml", "a.yaml")]
    verified, found = verify.judge(cases)
    assert ["b.yaml", "a.yaml"] == [one.case.file.path for one in verified]
    assert sorted(found, key=lambda one: one.position) == list(found)
    assert {"a.yaml", "b.yaml"} == {one.path for one in found}


def test_nothing_is_said_of_cases_that_were_not_selected() -> None:
    """They are there to be compared with: an id that two share is reported at the selected one."""
    cases = [case(RECORD, None, None, path=path) for path in ("a.yaml", "b.yaml")]
    verified, found = verify.judge(cases, selected=frozenset({"b.yaml"}))
    assert 2 == len(verified)
    assert {"b.yaml"} == {one.path for one in found}
    assert "E0121" in {one.code for one in found}


def test_no_cases_have_no_verdicts() -> None:
    """An empty corpus is a site too."""
    assert ((), ()) == verify.judge([])


# Claims in words.


def test_what_was_run_is_said_script_by_script() -> None:
    """In the order of the page: the code without its setup, and what it did."""
    assert (
        Claim(
            "trigger",
            "pool.take(9)",
            "raised `PoolError: no room for 9 of 4 pages`",
            {"self.size": "9", "size": "4"},
        ),
        Claim(
            "more[0]",
            "pool.take(7)",
            "raised `PoolError: no room for 7 of 4 pages`",
            {"self.size": "7", "size": "4"},
        ),
        Claim("instead[0]", "pool.take(0)", "returned `[]`; then `result == []` held"),
        Claim(
            "before",
            "pool.take(9)",
            f"{NINE}; then `pool.free == 1` did not hold (returned `False`)",
            {"self.size": "9", "size": "4"},
        ),
        Claim("after", "pool.take(3)", "returned `[1, 2, 3]`; then `pool.free == 1` held"),
        Claim(
            "guarded",
            "assert size < 4\nassert type(size) is int\npool.take(size)",
            "validationCode raised `AssertionError`",
        ),
        Claim(
            "unrecovered",
            "pool.take(size)",
            "raised `PoolError: no room for 9 of 4 pages`",
            {"self.size": "9", "size": "4"},
        ),
        Claim(
            "recovered",
            "try:\n    pool.take(size)\nexcept PoolError:\n    pool.take(3)",
            "returned `None`; then `pool.free == 1` held",
        ),
    ) == verify.claims(case())


def test_claims_are_part_of_the_verdict() -> None:
    """A page needs no more than it."""
    assert verify.claims(case()) == judged(case())[0].claims


@pytest.mark.parametrize(
    ("outcomes", "said"),
    [
        (
            {"validationCode": returned(), "typeGuard": returned(), "guarded": returned("7", "int")},
            "returned `7`",
        ),
        (
            {"validationCode": returned(), "typeGuard": raised("too big", "TypeError"), "guarded": SKIPPED},
            "typeGuard raised `TypeError: too big`",
        ),
        ({"validationCode": returned(), "typeGuard": returned(), "guarded": NINE}, str(NINE)),
    ],
)
def test_a_guard_that_refused_is_named(outcomes: dict[str, Outcome], said: str) -> None:
    """If none did, what the call behind them did is said."""
    (claim,) = (
        one
        for one in verify.claims(case(outcomes={**HELD, "guarded": SETUP | outcomes}))
        if one.name == "guarded"
    )
    assert said == claim.happened


def test_a_setup_that_raised_is_named() -> None:
    """The code itself was skipped."""
    outcomes = {**HELD, "trigger": {"setup": raised("no", "NameError"), "trigger": SKIPPED}}
    claim = verify.claims(case(outcomes=outcomes))[0]
    assert ("setup raised `NameError: no`", {}) == (claim.happened, claim.values)


@pytest.mark.parametrize(
    ("kind", "text", "said"),
    [
        ("timed out", "after 10 s", "timed out: after 10 s"),
        ("crashed", "signal 11", "crashed: signal 11"),
        ("unavailable", "torch not installed", "unavailable: torch not installed"),
        ("timed out", "", "timed out"),
    ],
)
def test_a_lost_script_is_said_to_be_lost(
    kind: Literal["timed out", "crashed", "unavailable"], text: str, said: str
) -> None:
    """It answers for all its steps, and has no values."""
    lost = dict.fromkeys(("setup", "trigger"), Outcome(kind=kind, text=text))
    claim = verify.claims(case(outcomes={**HELD, "trigger": lost}))[0]
    assert (said, {}) == (claim.happened, claim.values)


def test_an_expression_that_raised_did_not_hold() -> None:
    """What it raised is said."""
    outcomes = SETUP | {"fix": returned("1", "int"), "expect": raised("no `fre`", "AttributeError")}
    (claim,) = (
        one for one in verify.claims(case(outcomes={**HELD, "after": outcomes})) if one.name == "after"
    )
    said = "returned `1`; then `pool.free == 1` did not hold (raised `` AttributeError: no `fre` ``)"
    assert said == claim.happened


def test_values_are_left_out_where_the_message_is_another() -> None:
    """The pattern captures nothing in it."""
    outcomes = {**HELD, "trigger": SETUP | {"trigger": raised("boom")}}
    assert {} == verify.claims(case(outcomes=outcomes))[0].values


def test_values_are_left_out_where_the_pattern_has_other_holes() -> None:
    """Which value is whose cannot be told."""
    text = RECORD + VERIFICATION + 'messagePattern: "no room for (.+?) of 4 pages"\n'
    assert {} == verify.claims(case(text))[0].values
    one = case()
    assert isinstance(one.file.body, Held)
    head = msgspec.structs.replace(one.head, message_pattern="no room (for")
    assert (
        {}
        == verify.claims(replace(one, file=replace(one.file, body=replace(one.file.body, head=head))))[
            0
        ].values
    )


@pytest.mark.parametrize(
    "one",
    [case(RECORD, None, None), case(RECORD + UNPROVEN, None, None), case(outcomes=None), case(outcomes={})],
    ids=["no verification", "unproven", "not run", "nothing observed"],
)
def test_without_observations_nothing_is_claimed(one: Case) -> None:
    """A page never says that something was run that was not."""
    assert () == verify.claims(one)


def test_observations_of_other_scripts_are_not_shown() -> None:
    """What the record no longer says is not on its page."""
    assert 8 == len(verify.claims(case(outcomes={**HELD, "more[1]": HELD["more[0]"]})))
