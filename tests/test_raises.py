r"""`raise` statements: where they end, what class they raise, which message they write.

Statements are given as lines of a file's middle, as an excerpt holds them.
"""

import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generator import raises
from generator.pattern import merge
from generator.raises import Raise, every, find, read, unreadable
from generator.template import Slot, Template, template


def raised(statement: str, first_line: int = 1) -> Raise:
    """Return the statement read where it stands alone, and fail where none is read."""
    found = read(statement.split("\n"), first_line, first_line)
    assert isinstance(found, Raise), found
    return found


def message(expression: str) -> str | None:
    """Return the template read from an exception's one argument."""
    return raised(f"raise ValueError({expression})").message


def refusal(statement: str, at: int = 1) -> str:
    """Return why no statement is read on that line."""
    found = read(statement.split("\n"), 1, at)
    assert isinstance(found, str), found
    return found


# The message.


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ('"no room"', "no room"),
        ("'no room'", "no room"),
        ('"""no room"""', "no room"),
        ('r"no \\d room"', "no \\d room"),
        ('"no \\"room\\""', 'no "room"'),
        ('"tab\\tand\\nline"', "tab\tand\nline"),
        ('"\\N{BULLET} \\u9875"', "• 页"),
        ('""', ""),
        ('"a # b"', "a # b"),
        ('"100%"', "100%"),
    ],
)
def test_a_literal_is_its_own_template(expression: str, text: str) -> None:
    """Escapes are undone, whatever the quotes."""
    assert text == message(expression)


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ('"{"', "{{"),
        ('"{name}"', "{{name}}"),
        ('f"{{name}}"', "{{name}}"),
        ('f"{{{name}}}"', "{{{name}}}"),
        ('"set() or {}"', "set() or {{}}"),
        ('"{" + name_of(x) + "}"', "{{{name_of(x)}}}"),
        ('"{a} %s" % b', "{{a}} %s"),
    ],
)
def test_braces_that_are_text_are_doubled(expression: str, text: str | None) -> None:
    """Otherwise they would read as holes."""
    assert text == message(expression)


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ('f"need {size} pages"', "need {size} pages"),
        ('f"{self.page_size}"', "{self.page_size}"),
        ('f"{len(indices)}"', "{len(indices)}"),
        ('f"{ size }"', "{size}"),
        ('F"{size}"', "{size}"),
        ('rf"\\d {size}"', "\\d {size}"),
        ('f"no holes"', "no holes"),
        ('f"{a}{b}"', "{a}{b}"),
        ('f"{a + b}"', "{a + b}"),
        ('f"{a!=b}"', "{a != b}"),
        ('f"{rows[0][1:2]}"', "{rows[0][1:2]}"),
    ],
)
def test_an_f_string_is_its_template(expression: str, text: str) -> None:
    """Each hole is named by its expression, spelled in one way."""
    assert text == message(expression)


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ('f"{name!r}"', "{name!r}"),
        ('f"{name!s:>10}"', "{name!s:>10}"),
        ('f"{name!a}"', "{name!a}"),
        ('f"{size:,}"', "{size:,}"),
        ('f"{ratio:.2f}"', "{ratio:.2f}"),
        ('f"{size:>{width}}"', "{size:>{width}}"),
        ('f"{size:{fill}>{width}.{digits}f}"', "{size:{fill}>{width}.{digits}f}"),
        ('f"{size:{width!r}}"', "{size:{width!r}}"),
        ('f"{now:%Y-%m-%d}"', "{now:%Y-%m-%d}"),
    ],
)
def test_conversions_and_format_specs_are_kept(expression: str, text: str) -> None:
    """They stand in the template as in the source."""
    assert text == message(expression)


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ('f"{size=}"', "size={size!r}"),
        ('f"{ size = }"', " size = {size!r}"),
        ('f"{size=!s}"', "size={size!s}"),
        ('f"{size=:>4}"', "size={size:>4}"),
        ('f"got {size=}, {page=}"', "got size={size!r}, page={page!r}"),
    ],
)
def test_a_hole_that_prints_its_name_is_text_and_a_hole(expression: str, text: str) -> None:
    """`{x=}` writes `x=` and the value's repr."""
    assert text == message(expression)


