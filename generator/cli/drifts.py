"""What `pagefault drift` does: the table of a repository, shown and written; records moved to another pin."""

import difflib
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from generator import drift, editions, reading, repin
from generator.cli.speech import EXIT_FINDINGS, EXIT_USAGE, Progress, fail, named
from generator.cli.writing import settings_for
from generator.drift import Survey
from generator.model import Drift, RecordFile, Repository
from generator.releases import ReleaseMissing, Releases, ReleaseUnavailable, Tags, Wheels, chosen
from generator.statements import Copy, Statements


class Drifts:
    """One call of the command."""

    def __init__(self, options: dict[str, Any]) -> None:
        self._options = options
        self._settings = settings_for(options["records"], options["cache"])
        self._clones = dict(map(_clone, options["clones"]))
        self._progress = Progress(is_quiet=options["quiet"])

    def run(self, what: Sequence[str]) -> int:
        """Shows what became of messages, or moves records; the exit status."""
        settings = self._settings
        if not settings.records.is_dir():
            fail(f"no folder of records at {named(settings.records)}: name one with --records", EXIT_USAGE)
        self._beside = reading.read_repositories(settings)
        files = reading.read_records(settings).files
        repositories = self._meant(what, files)
        if self._options["repin"] and len(repositories) != 1:
            fail("--repin is for one repository: name it", EXIT_USAGE)
        status = 0
        answers = []
        for repo, shown in repositories.items():
            records = [file for file in files if file.head.repo == repo and file.head.status is None]
            repository = self._beside.repositories.get(repo)
            if repository is None:
                fail(f"{repo} has no `repo.yaml` that can be read", EXIT_USAGE)
            try:
                releases = self._releases(repository, records)
                if self._options["repin"]:
                    meant = [file for file in records if shown is None or file.path in shown]
                    status |= self._repin(repository, releases, meant)
                    continue
                found = self._survey(repository, releases, records)
            except ReleaseUnavailable as error:
                self._progress.clear()
                fail(str(error), EXIT_USAGE)
            answers.append(
                {"drift": msgspec.to_builtins(found.drift), "new": msgspec.to_builtins(found.fresh)}
            )
            self._write(repo, found.drift)
            if not self._options["is_json"]:
                self._show(found, [file for file in records if shown is None or file.path in shown])
            status |= EXIT_FINDINGS * _is_changed(found.drift)
        if self._options["is_json"] and not self._options["repin"]:
            click.echo(json.dumps({"repositories": answers}, indent=2, ensure_ascii=False).encode())
        return status

    def _say(self, text: str) -> None:
        if not self._options["quiet"]:
            click.echo(_plain(text), err=True)

    def _meant(self, what: Sequence[str], files: Sequence[RecordFile]) -> dict[str, set[str] | None]:
        """The repositories that are meant, and which of their records; None is all of them."""
        what = what or tuple(self._clones)
        if not what:
            if not self._beside.drifts:
                fail(
                    "no repository has a `drift.json` yet: name one, as in `pagefault drift acme/widgets`",
                    EXIT_USAGE,
                )
            return dict.fromkeys(sorted(self._beside.drifts))
        found: dict[str, set[str] | None] = {}
        for one in what:
            if one in self._beside.repositories:
                found[one] = None
                continue
            path = Path(one).resolve()
            inside = [file for file in files if Path(file.path).resolve().is_relative_to(path)]
            if not inside:
                fail(f"no record and no repository at `{one}`", EXIT_USAGE)
            for file in inside:
                shown = found.setdefault(file.head.repo, set())
                if shown is not None:
                    shown.add(file.path)
        return found

    def _releases(self, repository: Repository, records: Sequence[RecordFile]) -> Releases:
        release = repository.wheel or repository.package
        if (clone := self._clones.get(repository.repo)) is not None:
            if release is not None:
                return Tags(clone, self._options["tags"], release.commit)
            # Without a release in `repo.yaml` the records say what they are pinned to.
            pins = {file.record.analyzed_sha for file in records}
            if len(pins) != 1:
                raise ReleaseUnavailable(
                    f"{repository.repo}: its `repo.yaml` names no release, and its records "
                    f"{'name several commits' if pins else 'are none'}"
                )
            return Tags(clone, self._options["tags"], pins.pop())
        known = self._beside.drifts.get(repository.repo)
        return Wheels(
            repository,
            self._settings.cache,
            known,
            is_offline=self._options["offline"],
            say=self._say,
        )

    def _survey(self, repository: Repository, releases: Releases, files: Sequence[RecordFile]) -> Survey:
        wanted = self._options["wanted"]
        versions = chosen(releases, wanted)
        self._say(f"{repository.repo}: pinned to {releases.pinned}; looking at {', '.join(versions)}")

        def copies() -> Iterator[Copy]:
            for number, version in enumerate(versions, 1):
                self._progress.update(repository.repo, number, len(versions))
                try:
                    yield releases.copy(version)
                except ReleaseMissing as error:
                    # What was named is wanted; of a range, what there is.
                    if wanted is not None and version in wanted.replace("..", ",").split(","):
                        raise
                    self._progress.clear()
                    self._say(f"{version} is left out: {error}")

        pinned = releases.copy(releases.pinned)
        found = drift.survey(
            repository, [file.record for file in files], copies(), pinned, commit=releases.commit
        )
        self._progress.clear()
        return found

    def _write(self, repo: str, found: Drift) -> None:
        path = Path(self._beside.names[repo]).with_name("drift.json")
        text = drift.written(found)
        if self._options["dry_run"] or (path.is_file() and path.read_bytes() == text.encode()):
            return
        partly = path.with_name(f".{path.name}.part")
        try:
            partly.write_text(text, encoding="utf-8")
            partly.replace(path)
        except OSError as error:
            fail(f"cannot write {named(path)}: {error.strerror}", EXIT_USAGE)
        self._say(f"{named(path)} is written")

    def _show(self, found: Survey, files: Sequence[RecordFile]) -> None:
        known = found.drift
        ids = [file.head.id for file in files]
        head = ["release", *editions.STATES.values(), "new messages", "messages gone"]
        table = [
            [
                one.version,
                *(str(n) for n in editions.totals(known, one.version, ids).values()),
                str(one.new),
                str(one.gone),
            ]
            for one in known.releases
        ]
        click.echo(f"{known.repo}, pinned to {known.pinned}")
        for line in _aligned([head, *table]):
            click.echo(f"  {line}")
        for file in files:
            record, traces = file.head, known.records.get(file.head.id, {})
            click.echo(f"\n{_plain(f'{record.error_class}: {record.error_message}')}")
            if record.id in known.unfollowed:
                click.echo(f"  not followed: {_plain(known.unfollowed[record.id])}")
            pinned = traces.get(known.pinned)
            rows = editions.rows(known, record.id)
            lines = [
                [
                    row.versions,
                    _plain(f"{row.trace.path}:{row.trace.line}") if row.trace.line else "-",
                    editions.said(row, pinned),
                ]
                for row in rows
            ]
            for row, line in zip(rows, _aligned(lines), strict=True):
                click.echo(f"  {line}")
                if row.trace.text and not row.is_pinned:
                    click.echo(f"    {_plain(row.trace.text)}")
        if self._options["is_new"]:
            click.echo(f"\nmessages that {known.pinned} does not raise: {len(found.fresh)}")
            for one in found.fresh:
                site = one.site
                where = f"{site.file}:{site.line}" + (f" in {site.function}" if site.function else "")
                click.echo(_plain(f"  {one.version}  {where}  {site.error_class}: {site.template}"))

    def _repin(self, repository: Repository, releases: Releases, files: Sequence[RecordFile]) -> int:
        """Moves records to another release; the exit status."""
        version = self._options["repin"]
        copy = releases.copy(version)
        commit = self._options["commit"] or copy.edition.commit
        if commit is None:
            fail("--repin needs the full commit of the release: name it with --commit", EXIT_USAGE)
        if not re.fullmatch("[0-9a-f]{40}", commit):
            fail(f"--commit takes 40 hex digits, not `{commit}`", EXIT_USAGE)
        if commit == releases.commit:
            fail(f"{repository.repo} is pinned to that commit already", EXIT_USAGE)
        pinned = Statements(releases.copy(releases.pinned))
        target = repin.Target(commit, copy.edition, Statements(copy), self._options["date"])
        texts: dict[Path, str] = {}
        before: dict[Path, str] = {}
        refused = 0
        for file in files:
            path = Path(file.path)
            try:
                source = repin.read(path, file.path)
                texts[path] = repin.moved(file, source, repository, pinned, target)
                before[path] = source.text
            except repin.Refused as error:
                refused += 1
                click.echo(f"{file.path} is left as it is: {_plain(str(error))}", err=True)
        if texts and (repository.wheel or repository.package):
            path = Path(self._beside.names[repository.repo])
            try:
                source = repin.read(path, named(path))
                texts[path] = repin.pin(source, repository, target)
                before[path] = source.text
            except repin.Refused as error:
                fail(f"nothing was written: {named(path)}: {error}", EXIT_USAGE)
        texts = {path: text for path, text in texts.items() if text != before[path]}
        if self._options["dry_run"]:
            for path, text in texts.items():
                old, new = (one.splitlines(keepends=True) for one in (before[path], text))
                lines = difflib.unified_diff(old, new, f"a/{named(path)}", f"b/{named(path)}")
                click.echo("".join(lines), nl=False)
            return EXIT_FINDINGS * bool(refused)
        try:
            repin.write(texts)
        except OSError as error:
            fail(f"nothing was written: {error.strerror}", EXIT_USAGE)
        self._say(f"{repository.repo}: {len(files) - refused} records moved to {version}, {refused} left")
        folder = Path(self._beside.names[repository.repo]).parent
        if (folder / "differential.json").is_file():
            self._say(
                "`differential.json` was made with the former release: run the differential tests again"
            )
        if (folder / "drift.json").is_file():
            self._say("`drift.json` is of the former pin, and not shown: run `pagefault drift` again")
        if repository.package is not None:
            self._say(f"`verification.subject` still names {repository.package.requirement} where it did")
        return EXIT_FINDINGS * bool(refused)


def _clone(given: str) -> tuple[str, Path]:
    """A repository and its folder."""
    repo, equals, path = given.partition("=")
    if not equals or repo.count("/") != 1:
        fail(f"--clone takes OWNER/NAME=PATH, not `{given}`", EXIT_USAGE)
    if not Path(path).is_dir():
        fail(f"--clone: {path} is no folder", EXIT_USAGE)
    return repo, Path(path)


def _is_changed(found: Drift) -> bool:
    """Whether a newer release than the pinned one has another text, or none."""
    order = [one.version for one in found.releases]
    newer = order[order.index(found.pinned) + 1 :]
    return any(
        traces[version].state in {"changed", "gone"}
        for traces in found.records.values()
        for version in newer
        if version in traces
    )


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.ljust(n) for cell, n in zip(row, widths, strict=True)).rstrip() for row in rows]


def _plain(text: str) -> str:
    """One line that changes nothing on a terminal but what stands there."""
    line = text.replace("\n", " ⏎ ")
    return "".join(one if one.isprintable() else "\N{REPLACEMENT CHARACTER}" for one in line)
