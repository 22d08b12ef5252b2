"""`generator.layout`: what is moved, what stays, and that nothing is lost or read in another way."""

import json
import re
from dataclasses import dataclass, field
from textwrap import dedent

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from generator import layout, schema
from generator.diagnostics import Rejected, Source
from generator.model import Record, Repository

SHA = "0132848349585cfe6aae51c4941cbae872505f8a"
NEEDED = f"""\
repo: acme/pool
errorMessage: no room for {{size}} pages
errorClass: PoolError
filePath: pool/pages.py
lineNumber: 7
documentation: There is no room.
analyzedSha: {SHA}
"""


def arranged(text: str, *, modeline: str | None = None) -> str:
    """The text of a YAML record laid out."""
    return layout.arrange(Source("r.yaml", text), Record, is_json=False, modeline=modeline)


def with_more(more: str) -> str:
    """What becomes of rows beside those of the needed fields."""
    after = arranged(NEEDED + dedent(more))
    for row in NEEDED.splitlines(keepends=True):
        assert row in after
        after = after.replace(row, "", 1)
    return after


def test_what_is_laid_out_stays_as_it_is() -> None:
    """To the byte."""
    assert NEEDED == arranged(NEEDED)


def test_fields_come_in_the_order_of_the_type() -> None:
    """Those of the record, of `verification`, and of each look-alike."""
    rows = NEEDED.splitlines(keepends=True)
    assert NEEDED == arranged("".join(reversed(rows)))
    assert dedent("""\
        verification:
          trigger: f()
          instead:
            - call: g()
              raises: "TypeError: no"
              why: It is another.
          unproven: no device
        """) == with_more("""\
        verification:
          unproven: no device
          instead:
            - why: It is another.
              raises: "TypeError: no"
              call: g()
          trigger: f()
        """)


def test_fields_that_say_nothing_are_left_out() -> None:
    """Null, the text "null", and an empty list, where the field may be absent."""
    assert "tags: [a]\n" == with_more(
        """\
        errorCode: null
        httpStatus: "null"
        typeGuard: |-
          null
        solutions: []
        exampleFix:
        reason: ~
        tags: [a]
        """
    )


def test_a_mapping_of_nothing_keeps_what_says_so() -> None:
    """Without its fields it would be null."""
    assert "verification:\n  setup: null\n" == with_more("verification:\n  setup: null\n")


def test_a_field_that_says_nothing_stays_for_its_comment() -> None:
    """Above it, or behind."""
    assert dedent("""\
        exampleFix: null # none yet
        # to be asked
        typeGuard: null
        """) == with_more("""\
        exampleFix: "null"   # none yet
        # to be asked
        typeGuard:   null
        """)


def test_comments_move_with_what_they_stand_at() -> None:
    """Above a field, behind it, at the end of its block, and above an item."""
    expected = dedent("""\
        # about the record

        # whose it is
        repo: acme/pool
        errorMessage: no room for {size} pages # as printed
        errorClass: PoolError
        filePath: pool/pages.py
        # the raise
        lineNumber: 7
        documentation: There is no room.
        # ways out
        solutions: # in order
          # the best
          - Ask first.
          - Ask later.
          # that is all
        """)
    text = dedent("""\
        # about the record

        # ways out
        solutions: # in order
            # the best
            - Ask first.
            -   Ask later.
            # that is all
        documentation: There is no room.
        # the raise
        lineNumber: 7
        errorMessage: no room for {size} pages # as printed
        errorClass: PoolError
        # whose it is
        repo: acme/pool
        filePath: pool/pages.py
        """)
    end = f"analyzedSha: {SHA}\n"
    assert expected + end == arranged(text + end)


def test_a_comment_at_the_end_belongs_to_what_is_above() -> None:
    """As long as no empty row parts the two."""
    assert dedent("""\
        verification:
          trigger: f()
          builtAt: a.py:7
          # no frame shows it
          unproven: no device

          # ask again
        """) == with_more("""\
        verification:
          unproven: no device
          trigger: f()
          builtAt: a.py:7
          # no frame shows it

          # ask again
        """)


