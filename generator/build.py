"""The chain as one function: records to verdicts (`check`), verdicts to a site (`build`).

Facts are kept (what running code did, what a record says, finished files), judgements of several records
never: they are made every time.
"""

import gc
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import msgspec

from generator import (
    __version__,
    deadlinks,
    distributions,
    encoding,
    facts,
    guides,
    harvest,
    kinship,
    pages,
    plain,
    publish,
    reading,
    subjects,
    unchanged,
    units,
    verify,
    wheels,
)
from generator.deadlinks import Text
from generator.diagnostics import Diagnostic, has_errors
from generator.encoding import Surroundings
from generator.excerpts import Sources
from generator.executor import Executor, executor
from generator.facts import Inventory
from generator.guides import Guide
from generator.model import Article, Coverage, Head, RaiseSite, RecordFile, Repository, Site, Verified
from generator.pins import Pins
from generator.publish import Changes, Publication
from generator.settings import OUTPUTS, Settings
from generator.theme import STATIC, Theme, default_templates, palette, room
from generator.twins import Side
from generator.unchanged import Last

LAST = "last"  # build's name for what it notes beside the files


@dataclass(frozen=True, slots=True)
class Report:
    """What a run found and did. Counts are of this run alone: what came from the cache is not in them.

    `standings` say how many records have each. A build that found everything as it was has neither `site` nor
    `verified`.
    """

    site: Site | None
    verified: tuple[Verified, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    records: int = 0
    guides: int = 0
    scripts_run: int = 0
    reasons: tuple[str, ...] = ()
    pages: int = 0
    pages_rendered: int = 0
    changes: Changes | None = None
    standings: Mapping[str, int] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)


class _Clock:
    """Seconds by stage, for people: no output depends on it."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start


@dataclass(frozen=True, slots=True)
class _Judged:
    """What is known once all records are judged: the report so far, the site, its records' relations."""

    report: Report
    site: Site
    relations: Mapping[str, bytes]


def check(settings: Settings, paths: Sequence[Path] = ()) -> Report:
    """Reads, runs and judges the records; with `paths`, says only what concerns those.

    Paths outside the records folder are judged by themselves. Raises NoRecords.
    """
    with closing(executor(settings.jobs)) as workers:
        return _check(settings, paths, workers, is_building=False).report


def check_only(settings: Settings, files: frozenset[Path], *, is_wide: bool) -> Report:
    """As `check`, of some files below the records folder: those of records, guides, `repo.yaml`.

    `is_wide` says that some are gone: what others say of them is looked at too.
    """
    with closing(executor(settings.jobs)) as workers:
        return _check(settings, (), workers, is_building=False, only=files, is_wide=is_wide).report


def examine(settings: Settings, folders: Sequence[Path] | None = None) -> tuple[Report, Side]:
    """Checks everything as `build` does, and gives what a site would be made of instead of making it.

    `folders` are those of the templates, if not the ones that the settings name.
    """
    with closing(executor(settings.jobs)) as workers:
        judged = _check(settings, (), workers, is_building=True)
    theme = Theme(tuple(folders or template_folders(settings)))
    return judged.report, Side(judged.site, judged.relations, theme)


