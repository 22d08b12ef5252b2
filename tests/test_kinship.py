"""Which records are named beside another; whole sites are compared in tests/test_sites.py."""

import msgspec

from generator import document, kinship, schema, verify
from generator.diagnostics import Source
from generator.kinship import Kin
from generator.model import Case

RECORD = """\
repo: acme/pool
slug: {slug}
errorMessage: "{message}"
errorClass: PoolError
filePath: pool.py
lineNumber: 7
documentation: There is no room.
analyzedSha: 0123456789abcdef0123456789abcdef01234567
"""


def case(slug: str, message: str) -> Case:
    """Return a case of a record that claims no proof."""
    path = f"records/{slug}.yaml"
    node, problems = document.parse(Source(path, RECORD.format(slug=slug, message=message)))
    assert node is not None
    file, found = schema.decode(node, path)
    assert file is not None, (*problems, *found)
    return Case(file=file)


CASES = [
    case("no-room", "no room for {size} pages"),
    case("other", "still no room for {size} pages"),
    case("stranger", "unknown layout {name}"),
]


def test_records_that_share_rare_words_are_related() -> None:
    """With the reasons; a record that shares none is named nowhere, and the order of verdicts is kept."""
    members = [Kin.of(case) for case in CASES]

    first, second, third = kinship.related(members)

    assert [members[1].id] == [one.id for one in first]
    assert [members[0].id] == [one.id for one in second]
    assert "shares the words" in first[0].reasons[-1]
    assert () == third


def test_records_raised_by_one_class_or_function_are_related() -> None:
    """Without a word in common; by one function only where that stands in one file."""
    named = {"a": "Pool.alloc", "b": "Pool.free", "c": "load", "d": "load"}
    texts = {"a": "one", "b": "two", "c": "three", "d": "four"}
    members = [
        Kin(slug, slug, "PoolError", "pool.py" if slug != "d" else "other.py", texts[slug], None, name)
        for slug, name in named.items()
    ]
    elsewhere = [*members[:3], msgspec.structs.replace(members[3], file_path="pool.py")]

    assert [["b"], ["a"], [], []] == [[one.id for one in found] for found in kinship.related(members)]
    assert [["b"], ["a"], ["d"], ["c"]] == [[one.id for one in found] for found in kinship.related(elsewhere)]
    (first,) = kinship.related(elsewhere)[0]
    assert ("raised by the same class, Pool", "raised in the same file") == first.reasons


def test_relations_are_the_same_from_and_to_bytes() -> None:
    """Another process finds them, and what it says is kept."""
    members = [Kin.of(case) for case in CASES]
    (packed,) = kinship.relate_repositories([msgspec.msgpack.encode(members)])
    assert kinship.related(members) == [*kinship.relations(packed)]


def test_what_is_beside_a_record_is_no_part_of_its_verdict() -> None:
    """Only a site shows it, so that to check costs nothing of it."""
    judged, _ = verify.judge(CASES)

    assert [((), ())] * 3 == [(one.related, one.near) for one in judged]