def test_indentation_is_two_spaces_everywhere() -> None:
    """For mappings, and for lists below their key; what stands in brackets moves along."""
    assert dedent("""\
        solutions:
          - Ask.
          - |-
            One
              two
        verification:
          captures: {a: "1",
            b: "2"}
          more:
            - f()
          instead:
            - call: g()
              returns: "3"
        """) == with_more("""\
        solutions:
        - Ask.
        -     |-
              One
                two
        verification:
            more:
                - f()
            instead:
            -   call: g()
                returns: "3"
            captures: {a: "1",
              b: "2"}
        """)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('typeGuard: "a\\nb"', "typeGuard: |-\n  a\n  b"),
        ('typeGuard: "a\\nb\\n"', "typeGuard: |\n  a\n  b"),
        ('solutions: \n- "a\\n\\nb"', "solutions:\n  - |-\n    a\n\n    b"),
        ("typeGuard: assert\n    x", "typeGuard: >-\n  assert x"),
        ("typeGuard: |4-\n     a\n    b", "typeGuard: |2-\n   a\n  b"),
        ("typeGuard: |+\n  a\n\n", "typeGuard: |+\n  a\n\n"),
        ("typeGuard: |- # why\n    a", "typeGuard: |- # why\n  a"),
        ("typeGuard:\n  assert x", "typeGuard: assert x"),
        ("typeGuard: # why\n  assert x", "typeGuard: # why\n  assert x"),
        ("typeGuard:   assert x   ", "typeGuard: assert x"),
        # What a block would not show stays in quotes.
        ('typeGuard: "a \\nb"', 'typeGuard: "a \\nb"'),
        ('typeGuard: "\\ta\\nb"', 'typeGuard: "\\ta\\nb"'),
        ('typeGuard: " a\\nb"', 'typeGuard: " a\\nb"'),
        ('typeGuard: "a\\nb" # why', 'typeGuard: "a\\nb" # why'),
        ('tags: [a, "b"]', 'tags: [a, "b"]'),
        ("tags: [a,\n    b ]", "tags: [a,\n    b ]"),
        ('"errorCode": 404', '"errorCode": 404'),
    ],
)
def test_texts_are_written_so(before: str, after: str) -> None:
    """Each in a record of its own."""
    assert f"{after}\n" == with_more(f"{before}\n")


def test_long_prose_is_wrapped_and_long_code_is_not() -> None:
    """At 120 columns; a text with blanks of its own stays."""
    words = "word " * 30
    shown = with_more(f"triggerScenarios: {words.strip()}\ntypeGuard: {words.strip()}\n")
    assert f"triggerScenarios: >-\n  {('word ' * 23).strip()}\n  {('word ' * 7).strip()}\n" in shown
    assert f"typeGuard: {words.strip()}\n" in shown
    spaced = f'triggerScenarios: "{words} x  y"\n'
    assert spaced == with_more(spaced)


def test_one_modeline_stands_first() -> None:
    """Wherever it stood, and the given one in its place; none appears by itself."""
    ours = "# yaml-language-server: $schema=../../.schema/record.json"
    other = "# yaml-language-server: $schema=https://example.org/r.json"
    assert f"{ours}\n{NEEDED}" == arranged(NEEDED, modeline=ours)
    assert f"{ours}\n{NEEDED}" == arranged(f"{other}\n\n{NEEDED}{other}\n", modeline=ours)
    assert f"{other}\n# about\n{NEEDED}" == arranged(f"# about\n{other}\n{NEEDED}")
    assert f"{other}\n{NEEDED}" == arranged(f"{NEEDED}{other}\n")


def test_a_document_mark_goes_and_its_comment_stays() -> None:
    """One record is one file."""
    assert f"# mine\n{NEEDED}" == arranged(f"--- # mine\n{NEEDED}...\n")


def test_line_ends_stay() -> None:
    """Those of Windows too; a last one is added."""
    rows = NEEDED.replace("\n", "\r\n")
    assert rows == arranged(rows)
    assert NEEDED == arranged(NEEDED.rstrip("\n"))
    assert NEEDED == arranged(f"\n\n{NEEDED}\n\n\n")


def test_an_envelope_is_laid_out_within() -> None:
    """As the API answers."""
    inner = "".join(f"  {row}" for row in reversed(NEEDED.splitlines(keepends=True)))
    expected = "".join(f"  {row}" for row in NEEDED.splitlines(keepends=True))
    text = f'datasetVersion: "2026"\nrecord:\n{inner}'
    assert f'record:\n{expected}datasetVersion: "2026"\n' == arranged(text)


def test_a_repository_is_laid_out_too() -> None:
    """By its own fields."""
    package = f"package:\n    prefix: src/\n    commit: {SHA}\n    requirement: pool==1.5\n"
    text = f"{package}title: Pool\nrepo: acme/pool\n"
    assert (
        f"repo: acme/pool\ntitle: Pool\npackage:\n  requirement: pool==1.5\n  commit: {SHA}\n  prefix: src/\n"
        == layout.arrange(Source("repo.yaml", text), Repository, is_json=False)
    )