@pytest.mark.parametrize(
    ("expression", "name"),
    [
        ("f\"{row['a']}\"", "row['a']"),
        ("f'{row[\"a\"]}'", "row['a']"),
        ("f\"{', '.join(names)}\"", "', '.join(names)"),
        ("f'''{row[\"it's\"]}'''", 'row["it\'s"]'),
        ("f\"{row['{']}\"", "row['{']"),
        ("f\"{row[':']}\"", "row[':']"),
        ('f"{ {1: x}[1] }"', "{1: x}[1]"),
        ('f"{ {a for a in b} }"', "{a for a in b}"),
        ('f"{(lambda: x)()}"', "(lambda: x)()"),
        ('f"{x if y else z}"', "x if y else z"),
    ],
)
def test_quotes_and_brackets_in_a_hole_are_one_hole(expression: str, name: str) -> None:
    """The template that is read back has the one hole, under the expression's name."""
    assert (name,) == template(message(expression) or "").names


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ('"no " "room"', "no room"),
        ('"no "\n    "room"', "no room"),
        ('"need "\n    f"{size} of {{"\n    r"\\d"', "need {size} of {{\\d"),
        ('f"{a}" f"{b}"', "{a}{b}"),
        ('"a {" f"{b}"', "a {{{b}"),
        ('("no "  # the first half\n    "room")', "no room"),
    ],
)
def test_implicit_concatenation_is_one_template(expression: str, text: str) -> None:
    """Parts on several lines, plain and formatted, are one message."""
    assert text == message(expression)


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ('"no " + "room"', "no room"),
        ('"need " + f"{size}" + " pages"', "need {size} pages"),
        ('"{" + f"{size}" + "}"', "{{{size}}}"),
        ('"need " + str(size)', "need {size}"),
        ('"need " + repr(size) + "!"', "need {size!r}!"),
        ('"need " + {1: 2}[size]', "need { {1: 2}[size]}"),
        ('prefix + "room"', "{prefix}room"),
        ("prefix + suffix", None),
        ('prefix + "%s" % room', None),
        ('f"{prefix}" + "%s" % room', None),
        ('"no " + "room of %s" % size', "no room of %s"),
        ('"ab" * 2', None),
    ],
)
def test_sums_of_texts_are_one_template(expression: str, text: str | None) -> None:
    """Where a part is no text that stands here, no template does."""
    assert text == message(expression)


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ('"need %d of %s" % (size, page)', "need %d of %s"),
        ('"need %(size)d" % row', "need %(size)d"),
        ('"100%% of %r" % x', "100%% of %r"),
        ('"need %d " "pages" % size', "need %d pages"),
        ('f"{a} %s" % b', None),
        ("text % b", None),
    ],
)
def test_printf_formatting_keeps_its_holes(expression: str, text: str | None) -> None:
    """Its conversions are holes of the template."""
    assert text == message(expression)


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ('"need {} of {}".format(size, page)', "need {} of {}"),
        ('"need {size!r:>4}".format(size=1)', "need {size!r:>4}"),
        ('"{{}} {0.shape}".format(x)', "{{}} {0.shape}"),
        ('"need {} " "pages".format(size)', "need {} pages"),
        ('("need {} "\n    "pages").format(size)', "need {} pages"),
        ('"need {}".format(*sizes)', "need {}"),
        ("text.format(size)", None),
        ('"a".join(names)', None),
        ('"a".upper()', None),
    ],
)
def test_format_keeps_its_holes(expression: str, text: str | None) -> None:
    """The text before `.format` is the template; no other method's is."""
    assert text == message(expression)


