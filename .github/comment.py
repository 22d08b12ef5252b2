"""Says in a pull request what its review found: one comment, which later reviews change.

The review ran a stranger's code without any right. This runs afterwards with the right to comment, out of the
default branch, and runs nothing of the stranger's. What the review left is a text to be quoted, of a fixed
shape and size: it is read in memory, never unpacked, and nothing in it acts. Which pull request it belongs to
is asked of GitHub, and not of the review.

Needs Python 3.11 and nothing else. Reads GITHUB_EVENT_PATH, GITHUB_REPOSITORY, GITHUB_API_URL, GITHUB_TOKEN
and GITHUB_SERVER_URL. Exit status: 0 commented, or there was nothing to comment on; 1 the review left what it
should not have; 2 GitHub could not be asked.
"""

import io
import json
import os
import re
import stat
import sys
import unicodedata
import zipfile
import zlib
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode
from urllib.request import HTTPRedirectHandler, Request, build_opener

ARTIFACT = "review"
FILE = "review.md"
MARKER = "<!-- pagefault review -->"
BOT = "github-actions[bot]"

PACKED = 1_000_000  # bytes of the artifact
TEXT = 200_000  # bytes of its file
COMMENT = 60_000  # characters of a comment; GitHub takes 65,536
ANSWER = 20_000_000  # bytes of one answer of GitHub
PAGES = 20  # of a hundred comments each
SECONDS = 30

# What does something in GitHub's Markdown: a tag, a mention, links and images in all forms, an address, a
# reference to an issue, a letter written as a number, a block that is drawn.
_ACTING = re.compile(
    r"<(?!/?(?:details|summary|br|del|ins|code)>)"
    r"|@"
    r"|!(?=\[)|\](?=[\[(:])"
    r"|:(?=//)|\bwww(?=\.)"
    r"|(?<!&)#(?=\d)|(?<=&)#(?=\d)(?!39;|124;)|\bGH(?=-\d)"
    r"|&(?!(?:amp|lt|gt|quot|nbsp|#39|#x27|#124);)"
    r"|(?:`{3}|~{3})[ \t]*(?=mermaid|geojson|topojson|stl|math)",
    re.IGNORECASE,
)
_STILL = "\u200b"


class Hostile(Exception):  # noqa: N818 - a judgement, not a fault of the program
    """What the review left is not what a review leaves; says why."""


class _KeepsSecrets(HTTPRedirectHandler):
    """Follows GitHub to where it keeps files, and leaves the token at home."""

    def redirect_request(self, *asked: Any, **more: Any) -> Request | None:
        request = super().redirect_request(*asked, **more)
        if request is not None:
            request.remove_header("Authorization")
        return request


class GitHub:
    """GitHub's interface for programs, for one repository."""

    def __init__(self, api: str, repository: str, token: str) -> None:
        self._below = f"{api}/repos/{quote(repository)}"
        self._token = token
        self._opener = build_opener(_KeepsSecrets)

    def ask(self, path: str, **query: str | int) -> Any:
        """What GitHub answers at a path."""
        return json.loads(self._send("GET", f"{path}?{urlencode(query)}", None, ANSWER))

    def tell(self, method: str, path: str, body: dict[str, str]) -> None:
        """Has something written."""
        self._send(method, path, json.dumps(body).encode(), ANSWER)

    def fetch(self, path: str, most: int) -> bytes:
        """A file, of so many bytes at most. Raises Hostile."""
        content = self._send("GET", path, None, most + 1)
        if len(content) > most:
            raise Hostile(f"the artifact has more than {most:,} bytes")
        return content

    def _send(self, method: str, path: str, body: bytes | None, most: int) -> bytes:
        request = Request(f"{self._below}{path}", body, method=method)  # noqa: S310 - the runner names it
        request.add_header("Accept", "application/vnd.github+json")
        request.add_header("X-GitHub-Api-Version", "2022-11-28")
        request.add_header("User-Agent", "pagefault")
        request.add_header("Authorization", f"Bearer {self._token}")
        if body is not None:
            request.add_header("Content-Type", "application/json")
        with self._opener.open(request, timeout=SECONDS) as answer:
            content: bytes = answer.read(most)
        return content


def pull_request(github: GitHub, event: dict[str, Any]) -> int | None:
    """The number of the one open pull request whose newest commit was reviewed, if there is one.

    The event names it for branches of the repository itself, and not for those of forks.
    """
    run = event["workflow_run"]
    head = run["head_repository"]
    if run["event"] != "pull_request" or not head or not run["head_branch"]:
        return None
    branch = f"{head['owner']['login']}:{run['head_branch']}"
    found = [
        pull["number"]
        for pull in github.ask("/pulls", state="open", head=branch, per_page=100)
        if pull["head"]["sha"] == run["head_sha"]
        and (pull["head"]["repo"] or {}).get("id") == head["id"]
        and pull["base"]["repo"]["id"] == event["repository"]["id"]
    ]
    return int(found[0]) if len(found) == 1 else None


