"""Which records meet: at one address, in each other's messages, or by what they have in common."""

import heapq
import math
import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import msgspec

from generator.links import RESERVED, alias_path, api_path, page_path
from generator.lookup import Index, safe_tokens, tokens
from generator.model import Case, Corpus, Head, NearMiss, Relation, Verified

_BITS = 2**24  # of the addresses of half a million records, one in fifteen shares its bit
RELATED = 5  # at most this many are named
CANDIDATES = 150  # of one block
NEAR = 0.7  # share of a pattern's words
RARE_WORDS = 6  # of a record, that open a block
FLOOR = 0.15  # likeness of words below which only a shared class or function relates two records

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def corpus(cases: Sequence[Case]) -> Corpus:
    """The cases with what finds them by address and repository."""
    former: dict[str, Case] = {}
    meeting: set[str] = set()
    for case in cases:
        record = case.head
        if record.aliases or record.repo.partition("/")[0].casefold() in RESERVED:
            meeting.add(case.file.path)
        for alias in record.aliases:
            former.setdefault(alias_path(record, alias).casefold(), case)
    holders: dict[str, Case] = {}
    for case, path in _asked(cases, former):
        if holders.setdefault(path, case) is not case:
            meeting.add(case.file.path)
    shared = overlaps(cases)
    by_repo = {repo: tuple(members) for repo, members in _by_repo(cases).items()}
    return Corpus(tuple(cases), holders, former, by_repo, shared, frozenset(meeting | shared.keys()))