@pytest.mark.parametrize("expression", ["", "text", "1", "None", "b'bytes'", "*args", "[a]", "_('no room')"])
def test_a_message_that_is_not_written_here_is_none(expression: str) -> None:
    """A name, a number, a call: whoever reads cannot know."""
    assert message(expression) is None


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ('"first", "second"', "first"),
        ('"first", 404', "first"),
        ('msg="no room"', "no room"),
        ('message=f"need {size}"', "need {size}"),
        ('code=1, msg="no room"', "no room"),
        ('"first", msg="second"', "first"),
        ('position, msg="no room"', "no room"),
        ('reason="no room"', None),
        ('404, "no room"', None),
        ('**{"msg": "no room"}', None),
    ],
)
def test_the_message_is_the_first_argument_or_the_one_called_so(arguments: str, text: str | None) -> None:
    """`msg` and `message` are taken where the first argument is no text."""
    assert text == raised(f"raise ValueError({arguments})").message


# The class.


@pytest.mark.parametrize(
    ("statement", "error_class"),
    [
        ('raise ValueError("a")', "ValueError"),
        ('raise(ValueError("a"))', "ValueError"),
        ('raise errors.PoolError("a")', "PoolError"),
        ('raise a.b.c.PoolError("a")', "PoolError"),
        ('raise self.error_class("a")', None),
        ('raise ValueError("a") from error', "ValueError"),
        ('raise ValueError("a") from None', "ValueError"),
        ('raise ValueError("a").with_traceback(tb)', "ValueError"),
        ('raise ValueError("a").with_traceback(tb) from None', "ValueError"),
        ('raise ValueError("a"); x = 1', "ValueError"),
        ('raise ValueError("a")  # always', "ValueError"),
    ],
)
def test_the_class_is_the_last_name_of_what_is_called(statement: str, error_class: str) -> None:
    """Modules before it do not count, and neither does what is done with the exception."""
    assert Raise(1, 1, error_class, "a") == raised(statement)


@pytest.mark.parametrize(
    ("statement", "error_class"),
    [
        ("raise ValueError", "ValueError"),
        ("raise errors.PoolError", "PoolError"),
        ("raise ValueError from error", "ValueError"),
        ("raise ValueError()", "ValueError"),
        ("raise", None),
        ("raise  # again", None),
        ("raise classes[0]", None),
        ("raise classes[0]()", None),
        ("raise make()()", None),
    ],
)
def test_a_raise_without_text_has_no_message(statement: str, error_class: str | None) -> None:
    """A bare one has no class either, nor has what is no name."""
    assert Raise(1, 1, error_class, None) == raised(statement)


# Where it stands.

EXCERPT = """\
        the rest of a docstring, with a ' and a "
        \"\"\"
        if size % self.page_size != 0:
            raise ValueError(
                "must be page-aligned, "
                f"got size={size}, "  # a ) in a comment
                f"page={self.pages[0]} )"
            )
        if size < 0:
            raise IndexError
        # raise TypeError("never")
        try:
            raised = f(
                x,"""


def test_a_statement_is_cut_out_of_what_does_not_parse() -> None:
    """Before it a docstring ends that never began, behind it a call begins that never ends."""
    expected = Raise(104, 108, "ValueError", "must be page-aligned, got size={size}, page={self.pages[0]} )")
    assert expected == read(EXCERPT.split("\n"), 101, 104)
    assert Raise(110, 110, "IndexError", None) == read(EXCERPT.split("\n"), 101, 110)


@pytest.mark.parametrize(
    ("at", "why"),
    [
        (101, "line 101 is `the rest of a docstring, with a ' and a \"`"),
        (105, 'line 105 is `"must be page-aligned, "`'),
        (111, 'line 111 is `# raise TypeError("never")`'),
        (113, "the statement on line 113 does not end within the excerpt"),
        (100, "line 100 is outside lines 101-114"),
        (115, "line 115 is outside lines 101-114"),
    ],
)
def test_another_line_is_refused_with_what_stands_there(at: int, why: str) -> None:
    """The reader sees at once which line was meant."""
    assert why == read(EXCERPT.split("\n"), 101, at)