def _check(
    settings: Settings,
    paths: Sequence[Path],
    workers: Executor,
    *,
    is_building: bool,
    only: frozenset[Path] | None = None,
    is_wide: bool = False,
) -> _Judged:
    clock = _Clock()
    is_whole = not paths and only is None
    with clock.stage("read"):
        beside = reading.read_repositories(settings)
        # Pinned source is held against whole records.
        sourced = None if settings.clones is not None else beside.sourced
        read = reading.read_records(settings, paths, only=only, executor=workers, sourced=sourced)
        repositories = beside.repositories
        articles, form = reading.read_guides(settings)
        meant_articles = [guide for guide in articles if read.is_selected(guide.path)]
        known_by = (distributions.stamps(), wheels.stamps(settings.cache))
        sources = settings.memory.of("sources", "", known_by, lambda: Sources(settings.cache))
        inventory = facts.inventory(settings, beside.differentials)
        cases = [
            facts.gather(file, sources, repositories.get(file.head.repo), inventory) for file in read.files
        ]
    if settings.clones is not None:
        with clock.stage("pins"):
            pins = Pins(clones=settings.clones, cache=settings.cache)
            cases = [
                replace(case, pinned=pins.read(case.record, repositories.get(case.head.repo)))
                if read.is_selected(case.file.path)
                and not (case.subject and case.subject.kind == "pagefault")
                else case
                for case in cases
            ]
    with clock.stage("run"), settings.start(settings.environment) as warm:
        trials = facts.plan(cases, meant_articles, inventory, settings.memory)
        observed, scripts_run, reasons = facts.observe(
            trials, warm, inventory, settings, is_meant=read.is_selected
        )
        cases = [
            case if case.file.is_plain else replace(case, observed=observed.get(case.file.path))
            for case in cases
        ]
        cases = facts.match(cases, warm, settings)
    with clock.stage("judge"):
        verified, findings = verify.judge(
            cases, selected=read.selected, is_wide=is_wide, memory=settings.memory
        )
        if is_building:
            verified = kinship.relate(verified)
        # The cases of plain records are no more than their files.
        del cases
        meant = verified
        if read.selected is not None:
            meant = tuple(one for one in verified if one.file.path in read.selected)
        site = [one for one in (*beside.diagnostics, *form) if read.is_selected(one.path)]
        if is_whole:
            site += _site_findings(verified, articles, settings)
        told = [*_unknown_subjects(meant_articles, inventory)]
        for guide in meant_articles:
            told += guides.findings(guide, observed.get(guide.path))
        published = [guides.article(guide, observed.get(guide.path)) for guide in articles]
        whole = _site(verified, published, repositories, settings)
        if is_building:
            raised, covered = _raised(verified, repositories, sources, settings)
            whole = replace(whole, sites=raised, coverage=covered, drifts=beside.drifts)
        # Of a plain record it is known that no text of it has such a link.
        texts = [
            text
            for one in (verified if is_wide else meant)
            if not one.file.is_plain
            for text in deadlinks.of_record(one.file)
        ]
        if is_whole or is_wide:
            texts += _texts_of_site(articles, beside, settings)
        else:
            texts += [text for guide in meant_articles for text in deadlinks.of_guide(guide)]
        dead = deadlinks.dead_links(texts, lambda: frozenset(units.paths(whole)))
        relations: Mapping[str, bytes] = {}
        if is_building:
            relations = facts.relations(whole.records, workers, settings)
            whole = replace(whole, whole=partial(units.whole, relations, whole))
    report = Report(
        verified=meant,
        site=whole,
        standings=dict(Counter(one.standing for one in meant)),
        diagnostics=tuple(
            sorted(
                plain.placed((*read.found(), *findings, *site, *told, *dead)), key=lambda one: one.position
            )
        ),
        records=read.count,
        guides=len(meant_articles),
        scripts_run=scripts_run,
        reasons=tuple(reasons),
        seconds=clock.seconds,
    )
    return _Judged(report, whole, relations)


def _texts_of_site(
    articles: Sequence[Guide], beside: reading.Surroundings, settings: Settings
) -> Iterator[Text]:
    """The Markdown of the site that is no record's."""
    for guide in articles:
        yield from deadlinks.of_guide(guide)
    for repo, repository in beside.repositories.items():
        yield from deadlinks.of_repository(repository, beside.names[repo])
    if settings.footer is not None:
        yield Text(settings.footer, None, settings.config_name, lambda _: settings.config_table)


def build(settings: Settings) -> Report:
    """Checks everything, and publishes the site unless an error stands.

    Raises stage.Unpublishable, and theme.TemplateFailed for a template of the user's that fails.
    """
    with (
        _uncollected(),
        publish.publication(settings.out, is_fresh=not settings.is_caching) as publication,
        closing(executor(settings.jobs)) as workers,
    ):
        last = _last(publication, settings)
        now = None
        if last is not None:
            now = unchanged.inputs(settings, template_folders(settings), last.subjects)
            if last.inputs == now:
                settings.store.prune(settings.cache_size)
                return _as_last(last)
        judged = _check(settings, (), workers, is_building=True)
        report = judged.report
        if has_errors(report.diagnostics, strict=settings.is_strict):
            return report
        clock = _Clock()
        with clock.stage("render"):
            rendered, facts_of = _render(judged, publication, workers, settings)
        folders = publication.folders
        report = replace(
            report,
            diagnostics=(*report.diagnostics, *_size_findings(folders, settings)),
            pages_rendered=rendered,
            pages=sum(count for count, _ in folders.values()),
            seconds={**report.seconds, **clock.seconds},
        )
        if has_errors(report.diagnostics, strict=settings.is_strict):
            return report
        # Its memory is free for what follows.
        workers.close()
        named = _subjects(judged.site)
        if last is None or named != last.subjects:
            now = unchanged.inputs(settings, template_folders(settings), named)
        with clock.stage("publish"):
            changes = publication.finish({LAST: _noted(report, now, named), **facts_of})
    settings.store.prune(settings.cache_size)
    return replace(report, changes=changes, seconds={**report.seconds, **clock.seconds})


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without looking for cycles: all records' heads are looked at each time, and none of them is in one."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _last(publication: Publication, settings: Settings) -> Last | None:
    """What the last build noted, if the site is as it left it."""
    noted = publication.fact(LAST) if settings.is_caching and publication.is_intact else None
    if noted is None:
        return None
    try:
        return msgspec.msgpack.decode(noted, type=Last)
    except msgspec.DecodeError:
        return None