def test_json_has_two_spaces_and_the_same_order() -> None:
    """Numbers and texts as they are written, what says nothing left out."""
    text = (
        '{"lineNumber": 7, "httpStatus": "null", "errorCode": null, "documentation": "Grüße\\n", '
        f'"tags": ["a"], "analyzedSha": "{SHA}", "filePath": "a.py", "errorClass": "E", '
        '"errorMessage": "no {a}", "repo": "acme/pool", "aliases": [], "verification": {"captures": {}}}'
    )
    expected = f"""\
{{
  "repo": "acme/pool",
  "errorMessage": "no {{a}}",
  "errorClass": "E",
  "filePath": "a.py",
  "lineNumber": 7,
  "documentation": "Grüße\\n",
  "tags": [
    "a"
  ],
  "analyzedSha": "{SHA}",
  "verification": {{
    "captures": {{}}
  }}
}}
"""
    assert expected == layout.arrange(Source("r.json", text), Record, is_json=True)
    assert expected == layout.arrange(Source("r.json", expected), Record, is_json=True)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("repo: [", "E0101"),
        ("", "E0103"),
        (f"{NEEDED}tgs: [a]\n", "E0111"),
        (f"{NEEDED}repo: acme/pool\n", "E0106"),
        (NEEDED.replace("lineNumber: 7\n", ""), "E0112"),
        (f"{NEEDED}tags: &a [b]\n", "E0105"),
    ],
)
def test_what_is_no_record_is_refused(text: str, code: str) -> None:
    """With what is wrong."""
    with pytest.raises(Rejected) as rejected:
        arranged(text)
    assert code in {one.code for one in rejected.value.diagnostics}


def test_a_form_that_is_not_understood_is_refused() -> None:
    """An explicit key is YAML too, and nobody writes it."""
    with pytest.raises(layout.Unsettled):
        arranged(f"{NEEDED}? tags\n: [a]\n")


# The law.

WORDS = st.sampled_from(["pool", "page", "x", "size", "größe", "a-b", "`f(x)`", "(1)"])
PROSE = st.lists(WORDS, min_size=1, max_size=40).map(" ".join)
ODD = st.sampled_from(
    [
        *(
            "a: b",
            "a #b",
            "# a",
            "- a",
            "'a'",
            '"',
            "\\",
            "null",
            "no",
            "007",
            "a\nb",
            "a\n\nb\n",
            "  a\nb",
            "a\n  b",
        ),
        *(
            "a \nb",
            "\ta",
            "a\tb\nc",
            "a\n\n\n",
            "\na",
            "a\n b\n\nc",
            "{a}",
            "[",
            "|-",
            "> a",
            "a  b",
            "…",
            "%a",
            "@a",
        ),
    ]
)
TEXTS = PROSE | ODD
LISTS = ("solutions", "preventionTips")
PLAIN = (
    *("triggerScenarios", "commonSituations", "exampleFix", "validationCode", "typeGuard", "tryCatchPattern"),
    *("errorCode", "removedIn", "reason"),
)
INNER = ("setup", "trigger", "guarded", "readIn", "patternReason", "unproven")


