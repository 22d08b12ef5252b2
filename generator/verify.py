"""Facts and checks to a verdict: what is wrong, and each record's standing."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from generator import checks, links, probe
from generator.checks import Check
from generator.diagnostics import Diagnostic
from generator.model import Case, Claim, Finding, Observation, Standing, Verified
from generator.registry import discover


def judge(
    cases: Sequence[Case], *, selected: frozenset[str] | None = None
) -> tuple[tuple[Verified, ...], tuple[Diagnostic, ...]]:
    """The verdict on every case, in the order given, and all findings, sorted by place.

    With `selected` (paths), the other cases are there to be compared with: nothing is said of them.
    """
    corpus = links.corpus(cases)
    known = discover(checks, Check)
    found: list[Diagnostic] = []
    related = links.related(cases)
    near = links.near_misses(cases)
    by_path = {case.file.path: case for case in cases}
    verified = []
    shared: dict[str, set[str]] = defaultdict(set)
    for path, others in corpus.overlaps.items():
        for other, _ in others:
            shared[path].add(other.record.id)
            shared[other.file.path].add(by_path[path].record.id)
    for case in cases:
        is_selected = selected is None or case.file.path in selected
        mine = [
            _diagnostic(case, check, finding)
            for check in known
            if is_selected
            for finding in check.run(case, corpus)
        ]
        found += mine
        standing, reason = _standing(case, mine)
        verified.append(
            Verified(
                case,
                standing,
                reason,
                claims(case),
                related.get(case.record.id, ()),
                tuple(sorted(shared.get(case.file.path, ()))),
                near.get(case.file.path, ()),
            )
        )
    return tuple(verified), tuple(sorted(found, key=lambda one: one.position))


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


def _diagnostic(case: Case, check: Check, finding: Finding) -> Diagnostic:
    is_soft = case.record.verification is None and not check.is_form
    return Diagnostic(
        check.code,
        finding.message,
        case.file.path,
        finding.at,
        "warning" if is_soft else finding.severity,
        finding.notes,
        finding.help,
    )


def _standing(case: Case, found: Sequence[Diagnostic]) -> tuple[Standing, str]:
    """The standing and, where it is not `proven`, why, in words that end no sentence."""
    verification = case.record.verification
    if verification is None:
        return "unproven", "the record does not say what to run"
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
