"""What running did, from the cache or run now, and all else that is known of a record before it is judged."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from itertools import groupby
from pathlib import Path
from typing import TypeVar

import msgspec

from generator import distributions, guides, harvest, kinship, probe, subjects
from generator.excerpts import Sources
from generator.executor import Executor
from generator.guides import Guide
from generator.kinship import Kin
from generator.memory import Memory
from generator.model import (
    Case,
    Differential,
    Groups,
    Observed,
    RaiseSite,
    RecordFile,
    Repository,
    Subject,
    Trial,
    Verified,
)
from generator.probe import Limits
from generator.settings import Settings
from generator.store import Store, digest, key
from generator.workers import Runner

T = TypeVar("T")

SHELF = 200  # answers of the regular expression engine that are kept in one entry, or half as many
_Answers = dict[str, dict[str, Groups]]


class Inventory:
    """The subjects of one run, each looked at once: what is installed does not change while it runs."""

    def __init__(self, differentials: Mapping[str, Differential], limits: Limits) -> None:
        """`differentials` are what was compared with upstream, by the subject's name."""
        self._differentials = differentials
        self.resolve: Callable[[str], Subject | None] = cache(subjects.resolve)
        self.why_absent: Callable[[Subject], str] = cache(subjects.why_absent)
        self.surroundings: Callable[[Subject], Mapping[str, str]] = cache(
            lambda subject: probe.surroundings(subject, limits)
        )
        self.operations: Callable[[Subject], int] = cache(self._operations)

    def _operations(self, subject: Subject) -> int:
        """On how many operations the subject and what it uses, as they are now, equal upstream; else 0."""
        compared = self._differentials.get(subject.name)
        if compared is None or compared.source_sha256 != subjects.source_digest(subject):
            return 0
        used = [one for one in subjects.bundled().values() if one.module in subject.uses]
        return compared.operations if all(map(self.operations, used)) else 0


def inventory(settings: Settings, differentials: Mapping[str, Differential]) -> Inventory:
    """The subjects as they are now."""
    known_by = (distributions.stamps(), differentials, settings.limits)
    name = "compared" if differentials else ""
    return settings.memory.of("subjects", name, known_by, lambda: Inventory(differentials, settings.limits))


def gather(file: RecordFile, sources: Sources, repository: Repository | None, inventory: Inventory) -> Case:
    """All that is known of a record before it is run."""
    if file.is_plain:
        return Case(file)
    verification = file.record.verification
    subject = inventory.resolve(verification.subject or "") if verification else None
    return Case(
        file=file,
        subject=subject,
        excerpt=sources.excerpt(file.record, repository),
        sites=tuple(
            sources.around(file.record, path, int(line), repository)
            for path, _, line in (
                place.rpartition(":") for place in (verification.sites if verification else ())
            )
        ),
        operations=inventory.operations(subject) if subject else 0,
    )


def sites(
    repositories: Iterable[Repository], sources: Sources, store: Store
) -> dict[str, tuple[RaiseSite, ...]]:
    """What each repository raises in the files that it names, by its name; read once and kept."""
    folder = Path(__file__).parent
    code = digest(*((folder / name).read_bytes() for name in ("raises.py", "harvest.py", "template.py")))
    found: dict[str, tuple[RaiseSite, ...]] = {}
    for repository in repositories:
        if not repository.sites or not sources.has(repository):
            continue
        said = msgspec.json.encode(repository).decode()
        entry = key("sites", repository=said, installed=subjects.installed(), code=code)
        known = _decoded(store.get(entry), tuple[RaiseSite, ...])
        if known is None:
            known = harvest.sites(repository, sources)
            store.put(entry, msgspec.json.encode(known))
        found[repository.repo] = known
    return found


def relations(records: Sequence[Verified], executor: Executor, settings: Settings) -> dict[str, bytes]:
    """What relates the records of each repository, in their order: to be read by `kinship.relations`."""
    code = subjects.own_code()
    found: dict[str, bytes] = {}
    missing: list[tuple[int, str, str, list[Verified]]] = []
    for repo, group in groupby(records, key=lambda one: one.head.repo):
        members = list(group)
        packed = _kin(members)
        entry = key("related", records=digest(packed), code=code)
        known = settings.store.get(entry)
        if known is None:
            missing.append((-len(packed), repo, entry, members))
        else:
            found[repo] = known
    # The largest first, so that none of them is begun when all else is done; packed when its turn comes, for
    # together they may be large.
    missing.sort(key=lambda one: one[:2])
    asked = ((repo, _kin(members)) for _, repo, _, members in missing)
    answers = executor.map(kinship.relate_repositories, asked, size=1)
    for (_, repo, entry, _), answer in zip(missing, answers, strict=True):
        found[repo] = answer
        settings.store.put(entry, answer)
    return found


def _kin(members: Sequence[Verified]) -> bytes:
    """What relates them, as one array of MessagePack: of a large repository the values would be many."""
    packed, encoder = bytearray(b"\xdd" + len(members).to_bytes(4)), msgspec.msgpack.Encoder()
    for one in members:
        encoder.encode_into(Kin.of(one.case), packed, -1)
    return bytes(packed)