def _as_last(last: Last) -> Report:
    """What a build that has nothing to do would find."""
    return Report(
        site=None,
        diagnostics=tuple(last.diagnostics),
        records=last.records,
        pages=last.pages,
        changes=Changes((), (), last.pages),
        standings=last.standings,
    )


def _noted(report: Report, now: bytes | None, named: list[str]) -> bytes:
    """What the next build is told of this one."""
    last = Last(
        now or b"", named, report.records, dict(report.standings), report.pages, list(report.diagnostics)
    )
    try:
        return msgspec.msgpack.encode(last)
    except UnicodeEncodeError:
        # A finding names a file whose name is no text: then the next build finds it anew.
        return b""


def _subjects(site: Site) -> list[str]:
    """The names of what records and guides run."""
    names = {one.case.claims.subject for one in site.claiming if one.case.claims}
    return sorted({name for name in (*names, *(guide.subject for guide in site.guides)) if name})


def template_folders(settings: Settings) -> list[Path]:
    """Where templates are looked for, the first shadowing the next."""
    return [folder for folder in (settings.templates, default_templates()) if folder is not None]


def _render(
    judged: _Judged, publication: Publication, workers: Executor, settings: Settings
) -> tuple[int, dict[str, bytes]]:
    """Stages what is new; how many files were rendered, and what the next build is to know of them."""
    theme = _theme(settings)
    site, outputs = judged.site, frozenset(settings.outputs)
    around = Surroundings(
        out=str(settings.out),
        folders=[str(folder) for folder in theme.folders],
        additions=list(theme.additions),
        theme=theme.digest,
        outputs=sorted(outputs),
        settings=pages.settings_of(site),
        repositories=dict(site.repositories),
        guides=[(guide.tag, guide.title) for guide in site.guides],
    )
    # What is done for records and for other pages takes turns: each has groups of its own.
    of_records, of_pages = encoding.Groups(publication), encoding.Groups(publication)
    rendered = encoding.encode(
        units.woven(
            units.of_records(site, judged.relations, around, theme, of_records),
            units.of_pages(site, theme, outputs, of_pages),
        ),
        publication,
        around,
        workers,
        settings,
        of=len(site.records),
    )
    for kind in encoding.kinds():
        if kind.after is not None and "other" in outputs:
            rendered += encoding.encode_here(kind.after(site, publication), publication, theme)
    return rendered, {**of_records.facts, **of_pages.facts}


def _theme(settings: Settings) -> Theme:
    """Our templates and those that shadow them, the configured logo and colors."""
    additions = [(f"{STATIC}/site.css", palette(settings.colors))]
    if settings.logo is not None:
        logo = settings.logo.read_bytes()
        additions += [(f"{STATIC}/{_logo(settings.logo)}", logo), (f"{STATIC}/site.css", room(logo))]
    return Theme(tuple(template_folders(settings)), tuple(additions))


def _logo(file: Path) -> str:
    return f"logo{file.suffix.lower()}"


def _site(
    verified: Sequence[Verified],
    articles: Sequence[Article],
    repositories: Mapping[str, Repository],
    settings: Settings,
) -> Site:
    return Site(
        title=settings.title,
        base_url=settings.base_url,
        tracker=settings.tracker,
        edit=settings.edit,
        logo=_logo(settings.logo) if settings.logo else None,
        footer=settings.footer,
        is_whole=set(OUTPUTS) <= set(settings.outputs),
        is_preview=settings.is_preview,
        version=__version__,
        records=_ordered(verified),
        repositories=repositories,
        guides=tuple(articles),
    )


def _ordered(verified: Sequence[Verified]) -> tuple[Verified, ...]:
    """By repository and slug; one repository at a time, for the slugs of all are many."""
    by_repo: dict[str, list[Verified]] = {}
    for one in verified:
        by_repo.setdefault(one.head.repo, []).append(one)
    return tuple(
        one
        for _, members in sorted(by_repo.items())
        for one in sorted(members, key=lambda one: one.head.slug)
    )