@dataclass
class Writer:
    """Writes a record in one of many ways, with comments, and notes at which field each stands."""

    draw: st.DrawFn
    rows: list[str] = field(default_factory=list)
    comments: dict[str, str] = field(default_factory=dict)

    def note(self, indent: int, name: str) -> None:
        """Perhaps a comment and empty rows above a field."""
        if self.draw(st.integers(0, 5)) == 0:
            self.rows.append("")
        for _ in range(self.draw(st.sampled_from([0, 0, 0, 1, 2]))):
            text = f"# {len(self.comments)}."
            self.comments[text] = name
            self.rows.append(" " * indent + text)

    def behind(self) -> str:
        """Perhaps a comment behind a value."""
        if self.draw(st.integers(0, 4)):
            return ""
        text = f"# {len(self.comments)}."
        self.comments[text] = ""
        return f" {text}"

    def text(self, mark: str, text: str, indent: int) -> None:
        """A text in some style, with a key or a dash before it."""
        left = " " * indent
        styles = ["double", "single"]
        lines = text.split("\n")
        if re.fullmatch(r"[a-zö`(][\w `()-]*", text) and text not in {"null", "no"}:
            styles += ["plain", "below"]
            if " " in text:
                styles += ["folded", "spread"]
        if text.strip() and not text.startswith("\n"):
            styles.append("literal")
        style = self.draw(st.sampled_from(styles))
        deeper = left + " " * self.draw(st.integers(1, 5)) if mark != "-" else left + "    "
        match style:
            case "double" | "single" if style == "double" or "\n" in text or text.startswith((" ", "\t")):
                self.rows.append(f"{left}{mark} {json.dumps(text, ensure_ascii=False)}{self.behind()}")
            case "single":
                self.rows.append(f"{left}{mark}  '{text.replace(chr(39), chr(39) * 2)}'{self.behind()}")
            case "plain":
                self.rows.append(f"{left}{mark}  {text}{self.behind()}  ")
            case "below":
                self.rows += [f"{left}{mark}{self.behind()}", f"{deeper}{text}"]
            case "spread" | "folded":
                head, _, tail = text.partition(" ")
                header = f" >-{self.behind()}\n{deeper}" if style == "folded" else " "
                self.rows += f"{left}{mark}{header}{head}\n{deeper}{tail}".split("\n")
            case "literal":
                ends = len(text) - len(text.rstrip("\n"))
                sign = {0: "-", 1: ""}.get(ends, "+")
                width = (
                    len(deeper) - indent if text.startswith((" ", "\t")) or self.draw(st.booleans()) else ""
                )
                self.rows.append(f"{left}{mark} |{width}{sign}{self.behind()}")
                body = lines if not ends else lines[:-1]
                self.rows += [f"{deeper}{line}" if line else "" for line in body]
            case _:
                raise AssertionError(style)

    def value(self, name: str, indent: int) -> None:
        """A field with what it may hold."""
        self.note(indent, name)
        left = " " * indent
        deeper = indent + self.draw(st.sampled_from([2, 3, 4]))
        if name in LISTS or name == "more":
            self.rows.append(f"{left}{name}:{self.behind()}")
            dash = indent + self.draw(st.sampled_from([0, 2, 4]))
            for _ in range(self.draw(st.integers(1, 3))):
                self.note(dash, "-")
                self.text("-", self.draw(TEXTS), dash)
        elif name == "instead":
            self.rows.append(f"{left}{name}:{self.behind()}")
            for _ in range(self.draw(st.integers(1, 2))):
                self.rows.append(f"{' ' * indent}-   call: f(){self.behind()}")
                for part in self.draw(st.permutations(["why", "returns"])):
                    self.value(part, indent + 4)
        elif name == "verification":
            self.rows.append(f"{left}{name}:{self.behind()}")
            names = self.draw(st.lists(st.sampled_from((*INNER, "more", "instead")), min_size=1, unique=True))
            for inner in names:
                self.value(inner, deeper)
            if self.draw(st.booleans()):
                self.comments["# last"] = ""
                self.rows.append(f"{' ' * deeper}# last")
        elif name == "tags":
            self.rows.append(f"{left}tags: [ a,\n{left}    b ]{self.behind()}  ")
        elif name == "httpStatus":
            number = self.draw(st.sampled_from(["404", "null", "~", '"null"']))
            self.rows.append(f"{left}{name}: {number}")
        else:
            self.text(f"{name}:", self.draw(TEXTS), indent)


@st.composite
def records(draw: st.DrawFn) -> tuple[str, dict[str, str]]:
    """A record in one of many ways, and its comments with the field at which each stands."""
    writer = Writer(draw)
    needed = dict(row.split(": ", 1) for row in NEEDED.splitlines())
    others = st.sampled_from((*PLAIN, *LISTS, "tags", "httpStatus", "verification"))
    names = [*needed, *draw(st.lists(others, max_size=5, unique=True))]
    for name in draw(st.permutations(names)):
        if name in needed:
            writer.note(0, name)
            writer.rows.append(f"{name}: {needed[name]}{writer.behind()}")
        else:
            writer.value(name, 0)
    return "\n".join("\n".join(writer.rows).split("\n")) + "\n", writer.comments


@settings(
    deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
@given(records())
def test_whatever_is_laid_out_says_the_same_with_all_its_comments(made: tuple[str, dict[str, str]]) -> None:
    """In many orders, styles and indentations; a second time changes nothing."""
    text, comments = made
    before, found = schema.decode_text(Source("r.yaml", text), is_json=False)
    if before is None or any(one.severity == "error" for one in found):
        with pytest.raises(Rejected):
            arranged(text)
        return
    after = arranged(text)
    again, _ = schema.decode_text(Source("r.yaml", after), is_json=False)
    assert again is not None
    assert before.record == again.record
    assert after == arranged(after)
    assert sorted(comments) == sorted(re.findall(r"# (?:\d+\.|last)", after))
    rows = [row.strip() for row in after.splitlines()]
    for comment, name in comments.items():
        if name:
            below = next(row for row in rows[rows.index(comment) :] if row and not row.startswith("#"))
            assert below.startswith((f"{name}:", f"- {name}:") if name != "-" else "-"), comment
