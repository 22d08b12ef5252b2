"""Records to observations: what is to be run, and what running it did.

A record becomes a `Trial`, one script for each claim; a script is one child process and one namespace.
Nothing here judges: a script that should have raised and did not is an observation like any other.
"""

import ast
import platform
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from generator import store, subjects
from generator.formula import FormulaError, formula
from generator.model import (
    Computed,
    Expectation,
    Groups,
    Lookalike,
    Observation,
    Observed,
    Outcome,
    Record,
    Script,
    Step,
    Subject,
    Trial,
)
from generator.template import template
from generator.walls import Level
from generator.workers import Runner

TOGETHER = 250  # patterns that one child matches
SPOKEN = 50_000  # characters of their messages: the answer holds them again, and may be so long

_MISSHAPEN = "what it wrote into the pipe for its answer is none"
_MARK = re.compile(r"^[ \t]*#[ \t]*(before|after)\b[^\n]*$", re.MULTILINE | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Limits:
    """What one script may use: seconds of wall and processor time, bytes of memory; children at once.

    `level` is how much is walled in.
    """

    seconds: float = 10.0
    memory: int = 2 * 2**30
    jobs: int = 2
    level: Level = Level.LIMITS


@dataclass(frozen=True, slots=True)
class Fix:
    """The two halves of `exampleFix` with the 1-based line on which each begins in it."""

    before: str
    before_line: int
    after: str
    after_line: int


def split_fix(text: str) -> Fix | None:
    """The code below `# before` and below `# after`, or None unless both marks stand once, in order."""
    marks = list(_MARK.finditer(text))
    if [mark[1].lower() for mark in marks] != ["before", "after"]:
        return None
    before, after = text[marks[0].end() + 1 : marks[1].start()], text[marks[1].end() + 1 :]
    line = text.count("\n", 0, marks[0].end()) + 2
    return Fix(before.rstrip(), line, after.rstrip(), text.count("\n", 0, marks[1].end()) + 2)


def plan(record: Record) -> Trial | None:
    """What to run for a record, or None if it claims no proof or names nothing to run it on.

    All code that a page shows is run, also where no expectation says what is to come of it. Of a record
    that says why it is unproven the trigger alone is run, to see whether that still holds.
    """
    claims = record.verification
    if claims is None or claims.subject is None:
        return None
    setup = (Step(role="setup", code=claims.setup),) if claims.setup else ()
    scripts: list[Script] = []

    def add(name: str, *steps: Step | None) -> None:
        scripts.append(Script(name=name, steps=(*setup, *(step for step in steps if step))))

    if claims.trigger:
        add("trigger", Step(role="trigger", code=claims.trigger))
    if claims.unproven is not None:
        return Trial(subject=claims.subject, scripts=tuple(scripts)) if scripts else None
    for number, code in enumerate(claims.more):
        add(f"more[{number}]", Step(role="trigger", code=code))
    for number, one in enumerate(claims.instead):
        add(f"instead[{number}]", Step(role="call", code=one.call), _expect(one))
    for number, each in enumerate(claims.computed):
        if (value := computed(record, number)) is not None:
            add(f"computed[{number}]", Step(role="value", code=f"value = {value}"), _expect(each))
    if fix := split_fix(record.example_fix or ""):
        expect = _expect(claims.fixed)
        add("before", Step(role="trigger", code=fix.before), expect)
        add("after", Step(role="fix", code=fix.after), expect)
    guards = {"validationCode": record.validation_code, "typeGuard": record.type_guard}
    if any(guards.values()):
        steps = [Step(role=role, code=code) for role, code in guards.items() if code]
        add("guarded", *steps, Step(role="guarded", code=claims.guarded) if claims.guarded else None)
    if record.try_catch_pattern:
        if body := tried(record.try_catch_pattern):
            add("unrecovered", Step(role="trigger", code=body))
        expect = _expect(claims.recovered)
        add("recovered", Step(role="recovery", code=record.try_catch_pattern), expect)
    return Trial(subject=claims.subject, scripts=tuple(scripts))


def computed(record: Record, number: int) -> str | None:
    """What a formula of the record makes of the values that its trigger is said to have; None if nothing.

    Raises nothing: of a formula that cannot be read nothing is run.
    """
    claims = record.verification
    if claims is None:
        return None
    try:
        found = formula(claims.computed[number].value, template(record.error_message).labels)
    except FormulaError:
        return None
    return found.value(said(record))


def said(record: Record) -> tuple[str, ...]:
    """What the trigger's message is said to have in each hole; empty where the record does not say.

    That it has these values is checked elsewhere.
    """
    meant = template(record.error_message)
    captures = (record.verification.captures if record.verification else None) or {}
    return tuple(
        captures.get(label, captures.get(name, ""))
        for label, name in zip(meant.labels, meant.names, strict=True)
    )


def tried(code: str) -> str | None:
    """What stands in the first `try` of a recovery, which must raise for the recovery to be one."""
    found = _first_try(code)
    return ast.unparse(ast.Module([*found[0], *found[1].body], [])) if found else None


def _first_try(code: str) -> tuple[list[ast.stmt], ast.Try] | None:
    """The first `try` statement of the outermost level, and the statements before it."""
    try:
        body = ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError):
        return None
    return next(
        ((body[:index], one) for index, one in enumerate(body) if isinstance(one, ast.Try)),
        None,
    )


