"""The commands about what a branch changes: what is compared with which commit, and what is said of it."""

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from generator import diagnostics
from generator.cli.run import Run, verdict
from generator.cli.speech import EXIT_FINDINGS, EXIT_USAGE, fail, is_coloured, named

if TYPE_CHECKING:
    from generator.difference import Difference
    from generator.history import History


def check(run: Run, since: str) -> int:
    """Shows what does not hold of what a branch changed; the exit status."""
    from generator import build, history, scope  # noqa: PLC0415 - `--help` does without it

    run.require_records()
    try:
        repository = history.history(run.settings.records)
        commit = repository.base(since)
        chosen = scope.scope(run.settings, repository, commit, run.project.file)
    except history.HistoryUnavailable as error:
        fail(f"--changed-since: {error}", EXIT_USAGE)
    whence = f"since {commit[:10]}, where `{since}` and HEAD part"
    if not (chosen.why_all or chosen.files or chosen.is_wide):
        status = run.show(build.Report(site=None))
        run.say(f"no record and no guide changed {whence}: there is nothing to check")
        return status
    if chosen.why_all:
        run.say(f"{chosen.why_all} {whence}: everything is checked")
        report = build.check(run.settings)
    else:
        report = build.check_only(run.settings, chosen.files, is_wide=chosen.is_wide)
    status = run.show(report, frozenset(map(named, chosen.changed)))
    run.say(verdict(report, run.settings.limits.level))
    return status


def diff(run: Run, revision: str, limit: int) -> int:
    """Shows what a branch changes; the exit status."""
    from generator import history, reviews  # noqa: PLC0415 - `--help` does without it
    from generator.registry import discover  # noqa: PLC0415 - as above

    run.require_records()
    try:
        found = _difference(run, history.history(run.settings.records), revision)
    except history.HistoryUnavailable as error:
        fail(str(error), EXIT_USAGE)
    run.progress.clear()
    review = next(one for one in discover(reviews, reviews.Review) if one.name == run.style)
    has_color = is_coloured(sys.stdout)
    # UTF-8, whatever the terminal's encoding is: programs expect it, and records are written in it.
    click.echo(review.render(found, has_color, limit).encode(), nl=False, color=has_color)
    return EXIT_FINDINGS if found.has_findings else 0


def _difference(run: Run, repository: "History", revision: str) -> "Difference":
    """What changed, after both sides were run. Raises history.HistoryUnavailable."""
    from generator import build, comparison, snapshot  # noqa: PLC0415 - as above

    settings = run.settings
    commit = repository.base(revision)
    with tempfile.TemporaryDirectory(prefix="pagefault-") as temporary:
        # The uppermost folder has its name there too: records may lie right in it.
        place = snapshot.Place(repository, commit, Path(temporary).resolve() / repository.top.name)
        project = snapshot.configuration(place, run.project.file, run.name) or run.project
        then = run.settings_of(project)
        taken = snapshot.take(then, settings, place, build.template_folders(then))
        report, after = build.examine(settings)
        _, before = build.examine(taken.settings, taken.folders)
        found = (*run.problems, *report.diagnostics)
        return comparison.compare(
            before,
            after,
            commit=commit,
            revision=revision,
            findings=[one for one in found if diagnostics.has_errors([one], strict=settings.is_strict)],
            is_same=taken.is_same,
        )
