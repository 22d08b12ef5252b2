"""Arithmetic over what a message's holes hold."""

import json
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.formula import FormulaError, formula
from tests.browser_scripts import SCRIPTS, node

HOLES = ("need_size", "page_size", "len(indices)")
UP = "-(-need_size // page_size) * page_size"
WHOLE = st.integers(-(10**20), 10**20)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (UP, "48"),
        ("need_size // page_size * page_size", "32"),
        ("need_size % page_size", "5"),
        ("-need_size % page_size", "11"),
        ("min(need_size, page_size, 9)", "9"),
        ("max(need_size, len(indices))", "100"),
        ("2 + 3 * need_size - 1", "112"),
        ("need_size // (page_size - 16)", None),
    ],
)
def test_it_computes_as_python_does(text: str, expected: str | None) -> None:
    """Division rounds down, also below zero; by zero it gives nothing."""
    assert expected == formula(text, HOLES).value(["37", "16", "100"])


@pytest.mark.parametrize("value", ["37.0", "", "0x10", "tensor([17])", "٣", "1" * 31])
def test_what_is_no_whole_number_gives_nothing(value: str) -> None:
    """Then the page shows the value alone."""
    assert None is formula(UP, HOLES).value([value, "16", "0"])


def test_a_number_is_one_also_where_a_hole_is_called_so() -> None:
    """Holes of `%d` have numbers for names; in braces a hole is meant."""
    assert "4" == formula("2 + 2", ("1", "2")).value(["37", "16"])
    assert "21" == formula("{1} - {2}", ("1", "2")).value(["37", "16"])


def test_a_holes_quotes_may_be_others() -> None:
    """What is compared is how Python spells the expressions."""
    assert "37" == formula("sizes['pool'] ", ('sizes["pool"]',)).value(["37"])


def test_the_holes_that_need_a_whole_number_are_known() -> None:
    """By their places, each once; those that the formula does not use are nobody's business."""
    assert (1,) == formula("page_size * page_size + need_size", HOLES).unfit(["37", "16.0", ""])
    assert () == formula("7", HOLES).unfit(["", "", ""])


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("need_size +", "it is no Python expression"),
        ("size", "`size` is none of the holes `need_size`, `page_size`, `len(indices)`"),
        ("need_size ** 2", "`need_size ** 2` is no whole-number arithmetic"),
        ("need_size / 2", "`need_size / 2` is no whole-number arithmetic"),
        ("1.5", "`1.5` is no whole-number arithmetic"),
        ("True", "`True` is no whole-number arithmetic"),
        ("min(need_size)", "`min(need_size)` is no whole-number arithmetic"),
        ("1if True else 2", "`1 if True else 2` is no whole-number arithmetic"),
        ("9007199254740992", "`9007199254740992` is no whole-number arithmetic"),
        ("1" * 190, "`1111"),
        ("~" * 199 + "1", ""),
        ("-" * 199 + "x", "`x` is none of the holes"),
        ("self.page_size", "`self.page_size` is none of the holes"),
        ("\0", "it is no Python expression"),
        ("{3}", "`{3}` is no whole-number arithmetic"),
        ("{need_size, page_size}", "`{need_size, page_size}` is no whole-number arithmetic"),
        ("__import__('os')", "`__import__('os')` is no whole-number arithmetic"),
        ("(" * 150 + "1" + ")" * 150, "it is longer than 200 characters"),
    ],
)
def test_other_code_is_refused(text: str, why: str) -> None:
    """And the message says what there is."""
    with pytest.raises(FormulaError) as raised:
        formula(text, HOLES)

    assert str(raised.value).startswith(why)


@settings(max_examples=10, deadline=None)
@given(st.lists(st.tuples(WHOLE, WHOLE, WHOLE), min_size=1, max_size=20))
def test_the_browser_computes_the_same(values: list[tuple[int, int, int]]) -> None:
    """For whole numbers of any size and sign."""
    texts = (
        UP,
        "need_size % page_size",
        "max(need_size, -page_size) // len(indices)",
        "min(need_size, 2) * 3",
    )
    cases = [
        {"formula": list(found.steps), "values": row, "expected": found.value(row)}
        for found in (formula(text, HOLES) for text in texts)
        for row in (list(map(str, numbers)) for numbers in values)
    ]
    program = f"""
    require({json.dumps(str(SCRIPTS / "formula.js"))});
    const cases = JSON.parse(require("fs").readFileSync(0, "utf8"));
    process.stdout.write(JSON.stringify(cases.map((one) => pagefault.computed(one.formula, one.values))));
    """
    done = subprocess.run(
        [node(), "-e", program],
        input=json.dumps(cases),
        capture_output=True,
        encoding="utf-8",
        check=True,
    )

    assert [one["expected"] for one in cases] == json.loads(done.stdout)
