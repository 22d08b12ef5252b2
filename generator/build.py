"""The chain as one function: records to verdicts (`check`), verdicts to a site (`build`).

The only place that knows the cache and the processes. Facts are kept (what running code did, finished
bytes), judgements never: checks run every time.
"""

import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from importlib import metadata
from pathlib import Path
from typing import TypeVar

import msgspec

from generator import __version__, formats, guides, pages, probe, publish, schema, subjects, verify
from generator.diagnostics import Diagnostic, Span, has_errors
from generator.excerpts import Sources, wanted_wheel
from generator.formats import Format
from generator.guides import Guide
from generator.manifest import manifest
from generator.model import (
    Article,
    Case,
    Differential,
    Excerpt,
    File,
    Groups,
    Observed,
    Page,
    RecordFile,
    Repository,
    Site,
    Subject,
    Trial,
    Verified,
)
from generator.pages import PageKind
from generator.pattern import Pattern, PatternError, parse
from generator.probe import Limits
from generator.publish import Changes
from generator.registry import discover
from generator.store import Store, digest, key
from generator.template import template
from generator.theme import Theme, default_templates
from generator.wheels import Wheel
from generator.workers import WarmProcess, map_ordered

T = TypeVar("T", bound=Hashable)

OUTPUTS = ("html", "json", "other")


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that a run depends on. Paths are as the user gave them.

    `config_name` is what messages call the configuration, `config_table` where its table begins; `name`
    turns a file into the name that they use for it; `environment` is what a child's environment keeps of
    ours; `say` is told of progress: a stage, how far it is, how much there is.
    """

    records: Path
    out: Path
    cache: Path
    templates: Path | None = None
    jobs: int = 1
    limits: Limits = field(default_factory=Limits)
    is_caching: bool = True
    is_strict: bool = False
    title: str = "pagefault"
    base_url: str | None = None
    tracker: str | None = None
    outputs: tuple[str, ...] = OUTPUTS
    config_name: str = "pyproject.toml"
    config_table: Span | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    name: Callable[[Path], str] = str
    say: Callable[[str, int, int], None] = lambda stage, done, of: None  # noqa: ARG005 - says nothing

    @property
    def store(self) -> Store:
        """Where facts are kept."""
        return Store(self.cache / "facts" if self.is_caching else None)


@dataclass(frozen=True, slots=True)
class Report:
    """What a run found and did. Counts are of this run alone: what came from the cache is not in them."""

    verified: tuple[Verified, ...] = ()
    articles: tuple[Article, ...] = ()
    repositories: Mapping[str, Repository] = field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()
    records: int = 0
    scripts_run: int = 0
    pages: int = 0
    pages_rendered: int = 0
    changes: Changes | None = None
    seconds: Mapping[str, float] = field(default_factory=dict)

    @property
    def standings(self) -> dict[str, int]:
        """How many records have each standing."""
        return dict(Counter(one.standing for one in self.verified))


class _Clock:
    """Seconds by stage, for people: no output depends on it."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start


def check(settings: Settings, paths: Sequence[Path] = ()) -> Report:
    """Reads, runs and judges the records; with `paths`, says only what concerns those.

    Paths outside the records folder are judged by themselves.
    """
    clock = _Clock()
    with clock.stage("read"):
        reading = _read(settings, paths)
        repositories, differentials, problems = _read_repositories(settings)
        articles, form = ([], []) if paths else _read_guides(settings)
        sources = Sources(settings.cache)
        cases = [
            _case(
                file,
                sources.excerpt(file.record, repositories.get(file.record.repo)),
                differentials,
            )
            for file in reading.files
        ]
    with clock.stage("run"), WarmProcess(settings.environment) as warm:
        trials = _trials(cases, articles)
        observed, scripts_run = _observe(
            trials,
            lambda name: isinstance(name, str) or reading.is_selected(cases[name].file.path),
            warm,
            settings,
        )
        cases = [replace(case, observed=observed.get(index)) for index, case in enumerate(cases)]
        cases = _match(cases, warm, settings)
    with clock.stage("judge"):
        verified, findings = verify.judge(cases, selected=reading.selected)
        site = () if paths else (*problems, *form, *_site_findings(cases, articles, settings))
        told = [finding for guide in articles for finding in guides.findings(guide, observed.get(guide.path))]
    return Report(
        verified=tuple(one for one in verified if reading.is_selected(one.case.file.path)),
        articles=tuple(guides.article(guide, observed.get(guide.path)) for guide in articles),
        repositories=repositories,
        diagnostics=tuple(
            sorted((*reading.diagnostics, *findings, *site, *told), key=lambda one: one.position)
        ),
        records=reading.count,
        scripts_run=scripts_run,
        seconds=clock.seconds,
    )


