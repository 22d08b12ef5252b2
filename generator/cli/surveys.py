"""The commands that say what source raises, and how much of it has records."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from generator.cli.speech import EXIT_FINDINGS, EXIT_USAGE, fail, nearest
from generator.cli.writing import Writing, settings_for

if TYPE_CHECKING:
    from generator.harvest import Harvest, Key, Raised
    from generator.model import Coverage
    from generator.origins import Release

WIDTH = 20  # columns of a bar


def harvested(target: str, options: dict[str, Any]) -> int:
    """Lists what source raises, and begins records if that is wanted; the exit status."""
    from generator import harvest, origins, reading  # noqa: PLC0415 - `--help` does without it

    writing = Writing(
        {**options, "records": Path(options["records"]) if options["records"] else None, "is_dry": False}
    )
    try:
        release, files = origins.source(target, writing.repositories, cache=writing.settings.cache)
    except origins.Unplaceable as error:
        fail(str(error), EXIT_USAGE)
    found = harvest.read(files)
    told: set[Key] = set()
    if writing.settings.records.is_dir():
        kept = replace(writing.settings, is_caching=False)
        told = harvest.documented(
            file.head for file in reading.read_records(kept).files if file.head.repo == release.repo
        )
    if options["records"] is not None:
        return _begun(writing, release, found, dict(files), told)
    if options["is_json"]:
        import msgspec  # noqa: PLC0415 - for this alone

        data = msgspec.json.format(msgspec.json.encode(_plain(release, found, told)))
        click.echo(data.decode())
    else:
        _listed(found, told)
        click.echo(_counted(found, told), err=True)
    return 0


def covered(repos: Sequence[str], records: Path | None, cache: Path | None, *, is_json: bool) -> int:
    """Shows how much of what repositories raise has records; the exit status."""
    import msgspec  # noqa: PLC0415 - `--help` does without it

    from generator import build  # noqa: PLC0415 - as above

    settings = settings_for(records, cache)
    if not settings.records.is_dir():
        fail(
            f"no folder of records at {settings.name(settings.records)}: name one with --records", EXIT_USAGE
        )
    found = build.coverage(settings)
    known = {one.repo: one for one in found}
    for repo in repos:
        if repo not in known:
            fail(
                f"nothing is known of what `{repo}` raises: {nearest(repo, known, 'repositories')}",
                EXIT_USAGE,
            )
    meant = [known[repo] for repo in repos] or list(found)
    if is_json:
        data = msgspec.json.format(msgspec.json.encode({"repositories": meant}))
        click.echo(data.decode())
    elif not meant:
        click.echo("no `repo.yaml` names files in `sites` of a release that is at hand", err=True)
    for one in () if is_json else meant:
        _bars(one)
    return EXIT_FINDINGS if any(one.lost for one in meant) else 0


def _begun(
    writing: Writing, release: "Release", found: "Harvest", texts: dict[str, str], told: "set[Key]"
) -> int:
    """Begins a record for each error that has none; the exit status."""
    from generator import drafts  # noqa: PLC0415 - `--help` does without it

    origin = writing.origin(release)
    beside = writing.write_repository(origin, release)
    written = there = 0
    slugs: set[str] = set()
    for key, places in found.errors.items():
        if key in told:
            there += 1
            continue
        first = places[0]
        further = [f"{origin.prefix}{one.site.file}:{one.site.line}" for one in places[1:]]
        draft = drafts.draft(
            texts[first.site.file],
            first.statement,
            first.site.function,
            file=first.site.file,
            origin=origin,
            sites=further,
            date=writing.today,
        )
        draft = drafts.renamed(draft, slugs)
        slugs.add(draft.slug)
        if writing.has(origin.repo, draft):
            there += 1
            continue
        click.echo(writing.write(origin.repo, draft))
        written += 1
    for one in beside:
        click.echo(f"with {one}", err=True)
    click.echo(
        f"{_many(written, 'record')} begun, {there} were there already\n{_counted(found, told)}", err=True
    )
    return 0


def _listed(found: "Harvest", told: "set[Key]") -> None:
    for key, places in found.errors.items():
        first = places[0]
        mark = "  (has a record)" if key in told else ""
        click.echo(f"{first.site.error_class}: {' '.join(first.site.template.split())}{mark}")
        for one in places:
            click.echo(f"    {one.site.file}:{one.site.line}  {one.site.function or '(module)'}{_noted(one)}")


def _noted(one: "Raised") -> str:
    """What is to be known of a place, beside where it is."""
    if one.statement.built_line is not None:
        return f", message written on line {one.statement.built_line}"
    return "" if one.statement.is_alone else ", the class is given more than the message"


def _counted(found: "Harvest", told: "set[Key]") -> str:
    errors = found.errors
    unread = sum(found.unread.values())
    documented = sum(1 for key in errors if key in told)
    lines = [
        f"{_many(found.files, 'file')}, {_many(len(found.raised) + unread, '`raise` statement')}",
        f"{_many(len(found.raised), 'place')} raise {_many(len(errors), 'error')}, {documented} documented",
    ]
    if unread:
        lines.append(f"{unread} not read:")
        lines += [f"  {count:6}  {why}" for why, count in found.unread.items()]
    lines += [f"{file} cannot be read: {why}" for file, why in found.unreadable.items()]
    return "\n".join(lines)


def _plain(release: "Release", found: "Harvest", told: "set[Key]") -> dict[str, object]:
    return {
        "repo": release.repo,
        "requirement": release.requirement,
        "errors": [
            {
                "errorClass": places[0].site.error_class,
                "errorMessage": places[0].site.template,
                "isDocumented": key in told,
                "sites": [
                    {
                        "file": one.site.file,
                        "line": one.site.line,
                        "function": one.site.function,
                        "builtLine": one.statement.built_line,
                        "isAlone": one.statement.is_alone,
                    }
                    for one in places
                ],
            }
            for key, places in found.errors.items()
        ],
        "files": found.files,
        "unread": dict(found.unread),
        "unreadable": dict(found.unreadable),
    }


def _bars(one: "Coverage") -> None:
    done, all_ = sum(each.documented for each in one.modules), sum(each.sites for each in one.modules)
    click.echo(f"{one.repo}: {done} of {all_} places have a record")
    width = max((len(each.file) for each in one.modules), default=0)
    for each in sorted(one.modules, key=lambda each: (-each.documented, -each.sites, each.file)):
        full = round(WIDTH * each.documented / each.sites)
        bar = "#" * full + "." * (WIDTH - full)
        click.echo(f"  {each.file.ljust(width)}  {bar}  {each.documented}/{each.sites}")
    for lost in one.lost:
        click.echo(f"  lost its place: record {lost}")


def _many(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"