def coverage(settings: Settings) -> tuple[Coverage, ...]:
    """How much of what repositories raise has records; no record is run.

    Of those whose `repo.yaml` names files, and whose release is at hand. Raises NoRecords.
    """
    beside = reading.read_repositories(settings)
    files = reading.read_records(settings, sourced=None).files
    return _raised(files, beside.repositories, Sources(settings.cache), settings)[1]


def _raised(
    records: Sequence[Verified | RecordFile],
    repositories: Mapping[str, Repository],
    sources: Sources,
    settings: Settings,
) -> tuple[dict[str, tuple[RaiseSite, ...]], tuple[Coverage, ...]]:
    """What each repository raises and none of its records explains, and how much of it they do."""
    left: dict[str, tuple[RaiseSite, ...]] = {}
    covered: list[Coverage] = []
    raised = facts.sites(repositories.values(), sources, settings.store)
    heads: dict[str, list[Head]] = {repo: [] for repo in raised}
    for one in records if heads else ():
        if (head := one.head).repo in heads:
            heads[head.repo].append(head)
    for repo, known in raised.items():
        left[repo] = harvest.undocumented(known, heads[repo])
        if found := harvest.coverage(repositories[repo], known, heads[repo]):
            covered.append(found)
    return left, tuple(covered)


def _size_findings(folders: Mapping[str, tuple[int, int]], settings: Settings) -> Iterator[Diagnostic]:
    """What a host would say of so large a site; told before that while there is still time."""
    size = sum(held for _, held in folders.values())
    if size <= 0.8 * settings.max_size:
        return
    order = sorted(folders, key=lambda name: (-folders[name][1], name))[:3]
    largest = ", ".join(f"`{name}` {_mebibytes(folders[name][1])}" for name in order)
    yield Diagnostic(
        "E0704",
        f"the site takes {_mebibytes(size)}, and may take {_mebibytes(settings.max_size)}",
        settings.config_name,
        settings.config_table,
        severity="error" if size > settings.max_size else "warning",
        notes=(f"the largest parts: {largest}",),
        help="GitHub Pages ends at 1024 MiB: leave out outputs by `outputs`, split the site, "
        "or set `max-size` for a host that takes more",
    )


def _mebibytes(size: int) -> str:
    return f"{size / 2**20:.1f} MiB"


def _unknown_subjects(articles: Sequence[Guide], inventory: Inventory) -> Iterator[Diagnostic]:
    """One finding for each guide whose code is about something that is not there."""
    for guide in articles:
        if guide.subject is not None and inventory.resolve(guide.subject) is None:
            yield Diagnostic(
                "E0603",
                f"unknown subject `{guide.subject}`",
                guide.path,
                guide.subject_at,
                help=f"known subjects: {', '.join(sorted(subjects.bundled()))}, or `package==version`",
            )


def _site_findings(
    verified: Sequence[Verified], articles: Sequence[Guide], settings: Settings
) -> Iterator[Diagnostic]:
    """What the site lacks, beside its records."""
    standings = Counter(one.standing for one in verified)
    # Records of another Python are not proven here, and are no sign of a check that stopped running.
    elsewhere = sum(1 for one in verified if one.standing == "read" and one.is_elsewhere)
    if standings["proven"] + elsewhere < settings.floor:
        yield Diagnostic(
            "E0703",
            f"{standings['proven']} records are proven, and the floor is {settings.floor}",
            settings.config_name,
            settings.config_table,
            help="find out what is not run any more; lower `floor` only for records that were removed",
        )
    if settings.logo is not None and not settings.logo.is_file():
        yield Diagnostic(
            "E0702",
            f"`logo`: there is no file at {settings.name(settings.logo)}",
            settings.config_name,
            settings.config_table,
            help="name an image, from the folder of this file",
        )
    if settings.tracker is None:
        yield Diagnostic(
            "E0701",
            "no `tracker` is configured: pages carry no link to report them",
            settings.config_name,
            settings.config_table,
            severity="warning",
            help="set `tracker` in `[tool.pagefault]` to the address of your form for new issues",
        )
    explained = {guide.tag for guide in articles}
    named = Counter(one.head.background_tag for one in verified if one.head.background_tag)
    for tag in sorted(named.keys() - explained):
        name = settings.name(settings.records / "guides" / f"{tag}.md")
        records = f"{named[tag]} records name" if named[tag] > 1 else "a record names"
        yield Diagnostic(
            "E0601",
            f"no guide explains `{tag}`, which {records} as background",
            name,
            severity="warning",
            help="write it, or take the tag out of the records",
        )