def build(settings: Settings) -> Report:
    """Checks everything, and publishes the site unless an error stands.

    Raises publish.Unpublishable, and theme.TemplateFailed for a template of the user's that fails.
    """
    publish.resume(settings.out)
    report = check(settings)
    if has_errors(report.diagnostics, strict=settings.is_strict):
        return report
    clock = _Clock()
    theme = Theme(tuple(folder for folder in (settings.templates, default_templates()) if folder is not None))
    site = _site(report, settings)
    planned = plan(site, settings, theme)
    with clock.stage("render"):
        files, rendered = _encode(planned, theme, settings)
        if "other" in settings.outputs:
            files += manifest(files, site.version_date)
    with clock.stage("publish"):
        changes = publish.publish(files, settings.out)
    return replace(
        report,
        pages=len(planned),
        pages_rendered=rendered,
        changes=changes,
        seconds={**report.seconds, **clock.seconds},
    )


def _site(report: Report, settings: Settings) -> Site:
    return Site(
        title=settings.title,
        base_url=settings.base_url,
        tracker=settings.tracker,
        version=__version__,
        records=tuple(sorted(report.verified, key=lambda one: (one.record.repo, one.record.slug))),
        repositories=report.repositories,
        guides=report.articles,
    )


def plan(site: Site, settings: Settings, theme: Theme) -> list[Page]:
    """Every page of the site, in the order of their paths."""
    planned = [page for kind in discover(pages, PageKind) for page in kind.plan(site)]
    planned += [Page(path, "asset", f"static/{name}") for name, path in sorted(theme.assets.items())]
    return sorted((page for page in planned if _output(page) in settings.outputs), key=lambda page: page.path)


def wanted_wheels(settings: Settings) -> tuple[Wheel, ...]:
    """The wheels that records' excerpts are to be read from, as far as records can be read."""
    repositories, _, _ = _read_repositories(settings)
    wanted = {
        wheel: None
        for file in _read(settings, ()).files
        if (wheel := wanted_wheel(file.record, repositories.get(file.record.repo)))
    }
    return tuple(wanted)


@dataclass(frozen=True, slots=True)
class _Reading:
    """The records that could be read, what was wrong, how many files there were, and which are meant."""

    files: tuple[RecordFile, ...]
    diagnostics: tuple[Diagnostic, ...]
    count: int
    selected: frozenset[str] | None

    def is_selected(self, path: str) -> bool:
        return self.selected is None or path in self.selected


def _read(settings: Settings, paths: Sequence[Path]) -> _Reading:
    root = settings.records.resolve()
    # By what they are, not by how they were written: with dots, or through a link.
    chosen = {each.resolve(): each for path in paths for each in _files_at(path)}
    is_inside = all(path.resolve().is_relative_to(root) for path in paths)
    every = _files_at(settings.records) if is_inside else list(chosen.values())
    files: list[RecordFile] = []
    found: list[Diagnostic] = []
    meant = [path for path in every if path.resolve() in chosen] if paths else []
    selected = frozenset(map(settings.name, meant)) if paths else None
    for path in every:
        name = settings.name(path)
        record, problems = schema.load(path, name, _location(path, root))
        if record is not None:
            files.append(record)
        if selected is None or name in selected:
            found += problems
    count = len(every) if selected is None else len(selected)
    return _Reading(tuple(files), tuple(found), count, selected)


def _location(path: Path, root: Path) -> str:
    """A record's path from the folder that holds the records folder; empty outside."""
    try:
        return path.resolve().relative_to(root.parent).as_posix()
    except ValueError:
        return ""


def _files_at(path: Path) -> list[Path]:
    return list(schema.record_paths(path)) if path.is_dir() else [path]


