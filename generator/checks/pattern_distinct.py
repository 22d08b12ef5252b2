"""E0207: the pattern matches no message of another record of its repository, or both say so."""

from collections.abc import Iterator

from generator.checks import Check, pattern_field, quoted
from generator.model import Case, Corpus, Finding


def run(case: Case, corpus: Corpus) -> Iterator[Finding]:
    """One finding for each overlap that the two records do not both declare, and for each that is not there.

    Across repositories patterns may overlap: readers know which program they run.
    """
    shared = [
        (other, message)
        for other, message in corpus.overlaps.get(case.file.path, ())
        if other.head.repo == case.head.repo
    ]
    for other, message in shared:
        missing = [
            one.file.path
            for one, counterpart in ((case, other), (other, case))
            if not _declares(one, counterpart)
        ]
        if missing:
            field = pattern_field(case)
            yield Finding(
                f"`{field}` also matches a message of {other.file.path}",
                case.file.at(field),
                notes=(f"raised there {quoted(message)}",),
                help="make the fixed text of the two patterns tell them apart, "
                f"or declare it under `overlaps` in {' and '.join(missing)}",
            )
    for number, overlap in enumerate(case.claims.overlaps if case.claims else ()):
        others = [
            other
            for other in corpus.by_repo[case.head.repo]
            if overlap.record in {other.head.id, other.head.slug} and other is not case
        ]
        back = corpus.overlaps.get(others[0].file.path, ()) if others else ()
        meets = any(other in others for other, _ in shared) or any(other is case for other, _ in back)
        if not meets and all(map(_is_known, (case, *others))):
            known = "is no record of this repository" if not others else "shares no message with this record"
            yield Finding(
                f"`{overlap.record}` {known}",
                case.file.at("verification", "overlaps", number, "record"),
                help="remove the overlap",
            )


def _is_known(case: Case) -> bool:
    """Whether it is known what a record's triggers raise: of one that is not meant they may not have run."""
    return case.claims is None or case.claims.trigger is None or case.observed is not None


def _declares(case: Case, other: Case) -> bool:
    declared = case.claims.overlaps if case.claims else ()
    return any(overlap.record in {other.head.id, other.head.slug} for overlap in declared)


CHECK = Check("E0207", "the pattern matches no other record's message", run, is_alone=False)
