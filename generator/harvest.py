"""What source raises: places that are known before they have a record, and how many of them have one."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

import msgspec

from generator import raises
from generator.excerpts import Sources
from generator.model import Coverage, Head, Module, RaiseSite, Repository
from generator.pattern import Pattern
from generator.raises import Raise
from generator.template import TemplateError, template

# Below these a pattern claims strangers' messages, as a record's would.
LEAST_FIXED, LEAST_WORDS = 12, 2
SHORT = "its message has less than 12 characters or 2 words outside its holes"
Key = tuple[str, tuple[object, ...]]


@dataclass(frozen=True, slots=True)
class Raised:
    """A `raise` statement with a message, and where it stands."""

    site: RaiseSite
    statement: Raise


@dataclass(frozen=True, slots=True)
class Harvest:
    """What files raise: places with messages in the order of files and lines, and what could not be read.

    `others` are the statements without a message, whose number `unread` has by why; `unreadable` says of
    files why Python cannot read them.
    """

    raised: tuple[Raised, ...]
    others: tuple[RaiseSite, ...]
    files: int
    unread: Mapping[str, int]
    unreadable: Mapping[str, str]

    @property
    def errors(self) -> dict[Key, list[Raised]]:
        """The places by the error that they raise: class, and fixed text with its holes."""
        groups: dict[Key, list[Raised]] = defaultdict(list)
        for one in self.raised:
            groups[_key(one.site)].append(one)
        return dict(groups)


def read(files: Iterable[tuple[str, str]]) -> Harvest:
    """What files raise, given by their paths and texts."""
    found: list[Raised] = []
    others: list[RaiseSite] = []
    unread: Counter[str] = Counter()
    unreadable: dict[str, str] = {}
    count = 0
    for path, text in files:
        count += 1
        statements = raises.every(text)
        if not statements and (why := raises.unreadable(text)):
            unreadable[path] = why
        for statement, function in statements:
            why = statement.why
            place = (path, statement.first_line, function)
            if statement.error_class is not None and statement.message is not None:
                pattern = _pattern(statement.message)
                if pattern is not None and pattern.fixed >= LEAST_FIXED and pattern.words >= LEAST_WORDS:
                    site = RaiseSite(*place, statement.error_class, statement.message)
                    found.append(Raised(site, statement))
                    continue
                why = SHORT
            others.append(RaiseSite(*place))
            unread[why or "a variable or a function's answer is raised"] += 1
    return Harvest(tuple(found), tuple(others), count, dict(unread.most_common()), unreadable)


def sites(repository: Repository, sources: Sources) -> tuple[RaiseSite, ...]:
    """Every `raise` in the files that the repository names; none where its release is not at hand.

    Of one whose message is not known for certain, or too short to be looked for, class and template are left
    empty.
    """
    found = read(sources.matching(repository))
    # With further arguments, what is printed is more than what is written here.
    known = [
        one.site if one.statement.is_alone else msgspec.structs.replace(one.site, error_class="", template="")
        for one in found.raised
    ]
    return tuple(sorted((*known, *found.others), key=lambda one: (one.file, one.line)))


def undocumented(known: Sequence[RaiseSite], records: Sequence[Head]) -> tuple[RaiseSite, ...]:
    """The places whose class and message no record of the repository has; of those alike the first."""
    told = documented(records)
    left = []
    for site in known:
        if site.template and (key := _key(site)) not in told:
            told.add(key)
            left.append(site)
    return tuple(left)


def documented(records: Iterable[Head]) -> set[Key]:
    """What records explain."""
    return {
        (record.error_class.rpartition(".")[2], template(record.error_message).pattern().segments)
        for record in records
    }


def coverage(repository: Repository, known: Sequence[RaiseSite], records: Sequence[Head]) -> Coverage | None:
    """How many of the places in each file have a record, and which records have no place left.

    `known` are the places in the files that the repository names, `records` those of the repository. A place
    without a message counts where a record names it. None where nothing is known.
    """
    if not known:
        return None
    told = documented(records)
    named = {(one.file_path, one.line_number) for one in records}
    held: dict[str, list[bool]] = defaultdict(list)
    for site in known:
        is_named = (site.file, site.line) in named
        if site.template or is_named:
            held[site.file].append(is_named or _key(site) in told)
    raised = {_key(site) for site in known if site.template}
    places = {(site.file, site.line) for site in known}
    lost = [
        one.id
        for one in records
        if one.status is None
        and any(fnmatchcase(one.file_path, glob) for glob in repository.sites)
        and (one.file_path, one.line_number) not in places
        and not documented([one]) <= raised
    ]
    return Coverage(
        repository.repo,
        tuple(Module(file, len(every), sum(every)) for file, every in sorted(held.items())),
        tuple(lost),
    )


def _key(site: RaiseSite) -> Key:
    return site.error_class, template(site.template).pattern().segments


def _pattern(message: str) -> Pattern | None:
    try:
        return template(message).pattern()
    except TemplateError:
        return None
