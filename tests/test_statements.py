"""What the files of a release raise and write, and what a message is known by."""

import pytest

from generator.model import Edition, RaiseSite
from generator.statements import APART, Copy, Statements, key_of, segments, words

FILE = """\
def load(self, mark):
    if mark is None:
        raise ScanError("while scanning", mark, "found nothing at %d" % mark, context={"a": 1})
    message = f"the mark {mark} is wrong"
    raise ValueError(message)


def again():
    raise
"""


def release(**files: str) -> Statements:
    """A release of files that are named without their ending."""
    texts = {f"src/{name}.py": text for name, text in files.items()}
    return Statements(Copy(Edition("1.0"), tuple(texts), texts.get))


def test_all_texts_of_a_statement_are_what_it_says() -> None:
    """The message first; a statement that says nothing has an empty template."""
    template = APART.join(("while scanning", "found nothing at %d", "a"))

    assert (
        RaiseSite("src/a.py", 3, "load", "ScanError", template),
        RaiseSite("src/a.py", 5, "load", "ValueError", "the mark {mark} is wrong"),
        RaiseSite("src/a.py", 9, "again", "", ""),
    ) == release(a=FILE).raises("src/a.py")


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("size {size}", "size {self.size:>4}", True),
        ("size {size}", "size %d", True),
        ("size {size}", "size: {size}", False),
        ("size {{size}}", "size {size}", False),
    ],
)
def test_a_message_is_known_by_its_fixed_text(one: str, other: str, is_same: bool) -> None:  # noqa: FBT001 - a case
    """What stands in its holes may have other names."""
    first, second = (RaiseSite("a.py", 1, "", "E", text) for text in (one, other))

    assert is_same is (key_of(first) == key_of(second))


def test_a_text_that_is_no_message_is_its_own_segment() -> None:
    """An empty one, or one that is too long for a pattern."""
    assert ("",) == segments("")
    assert ("x" * 10_000,) == segments("x" * 10_000)


def test_files_that_hold_all_words_of_a_message_are_found() -> None:
    """However its strings are cut in the source."""
    cut = 'raise E("the mark is "\n        "wrong, twice")\n'
    site = RaiseSite("a.py", 1, "", "E", "the mark is wrong, {n} twice")

    assert ["the", "mark", "is", "wrong", "twice"] == words(site)
    assert ["src/b.py"] == [*release(a=FILE, b=cut).holding(words(site))]


def test_a_file_that_is_not_there_has_nothing() -> None:
    """Nor is it one that cannot be read; one that Python cannot parse is."""
    held = release(a="print 'hello'\n")

    assert ((), (), [], ("",)) == (
        held.raises("src/b.py"),
        held.written("src/b.py"),
        held.lines("src/b.py"),
        held.functions("src/b.py"),
    )
    assert [False, True] == [held.is_unread(path) for path in ("src/b.py", "src/a.py")]
