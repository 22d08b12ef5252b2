"""The chain as one function: records to verdicts (`check`), verdicts to a site (`build`).

The only place that knows the cache and the processes. Facts are kept (what running code did, finished
bytes), judgements never: checks run every time.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache, partial
from importlib import metadata
from pathlib import Path
from typing import TypeVar

import msgspec

from generator import __version__, formats, guides, pages, probe, publish, schema, subjects, verify
from generator.deadlinks import dead_links
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
from generator.pins import Pins
from generator.probe import Limits
from generator.publish import Changes
from generator.registry import discover
from generator.store import Store, digest, key
from generator.template import template
from generator.theme import Theme, default_templates
from generator.wheels import Wheel
from generator.workers import Runner, WarmProcess, map_ordered

T = TypeVar("T")

OUTPUTS = ("html", "json", "other")


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that a run depends on. Paths are as the user gave them.

    Fewer proven records than `floor` are an error. `clones` (folders by `owner/name`) asks for records to be
    held against their pinned source. `is_explaining` has it said why something runs again.

    `config_name` is what messages call the configuration, `config_table` where its table begins; `name`
    turns a file into the name that they use for it; `environment` is what a child's environment keeps of
    ours; `start` starts the process that runs scripts; `say` is told of progress: a stage, how far it is,
    how much there is.
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
    cache_size: int = 2**30
    floor: int = 0
    clones: Mapping[str, Path] | None = None
    is_explaining: bool = False
    config_name: str = "pyproject.toml"
    config_table: Span | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    start: Callable[[Mapping[str, str]], Runner] = WarmProcess
    name: Callable[[Path], str] = str
    say: Callable[[str, int, int], None] = lambda stage, done, of: None  # noqa: ARG005 - says nothing

    @property
    def store(self) -> Store:
        """Where facts are kept."""
        return Store(self.cache / "facts" if self.is_caching else None)


class NoRecords(Exception):  # noqa: N818 - a state of what was asked for, not a fault of the program
    """A path that was asked for holds no record; says which."""


@dataclass(frozen=True, slots=True)
class Report:
    """What a run found and did. Counts are of this run alone: what came from the cache is not in them."""

    site: Site
    verified: tuple[Verified, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    records: int = 0
    scripts_run: int = 0
    reasons: tuple[str, ...] = ()
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

    Paths outside the records folder are judged by themselves. Raises NoRecords for a path without one.
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
    if settings.clones is not None:
        with clock.stage("pins"):
            pins = Pins(clones=settings.clones, cache=settings.cache)
            cases = [
                replace(case, pinned=pins.read(case.record, repositories.get(case.record.repo)))
                if reading.is_selected(case.file.path)
                and not (case.subject and case.subject.kind == "pagefault")
                else case
                for case in cases
            ]
    with clock.stage("run"), settings.start(settings.environment) as warm:
        trials = _trials(cases, articles)
        observed, scripts_run, reasons = _observe(trials, reading, warm, settings)
        cases = [replace(case, observed=observed.get(case.file.path)) for case in cases]
        cases = _match(cases, warm, settings)
    with clock.stage("judge"):
        verified, findings = verify.judge(cases, selected=reading.selected)
        meant = tuple(one for one in verified if reading.is_selected(one.case.file.path))
        site = () if paths else (*problems, *form, *_site_findings(verified, articles, settings))
        told = [finding for guide in articles for finding in guides.findings(guide, observed.get(guide.path))]
        published = [guides.article(guide, observed.get(guide.path)) for guide in articles]
        whole = _site(verified, published, repositories, settings)
        dead = dead_links(meant, articles, lambda: frozenset(page.path for page in plan(whole)))
    return Report(
        verified=meant,
        site=whole,
        diagnostics=tuple(
            sorted((*reading.diagnostics, *findings, *site, *told, *dead), key=lambda one: one.position)
        ),
        records=reading.count,
        scripts_run=scripts_run,
        reasons=tuple(reasons),
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
    assets = [Page(path, "asset", f"static/{name}") for name, path in theme.assets.items()]
    planned = sorted(
        (page for page in (*plan(report.site), *assets) if _output(page) in settings.outputs),
        key=lambda page: page.path,
    )
    with clock.stage("render"):
        files, rendered = _encode(planned, theme, settings)
        if "other" in settings.outputs:
            files += manifest(files, report.site.version_date)
    with clock.stage("publish"):
        changes = publish.publish(files, settings.out)
    settings.store.prune(settings.cache_size)
    return replace(
        report,
        pages=len(planned),
        pages_rendered=rendered,
        changes=changes,
        seconds={**report.seconds, **clock.seconds},
    )


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
        version=__version__,
        records=tuple(sorted(verified, key=lambda one: (one.record.repo, one.record.slug))),
        repositories=repositories,
        guides=tuple(articles),
    )


def plan(site: Site) -> list[Page]:
    """Every page of the site but the theme's assets."""
    return [page for kind in discover(pages, PageKind) for page in kind.plan(site)]


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
    real = {path.resolve() for path in meant}
    for path in paths:
        if not any(each.resolve() in real for each in _files_at(path)):
            raise NoRecords(settings.name(path))
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
    subject = subjects.resolve(verification.subject or "") if verification else None
    return Case(
        file=file,
        template=template(file.record.error_message),
        pattern=pattern,
        subject=subject,
        excerpt=excerpt,
        operations=_operations(subject, differentials) if subject else 0,
    )


def _operations(subject: Subject, differentials: Mapping[str, Differential]) -> int:
    """On how many operations the subject and what it uses, as they are now, equal upstream; else 0."""
    compared = differentials.get(subject.name)
    if compared is None or compared.source_sha256 != subjects.source_digest(subject):
        return 0
    used = [one for one in subjects.bundled().values() if one.module in subject.uses]
    return compared.operations if all(_operations(one, differentials) for one in used) else 0


