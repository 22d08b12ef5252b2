"""The comment on a pull request: whose it is, what of a stranger's text reaches it, and what is refused."""

import ast
import importlib.util
import re
import stat
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from markdown_it import MarkdownIt

from tests.github import SHA, STRANGER, TEXT, Fake, environment, packed, pull, said, served, write_event

ROOT = Path(__file__).parent.parent


def _loaded() -> ModuleType:
    spec = importlib.util.spec_from_file_location("comment", ROOT / ".github" / "comment.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


comment = _loaded()


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Fake]:
    """GitHub, and the environment of a run after a review."""
    with served() as one:
        for name, value in environment(one, tmp_path).items():
            monkeypatch.setenv(name, value)
        write_event(tmp_path)
        yield one


# Whose comment, and on what.


def test_a_first_review_is_commented_on(fake: Fake) -> None:
    """By one comment, which names the run and quotes what it left."""
    fake.comments = [said(1, "Nice!", "someone")]

    assert 0 == comment.main()
    ((method, path, body),) = fake.written
    assert ("POST", "/repos/acme/errors/issues/12/comments") == (method, path)
    assert body.startswith("<!-- pagefault review -->\n")
    assert "https://github.com/acme/errors/actions/runs/99" in body
    assert "succeeded" in body
    assert SHA[:10] in body
    assert TEXT in body


def test_later_reviews_change_it(fake: Fake) -> None:
    """However many comments were made since."""
    others = [said(number, f"Comment {number}", "someone") for number in range(250)]
    fake.comments = [*others, said(900, "<!-- pagefault review -->\nas it was")]

    assert 0 == comment.main()
    assert [("PATCH", "/repos/acme/errors/issues/comments/900")] == [one[:2] for one in fake.written]


def test_an_equal_comment_is_left_alone(fake: Fake) -> None:
    """What says the same already is not written again."""
    comment.main()
    fake.comments = [said(900, fake.written[0][2])]

    assert 0 == comment.main()
    assert 1 == len(fake.written)


@pytest.mark.parametrize(
    "planted",
    [
        said(3, "<!-- pagefault review -->\nplanted", "stranger"),
        said(3, "quoted: <!-- pagefault review -->"),
        said(3, None),
        said(3, "<!-- pagefault review -->", "github-actions"),
    ],
)
def test_others_comments_are_never_changed(fake: Fake, planted: dict[str, Any]) -> None:
    """The marker alone does not make one ours, nor does the login."""
    fake.comments = [planted]

    assert 0 == comment.main()
    assert ["POST"] == [method for method, _, _ in fake.written]


def test_the_pull_request_is_asked_for_by_its_branch(fake: Fake) -> None:
    """GitHub is asked which are open for the run's branch; its name is text, whatever it holds."""
    comment.main()

    ((_, _, query),) = [one for one in fake.asked if one[1].endswith("/pulls")]
    assert {"state": "open", "head": "stranger:fix & more", "per_page": "100"} == query


@pytest.mark.parametrize(
    "pulls",
    [
        [],
        [pull(sha="f" * 40)],
        [pull(repo={"id": 9})],
        [pull(repo=None)],
        [pull(12), pull(13)],
        [pull() | {"base": {"repo": {"id": STRANGER}}}],
    ],
    ids=["closed", "newer commit", "another repository", "deleted fork", "two", "within the fork"],
)
def test_without_its_pull_request_nothing_is_written(fake: Fake, pulls: list[dict[str, Any]]) -> None:
    """The commit that was reviewed must be the newest of exactly one open pull request here."""
    fake.pulls = pulls

    assert 0 == comment.main()
    assert [] == fake.written


@pytest.mark.parametrize(
    "changed",
    [{"event": "push"}, {"head_repository": None}, {"head_branch": None}],
    ids=lambda one: next(iter(one)),
)
def test_other_runs_are_passed_over(fake: Fake, tmp_path: Path, changed: dict[str, Any]) -> None:
    """GitHub is not even asked."""
    write_event(tmp_path, **changed)

    assert 0 == comment.main()
    assert [] == fake.asked


def test_the_token_stays_with_github(fake: Fake) -> None:
    """Files are kept by another host, to which it is not sent."""
    assert 0 == comment.main()
    assert {"api": {"Bearer secret"}, "storage": {None}} == fake.tokens


def test_a_failed_review_is_said(fake: Fake, tmp_path: Path) -> None:
    """Also where it failed before it left anything."""
    write_event(tmp_path, conclusion="failure")
    fake.artifacts = []

    assert 0 == comment.main()
    ((_, _, body),) = fake.written
    assert "failed" in body
    assert "before it had compared anything" in body


def test_the_newest_artifact_of_the_name_counts(fake: Fake) -> None:
    """A run that was repeated left several; what is gone, or called otherwise, is passed over."""
    fake.artifacts = [
        {"id": number, "name": name, "expired": expired, "size_in_bytes": 300}
        for number, name, expired in [
            (5, "review", False),
            (6, "review", False),
            (7, "review", True),
            (8, "site", False),
        ]
    ]
    fake.files[6] = packed(("review.md", b"the second"))

    assert 0 == comment.main()
    assert fake.written[0][2].endswith("\n\nthe second\n")


def test_it_needs_nothing_but_python() -> None:
    """What may comment installs nothing, so that no package can get at its token."""
    tree = ast.parse((ROOT / ".github" / "comment.py").read_text(encoding="utf-8"))
    found = {
        name.partition(".")[0]
        for node in ast.walk(tree)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [str(node.module)]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }

    assert {"json", "zipfile", "urllib"} <= found <= sys.stdlib_module_names
    assert not found & {"subprocess", "importlib", "runpy"}


# What is refused.