def place(record: Record, script: str, role: str, line: int = 1) -> tuple[tuple[str | int, ...], int]:
    """The record's field that holds a step's code, and the line in it (1-based) for one of the step's."""
    fix = split_fix(record.example_fix or "")
    match script, role:
        case _, "setup":
            return ("verification", "setup"), line
        case "before", "trigger":
            return ("exampleFix",), line + (fix.before_line - 1 if fix else 0)
        case "after", "fix":
            return ("exampleFix",), line + (fix.after_line - 1 if fix else 0)
        case (("before" | "after"), "expect"):
            return ("verification", "fixed", "expect"), line
        case "guarded", "guarded":
            return ("verification", "guarded"), line
        case "guarded", _:
            return (role,), line
        case "unrecovered", _:
            found = _first_try(record.try_catch_pattern or "")
            return ("tryCatchPattern",), found[1].lineno if found else 1
        case "recovered", "recovery":
            return ("tryCatchPattern",), line
        case "recovered", _:
            return ("verification", "recovered", "expect"), line
    name, _, rest = script.partition("[")
    if not rest:
        return ("verification", name), line
    number = int(rest.rstrip("]"))
    if name == "computed":
        return ("verification", name, number, "expect" if role == "expect" else "value"), line
    return ("verification", name, number, *((role,) if name == "instead" else ())), line


def _expect(claim: Expectation | Lookalike | Computed | None) -> Step | None:
    if claim is None or claim.expect is None:
        return None
    return Step(role="expect", code=claim.expect, is_final=True)


def environment(subject: Subject) -> dict[str, str]:
    """What decides a run beside the snippets: the interpreter and the subject's requirements."""
    return {"python": platform.python_version(), **subjects.versions(subject)}


def walls(limits: Limits) -> tuple[str, ...]:
    """The walls that every script ran behind, in words."""
    return (
        f"deadline of {limits.seconds:g} s on the process group",
        f"{limits.memory // 2**20} MiB of memory",
        "empty folder",
        "bare environment",
        *limits.level.words,
    )


def trial_inputs(trial: Trial, around: Mapping[str, str]) -> dict[str, str]:
    """Everything that decides what this trial does, by name; `around` is what `surroundings` says."""
    return {"snippets": _text(trial), **around}


def surroundings(subject: Subject, limits: Limits) -> dict[str, str]:
    """Everything but the snippets that decides what a trial of the subject does, by name."""
    return {
        "imports": subject.imports,
        "source": subjects.source_digest(subject),
        "used modules": _text([subjects.module_digest(module) for module in subject.uses]),
        "versions": _text(environment(subject)),
        "installed": subjects.installed(),
        "walls": _text(walls(limits)),
        "runner": _runner_digest(),
    }