def _read_repositories(
    settings: Settings,
) -> tuple[dict[str, Repository], dict[str, Differential], list[Diagnostic]]:
    """What every `repo.yaml` says, and the comparisons of bundled subjects by the subject's name."""
    repositories: dict[str, Repository] = {}
    differentials: dict[str, Differential] = {}
    found: list[Diagnostic] = []
    for path in sorted(settings.records.rglob("repo.yaml")):
        repository, problems = schema.load_repository(path, settings.name(path))
        found += problems
        if repository is not None:
            repositories[repository.repo] = repository
    for path in sorted(settings.records.rglob("differential.json")):
        differentials |= schema.load_differential(path)
    return repositories, differentials, found


def _read_guides(settings: Settings) -> tuple[list[Guide], list[Diagnostic]]:
    read: list[Guide] = []
    found: list[Diagnostic] = []
    for path in sorted((settings.records / "guides").glob("*.md")):
        guide, problems = guides.load(path, settings.name(path))
        found += problems
        if guide is not None:
            read.append(guide)
    return read, found


def _case(
    file: RecordFile,
    excerpt: Excerpt | None,
    differentials: Mapping[str, Differential],
) -> Case:
    """All that is known of a record before it is run."""
    pattern: Pattern | None
    try:
        pattern, _ = parse(file.record.message_pattern)
    except PatternError:
        pattern = None
    verification = file.record.verification
    subject = (
        subjects.resolve(verification.subject or "") if verification and not verification.unproven else None
    )
    compared = differentials.get(subject.name) if subject else None
    is_fresh = (
        subject is not None
        and compared is not None
        and compared.source_sha256 == subjects.source_digest(subject)
    )
    return Case(
        file=file,
        template=template(file.record.error_message),
        pattern=pattern,
        subject=subject,
        excerpt=excerpt,
        operations=compared.operations if compared and is_fresh else 0,
    )


def _trials(cases: Sequence[Case], articles: Sequence[Guide]) -> dict[int | str, tuple[Trial, Subject]]:
    """What to run: of cases by their index, of guides by their path."""
    trials: dict[int | str, tuple[Trial, Subject]] = {}
    for index, case in enumerate(cases):
        trial = probe.plan(case.record)
        if trial is not None and case.subject is not None:
            trials[index] = (trial, case.subject)
    for guide in articles:
        trial = guides.trial(guide)
        subject = subjects.resolve(guide.subject) if guide.subject else subjects.PYTHON
        if trial is not None and subject is not None:
            trials[guide.path] = (trial, subject)
    return trials


def _observe(
    trials: Mapping[T, tuple[Trial, Subject]],
    wanted: Callable[[T], bool],
    warm: WarmProcess,
    settings: Settings,
) -> tuple[dict[T, Observed], int]:
    """What each trial did, as far as it is known or wanted, and how many scripts ran now."""
    observed: dict[T, Observed] = {}
    missing: list[tuple[T, str, Trial, Subject]] = []
    for name, (trial, subject) in trials.items():
        entry = "" if subjects.why_absent(subject) else probe.trial_key(trial, subject, settings.limits)
        known = settings.store.get(entry) if entry else None
        if known is not None:
            observed[name] = msgspec.json.decode(known, type=Observed)
        elif wanted(name):
            missing.append((name, entry, trial, subject))
    total = sum(len(trial.scripts) for _, _, trial, _ in missing)
    done = 0
    settings.say("run", 0, total)
    running = probe.observe([(trial, subject) for _, _, trial, subject in missing], warm, settings.limits)
    for number, result in running if missing else ():
        name, entry, trial, _ = missing[number]
        observed[name] = result
        if probe.is_lasting(result):
            settings.store.put(entry, msgspec.json.encode(result))
        done += len(trial.scripts)
        settings.say("run", done, total)
    return observed, total


