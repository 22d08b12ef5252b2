"""What the look-up index says of a record."""

from generator import schema
from generator.model import Case, RaiseSite, Standing
from generator.pattern import Hole, Pattern
from generator.shards import Entry
from generator.template import template


def holes(case: Case) -> tuple[str, ...]:
    """A name for each hole of the pattern; a number where the pattern has other holes than the template."""
    pattern = case.pattern or case.template.pattern()
    count = sum(isinstance(segment, Hole) for segment in pattern.segments)
    names = case.holes
    return names if len(names) == count else tuple(map(str, range(1, count + 1)))


def undocumented(repo: str, site: RaiseSite) -> Entry:
    """The entry of a place that raises an error which no record explains."""
    meant = template(site.template)
    return Entry(
        id=schema.identity(repo, site.error_class, site.template),
        repo=repo,
        error_class=site.error_class,
        segments=tuple(meant.pattern().as_json()),
        holes=meant.labels,
        file=site.file,
        line=site.line,
        function=site.function or None,
        kind="site",
    )


def entry(case: Case, standing: Standing) -> Entry:
    """The record's entry. The function is known where its trigger was run."""
    record = case.head
    pattern: Pattern = case.pattern or case.template.pattern()
    trigger = case.outcome("trigger", "trigger")
    return Entry(
        id=record.id,
        repo=record.repo,
        slug=record.slug,
        error_code=record.error_code,
        error_class=record.error_class,
        segments=tuple(pattern.as_json()),
        holes=holes(case),
        file=record.file_path,
        line=record.line_number,
        function=trigger.frame.function if trigger and trigger.frame else None,
        standing=standing,
        is_removed=record.status == "removed",
    )
