"""E0501: the link names the record's repository, full commit, path and lines."""

import re
from collections.abc import Iterator

from generator.checks import Check, is_range_right, rewriting
from generator.model import Case, Corpus, Finding
from generator.schema import derived_url

_PARTS = re.compile(r"https://github\.com/([^/]+/[^/]+)/blob/([^/]+)/([^#]+)#(.+)")


def run(case: Case, corpus: Corpus) -> Iterator[Finding]:  # noqa: ARG001 - the signature of checks
    """One finding that names the fields which the link contradicts.

    The lines are left out where the record's own contradict each other, which E0301 reports.
    """
    record = case.record
    implied = derived_url(record)
    if record.github_url == implied:
        return
    written, wanted = _PARTS.fullmatch(record.github_url), _PARTS.fullmatch(implied)
    if written is None or wanted is None:
        differing = ["the record's other fields"] if record.github_url != implied else []
    else:
        lines = "the excerpt's lines" if record.source_code_start else "`lineNumber`"
        names = ("`repo`", "`analyzedSha`", "`filePath`", lines)
        differing = [
            name
            for name, mine, right in zip(names, written.groups(), wanted.groups(), strict=True)
            if mine != right and (name != lines or is_range_right(case))
        ]
    if differing:
        yield Finding(
            f"`githubUrl` does not agree with {' and '.join(differing)}",
            case.file.at("githubUrl"),
            notes=(f"the record's fields give `{implied}`",),
            help="correct it, or leave it out to have it derived",
            fix=rewriting(case, implied, "githubUrl"),
        )


CHECK = Check("E0501", "the link is pinned to what the record says", run)