def plan(
    cases: Sequence[Case], articles: Sequence[Guide], inventory: Inventory, memory: Memory
) -> dict[str, tuple[Trial, Subject]]:
    """What to run, by the file that says it."""
    found: dict[str, tuple[Trial, Subject]] = {}
    for case in cases:
        if case.file.is_plain:
            continue
        trial = memory.of("trial", case.file.path, case.record, partial(probe.plan, case.record))
        if trial is not None and case.subject is not None:
            found[case.file.path] = (trial, case.subject)
    for guide in articles:
        trial = guides.trial(guide)
        subject = inventory.resolve(guide.subject) if guide.subject else subjects.PYTHON
        if trial is not None and subject is not None:
            found[guide.path] = (trial, subject)
    return found


@dataclass(frozen=True, slots=True)
class _Missing:
    """A trial of which nothing is known; `inputs` decide what it does; empty if it cannot be run."""

    path: str
    trial: Trial
    subject: Subject
    inputs: Mapping[str, str] = field(default_factory=dict)

    @property
    def entry(self) -> str:
        """The key under which what it does is kept."""
        return key("observed", **self.inputs)


def observe(
    trials: Mapping[str, tuple[Trial, Subject]],
    warm: Runner,
    inventory: Inventory,
    settings: Settings,
    *,
    is_meant: Callable[[str], bool],
) -> tuple[dict[str, Observed], int, list[str]]:
    """What each trial did, by its file; how many scripts ran now; and, if asked, why each of them did.

    Trials of files that are not meant are not run: of those is told what is known.
    """
    observed: dict[str, Observed] = {}
    missing: list[_Missing] = []
    for path, (trial, subject) in trials.items():
        one = _Missing(path, trial, subject)
        if not inventory.why_absent(subject):
            one = replace(one, inputs=probe.trial_inputs(trial, inventory.surroundings(subject)))
            known = _decoded(settings.store.get(one.entry), Observed)
            if known is not None:
                observed[path] = known
                continue
        if is_meant(path):
            missing.append(one)
    able = [one for one in missing if one.inputs]
    reasons = [f"{one.path}: {_why_again(one, settings.store)}" for one in able if settings.is_explaining]
    # What cannot be run here is asked for, and answered at once, without running anything.
    total = sum(len(one.trial.scripts) for one in able)
    done = 0
    settings.say("run", 0, total)
    running = probe.observe([(one.trial, one.subject) for one in missing], warm, settings.limits)
    for number, result in running if missing else ():
        one = missing[number]
        observed[one.path] = result
        if not one.inputs:
            continue
        if probe.is_lasting(result):
            settings.store.put(one.entry, msgspec.json.encode(result))
        _remember(one, settings.store)
        done += len(one.trial.scripts)
        settings.say("run", done, total)
    return observed, total, reasons


def _why_again(one: _Missing, store: Store) -> str:
    """Which of a trial's inputs are others than when it ran last."""
    if store.root is None:
        return "nothing is kept from run to run"
    last = _decoded(store.get(key("inputs", path=one.path)), dict[str, str])
    if last is None:
        return "it was not run before"
    changed = [name for name, text in one.inputs.items() if last.get(name) != digest(text)]
    return f"changed: {', '.join(changed)}" if changed else "what it did was not kept"


def _remember(one: _Missing, store: Store) -> None:
    digests = {name: digest(text) for name, text in one.inputs.items()}
    store.put(key("inputs", path=one.path), msgspec.json.encode(digests))


def _decoded(data: bytes | None, kind: type[T]) -> T | None:
    """A kept value, or None: what cannot be read was not kept."""
    if data is None:
        return None
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.DecodeError:
        return None


def match(cases: Sequence[Case], warm: Runner, settings: Settings) -> list[Case]:
    """The cases with the regular expression engine's answer on every message raised.

    Many answers are kept in one entry, each under a key of its own: an entry for each would cost more than
    to ask again.
    """
    asked = {
        index: (case.pattern.text, case.messages)
        for index, case in enumerate(cases)
        if case.messages and case.pattern is not None
    }
    names = {index: probe.match_key(*question) for index, question in asked.items()}
    wanted = {name: asked[index] for index, name in names.items()}
    count = 1 << (len(wanted) // SHELF).bit_length()
    shelves: dict[str, list[str]] = defaultdict(list)
    for name in wanted:
        shelves[key("matched", shelf=f"{int(name[:8], 16) % count} of {count}")].append(name)
    kept = {shelf: _decoded(settings.store.get(shelf), _Answers) or {} for shelf in shelves}
    answers = {
        name: kept[shelf][name] for shelf, held in shelves.items() for name in held if name in kept[shelf]
    }
    missing = [name for name in wanted if name not in answers]
    batches = [wanted[name] for name in missing]
    for number, found in probe.match(batches, warm, settings.limits) if batches else ():
        answers[missing[number]] = found
    for shelf, held in shelves.items():
        lasting = {name: answers[name] for name in held if _is_lasting(answers.get(name, {}))}
        if lasting.keys() <= kept[shelf].keys():
            continue
        both = kept[shelf] | lasting
        settings.store.put(shelf, msgspec.json.encode(both if len(both) <= 4 * SHELF else lasting))
    return [
        replace(case, matches=answers.get(names[index], {})) if index in names else case
        for index, case in enumerate(cases)
    ]


def _is_lasting(answer: Mapping[str, Groups]) -> bool:
    """Whether the engine answered for every message: a late one may have met a busy machine."""
    return bool(answer) and not any(isinstance(groups, str) for groups in answer.values())
