"""Records in other releases: the message of each found again by what it says and where it is said.

A message is known by its class, its text with holes left open, and the function that raises it; never by a
line's number. In order: the same message in the same function, in the same file, anywhere in the release
where the pinned one does not raise it in that file too. Several that say the same are paired in their order.
Then a message of the same function and class that the pinned release does not raise there, if at least
`LIKE` of both's words stand in one order and no other comes into question: that is the message, changed.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from fnmatch import fnmatchcase

import msgspec

from generator.model import Drift, Edition, RaiseSite, Record, Repository, State, Trace
from generator.nodes import HIDDEN
from generator.pattern import Hole
from generator.statements import APART, Copy, Key, Statements, key_of, segments, words

LIKE = 0.5
LONGEST = 4000  # characters of a message, as in a record
LEAST_WORDS = 2  # of a text that is not written in a `raise`


@dataclass(frozen=True, slots=True)
class Followed:
    """A record's message in a release. `site` is where it was found; a doubtful one may be another's."""

    trace: Trace
    site: RaiseSite | None = None
    is_certain: bool = True


@dataclass(frozen=True, slots=True)
class Fresh:
    """A message that a release raises and the pinned one does not, at the first place that does."""

    version: str
    site: RaiseSite


def origin(record: Record, repository: Repository, pinned: Statements) -> RaiseSite | str:
    """Where the pinned release says the record's message: what is to be followed; or why it is not.

    That is the `raise` statement, or the text that stands where the message is built.
    """
    claims = record.verification
    if claims is not None and claims.native:
        return "raised in compiled code"
    release = repository.wheel or repository.package
    if release is not None and record.analyzed_sha != release.commit:
        return f"pinned to another commit than {release.requirement}"
    if pinned.text(record.file_path) is None:
        return f"the pinned release does not hold {record.file_path}"
    name = record.error_class.rpartition(".")[2]
    here = [one for one in pinned.raises(record.file_path) if one.line == record.line_number]
    if claims is not None and claims.built_at is not None:
        path, _, line = claims.built_at.rpartition(":")
        built = _text_at(pinned, path, int(line))
        if built is not None:
            return built
        # The words may stand in the statement, and be put together elsewhere.
        said = [one for one in here if one.error_class == name and len(words(one)) >= LEAST_WORDS]
        return said[0] if said else f"no words of the message are written at {claims.built_at}"
    wanted = segments(record.error_message)
    # A record that claims nothing may have a wrong line.
    for one in (*here, *pinned.raises(record.file_path)):
        if one.error_class == name and segments(one.template.partition(APART)[0]) == wanted:
            return one
    return f"the pinned release raises no such message in {record.file_path}"


def _text_at(pinned: Statements, path: str, line: int) -> RaiseSite | None:
    """The text that stands on a line or begins soon after it, in the same function, with words of its own."""
    function = pinned.functions(path)[line - 1 : line]
    near = [
        one
        for one in pinned.written(path)
        if 0 <= one.line - line <= 3 and (one.function,) == function and len(words(one)) >= LEAST_WORDS
    ]
    return min(near, key=lambda one: (one.line, -len(one.template)), default=None)


def follow(mine: RaiseSite, pinned: Statements, other: Statements, further: Sequence[str] = ()) -> Followed:
    """What became of a site of the pinned release in another one.

    `further` are the files of places that a record says raise the same.
    """
    found, is_certain = _same(mine, pinned, other, further)
    if found is not None:
        key = key_of(mine)
        files = {mine.file, found.file, *further}
        places = sum(key_of(one) == key for path in files for one in other.alike(mine, path))
        kind: State = "elsewhere" if found.file != mine.file else "moved"
        if found.file == mine.file and found.line == mine.line:
            kind = "same"
        text = None if found.template == mine.template else _shown(found.template)
        return Followed(Trace(kind, found.file, found.line, text, places), found, is_certain)
    changed = _changed(mine, pinned, other)
    if changed is not None:
        text = _shown(changed.template)
        return Followed(Trace("changed", changed.file, changed.line, text), changed)
    return Followed(Trace("unread", mine.file) if other.is_unread(mine.file) else Trace("gone"))


def _same(
    mine: RaiseSite, pinned: Statements, other: Statements, further: Sequence[str]
) -> tuple[RaiseSite | None, bool]:
    """The site that says the same, and whether it is certainly that one."""
    key = key_of(mine)

    def saying(where: Statements, paths: Iterable[str]) -> list[RaiseSite]:
        return [one for path in paths for one in where.alike(mine, path) if key_of(one) == key]

    ours, theirs = saying(pinned, (mine.file,)), saying(other, (mine.file,))
    functions = {one.function for one in theirs}
    if mine.function in functions:
        return _paired(
            mine,
            [one for one in ours if one.function == mine.function],
            [one for one in theirs if one.function == mine.function],
        )
    known = {one.function for one in ours}
    if left := [one for one in theirs if one.function not in known]:
        return _paired(mine, [one for one in ours if one.function not in functions], left)
    if theirs:
        return theirs[0], False
    # Anywhere: but what stood in another file already was never this one.
    said = words(mine)
    before = {one.file for one in saying(pinned, pinned.holding(said))} - {mine.file}
    left = [one for one in saying(other, other.holding(said)) if one.file not in before]
    named = [one for one in left if one.function == mine.function]
    if named or left:
        gone = [one for one in ours if not named or one.function == mine.function]
        return _paired(mine, gone, named or left)
    return next(iter(saying(other, dict.fromkeys(further))), None), False


def _paired(mine: RaiseSite, ours: list[RaiseSite], theirs: list[RaiseSite]) -> tuple[RaiseSite, bool]:
    """The site of `theirs` that stands where `mine` does among `ours`."""
    place = ours.index(mine)
    return theirs[min(place, len(theirs) - 1)], len(ours) == len(theirs)


def _changed(mine: RaiseSite, pinned: Statements, other: Statements) -> RaiseSite | None:
    """The one message of the same function and class that is new there, and like enough."""
    paths: Iterable[str] = (mine.file,)
    if other.text(mine.file) is None:
        # The file may have another name; its functions are what is known of it.
        paths = other.holding(mine.function.split(".")) if mine.function else ()
    known = {key_of(one) for one in pinned.alike(mine, mine.file) if one.function == mine.function}
    least = 0 if mine.error_class else LEAST_WORDS
    fresh = [
        one
        for path in paths
        for one in other.alike(mine, path)
        if one.function == mine.function and key_of(one) not in known and len(words(one)) >= least
    ]
    there = {key_of(one) for one in fresh} | {
        key_of(one) for one in other.alike(mine, mine.file) if one.function == mine.function
    }
    rivals = [
        one
        for one in pinned.alike(mine, mine.file)
        if one.function == mine.function and one != mine and key_of(one) not in there
    ]
    like = [one for one in fresh if _likeness(mine, one) >= LIKE]
    if len({key_of(one) for one in like}) != 1:
        return None
    best = like[0]
    # Another that is gone as well may be the one that was rewritten.
    if any(_likeness(one, best) >= _likeness(mine, best) for one in rivals):
        return None
    return best


def _likeness(one: RaiseSite, other: RaiseSite) -> float:
    """How much of both's words stand in one order, from 0 to 1; holes are all one word."""
    return SequenceMatcher(None, _said(one), _said(other), autojunk=False).ratio()