def _asked(cases: Sequence[Case], former: Iterable[str]) -> Iterator[tuple[Case, str]]:
    """The own addresses that may be asked for, each with its case: of many records they are few.

    They are those of records that are no plain ones, those that two records have, and those that an alias
    has. A bit stands for an address: where two share one, an address too many is given.
    """
    seen, asked = bytearray(_BITS // 8), {hash(path) % _BITS for path in former}
    for case in cases:
        for path in _addresses(case.head):
            bit = hash(path) % _BITS
            if seen[bit >> 3] >> (bit & 7) & 1 or not case.file.is_plain:
                asked.add(bit)
            seen[bit >> 3] |= 1 << (bit & 7)
    for case in cases if asked else ():
        for path in _addresses(case.head):
            if hash(path) % _BITS in asked:
                yield case, path


def _addresses(head: Head) -> tuple[str, str]:
    """The output paths that are a record's own, in lower case."""
    return page_path(head.repo, head.slug).casefold(), api_path(head.id)


def holders(head: Head, corpus: Corpus) -> Iterator[Case]:
    """The cases that hold the addresses of a record, former ones too: itself, where they are its own."""
    yield from (corpus.holders[path] for path in _addresses(head) if path in corpus.holders)
    for alias in head.aliases:
        path = alias_path(head, alias).casefold()
        yield corpus.holders.get(path) or corpus.former[path]


def overlaps(cases: Sequence[Case]) -> dict[str, tuple[tuple[Case, str], ...]]:
    """For each case's path the other cases one of whose messages its pattern matches, with the first such.

    Each message is looked up once among all patterns: not every pattern is tried on every message.
    """
    if not any(case.messages for case in cases):
        return {}
    readable = [(case, case.pattern) for case in cases if case.pattern is not None]
    index = Index([pattern for _, pattern in readable])
    found: dict[str, dict[str, tuple[Case, str]]] = defaultdict(dict)
    for case in cases:
        for message in case.messages:
            for number in index.matches(message):
                other = readable[number][0]
                if other.head.id != case.head.id:
                    found[other.file.path].setdefault(case.file.path, (case, message))
    return {path: tuple(others.values()) for path, others in found.items()}


def alternatives(cases: Sequence[Case]) -> dict[str, tuple[str | None, ...]]:
    """For each case's path, by its look-alike calls in order: the id of the record of what they raised.

    None where they raised nothing, or nothing that a record is about.
    """
    told = {
        case.file.path: (case, case.claims.instead) for case in cases if case.claims and case.claims.instead
    }
    if not told:
        return {}
    readable = [(case, case.pattern) for case in cases if case.pattern is not None]
    index = Index([pattern for _, pattern in readable])

    def record_of(case: Case, number: int) -> str | None:
        outcome = case.outcome(f"instead[{number}]", "call")
        if outcome is None or outcome.kind != "raised":
            return None
        fitting = [
            (other.head.repo != case.head.repo, -pattern.fixed, other.head.id)
            for other, pattern in (readable[n] for n in index.matches(outcome.text))
            if other.head.error_class.rpartition(".")[2] == outcome.type and other is not case
        ]
        return min(fitting)[2] if fitting else None

    return {
        path: tuple(record_of(case, number) for number in range(len(instead)))
        for path, (case, instead) in told.items()
    }


def relate(verified: Sequence[Verified]) -> tuple[Verified, ...]:
    """The judged records with what was run for them beside each: near misses, alternatives."""
    cases = [one.case for one in verified]
    near, other = near_misses(cases), alternatives(cases)
    if not near and not other:
        return tuple(verified)
    return tuple(
        replace(one, near=near.get(path, ()), alternatives=other.get(path, ()))
        if (path := one.file.path) in near or path in other
        else one
        for one in verified
    )


def near_misses(cases: Sequence[Case]) -> dict[str, tuple[NearMiss, ...]]:
    """For each case's path the patterns of its repository that its first message nearly matches.

    Nearly is: at least `NEAR` of the pattern's safe words are in the message, three or more. Candidates are
    found by the pattern's rare words, in lists of `CANDIDATES` at the most, never by trying all pairs.
    """
    found: dict[str, tuple[NearMiss, ...]] = {}
    for _, members in sorted(_by_repo(cases).items()):
        if not any(case.messages for case in members):
            continue
        known = [set(safe_tokens(case.pattern)) if case.pattern else set() for case in members]
        postings: dict[str, list[int]] = defaultdict(list)
        for number, words_of in enumerate(known):
            for word in sorted(words_of):
                if len(postings[word]) < CANDIDATES:
                    postings[word].append(number)
        for number, case in enumerate(members):
            message = next(iter(case.messages), None)
            if message is None:
                continue
            spoken = set(tokens(message))
            near = []
            for other in sorted({one for word in spoken for one in postings.get(word, ())} - {number}):
                wanted, pattern = known[other], members[other].pattern
                held = len(wanted & spoken)
                if (
                    pattern is None
                    or held < 3
                    or held < NEAR * len(wanted)
                    or pattern.captures(message) is not None
                ):
                    continue
                missing = tuple(sorted(wanted - spoken))
                near.append((-held / len(wanted), NearMiss(members[other].head.id, message, missing)))
            best = sorted(near, key=lambda item: (item[0], item[1].id))[:RELATED]
            found[case.file.path] = tuple(one for _, one in best)
    return found


def _by_repo(cases: Sequence[Case]) -> dict[str, list[Case]]:
    """The cases of each repository, in order."""
    by_repo: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        by_repo[case.head.repo].append(case)
    return by_repo


class Kin(msgspec.Struct, frozen=True, array_like=True):
    """What relates a record to others of its repository. `name` is that of the function which raised it."""

    id: str
    slug: str
    error_class: str
    file_path: str
    words: str
    tag: str | None
    name: str

    @classmethod
    def of(cls, case: Case) -> "Kin":
        """What relates a case to others."""
        head = case.head
        outcome = case.outcome("trigger", "trigger")
        name = outcome.frame.function if outcome and outcome.frame else ""
        texts = [part for part in head.parts or (head.error_message,) if not part.startswith("\0")]
        about = (" ".join(texts), head.background_tag, name or "")
        return cls(head.id, head.slug, head.error_class, head.file_path, *about)


@dataclass(frozen=True, slots=True)
class _Traits:
    """What relates a record to others."""

    kin: Kin
    owner: str
    function: str
    words: dict[str, float]  # unit vector over words, by how rare they are
    rare: tuple[str, ...]  # the same words, the rarest first
    blocks: tuple[tuple[str, str], ...]  # keys under which candidates are found: never all pairs

    @property
    def is_bound(self) -> bool:
        """Whether it is known which class or function raised it."""
        return bool(self.owner or self.function)


def _words(text: str) -> list[str]:
    """The words of a text, lower case, with identifiers split: `page_size`, `HostPool`."""
    return [word.lower() for word in _WORD.findall(text) if len(word) > 2]


def related(members: Sequence[Kin]) -> list[tuple[Relation, ...]]:
    """For each record of a repository the related ones, best first, with the reasons.

    Only what shares a class, a function or enough rare words is named: a list is rather short than filled.
    """
    traits = _traits(members)
    blocks: dict[tuple[str, str], list[int]] = defaultdict(list)
    # By word the records that have it, with its weight in each.
    weights: dict[str, dict[int, float]] = defaultdict(dict)
    for index, one in enumerate(traits):
        for block in one.blocks:
            if len(blocks[block]) < CANDIDATES:
                blocks[block].append(index)
        for word, weight in one.words.items():
            weights[word][index] = weight
    found: list[tuple[Relation, ...]] = []
    for index, one in enumerate(traits):
        near = set().union(*[blocks[block] for block in one.blocks]) - {index}
        likeness = defaultdict(float, dict.fromkeys(near, 0.0) if one.is_bound else {})
        for word, weight in one.words.items():
            known = weights[word]
            for other in near & known.keys():
                likeness[other] += weight * known[other]
        # What shares too few words is looked at only where something else may relate it.
        least = 0.0 if one.is_bound else FLOOR
        scored = [
            (-score, traits[other].kin.slug, other)
            for other, alike in likeness.items()
            if alike >= least and (score := _score(one, traits[other], alike))
        ]
        best = [other for _, _, other in heapq.nsmallest(RELATED, scored)]
        found.append(
            tuple(
                [
                    Relation(traits[other].kin.id, _reasons(one, traits[other], likeness[other]))
                    for other in best
                ]
            )
        )
    return found


def relate_repositories(batch: Sequence[bytes]) -> list[bytes]:
    """`related` for each repository, from and to bytes: the answers are compressed, as many are held."""
    return [
        zlib.compress(msgspec.msgpack.encode(related(msgspec.msgpack.decode(one, type=list[Kin]))), 1)
        for one in batch
    ]


def relations(packed: bytes) -> Iterator[tuple[Relation, ...]]:
    """What `relate_repositories` said of each record of a repository, one after the other."""
    decoder = msgspec.msgpack.Decoder(tuple[Relation, ...])
    yield from map(decoder.decode, msgspec.msgpack.decode(zlib.decompress(packed), type=list[msgspec.Raw]))


def _traits(members: Sequence[Kin]) -> list[_Traits]:
    counted = [Counter(_words(one.words)) for one in members]
    frequency = Counter(word for words_of in counted for word in words_of)
    rarity = {word: math.log(1 + len(members) / count) for word, count in frequency.items()}
    traits = []
    for one, words_of in zip(members, counted, strict=True):
        weights = {word: count * rarity[word] for word, count in sorted(words_of.items())}
        length = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
        unit = {word: weight / length for word, weight in weights.items()}
        rare = tuple(sorted(unit, key=lambda word: (-unit[word], word)))
        owner, _, function = one.name.rpartition(".")
        blocks = [("owner", owner)] if owner else []
        blocks += [("file", one.file_path), *[("word", word) for word in rare[:RARE_WORDS]]]
        traits.append(_Traits(one, owner, function, unit, rare, tuple(blocks)))
    return traits


def _score(one: _Traits, other: _Traits, likeness: float) -> float:
    """How close two records are whose words are so much alike; 0 where that is not close enough."""
    a, b = one.kin, other.kin
    is_kin, is_twin, is_near = _bonds(one, other)
    if likeness < FLOOR and not is_kin and not (is_twin and is_near):
        return 0.0
    score = 4 * likeness + 3 * is_kin + is_twin + 2 * is_near
    score += 0.5 * (a.error_class == b.error_class) + (a.tag is not None and a.tag == b.tag)
    return score


def _bonds(one: _Traits, other: _Traits) -> tuple[bool, bool, bool]:
    """Whether two records are raised by one class, by one function, in one file."""
    is_kin = one.owner == other.owner
    return (
        is_kin and one.owner != "",
        is_kin and one.function != "" and one.function == other.function,
        one.kin.file_path == other.kin.file_path,
    )


def _reasons(one: _Traits, other: _Traits, likeness: float) -> tuple[str, ...]:
    """Why two records are related, in words."""
    is_kin, is_twin, is_near = _bonds(one, other)
    shared = [word for word in one.rare if word in other.words] if likeness >= FLOOR else []
    said = []
    if is_kin:
        said.append(f"raised by the same class, {one.owner}")
    if is_twin:
        said.append(f"raised by the same function, {one.function}")
    if is_near:
        said.append("raised in the same file")
    if one.kin.tag is not None and one.kin.tag == other.kin.tag:
        said.append("explained by the same guide")
    if shared:
        said.append(f"shares the words {', '.join(shared[:4])}")
    return tuple(said)
