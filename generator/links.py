"""Addresses within the site, and which records are related."""

import math
import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from generator.lookup import Index, safe_tokens, tokens
from generator.model import Case, Corpus, NearMiss, Record, Relation

RELATED = 5  # at most this many are named
CANDIDATES = 150  # of one block
NEAR = 0.7  # share of a pattern's words
RARE_WORDS = 6  # of a record, that open a block
FLOOR = 0.15  # likeness of words below which only a shared class or function relates two records

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


# Folders at the site's top that are no owner's.
RESERVED = frozenset({"api", "classes", "guides", "lookup", "report", "schema", "static", "tags"})


def is_id(alias: str) -> bool:
    """Whether an alias is a former id, and not a former slug."""
    return re.fullmatch(r"[0-9a-f]{16}", alias) is not None


def alias_path(record: Record, alias: str) -> str:
    """The output path that an alias keeps: a former page's, or without its ending a former API file's.

    A slug is one of the record's own repository unless the alias names another.
    """
    if is_id(alias):
        return api_path(alias)
    repo, _, slug = alias.rpartition("/")
    return page_path(repo or record.repo, slug)


def api_path(id: str) -> str:  # noqa: A002 - the field's name
    """The output path of a record's API file, without its ending."""
    return f"api/errors/{id}"


def corpus(cases: Sequence[Case]) -> Corpus:
    """The cases with what finds them by address and repository."""
    holders: dict[str, Case] = {}
    former: dict[str, Case] = {}
    for case in cases:
        record = case.record
        holders.setdefault(page_path(record.repo, record.slug).casefold(), case)
        holders.setdefault(api_path(record.id), case)
        for alias in record.aliases:
            former.setdefault(alias_path(record, alias).casefold(), case)
    return Corpus(
        tuple(cases),
        holders,
        former,
        {repo: tuple(members) for repo, members in corpus_by_repo(cases).items()},
        overlaps(cases),
    )


def overlaps(cases: Sequence[Case]) -> dict[str, tuple[tuple[Case, str], ...]]:
    """For each case's path the other cases one of whose messages its pattern matches, with the first such.

    Each message is looked up once among all patterns: not every pattern is tried on every message.
    """
    readable = [(case, case.pattern) for case in cases if case.pattern is not None]
    index = Index([pattern for _, pattern in readable])
    found: dict[str, dict[str, tuple[Case, str]]] = defaultdict(dict)
    for case in cases:
        for message in case.messages:
            for number in index.matches(message):
                other = readable[number][0]
                if other.record.id != case.record.id:
                    found[other.file.path].setdefault(case.file.path, (case, message))
    return {path: tuple(others.values()) for path, others in found.items()}


def near_misses(cases: Sequence[Case]) -> dict[str, tuple[NearMiss, ...]]:
    """For each case's path the patterns of its repository that its first message nearly matches.

    Nearly is: at least `NEAR` of the pattern's safe words are in the message, three or more. Candidates are
    found by the pattern's rare words, in lists of `CANDIDATES` at the most, never by trying all pairs.
    """
    found: dict[str, tuple[NearMiss, ...]] = {}
    for _, members in sorted(corpus_by_repo(cases).items()):
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
                near.append((-held / len(wanted), NearMiss(members[other].record.id, message, missing)))
            best = sorted(near, key=lambda item: (item[0], item[1].id))[:RELATED]
            found[case.file.path] = tuple(one for _, one in best)
    return found


def corpus_by_repo(cases: Sequence[Case]) -> dict[str, list[Case]]:
    """The cases of each repository, in order."""
    by_repo: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        by_repo[case.record.repo].append(case)
    return by_repo


PER_PAGE = 200  # records in one list


def list_path(folder: str, number: int = 1) -> str:
    """The output path of a list's page; the first is the folder's own."""
    return f"{folder}/index.html" if number == 1 else f"{folder}/page/{number}/index.html"


def page_path(repo: str, slug: str) -> str:
    """The output path of a record's page."""
    return f"{repo}/{slug}/index.html"


def twin(path: str) -> str:
    """The output path of a page's Markdown twin."""
    return f"{path.removesuffix('.html')}.md"