def test_a_long_line_is_repeated_in_part() -> None:
    """Eighty characters tell it from others."""
    assert f"line 1 is `{'a' * 80}`" == refusal("a" * 200)


@pytest.mark.parametrize(
    "statement",
    [
        "raise ValueError(",
        'raise ValueError(\n    "a",',
        "raise ValueError(f(x)",
        'raise ValueError("""a\nb',
        "raise \\",
    ],
)
def test_a_statement_that_is_cut_off_is_refused(statement: str) -> None:
    """Its message may go on in lines that are not there."""
    assert "the statement on line 1 does not end within the excerpt" == refusal(statement)


@pytest.mark.parametrize("statement", ["raised = 1", "raises(ValueError)", "raise_error()", "raised: int"])
def test_a_name_that_begins_so_is_no_raise(statement: str) -> None:
    """The statement is read, not the first letters."""
    assert "line 1 is no `raise` statement" == refusal(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "raise ValueError if it is too long",
        "raise ValueError('a",
        "raise ValueError)",
        "raise a b",
        "raise \0",
    ],
)
def test_prose_and_broken_code_are_refused(statement: str) -> None:
    """A docstring may speak of raising."""
    assert refusal(statement) in {
        "line 1 starts no statement that can be read",
        "the statement on line 1 does not end within the excerpt",
    }


@pytest.mark.parametrize("indent", ["", "  ", "        ", "\t", "\t\t", "\t  ", "\x0c"])
def test_indentation_does_not_matter(indent: str) -> None:
    """Tabs, spaces, both, and less of it on the lines that follow."""
    statement = f'{indent}raise ValueError(\n{indent}    f"need {{size}}",\n{indent})\nx = 1\n  y = 2'
    assert Raise(1, 3, "ValueError", "need {size}") == raised(statement)


def test_lines_inside_brackets_may_stand_left_of_the_statement() -> None:
    """Nothing is taken from them: they are part of the text."""
    statement = '        raise ValueError(\n"""\n    two\n  \n        lines\n""")'
    assert Raise(1, 6, "ValueError", "\n    two\n  \n        lines\n") == raised(statement)


def test_a_text_over_lines_keeps_its_indentation() -> None:
    """The message that users see has those spaces."""
    statement = '    raise ValueError("""need:\n        pages\n    """)'
    assert "need:\n        pages\n    " == raised(statement).message


@pytest.mark.parametrize(
    ("statement", "lines"),
    [
        ('raise ValueError(f(g((1, [2, {3: "("}])), ")"), msg="a")', 1),
        ('raise ValueError(  # (\n    "a"  # )\n)', 3),
        ('raise ValueError(\n\n    "a",\n\n)', 5),
        ('raise \\\n    ValueError("a")', 2),
        ('raise ValueError("a") \\\n    from error', 2),
        ('raise ValueError("a"\n) from error', 2),
        ('raise ValueError("a"); x = [\n1]', 2),
        ('raise ValueError("a")\n\n\nx = (', 1),
    ],
)
def test_a_statement_ends_where_its_brackets_are_balanced(statement: str, lines: int) -> None:
    """Brackets in texts and comments do not count."""
    found = raised(statement, 50)
    assert (50, 49 + lines, "ValueError") == (found.first_line, found.last_line, found.error_class)
    assert "a" == found.message


def test_windows_line_ends_are_line_ends() -> None:
    """A file may be kept so."""
    assert Raise(1, 3, "ValueError", "need {a}") == raised('  raise ValueError(\r\n  f"need {a}"\r\n)\r')