def _match(cases: Sequence[Case], warm: WarmProcess, settings: Settings) -> list[Case]:
    """The cases with the regular expression engine's answer on every message raised."""
    answers: dict[int, dict[str, Groups]] = {}
    missing: list[tuple[int, str]] = []
    for index, case in enumerate(cases):
        if case.pattern is None or not case.messages:
            continue
        name = probe.match_key(case.pattern.text, case.messages)
        known = settings.store.get(name)
        if known is None:
            missing.append((index, name))
        else:
            answers[index] = msgspec.json.decode(known, type=dict[str, Groups])
    batches = [
        (pattern.text, cases[index].messages) for index, _ in missing if (pattern := cases[index].pattern)
    ]
    for number, found in probe.match(batches, warm, settings.limits) if batches else ():
        index, name = missing[number]
        answers[index] = found
        if not any(isinstance(groups, str) for groups in found.values()):
            settings.store.put(name, msgspec.json.encode(found))
    return [replace(case, matches=answers.get(index, {})) for index, case in enumerate(cases)]


def _site_findings(
    cases: Sequence[Case], articles: Sequence[Guide], settings: Settings
) -> Iterator[Diagnostic]:
    """What the site lacks, beside its records."""
    if settings.tracker is None:
        yield Diagnostic(
            "E0701",
            "no `tracker` is configured: pages carry no link to report them",
            settings.config_name,
            settings.config_table,
            severity="warning",
            help="set `tracker` in `[tool.pagefault]` to the address of your form for new issues",
        )
    for guide in articles:
        if guide.subject is not None and subjects.resolve(guide.subject) is None:
            yield Diagnostic(
                "E0603",
                f"unknown subject `{guide.subject}`",
                guide.path,
                guide.subject_at,
                help=f"known subjects: {', '.join(sorted(subjects.bundled()))}, or `package==version`",
            )
    explained = {guide.tag for guide in articles}
    named = Counter(case.record.background_tag for case in cases if case.record.background_tag)
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


def _output(page: Page) -> str:
    """Which of `OUTPUTS` a page belongs to. What an HTML page loads is HTML's."""
    if page.format == "asset" or page.path.endswith(".html"):
        return "html"
    is_record = page.path.startswith("api/errors/") and page.path.endswith(".json")
    return "json" if is_record else "other"


def _encode(planned: Sequence[Page], theme: Theme, settings: Settings) -> tuple[list[File], int]:
    """A file for every page, and how many were rendered now."""
    known = {form.name: form for form in discover(formats, Format)}
    code = _encoder_digest()
    keys = [
        key(
            "encoded",
            path=page.path,
            template=page.template,
            format=page.format,
            context=msgspec.json.encode(page.context).decode(),
            theme=theme.digest if known[page.format].is_themed else "",
            code=code,
        )
        for page in planned
    ]
    encoded = {name: settings.store.get(name) for name in keys}
    missing = [n for n, name in enumerate(keys) if encoded[name] is None]
    work = partial(_encode_page, folders=theme.folders, theme_digest=theme.digest)
    settings.say("render", 0, len(missing))
    pending = [planned[n] for n in missing]
    for done, data in enumerate(map_ordered(work, pending, jobs=settings.jobs), 1):
        name = keys[missing[done - 1]]
        encoded[name] = data
        settings.store.put(name, data)
        settings.say("render", done, len(missing))
    files = [
        File(page.path, found)
        for page, name in zip(planned, keys, strict=True)
        if (found := encoded[name]) is not None
    ]
    return files, len(missing)


@lru_cache(maxsize=1)
def _worker_theme(folders: tuple[Path, ...], theme_digest: str) -> Theme:  # noqa: ARG001 - decides what is kept
    """The theme of a process that renders many pages with it; read anew once its files have changed."""
    return Theme(folders)


def _encode_page(page: Page, *, folders: tuple[Path, ...], theme_digest: str) -> bytes:
    (form,) = (one for one in discover(formats, Format) if one.name == page.format)
    return form.encode(page, _worker_theme(folders, theme_digest))


def _encoder_digest() -> str:
    """Of all that turns a context into bytes beside the theme: our code and the libraries' versions."""
    folder = Path(__file__).parent
    sources = [folder / "prose.py", folder / "theme.py", *sorted((folder / "formats").glob("*.py"))]
    versions = [
        f"{name} {metadata.version(name)}"
        for name in ("jinja2", "markdown-it-py", "markupsafe", "msgspec", "pygments")
    ]
    return digest(*(path.read_bytes() for path in sources), *versions)
