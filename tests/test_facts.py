"""What is kept of the regular expression engine's answers, and what is asked again; nothing runs here."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Self

import pytest

from generator import document, facts, schema
from generator.diagnostics import Source
from generator.model import Case, Frame, Groups, Observation, Observed, Outcome
from generator.settings import Settings
from generator.store import Store

RECORD = """\
repo: acme/pool
slug: record-{number}
errorMessage: "no room for {{size}} pages of {number}"
errorClass: PoolError
filePath: pool.py
lineNumber: 7
documentation: There is no room.
analyzedSha: 0123456789abcdef0123456789abcdef01234567
verification:
  subject: python==3.11
  trigger: take()
"""


def case(number: int, size: str = "3") -> Case:
    """A case whose trigger raised a message with that size."""
    path = f"records/record-{number}.yaml"
    node, problems = document.parse(Source(path, RECORD.format(number=number)))
    assert node is not None
    file, found = schema.decode(node, path)
    assert file is not None, (*problems, *found)
    frame = Frame("pool.py", 7, "take")
    outcome = Outcome(kind="raised", type="PoolError", text=said(number, size), frame=frame)
    return Case(file=file, observed=Observed((Observation("trigger", {"trigger": outcome}),), {}, ()))


def said(number: int, size: str = "3") -> str:
    """The message that it raised."""
    return f"no room for {size} pages of {number}"


class Engine:
    """A warm process that counts, and whose engine finds the size; the size `late` gets no answer."""

    def __init__(self, late: str = "") -> None:
        self._late = late
        self.asked: list[str] = []
        self.children = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        """Nothing is held."""

    def load(self, subject: str, code: str) -> dict[str, Any]:
        """No subject is needed."""
        raise AssertionError(subject, code)

    def run(self, requests: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """An answer for every request."""
        for request in requests:
            self.children += 1
            sizes = [message.split()[3] for _, (message,) in request["batch"]]
            self.asked += [message for _, (message,) in request["batch"]]
            if sizes == [self._late]:
                yield {"id": request["id"], "lost": "timed out", "why": ""}
            else:
                yield {
                    "id": request["id"],
                    "groups": [None if size == self._late else [[size]] for size in sizes],
                }


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A run that keeps facts in a folder of its own."""
    return Settings(records=tmp_path / "records", out=tmp_path / "site", cache=tmp_path / "cache")


def entries(settings: Settings) -> int:
    """How many files are kept."""
    return sum(path.is_file() for path in settings.cache.rglob("*"))


def matched(cases: Sequence[Case], engine: Engine, settings: Settings) -> list[dict[str, Groups]]:
    """What each case is told of its messages."""
    return [dict(one.matches) for one in facts.match(cases, engine, settings)]


def test_what_the_engine_answered_is_not_asked_again(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many answers are in one entry: a thousand are written, and read, as eight."""
    cases = [case(number) for number in range(1_000)]
    expected = [{said(number): ("3",)} for number in range(1_000)]
    cold, warm = Engine(), Engine()
    assert expected == matched(cases, cold, settings)
    assert (4, 8) == (cold.children, entries(settings))
    reads: list[str] = []
    get = Store.get

    def read(store: Store, name: str) -> bytes | None:
        reads.append(name)
        return get(store, name)

    monkeypatch.setattr(Store, "get", read)
    assert expected == matched(cases, warm, settings)
    assert (0, 8) == (warm.children, len(reads))


def test_an_edit_asks_for_its_own_record_alone(settings: Settings) -> None:
    """Whatever the others are that its answer is kept with."""
    cases = [case(number) for number in range(60)]
    matched(cases, Engine(), settings)
    cases[7] = case(7, "4")
    edited, again = Engine(), Engine()
    assert {said(7, "4"): ("4",)} == matched(cases, edited, settings)[7]
    assert [said(7, "4")] == edited.asked
    matched(cases, again, settings)
    matched([case(7), *cases], again, settings)
    assert [] == again.asked


def test_records_with_one_message_are_asked_for_once(settings: Settings) -> None:
    """The same pattern and the same messages have the same answer."""
    engine = Engine()
    assert [{said(1): ("3",)}] * 3 == matched([case(1)] * 3, engine, settings)
    assert [said(1)] == engine.asked


def test_a_late_answer_is_not_kept(settings: Settings) -> None:
    """The machine may have been busy. Those beside it are kept."""
    cases = [case(0), case(1, "late"), case(2)]
    late = Engine("late")
    expected: list[dict[str, Groups]] = [
        {said(0): ("3",)},
        {said(1, "late"): "timed out"},
        {said(2): ("3",)},
    ]
    assert expected == matched(cases, late, settings)
    again = Engine()
    assert [expected[0], {said(1, "late"): ("late",)}, expected[2]] == matched(cases, again, settings)
    assert [said(1, "late")] == again.asked


def test_a_case_without_messages_asks_nothing(settings: Settings) -> None:
    """It has none to be matched."""
    engine = Engine()
    silent = Case(file=case(0).file)
    assert [{}, {said(1): ("3",)}] == matched([silent, case(1)], engine, settings)
    assert [said(1)] == engine.asked


def test_an_entry_holds_no_more_than_it_should(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """What other records left is kept for a while, so that two folders can share a cache; not for ever."""
    monkeypatch.setattr(facts, "SHELF", 2)
    matched([case(0)], Engine(), settings)
    for number in range(1, 8):
        matched([case(number)], Engine(), settings)
    first = Engine()
    matched([case(0)], first, settings)
    assert [] == first.asked
    matched([case(8)], Engine(), settings)
    matched([case(0)], first, settings)
    assert [said(0)] == first.asked
    assert 1 == entries(settings)


def test_a_damaged_entry_is_none(settings: Settings) -> None:
    """All of it is asked again."""
    cases = [case(number) for number in range(5)]
    matched(cases, Engine(), settings)
    (path,) = (path for path in settings.cache.rglob("*") if path.is_file())
    path.write_bytes(path.read_bytes()[:-9])
    again = Engine()
    matched(cases, again, settings)
    assert 5 == len(again.asked)