def test_the_compilers_warnings_are_not_ours() -> None:
    r"""Source with `"\d"` is quoted as it is, and nobody who builds a site can change it."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "\\d" == message(r'"\d"')


@pytest.mark.parametrize("count", [500, 900, 1_500, 20_000])
@pytest.mark.parametrize(
    ("before", "repeated", "after"),
    [
        ("", '"a"+', '"a"'),
        ("", "-", "1"),
        ('f"{', "-", 'x}"'),
        ('f"{', "x+", 'x}"'),
        ("", "(", '"a"' + ")" * 20_000),
        ("", "[", ""),
        ("", "a.", "b"),
        ("", "a(", ""),
    ],
)
def test_hostile_nesting_is_refused_or_read(before: str, repeated: str, after: str, count: int) -> None:
    """An excerpt never ends the run, however deep it nests."""
    found = read([f"raise ValueError({before}{repeated * count}{after})"], 1, 1)
    assert isinstance(found, str) or found.error_class == "ValueError"


# Where there are any.


def test_lines_that_start_a_raise_are_found() -> None:
    """They help whoever wrote a wrong line number; comments and names are none."""
    assert (104, 110) == find(EXCERPT.split("\n"), 101)


@pytest.mark.parametrize(
    ("line", "is_found"),
    [
        ("raise", True),
        ("\traise ValueError", True),
        ("raise(ValueError)", True),
        ("raise#", True),
        ("raised = 1", False),
        ("# raise", False),
        ("x = 'raise'", False),
        ("", False),
    ],
)
def test_a_line_starts_a_raise_if_its_first_word_is_one(line: str, is_found: bool) -> None:  # noqa: FBT001 - a table's column
    """Brackets and comments may follow at once."""
    assert is_found == bool(find([line], 1))


# The law.

NAMES = (
    "size",
    "self.page_size",
    "len(indices)",
    "row['key']",
    "a + b",
    "x if y else z",
    "f(a, b=1)",
    "rows[0:2]",
)
LITERAL = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from("{}\"'\\\n\t#()%"), max_size=12)
HOLE = st.builds(
    Slot,
    st.sampled_from(NAMES),
    st.sampled_from(["", "r", "s", "a"]),
    st.sampled_from(["", ">10", ".2f", "{width}", ",", "%H:%M"]),
)


def written(part: str | Slot) -> str:
    """Return a part as an f-string in double quotes writes it."""
    if isinstance(part, Slot):
        conversion = part.conversion and f"!{part.conversion}"
        return f"{{{part.name}{conversion}{part.spec and f':{part.spec}'}}}"
    escaped = part.encode("unicode_escape").decode().replace('"', '\\"')
    return escaped.replace("{", "{{").replace("}", "}}")


@settings(deadline=None)
@given(
    parts=st.lists(st.tuples(LITERAL, HOLE), max_size=5),
    tail=LITERAL,
    is_split=st.booleans(),
    indent=st.sampled_from(["", "    ", "\t", " " * 12]),
    before=st.lists(st.sampled_from(["x = (", '"""', "def f():", "        ]", "'", ""]), max_size=3),
    after=st.lists(st.sampled_from(["x = (", '"""', "  )", "else:", "", "    y"]), max_size=3),
)
def test_the_template_that_an_f_string_writes_is_read_back(
    *,
    parts: list[tuple[str, Slot]],
    tail: str,
    is_split: bool,
    indent: str,
    before: list[str],
    after: list[str],
) -> None:
    """For any text and holes, on one line or several, whatever stands around it: same text, same holes."""
    pieces = [written(part) for pair in parts for part in pair] + [written(tail)]
    body = f"\n{indent}    ".join(f'f"{piece}"' for piece in pieces) if is_split else f'f"{"".join(pieces)}"'
    statement = f"{indent}raise PoolError(\n{indent}    {body},\n{indent})"
    lines = [*before, *statement.split("\n"), *after]
    at = 7 + len(before)
    found = read(lines, 7, at)
    assert isinstance(found, Raise), found
    assert (at, at + statement.count("\n"), "PoolError") == (
        found.first_line,
        found.last_line,
        found.error_class,
    )
    doubled = [
        literal.replace("{", "{{").replace("}", "}}") for literal in (*(one for one, _ in parts), tail)
    ]
    holes = [written(slot) for _, slot in parts]
    assert doubled[0] + "".join(map("".join, zip(holes, doubled[1:], strict=True))) == found.message
    if parts:
        assert Template(merge([*(one for pair in parts for one in pair), tail])) == template(found.message)