def match_key(pattern: str, messages: Sequence[str]) -> str:
    """The key under which the regular expression engine's answers are kept."""
    return store.key(
        "matched",
        pattern=pattern,
        messages=_text(messages),
        python=platform.python_version(),
        runner=_runner_digest(),
    )


def is_lasting(observed: Observed) -> bool:
    """Whether the same run would end the same way again: a lost script may have met a busy machine."""
    lost = {"timed out", "crashed", "unavailable"}
    outcomes = (one for each in observed.observations for one in each.outcomes.values())
    return all(outcome.kind not in lost for outcome in outcomes)


def observe(
    trials: Sequence[tuple[Trial, Subject]], warm: Runner, limits: Limits
) -> Iterator[tuple[int, Observed]]:
    """What each trial did, with its index, as soon as its last script has ended.

    Subject by subject, the lightest first: a script's process is a copy of all that was imported before it.
    """
    by_subject: dict[str, list[int]] = defaultdict(list)
    for index, (_, subject) in enumerate(trials):
        by_subject[subject.name].append(index)
    known = {subject.name: subject for _, subject in trials}
    for subject in sorted(known.values(), key=_weight):
        mine = [trials[index][0] for index in by_subject[subject.name]]
        for number, observed in _observe(mine, subject, warm, limits):
            yield by_subject[subject.name][number], observed


def _weight(subject: Subject) -> tuple[int, bool, str]:
    return subjects.weight(subject), subject.kind != "python", subject.name


def _observe(
    trials: Sequence[Trial], subject: Subject, warm: Runner, limits: Limits
) -> Iterator[tuple[int, Observed]]:
    """The same of one subject's trials."""
    around = environment(subject), walls(limits)
    why = _why_missing(subject, warm)
    outcomes: list[dict[str, dict[str, Outcome]]] = [{} for _ in trials]
    requests: list[dict[str, Any]] = []
    if why:
        unavailable = Outcome(kind="unavailable", text=why)
        for found, trial in zip(outcomes, trials, strict=True):
            found |= {one.name: {step.role: unavailable for step in one.steps} for one in trial.scripts}
    else:
        files = [str(path) for path in subjects.roots(subject)]
        requests = [
            {
                "do": "run",
                "id": f"{index} {script.name}",
                "subject": subject.name,
                "files": files,
                "steps": msgspec.to_builtins(script.steps),
                **_allowance(limits),
            }
            for index, trial in enumerate(trials)
            for script in trial.scripts
        ]

    def finished(index: int) -> tuple[int, Observed]:
        observations = tuple(
            Observation(name=script.name, outcomes=outcomes[index][script.name])
            for script in trials[index].scripts
        )
        return index, Observed(observations, *around)

    for index, trial in enumerate(trials):
        if len(outcomes[index]) == len(trial.scripts):
            yield finished(index)
    for answer in _patiently(requests, warm) if requests else ():
        number, _, name = answer["id"].partition(" ")
        index = int(number)
        (script,) = (one for one in trials[index].scripts if one.name == name)
        outcomes[index][name] = _outcomes(script, answer)
        if len(outcomes[index]) == len(trials[index].scripts):
            yield finished(index)


def _patiently(requests: Sequence[dict[str, Any]], warm: Runner) -> Iterator[dict[str, Any]]:
    """An answer for every request; what ran into the deadline is tried once more, alone.

    A machine that has much else to do makes honest scripts late.
    """
    late = []
    for answer in warm.run(requests):
        if answer.get("lost") == "timed out":
            late.append(answer["id"])
        else:
            yield answer
    for request in requests:
        if request["id"] in late:
            yield from warm.run([request])