def _trials(cases: Sequence[Case], articles: Sequence[Guide]) -> dict[str, tuple[Trial, Subject]]:
    """What to run, by the file that says it."""
    trials: dict[str, tuple[Trial, Subject]] = {}
    for case in cases:
        trial = probe.plan(case.record)
        if trial is not None and case.subject is not None:
            trials[case.file.path] = (trial, case.subject)
    for guide in articles:
        trial = guides.trial(guide)
        subject = subjects.resolve(guide.subject) if guide.subject else subjects.PYTHON
        if trial is not None and subject is not None:
            trials[guide.path] = (trial, subject)
    return trials


def _observe(
    trials: Mapping[str, tuple[Trial, Subject]],
    reading: _Reading,
    warm: Runner,
    settings: Settings,
) -> tuple[dict[str, Observed], int, list[str]]:
    """What each trial did, by its file; how many scripts ran now; and, if asked, why each of them did.

    Trials of files that are not meant are not run: of those is told what is known.
    """
    observed: dict[str, Observed] = {}
    missing: list[tuple[str, str, Trial, Subject]] = []
    reasons: list[str] = []
    for path, (trial, subject) in trials.items():
        entry, why = "", subjects.why_absent(subject)
        if not why:
            inputs = probe.trial_inputs(trial, subject, settings.limits)
            entry = key("observed", **inputs)
            known = _decoded(settings.store.get(entry), Observed)
            if known is not None:
                observed[path] = known
                continue
            if settings.is_explaining and reading.is_selected(path):
                why = _why_again(path, inputs, settings.store)
        if reading.is_selected(path):
            missing.append((path, entry, trial, subject))
            if entry:
                reasons.append(f"{path}: {why}")
    # What cannot be run here is asked for, and answered at once, without running anything.
    total = sum(len(trial.scripts) for _, entry, trial, _ in missing if entry)
    done = 0
    settings.say("run", 0, total)
    running = probe.observe([(trial, subject) for _, _, trial, subject in missing], warm, settings.limits)
    for number, result in running if missing else ():
        path, entry, trial, subject = missing[number]
        observed[path] = result
        if not entry:
            continue
        if probe.is_lasting(result):
            settings.store.put(entry, msgspec.json.encode(result))
        _remember(path, probe.trial_inputs(trial, subject, settings.limits), settings.store)
        done += len(trial.scripts)
        settings.say("run", done, total)
    return observed, total, reasons if settings.is_explaining else []


def _why_again(path: str, inputs: Mapping[str, str], store: Store) -> str:
    """Which of a trial's inputs are others than when it ran last."""
    if store.root is None:
        return "nothing is kept from run to run"
    last = _decoded(store.get(key("inputs", path=path)), dict[str, str])
    if last is None:
        return "it was not run before"
    changed = [name for name, text in inputs.items() if last.get(name) != digest(text)]
    return f"changed: {', '.join(changed)}" if changed else "what it did was not kept"


def _remember(path: str, inputs: Mapping[str, str], store: Store) -> None:
    digests = {name: digest(text) for name, text in inputs.items()}
    store.put(key("inputs", path=path), msgspec.json.encode(digests))


def _decoded(data: bytes | None, kind: type[T]) -> T | None:
    """A kept value, or None: what cannot be read was not kept."""
    if data is None:
        return None
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.DecodeError:
        return None


def _match(cases: Sequence[Case], warm: Runner, settings: Settings) -> list[Case]:
    """The cases with the regular expression engine's answer on every message raised."""
    answers: dict[int, dict[str, Groups]] = {}
    missing: list[tuple[int, str]] = []
    for index, case in enumerate(cases):
        if case.pattern is None or not case.messages:
            continue
        name = probe.match_key(case.pattern.text, case.messages)
        known = _decoded(settings.store.get(name), dict[str, Groups])
        if known is None:
            missing.append((index, name))
        else:
            answers[index] = known
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
    named = Counter(one.record.background_tag for one in verified if one.record.background_tag)
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
    if page.format == "asset" or page.path.endswith(".html") or page.path in {".gitignore", ".nojekyll"}:
        return "html"
    is_record = page.path.startswith("api/errors/") and page.path.endswith(".json")
    return "json" if is_record else "other"


def _encode(planned: Sequence[Page], theme: Theme, settings: Settings) -> tuple[list[File], int]:
    """A file for every page, and how many were rendered now."""
    known = _formats()
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


@cache
def _formats() -> dict[str, Format]:
    """The output formats by name."""
    return {form.name: form for form in discover(formats, Format)}


@lru_cache(maxsize=1)
def _worker_theme(folders: tuple[Path, ...], theme_digest: str) -> Theme:  # noqa: ARG001 - decides what is kept
    """The theme of a process that renders many pages with it; read anew once its files have changed."""
    return Theme(folders)


def _encode_page(page: Page, *, folders: tuple[Path, ...], theme_digest: str) -> bytes:
    return _formats()[page.format].encode(page, _worker_theme(folders, theme_digest))


def _encoder_digest() -> str:
    """Of all that turns a context into bytes beside the theme: our code and the libraries' versions."""
    folder = Path(__file__).parent
    sources = [folder / "prose.py", folder / "theme.py", *sorted((folder / "formats").glob("*.py"))]
    versions = [
        f"{name} {metadata.version(name)}"
        for name in ("jinja2", "markdown-it-py", "markupsafe", "msgspec", "pygments")
    ]
    return digest(*(path.read_bytes() for path in sources), *versions)
