"""E0304: at each further place that a record names stands a `raise` of its class with its message."""

from collections.abc import Iterator

from generator import raises
from generator.checks import Check, fitting_lines, rewriting
from generator.diagnostics import Fix
from generator.model import Case, Corpus, Excerpt, Finding
from generator.template import TemplateError, template


def run(case: Case, corpus: Corpus) -> Iterator[Finding]:  # noqa: ARG001 - the signature of checks
    """One finding for each place that is named twice or raises another class or message, or nothing.

    Of a place whose source is not at hand nothing is said, as of the record's own; nor of compiled code.
    """
    claims, record = case.claims, case.record
    if claims is None or claims.native:
        return
    known = {f"{record.file_path}:{record.line_number}": "the record's own place"}
    for number, place in enumerate(claims.sites):
        at = case.file.at("verification", "sites", number)
        if place in known:
            yield Finding(f"`{place}` is {known[place]}", at, help="name each further place once")
            continue
        known[place] = "named twice"
        excerpt = case.sites[number] if number < len(case.sites) else None
        if excerpt is None:
            continue
        line = int(place.rpartition(":")[2])
        if why := _otherwise(case, excerpt, line):
            yield Finding(
                f"`{place}` does not raise this error",
                at,
                notes=(f"{why} ({excerpt.origin})",),
                help=_nearest(excerpt, line),
                fix=_fix(case, excerpt, number),
            )


def _otherwise(case: Case, excerpt: Excerpt, line: int) -> str:
    """What stands on the line instead; empty if it is this error."""
    if line > excerpt.last_line:
        return f"the file ends on line {excerpt.last_line}"
    statement = raises.read(excerpt.lines, excerpt.first_line, line)
    if isinstance(statement, str):
        return statement
    expected = case.record.error_class.rpartition(".")[2]
    if statement.error_class not in {None, expected}:
        return f"line {line} raises `{statement.error_class}`"
    if statement.message is None:
        is_built = case.claims is not None and case.claims.built_at is not None
        return "" if is_built else f"the `raise` on line {line} does not write out its message"
    try:
        written = template(statement.message).pattern()
    except TemplateError:
        return f"line {line} writes no message that can be read"
    if written.segments == case.template.pattern().segments:
        return ""
    return f"line {line} writes `{statement.message}`"


def _fix(case: Case, excerpt: Excerpt, number: int) -> Fix | None:
    """What names the one place of that file that raises the error and is missing, for the one wrong one."""
    claims = case.claims
    assert claims is not None  # noqa: S101 - for the type checker
    path = claims.sites[number].rpartition(":")[0]
    places = {f"{path}:{line}" for line in fitting_lines(case, excerpt.whole, 1)}
    wrong = [site for site in claims.sites if site.startswith(f"{path}:") and site not in places]
    missing = places.difference(claims.sites, [f"{case.record.file_path}:{case.record.line_number}"])
    if len(wrong) != 1 or len(missing) != 1:
        return None
    return rewriting(case, missing.pop(), "verification", "sites", number)


def _nearest(excerpt: Excerpt, line: int) -> str | None:
    others = [start for start in raises.find(excerpt.lines, excerpt.first_line) if start != line]
    near = min(others, key=lambda start: abs(start - line), default=None)
    return f"the nearest other `raise` starts on line {near}" if near else None


CHECK = Check("E0304", "further places raise the same error", run)
