"""`generator.memory`: nothing is made twice of the same inputs, and nothing kept is taken for another."""

from functools import partial

import pytest

from generator.memory import Memory


def test_a_value_is_made_once_for_the_same_inputs() -> None:
    """Equal ones count as the same; those before the last are forgotten."""
    memory, made = Memory(), list[int]()

    def make(number: int) -> int:
        made.append(number)
        return number

    asked = [("a", (1, "x")), ("a", (1, "x")), ("b", (1, "x")), ("a", (2, "x")), ("a", (1, "x"))]
    values = [
        memory.of("kind", name, inputs, partial(make, number)) for number, (name, inputs) in enumerate(asked)
    ]
    assert [0, 0, 2, 3, 4] == values
    assert [0, 2, 3, 4] == made


def test_kinds_do_not_meet() -> None:
    """A name means something within a kind alone."""
    memory = Memory()
    asked = [("x", 1), ("y", 2), ("x", 3)]
    assert [1, 2, 1] == [memory.of(kind, "a", (), partial(int, number)) for kind, number in asked]


def test_what_could_not_be_made_is_tried_again() -> None:
    """An exception is no value."""
    memory = Memory()
    for _ in range(2):
        with pytest.raises(ValueError, match="invalid literal"):
            memory.of("kind", "a", (), partial(int, "x"))
    assert 5 == memory.of("kind", "a", (), partial(int, "5"))