def relative(target: str, start: str) -> str:
    """The address of one output path as seen from the page at another.

    It names the file, `index.html` too: then the same bytes work from a server and from a folder.
    """
    return posixpath.relpath(target, posixpath.dirname(start) or ".")


def root(path: str) -> str:
    """What leads from a page to the site's root: empty, or `../` so many times."""
    return "../" * path.count("/")


@dataclass(frozen=True, slots=True)
class _Traits:
    """What relates a record to others."""

    case: Case
    owner: str
    function: str
    words: dict[str, float]  # unit vector over words, by how rare they are

    @property
    def blocks(self) -> Iterator[tuple[str, str]]:
        """Keys under which candidates are found: never all pairs."""
        if self.owner:
            yield "owner", self.owner
        yield "file", self.case.record.file_path
        rare = sorted(self.words.items(), key=lambda item: (-item[1], item[0]))
        for word, _ in rare[:RARE_WORDS]:
            yield "word", word


def words(text: str) -> list[str]:
    """The words of a text, lower case, with identifiers split: `page_size`, `HostPool`."""
    return [word.lower() for word in _WORD.findall(text) if len(word) > 1]


def related(cases: Sequence[Case]) -> dict[str, tuple[Relation, ...]]:
    """For each record's id the related ones of its repository, best first, with the reasons.

    Only what shares a class, a function or enough rare words is named: a list is rather short than filled.
    """
    found: dict[str, tuple[Relation, ...]] = {}
    for _, members in sorted(corpus_by_repo(cases).items()):
        traits = _traits(members)
        blocks: dict[tuple[str, str], list[int]] = defaultdict(list)
        for index, one in enumerate(traits):
            for block in one.blocks:
                blocks[block].append(index)
        for index, one in enumerate(traits):
            near = {other for block in one.blocks for other in blocks[block][:CANDIDATES]} - {index}
            scored = [
                (
                    -score,
                    traits[other].case.record.slug,
                    Relation(id=_id(traits[other]), reasons=why),
                )
                for other in sorted(near)
                for score, why in [_score(one, traits[other])]
                if why
            ]
            best = sorted(scored, key=lambda item: item[:2])[:RELATED]
            found[_id(one)] = tuple(relation for _, _, relation in best)
    return found


def _id(one: _Traits) -> str:
    return one.case.record.id


def _traits(cases: Sequence[Case]) -> list[_Traits]:
    counted = [Counter(words(" ".join(case.template.pattern().literals))) for case in cases]
    frequency = Counter(word for words_of in counted for word in words_of)
    traits = []
    for case, words_of in zip(cases, counted, strict=True):
        weights = {
            word: count * math.log(1 + len(cases) / frequency[word])
            for word, count in sorted(words_of.items())
        }
        length = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
        unit = {word: weight / length for word, weight in weights.items()}
        outcome = case.outcome("trigger", "trigger")
        name = outcome.frame.function if outcome and outcome.frame else ""
        owner, _, function = name.rpartition(".")
        traits.append(_Traits(case, owner, function, unit))
    return traits


def _score(one: _Traits, other: _Traits) -> tuple[float, tuple[str, ...]]:
    """How close two records are, and why in words; no reasons where they are not close enough."""
    a, b = one.case.record, other.case.record
    shared = sorted(one.words.keys() & other.words.keys(), key=lambda word: (-one.words[word], word))
    likeness = sum(one.words[word] * other.words[word] for word in shared)
    is_kin = bool(one.owner) and one.owner == other.owner
    is_twin = bool(one.function) and (one.owner, one.function) == (other.owner, other.function)
    is_near = a.file_path == b.file_path
    if not is_kin and not (is_twin and is_near) and likeness < FLOOR:
        return 0.0, ()
    score, reasons = 4 * likeness, []
    if is_kin:
        score += 3
        reasons.append(f"raised by the same class, {one.owner}")
    if is_twin:
        score += 1
        reasons.append(f"raised by the same function, {one.function}")
    if is_near:
        score += 2
        reasons.append("raised in the same file")
    if a.error_class == b.error_class:
        score += 0.5
    if a.background_tag and a.background_tag == b.background_tag:
        score += 1
        reasons.append("explained by the same guide")
    if likeness >= FLOOR:
        reasons.append(f"shares the words {', '.join(shared[:4])}")
    return score, tuple(reasons)