def review(github: GitHub, run_id: int) -> str | None:
    """The text that a run of the review left, None if it left nothing. Raises Hostile."""
    answer = github.ask(f"/actions/runs/{run_id}/artifacts", name=ARTIFACT, per_page=100)
    kept = [one for one in answer["artifacts"] if one["name"] == ARTIFACT and not one["expired"]]
    if not kept:
        return None
    # A run that is repeated leaves one each time.
    newest = max(kept, key=lambda one: int(one["id"]))
    if newest["size_in_bytes"] > PACKED:
        raise Hostile(f"the artifact has more than {PACKED:,} bytes")
    return text_of(github.fetch(f"/actions/artifacts/{int(newest['id'])}/zip", PACKED))


def text_of(packed: bytes) -> str:
    """The text in an artifact. Raises Hostile unless that is one plain file of the right name and size."""
    try:
        with zipfile.ZipFile(io.BytesIO(packed)) as archive:
            entries = archive.infolist()
            if [one.filename for one in entries] != [FILE]:
                raise Hostile(f"the artifact holds {len(entries)} files, and not `{FILE}` alone")
            (entry,) = entries
            kind = stat.S_IFMT(entry.external_attr >> 16)
            is_packed_plainly = entry.compress_type in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
            if kind not in {0, stat.S_IFREG} or entry.flag_bits & 1 or not is_packed_plainly:
                raise Hostile(f"`{FILE}` is no plain file")
            with archive.open(entry) as file:
                content = file.read(TEXT + 1)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError, ValueError) as error:
        raise Hostile("the artifact cannot be read as an archive") from error
    if len(content) > TEXT:
        raise Hostile(f"`{FILE}` has more than {TEXT:,} bytes")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise Hostile(f"`{FILE}` is no UTF-8 text") from error


def stilled(text: str) -> str:
    """A stranger's Markdown that looks as it did, and mentions, links, loads and hides nothing.

    An invisible space stands within whatever would act: in code too, since where code begins is a thing to be
    argued about. Characters that cannot be seen are replaced.
    """
    plain = "".join(
        one if one in "\n\t" or unicodedata.category(one) not in {"Cc", "Cf", "Cs", "Co", "Cn"} else "\ufffd"
        for one in text.replace("\r\n", "\n")
    )
    return _ACTING.sub(lambda found: found[0] + _STILL, plain)


def comment(text: str | None, run: dict[str, Any], place: str) -> str:
    """The comment's Markdown. What is ours stands first: a stranger's text can hide what follows it, only."""
    way = f"{place}/actions/runs/{int(run['id'])}"
    sha = re.sub(r"[^0-9a-f]", "", run["head_sha"])[:10]
    ended = "succeeded" if run["conclusion"] == "success" else "failed"
    head = f"{MARKER}\n[The review of {sha}]({way}) {ended}; it has the findings, and a preview of the pages."
    if text is None or not text.strip():
        return f"{head}\n\nIt ended before it had compared anything.\n"
    said = stilled(text.strip("\n"))
    room = COMMENT - len(head)
    if len(said) > room:
        said = f"{said[:room].rpartition(chr(10))[0]}\n\n… and more, which the run's summary has."
    return f"{head} What follows was written by the pull request's own code.\n\n---\n\n{said}\n"


def publish(github: GitHub, number: int, body: str) -> str:
    """Writes the comment, over our former one if there is one; says which it did."""
    for page in range(1, PAGES + 1):
        comments = github.ask(f"/issues/{number}/comments", per_page=100, page=page)
        for one in comments:
            # Anyone can write the marker, and nobody else has the login.
            if not (one["body"] or "").startswith(MARKER) or (one["user"] or {}).get("login") != BOT:
                continue
            if one["body"] == body:
                return "left as it is"
            github.tell("PATCH", f"/issues/comments/{int(one['id'])}", {"body": body})
            return "changed"
        if len(comments) < 100:
            break
    github.tell("POST", f"/issues/{number}/comments", {"body": body})
    return "written"


def main() -> int:
    """Comments on the pull request of the event."""
    event = json.loads(Path(os.environ["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8"))
    repository = os.environ["GITHUB_REPOSITORY"]
    github = GitHub(os.environ["GITHUB_API_URL"], repository, os.environ["GITHUB_TOKEN"])
    run = event["workflow_run"]
    try:
        number = pull_request(github, event)
        if number is None:
            print("no open pull request has this commit as its newest: nothing to comment on")
            return 0
        text = review(github, int(run["id"]))
        body = comment(text, run, f"{os.environ['GITHUB_SERVER_URL']}/{repository}")
        print(f"the comment on pull request {number} was {publish(github, number, body)}")
    except Hostile as error:
        print(f"nothing was commented: {error}", file=sys.stderr)
        return 1
    except HTTPError as error:
        print(f"GitHub answered {error.code} {error.reason}", file=sys.stderr)
        return 2
    except (URLError, HTTPException, TimeoutError, ValueError) as error:
        print(f"GitHub could not be asked: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