def _said(site: RaiseSite) -> list[str]:
    return [
        word
        for part in segments(site.template)
        for word in (["\0"] if isinstance(part, Hole) else part.split())
    ]


def _shown(text: str) -> str:
    """A message as it is kept: without what reviewers cannot see, and no longer than a record's."""
    return (
        HIDDEN.sub("\N{REPLACEMENT CHARACTER}", text.replace(APART, "\n"))[:LONGEST]
        or "\N{REPLACEMENT CHARACTER}"
    )


def messages(release: Statements, files: Sequence[str]) -> dict[Key, RaiseSite]:
    """The different messages that files raise, each with its first place. `files` are globs."""
    found: dict[Key, RaiseSite] = {}
    for path in sorted(release.paths):
        if any(fnmatchcase(path, one) for one in files):
            for site in release.raises(path):
                if site.error_class and site.template:
                    found.setdefault(key_of(site), site)
    return found


def written(found: Drift) -> str:
    """The text of a `drift.json`: a line a release, and a line a trace."""
    table = msgspec.to_builtins(found)

    def packed(value: object) -> str:
        return json.dumps(value, ensure_ascii=False)

    lines = [f'  "{name}": {packed(table[name])},' for name in ("repo", "pinned", "commit")]
    releases = ",\n".join(f"    {packed(one)}" for one in table["releases"])
    records = ",\n".join(
        f"    {packed(id)}: {{\n"
        + ",\n".join(f"      {packed(version)}: {packed(trace)}" for version, trace in traces.items())
        + "\n    }"
        for id, traces in sorted(table["records"].items())  # noqa: A001 - the field's name
    )
    left = ",\n".join(f"    {packed(id)}: {packed(why)}" for id, why in sorted(table["unfollowed"].items()))  # noqa: A001 - as above
    lines.append(f'  "releases": [\n{releases}\n  ],')
    lines.append(f'  "records": {{\n{records}\n  }},' if records else '  "records": {},')
    lines.append(f'  "unfollowed": {{\n{left}\n  }}' if left else '  "unfollowed": {}')
    return "\n".join(["{", *lines, "}", ""])


