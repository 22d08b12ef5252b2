"""Facts and checks to a verdict: what is wrong, and each record's standing."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial

from generator import checks, kinship, probe
from generator.checks import Check
from generator.diagnostics import Diagnostic
from generator.memory import Memory
from generator.model import Case, Claim, Corpus, Finding, Observation, Standing, Verified
from generator.registry import discover

# Why a record that claims nothing is not proven.
UNSAID = "the record does not say what to run"


def judge(
    cases: Sequence[Case],
    *,
    selected: frozenset[str] | None = None,
    is_wide: bool = False,
    memory: Memory | None = None,
) -> tuple[tuple[Verified, ...], tuple[Diagnostic, ...]]:
    """The verdict on every case, in the order given, and all findings, sorted by place.

    With `selected` (paths), the other cases are there to be compared with: nothing is said of them but where
    they meet a selected one, or with `is_wide`, anything. What is to be said of a case alone is taken from
    `memory` if that has it.
    """
    memory = memory or Memory()
    corpus = kinship.corpus(cases)
    known = discover(checks, Check)
    together = [check for check in known if not check.is_alone]
    found: list[Diagnostic] = []
    by_path = {case.file.path: case for case in cases} if corpus.overlaps else {}
    verified = []
    shared: dict[str, set[str]] = defaultdict(set)
    for path, others in corpus.overlaps.items():
        for other, _ in others:
            shared[path].add(other.head.id)
            shared[other.file.path].add(by_path[path].head.id)
    for case in cases:
        path = case.file.path
        is_plain = case.file.is_plain
        told: Mapping[str, tuple[Diagnostic, ...]] = {}
        if selected is None or path in selected:
            # Of a plain record the others have had their say.
            asked = known if not is_plain else together if path in corpus.meeting else ()
            if not is_plain:
                told = memory.of("judged", path, case, partial(_alone, case, known))
        else:
            asked = together if is_wide or _meets(case, corpus, selected) else ()
        mine = [
            one
            for check in asked
            for one in (told[check.code] if check.is_alone else _run(check, case, corpus))
        ]
        found += mine
        standing: Standing = "unproven"
        reason, said = UNSAID, tuple[Claim, ...]()
        if not is_plain:
            judge_again = partial(_standing, case, mine)
            standing, reason = memory.of("standing", path, (case, mine), judge_again)
            said = memory.of("claims", path, case, partial(claims, case))
        verified.append(
            Verified(
                case.file if is_plain else case,
                standing,
                reason,
                said,
                overlaps=tuple(sorted(shared.get(path, ()))),
                matched=tuple(other.head.id for other, _ in corpus.overlaps.get(path, ())),
            )
        )
    return tuple(verified), tuple(sorted(found, key=lambda one: one.position))


def _meets(case: Case, corpus: Corpus, selected: frozenset[str]) -> bool:
    """Whether a record's messages or addresses are claimed by a selected one, or the other way round."""
    if case.file.path not in corpus.meeting:
        return False
    met = [other.file.path for other, _ in corpus.overlaps.get(case.file.path, ())]
    met += [holder.file.path for holder in kinship.holders(case.head, corpus)]
    return not selected.isdisjoint(met)


def _alone(case: Case, known: Sequence[Check]) -> dict[str, tuple[Diagnostic, ...]]:
    """What the checks find that look at nothing but a case, by their codes."""
    nobody = Corpus((), {}, {}, {}, {})
    return {check.code: _run(check, case, nobody) for check in known if check.is_alone}


def _run(check: Check, case: Case, corpus: Corpus) -> tuple[Diagnostic, ...]:
    return tuple(diagnostic(case, check, finding) for finding in check.run(case, corpus))


def claims(case: Case) -> tuple[Claim, ...]:
    """What was run for a record and what it did, script by script, in the order of the plan."""
    trial = probe.plan(case.record)
    if trial is None or case.observed is None:
        return ()
    found = []
    for script in trial.scripts:
        observation = case.observed.get(script.name)
        if observation is None:
            continue
        code = "\n".join(step.code for step in script.steps if step.role not in {"setup", "expect"})
        found.append(
            Claim(
                name=script.name,
                code=code,
                happened=_happened(observation, {step.role: step.code for step in script.steps}),
                values=_values(case, observation),
            )
        )
    return tuple(found)


def _happened(observation: Observation, codes: Mapping[str, str]) -> str:
    """The last outcome that was not skipped, and whether what was expected held."""
    said = ""
    for role, outcome in observation.outcomes.items():
        if role == "setup" and outcome.kind == "returned":
            continue
        if role == "expect":
            held = "held" if outcome.is_true else f"did not hold ({outcome})"
            return f"{said}; then `{codes['expect']}` {held}"
        if outcome.kind != "skipped":
            said = f"{role} {outcome}" if role in {"setup", "validationCode", "typeGuard"} else f"{outcome}"
    return said


def _values(case: Case, observation: Observation) -> dict[str, str]:
    outcome = observation.outcomes.get("trigger")
    if outcome is None or outcome.kind != "raised" or case.pattern is None:
        return {}
    captured = case.pattern.captures(outcome.text)
    names = case.holes
    return dict(zip(names, captured, strict=True)) if captured and len(captured) == len(names) else {}


def diagnostic(case: Case, check: Check, finding: Finding) -> Diagnostic:
    """What a check found, as it is told."""
    is_soft = (case.file.is_plain or case.record.verification is None) and not check.is_form
    return Diagnostic(
        check.code,
        finding.message,
        case.file.path,
        finding.at,
        "warning" if is_soft else finding.severity,
        finding.notes,
        finding.help,
        finding.fix,
    )


def _standing(case: Case, found: Sequence[Diagnostic]) -> tuple[Standing, str]:
    """The standing and, where it is not `proven`, why, in words that end no sentence."""
    verification = case.record.verification
    if verification is None:
        return "unproven", UNSAID
    if verification.unproven:
        return "unproven", verification.unproven
    errors = [one for one in found if one.severity == "error"]
    if errors:
        return "unproven", f"it does not hold: {errors[0].message}"
    trial, observed = probe.plan(case.record), case.observed
    if trial is None or observed is None or any(observed.get(one.name) is None for one in trial.scripts):
        return "read", "its code was not run"
    unavailable = next(
        (
            outcome.text
            for one in observed.observations
            for outcome in one.outcomes.values()
            if outcome.kind == "unavailable"
        ),
        None,
    )
    if unavailable is not None:
        return "read", f"its code was not run: {unavailable}"
    if case.subject is not None and case.subject.is_bundled and not case.is_compared:
        return "read", "our copy of the code was not compared with upstream since it last changed"
    return "proven", ""