def match(
    batches: Sequence[tuple[str, Sequence[str]]], warm: Runner, limits: Limits
) -> Iterator[tuple[int, dict[str, Groups]]]:
    """For each (pattern, messages), with its index: each message's groups, None, or why there is no answer.

    The engine is Python's, with dot matching newlines, on the whole message; it runs in a child because
    a pattern of k holes costs it O(n^k). A child is given many; what it does not answer for is tried alone.
    """
    alone: list[int] = []
    together: list[list[int]] = []
    for group in _together(batches):
        if len(group) == 1:
            alone += group
        else:
            together.append(group)
    requests = [_matching(number, group, batches, limits) for number, group in enumerate(together)]
    for answer in warm.run(requests) if requests else ():
        group = together[int(answer["id"])]
        for index, rows in zip(group, answer.get("groups", [None] * len(group)), strict=True):
            if rows is None:
                alone.append(index)
            else:
                yield index, _matched(batches[index][1], rows)
    requests = [_matching(index, [index], batches, limits) for index in sorted(alone)]
    for answer in _patiently(requests, warm) if requests else ():
        index = int(answer["id"])
        messages = batches[index][1]
        if "groups" in answer:
            yield index, _matched(messages, answer["groups"][0])
        else:
            yield index, dict.fromkeys(messages, _lost(answer).text or "timed out")


def _together(batches: Sequence[tuple[str, Sequence[str]]]) -> Iterator[list[int]]:
    """The indices of what one child is given."""
    group: list[int] = []
    held = 0
    for index, (_, messages) in enumerate(batches):
        size = sum(map(len, messages))
        if group and (len(group) == TOGETHER or held + size > SPOKEN):
            yield group
            group, held = [], 0
        group.append(index)
        held += size
    if group:
        yield group


def _matching(
    name: int, group: Sequence[int], batches: Sequence[tuple[str, Sequence[str]]], limits: Limits
) -> dict[str, Any]:
    batch = [(batches[index][0], list(batches[index][1])) for index in group]
    return {"do": "match", "id": str(name), "batch": batch, **_allowance(limits)}


def _matched(messages: Sequence[str], rows: Sequence[list[str] | None]) -> dict[str, Groups]:
    groups = [None if row is None else tuple(row) for row in rows]
    return dict(zip(messages, groups, strict=True))


def _text(value: object) -> str:
    return msgspec.json.encode(value, order="sorted").decode()


@cache
def _runner_digest() -> str:
    """Of the code that runs scripts: what other code observed is not ours."""
    folder = Path(__file__).parent
    return store.digest(*((folder / name).read_bytes() for name in ("sandbox.py", "walls.py", "probe.py")))


def _allowance(limits: Limits) -> dict[str, Any]:
    return {
        "seconds": limits.seconds,
        "memory": limits.memory,
        "jobs": limits.jobs,
        "level": int(limits.level),
    }


def _why_missing(subject: Subject, warm: Runner) -> str:
    """Why the subject cannot be run here, or nothing."""
    if why := subjects.why_absent(subject):
        return why
    try:
        subjects.roots(subject)
    except ModuleNotFoundError as error:
        return f"there is nothing to import: {error}"
    answer = warm.load(subject.name, subject.imports)
    if answer["error"]:
        return f"its imports failed: {answer['error']}"
    if not answer["isSingle"]:
        return "importing it started threads, and a process with threads cannot be forked safely"
    return ""


def _lost(answer: Mapping[str, Any]) -> Outcome:
    if "unwalled" in answer:
        return Outcome(kind="unavailable", text=answer["unwalled"])
    is_late = answer.get("lost") == "timed out"
    return Outcome(kind="timed out" if is_late else "crashed", text=answer.get("why", _MISSHAPEN))


def _outcomes(script: Script, answer: Mapping[str, Any]) -> dict[str, Outcome]:
    """An outcome for every step. A lost child answers for all of them: which one it was is unknown."""
    try:
        found = msgspec.convert(answer["outcomes"], dict[str, Outcome])
    except (KeyError, msgspec.ValidationError):
        return {step.role: _lost(answer) for step in script.steps}
    skipped = Outcome(kind="skipped")
    return {step.role: found.get(step.role, skipped) for step in script.steps}
