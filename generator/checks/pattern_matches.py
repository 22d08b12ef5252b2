"""E0204: the pattern matches every message really raised, from its first to its last character."""

from collections.abc import Iterator

from generator.checks import Check, pattern_field, rewriting
from generator.model import Case, Corpus, Finding
from generator.pattern import agrees
from generator.probe import place


def run(case: Case, corpus: Corpus) -> Iterator[Finding]:  # noqa: ARG001 - the signature of checks
    """One finding that names the messages which are not matched, and one for each trigger of another error.

    Another error comes from another line than what is matched; one of another class is not for this check.
    Where the pattern differs from the template, which matches everything, that difference says it all.
    """
    if case.pattern is None or case.claims is None:
        return
    implied = case.template.pattern()
    expected = case.record.error_class.rpartition(".")[2]
    raised = [
        (script, outcome)
        for script, outcome in case.triggered
        if script.startswith(("trigger", "more"))
        and outcome.kind == "raised"
        and (outcome.frame or case.claims.native)
        and (outcome.type == expected or implied.captures(outcome.text) is not None)
    ]
    places = {one.frame for _, one in raised if case.pattern.captures(one.text) is not None}
    missed = [one for _, one in raised if case.pattern.captures(one.text) is None]
    for script, outcome in raised:
        if outcome in missed and places and outcome.frame not in places:
            missed.remove(outcome)
            fields, line = place(case.record, script, "trigger", outcome.line or 1)
            yield Finding(
                f"`{script}` raises another `{expected}`",
                case.file.at(*fields, line=line),
                notes=(str(outcome),),
                help="move it to `instead`",
            )
    is_cured = all(implied.captures(one.text) is not None for one in missed)
    if missed and (case.claims.pattern_reason or not is_cured or agrees(case.pattern, implied)):
        field = pattern_field(case)
        others = (f"and {len(missed) - 1} more",) if len(missed) > 1 else ()
        yield Finding(
            f"`{field}` does not match what was raised",
            case.file.at(field),
            notes=(str(missed[0]), *others),
            help=f"write `{implied.text}`, which `errorMessage` implies"
            if is_cured
            else "write the message as the source does, and a hole for each part that varies",
            fix=rewriting(case, implied.text, field) if is_cured and field == "messagePattern" else None,
        )


CHECK = Check("E0204", "the pattern matches every message raised", run)