@dataclass(frozen=True, slots=True)
class Survey:
    """All that was found of a repository: the table, the new messages, and where each record's are."""

    drift: Drift
    fresh: tuple[Fresh, ...]


def survey(
    repository: Repository,
    records: Sequence[Record],
    releases: Iterable[Copy],
    pinned: Copy,
    *,
    commit: str,
) -> Survey:
    """Follows records into releases; `pinned` is the one that they are pinned to, at `commit`.

    Releases are asked for one after the other, and none is held.
    """
    base = Statements(pinned)
    files = repository.sites or tuple(sorted({record.file_path for record in records}))
    known = messages(base, files)
    origins: dict[str, RaiseSite] = {}
    unfollowed: dict[str, str] = {}
    for record in records:
        found = origin(record, repository, base)
        if isinstance(found, str):
            unfollowed[record.id] = found[:1000]
        else:
            origins[record.id] = found
    traces: dict[str, dict[str, Trace]] = {one: {} for one in sorted(origins)}
    editions = []
    fresh: list[Fresh] = []
    for copy in releases:
        is_pin = copy.edition.version == pinned.edition.version
        other = base if is_pin else Statements(copy)
        for record in records:
            if record.id in origins:
                trace = follow(origins[record.id], base, other, further(record)).trace
                if is_pin:
                    trace = _as_pinned(record, origins[record.id], trace)
                traces[record.id][copy.edition.version] = trace
        there = known if is_pin else messages(other, files)
        new = [site for key, site in there.items() if key not in known]
        fresh += [Fresh(copy.edition.version, site) for site in new]
        gone = sum(key not in there for key in known)
        edition = copy.edition
        counts = {"messages": len(there), "new": len(new), "gone": gone}
        editions.append(Edition(edition.version, edition.file, edition.sha256, edition.commit, **counts))
    drift = Drift(
        repository.repo,
        pinned.edition.version,
        commit,
        tuple(editions),
        traces,
        dict(sorted(unfollowed.items())),
    )
    return Survey(drift, tuple(fresh))


def _as_pinned(record: Record, mine: RaiseSite, trace: Trace) -> Trace:
    """The trace of the pinned release: with its text where that is not the record's."""
    if segments(mine.template) == segments(record.error_message):
        return trace
    return Trace(trace.state, trace.path, trace.line, _shown(mine.template), trace.places)


def further(record: Record) -> tuple[str, ...]:
    """The files of the further places that a record names."""
    claims = record.verification
    return tuple(place.rpartition(":")[0] for place in claims.sites) if claims else ()