def test_every_statement_of_a_file_is_found_with_its_function() -> None:
    """In the order of their lines, also within classes, functions in functions, and at the module's level."""
    text = """\
class Pool:
    async def alloc(self, size):
        def inner():
            raise ValueError(f"no room for {size}")
        raise
    if True:
        raise TypeError("a class body")
raise SystemExit("the end")
"""

    assert [
        (4, "ValueError", "no room for {size}", "Pool.alloc.inner"),
        (5, None, None, "Pool.alloc"),
        (7, "TypeError", "a class body", "Pool"),
        (8, "SystemExit", "the end", ""),
    ] == [(one.first_line, one.error_class, one.message, name) for one, name in every(text)]


@pytest.mark.parametrize("text", ["def", "x = '\0'", "(" * 100_000, "-" * 100_000 + "1"])
def test_a_file_that_cannot_be_read_has_none(text: str) -> None:
    """Whatever a compiler makes of it; it is said why."""
    assert () == every(text)
    assert unreadable(text)
    assert "" == unreadable("x = 1")


def _of(body: str) -> tuple[str | None, int | None, str]:
    """The message, its line and why there is none, of the last `raise` in a function of these lines."""
    text = "def f(size, message):\n" + "".join(f"    {line}\n" for line in body.split("\n"))
    (*_, (found, _)) = every(text)
    return found.message, found.built_line, found.why


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('m = f"no {size}"\nraise E(m)', ("no {size}", 2)),
        ('m: str = "no"\nraise E(m)', ("no", 2)),
        ('m = "no"\nif size:\n    raise E(m)', ("no", 2)),
        ('m = "no "\nm += f"{size}"\nm += "!"\nraise E(m)', ("no {size}!", 2)),
        ('if size:\n    m = "a"\nelse:\n    m = "b"\n    raise E(m)', ("b", 5)),
        ('e = E("no %s" % size)\nraise e', ("no %s", 2)),
        ('e = E("no")\nlog(e)\nraise e from None', ("no", 2)),
        ('try:\n    f()\nexcept K:\n    m = "no"\n    raise E(m)', ("no", 5)),
        ('raise E(message="no")', ("no", None)),
    ],
)
def test_a_message_that_is_built_just_before_is_read_there(body: str, expected: tuple[str, int]) -> None:
    """With the line on which it is."""
    assert (*expected, "") == _of(body)


@pytest.mark.parametrize(
    "body",
    [
        'm = "a"\nif size:\n    m = "b"\nraise E(m)',
        'm = "a"\nfor m in size:\n    raise E(m)',
        'm = "a"\nwhile size:\n    if g():\n        raise E(m)\n    m = "b"',
        'm = "a"\ntry:\n    m = "b"\n    f()\nexcept K:\n    raise E(m)',
        'm = "a"\nwith f() as m:\n    raise E(m)',
        'm = "a"\ndef g():\n    raise E(m)',
        "raise E(message)",
        'if (m := "a"):\n    pass\nraise E(m)',
    ],
)
def test_a_message_that_may_be_another_is_not_read(body: str) -> None:
    """Where a branch, a loop, a handler or a caller gives the variable something else."""
    assert (None, None, "the message is a value from elsewhere") == _of(body)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("raise", "raised again"),
        ("raise message", "a variable or a function's answer is raised"),
        ("raise make(size)", "a variable or a function's answer is raised"),
        ("raise E", "no message is given"),
        ("raise E()", "no message is given"),
        ("raise E(code=3)", "no message is given"),
        ("raise E(self.text)", "the message is a value from elsewhere"),
        ("raise E(make(size))", "a function makes the message"),
        ('raise E("a" if size else "b")', "one of two messages is given"),
        ("raise E(size * 2)", "the message is no text, or is put together in another way"),
    ],
)
def test_where_no_message_is_read_it_is_said_why(body: str, why: str) -> None:
    """In words that can be counted."""
    assert (None, None, why) == _of(body)


