"""`generator.bundled.reasoning`: which names are refused, and whose name is taken."""

import pytest

from generator.bundled.reasoning import (
    SglExpr,
    SglExprList,
    SglGen,
    SglSelect,
    SglSeparateReasoning,
    separate_reasoning,
)

MESSAGE = "name must be provided"
KINDS = (SglExpr, SglExprList, SglGen, SglSelect, SglSeparateReasoning)


def evaluate(call: str) -> object:
    """Evaluate a call as a record would write it; its user is not held to the types."""
    names = {**{kind.__name__: kind for kind in KINDS}, "separate_reasoning": separate_reasoning}
    return eval(call, names)  # noqa: S307 - the calls stand in this file


RAISED = (
    ("SglSeparateReasoning('qwen3', SglGen())", ValueError, MESSAGE),
    ("SglSeparateReasoning('qwen3', SglGen(''))", ValueError, MESSAGE),
    ("SglSeparateReasoning('qwen3', SglGen(0))", ValueError, MESSAGE),
    ("SglSeparateReasoning('qwen3', SglSelect(None, ['a', 'b'], 0.0, None))", ValueError, MESSAGE),
    ("SglSeparateReasoning('qwen3', SglExprList([SglGen('a'), SglGen()]))", ValueError, MESSAGE),
    ("SglSeparateReasoning('qwen3', SglExprList(['text', SglExprList([SglGen()])]))", ValueError, MESSAGE),
    ("separate_reasoning(SglGen())", ValueError, MESSAGE),
    ("separate_reasoning(SglGen(), model_type='qwen3')", ValueError, MESSAGE),
    ("separate_reasoning(separate_reasoning(SglGen()))", ValueError, MESSAGE),
    ("SglSeparateReasoning('m', None).process_name_for_reasoning(None)", ValueError, MESSAGE),
    ("SglSeparateReasoning('m', None).process_name_for_reasoning([])", ValueError, MESSAGE),
    ("SglSeparateReasoning('m', SglExprList(None))", TypeError, "'NoneType' object is not iterable"),
    ("SglSeparateReasoning('m')", TypeError, None),
)


@pytest.mark.parametrize(("call", "error", "message"), RAISED)
def test_a_missing_name_raises_upstreams_message(
    call: str, error: type[Exception], message: str | None
) -> None:
    """Missing is whatever is false; the text is upstream's, or the interpreter's own (None)."""
    with pytest.raises(error) as caught:
        evaluate(call)
    assert error is type(caught.value)
    assert message in {None, str(caught.value)}


@pytest.mark.parametrize(
    ("call", "name"),
    [
        ("SglSeparateReasoning('m', SglGen('answer'))", "answer_reasoning_content"),
        ("SglSeparateReasoning('m', SglSelect('pick', ['a'], 0.0, None))", "pick_reasoning_content"),
        ("SglSeparateReasoning('m', SglExprList([SglGen('a'), SglGen('b')]))", "b_reasoning_content"),
        ("SglSeparateReasoning('m', SglExprList([SglExprList([SglGen('a')]), 'x']))", "a_reasoning_content"),
        ("SglSeparateReasoning('m', SglGen(' '))", " _reasoning_content"),
        ("SglSeparateReasoning('m', SglGen(5))", "5_reasoning_content"),
        ("SglSeparateReasoning('m', SglExprList([]))", None),
        ("SglSeparateReasoning('m', SglSeparateReasoning('m', SglGen('a')))", None),
        ("SglSeparateReasoning('m', 'text')", None),
        ("SglSeparateReasoning(None, None)", None),
        ("separate_reasoning(SglGen('answer')).expr_list[1]", "answer_reasoning_content"),
        ("separate_reasoning().expr_list[1]", None),
    ],
)
def test_the_reasoning_is_named_after_the_last_named_part(call: str, name: str | None) -> None:
    """Lists are looked into; what is neither generated nor selected has no name to take."""
    made = evaluate(call)
    assert isinstance(made, SglSeparateReasoning)
    assert name == made.name


def test_the_expression_stands_before_its_reasoning() -> None:
    """Both are in one list, and each has an id of its own, counted up."""
    answer = SglGen("answer")
    listed = separate_reasoning(answer, model_type="qwen3")
    first, second = listed.expr_list
    assert answer is first is second.expr
    assert [0, 1, 2] == [part.node_id - answer.node_id for part in (first, second, listed)]
    expected = "ExprList([Gen('answer'), SeparateReasoning(model_type=qwen3, name=answer_reasoning_content)])"
    assert expected == repr(listed)


def test_a_selection_shows_what_there_is_to_select() -> None:
    """As upstream prints it."""
    assert repr(SglSelect("pick", ["a"], 0.0, None)) == "Select(pick, choices=['a'], choices_method=None)"