def _link() -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo("review.md")
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    return entry


def _locked() -> bytes:
    content = bytearray(packed(("review.md", b"text")))
    for head in (b"PK\x03\x04", b"PK\x01\x02"):
        content[content.index(head) + (6 if head[2] == 3 else 8)] |= 1
    return bytes(content)


@pytest.mark.parametrize(
    "content",
    [
        b"no archive",
        packed(),
        packed(("other.md", b"text")),
        packed(("../review.md", b"text")),
        packed(("/review.md", b"text")),
        packed(("review.md/", b"")),
        packed(("review.md", b"text"), ("run.sh", b"#!/bin/sh")),
        packed((_link(), b"/etc/passwd")),
        packed(("review.md", b"a" * 10_000_000)),
        packed(("review.md", b"\xff\xfe")),
        packed(("review.md", b"text" * 100), how=zipfile.ZIP_LZMA),
        packed(("review.md", b"text" * 100))[:-60],
        _locked(),
        b"a" * 1_000_001,
    ],
    ids=[
        "no archive",
        "empty",
        "another name",
        "a folder above",
        "an absolute path",
        "a folder",
        "two files",
        "a link",
        "a bomb",
        "no text",
        "packed otherwise",
        "cut off",
        "locked",
        "large",
    ],
)
def test_a_hostile_artifact_is_refused(
    fake: Fake, content: bytes, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Nothing is written, neither in the pull request nor on the disk."""
    fake.files[5] = content

    assert 1 == comment.main()
    assert [] == fake.written
    assert capsys.readouterr().err.startswith("nothing was commented: ")
    assert ["event.json"] == [path.name for path in tmp_path.iterdir()]


def test_an_artifact_that_says_that_it_is_large_is_not_fetched(fake: Fake) -> None:
    """Its size is known before."""
    fake.artifacts[0]["size_in_bytes"] = 1_000_001

    assert 1 == comment.main()
    assert [] == fake.written
    assert [] == [path for _, path, _ in fake.asked if path.endswith("/zip")]


@pytest.mark.parametrize("status", [401, 403, 404, 500])
def test_a_refusal_of_github_is_told(fake: Fake, status: int, capsys: pytest.CaptureFixture[str]) -> None:
    """It is no finding about the review."""
    fake.status = status

    assert 2 == comment.main()
    assert f"GitHub answered {status}" in capsys.readouterr().err


def test_a_refused_connection_is_told(
    fake: Fake, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nor is that a finding about the review."""
    monkeypatch.setenv("GITHUB_API_URL", fake.storage.rpartition(":")[0] + ":1")

    assert 2 == comment.main()
    assert "GitHub could not be asked" in capsys.readouterr().err


# What of the text acts.


@pytest.mark.parametrize(
    "text",
    [
        "@someone, @acme/team: look",
        "\\@someone &#64;someone &commat;someone",
        "[look](https://evil.example)",
        "![look](https://evil.example/pixel.png)",
        "[look][there]\n\n[there]: https://evil.example",
        "https://evil.example www.evil.example WWW.evil.example",
        "<https://evil.example> <someone@evil.example>",
        '<a href="https://evil.example">look</a><img src=x>',
        '<details open ontoggle="x">',
        "<!-- pagefault review -->",
        "<!-- hidden",
        "#12 acme/errors#12 GH-12 gh-12 &#12 &#1239;",
        "```mermaid\ngraph TD\n```",
        "~~~~ GeoJSON\n{}\n~~~~",
        "<details>\n```\n\n@someone <img src=x>\n",
    ],
)
def test_nothing_acts(text: str) -> None:
    """It looks as it did, and mentions, links, loads and hides nothing, in code as elsewhere."""
    calm = comment.stilled(text)

    assert text == calm.replace("\u200b", "")
    assert not re.search(r"@\w|#\d|\bgh-\d|://|\bwww\.|&(#64|commat);|<!--", calm, re.IGNORECASE)
    rendered = MarkdownIt("commonmark", {"html": True}).enable("table").render(calm)
    assert {"details", "summary", "code"} >= set(re.findall(r"</?([a-z]+)[^>]*>", calm))
    assert not re.search(r"<(a|img|!--)|language-(mermaid|geojson)", rendered, re.IGNORECASE)


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        "## Changed\n\n- **`cause`**: ~~one~~ two\n\n> quoted\n\n```diff\n-one\n+two\n```\n",
        "<details>\n<summary>3 more</summary>\n\n- one\n\n</details>\n",
        "a &lt;b&gt; &amp; &quot;c&quot; &#39;d&#39; &#x27;e&#x27; &#124; f<br>g",
        "pattern `^a (.+?) b$` and `x[0] + y(1)`",
    ],
)
def test_what_a_review_says_stays_as_it_is(text: str) -> None:
    """Headings, lists, tables, code, differences and folded parts do not act."""
    assert text == comment.stilled(text)


def test_what_cannot_be_seen_is_shown() -> None:
    """Characters that turn the direction of text or have no form are replaced, and none is left."""
    assert "a\ufffdb\ufffdc\ufffdd\te\n" == comment.stilled("a\u202eb\u200bc\x1bd\te\r\n")


def test_ours_stands_first_and_the_comment_has_room() -> None:
    """A text of any length is cut at a line, so that GitHub takes the comment, and says so."""
    run = {"id": 99, "conclusion": "success", "head_sha": SHA}
    body = comment.comment(
        "@a <b> " * 3 + "\n" + "a line of a change\n" * 10_000, run, "https://github.com/a/b"
    )

    assert 65_000 > len(body)
    assert body.endswith("a line of a change\n\n… and more, which the run's summary has.\n")
    assert body.index("/actions/runs/99") < body.index("---")