# The usual form.


@pytest.mark.parametrize(
    "statement",
    [
        'raise ValueError("no room")',
        "raise pool.HostError('no room', )  # why",
        'raise ValueError(\n    "no {room} "\n    f"for {size} of {self.pages[0].size!r:>4}"\n) from error',
        'raise ValueError("%s is {no} room" % (name, self.room_of(name)))',
        'raise ValueError("no {}" " room in {0}".format(name)) from None',
        "raise ValueError(f'{{no}} {{{room}}}')",
        "raise _error(message)",
        "raise ValueError(message % names,)",
    ],
)
def test_the_usual_form_needs_no_parser(statement: str) -> None:
    """What is read of it is what Python's own parser reads."""
    assert (found := raises._usual(f"{statement}\nnext(\n", 7)) is not None
    assert raises._read(f"{statement}\nnext(\n", 7) == found


@pytest.mark.parametrize(
    "statement",
    [
        "raise",
        "raise error",
        "raise ValueError()",
        'raise ValueError("no room" 5)',
        'raise ValueError("no room", room)',
        'raise ValueError("no \\"room\\"")',
        'raise ValueError("""no room""")',
        "raise ValueError('it''s')",
        'raise ValueError(b"no room")',
        'raise ValueError(f"{size + 1}")',
        'raise ValueError(f"{if}")',
        'raise ValueError(f"{size.if!r}")',
        'raise ValueError(f"{size:{width}}")',
        'raise ValueError(f"{size}" % name)',
        'raise ValueError(f"{size" "}")',
        'raise ValueError("no" + "room")',
        'raise ValueError("no room" % name if name else "")',
        'raise ValueError("no room"); return',
        'raise ValueError("no room").also',
        'raise ValueError("no room") from error()',
        'raise ValueError(\n# why\n"no room")',
        'raise not.Error("no room")',
        "raise ValueError(None)",
        "raise ValueError(*names)",
        'raise ValueError("\t")',
        'raise ValueError("\x00")',
        'raise ValueError("no room"',
    ],
)
def test_any_other_form_does(statement: str) -> None:
    """Also where Python cannot read it."""
    assert None is raises._usual(statement, 7)


_TOKENS = [
    *(
        "raise ",
        "ValueError",
        "(",
        ")",
        '"',
        "'",
        'f"',
        "f'",
        "{",
        "}",
        "{{",
        "}}",
        "{name}",
        "{a.b[0]!r:>4}",
    ),
    *(
        "%",
        " % ",
        ".format(",
        ", ",
        ",",
        "\n",
        " ",
        "\t",
        "a",
        "a.b",
        "if",
        "None",
        "from ",
        "#",
        "\\",
        '"a"',
        "0",
    ),
]


@settings(max_examples=1_000, deadline=None)
@given(
    st.sampled_from(
        ['raise A("a', "raise A(f'{a}", 'raise a.B("a" % b', "raise A(a", 'raise A("{}".format(a)']
    ),
    st.lists(st.sampled_from(_TOKENS), max_size=8),
    st.sampled_from(["", ")", '")', "')", '")\nb(', ") from b # c"]),
)
def test_both_ways_read_the_same(begin: str, middle: list[str], end: str) -> None:
    """Whatever stands there, the short way reads what the long one does, or nothing."""
    text = f"{begin}{''.join(middle)}{end}"
    assert raises._usual(text, 7) in {None, raises._read(text, 7)}
