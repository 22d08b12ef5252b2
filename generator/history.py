"""What git knows of the folder that records lie in: where a branch began, what changed since, old files.

Git is asked with fixed arguments: no hook, no filter of differences and no pager runs, nothing is written.
What it answers was written by strangers: paths are checked before they name a file.
"""

import os
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

SECONDS = 120.0  # for one question
BATCH = 64 * 2**20  # bytes that are asked for at once
_FIXED = ("--no-pager", "--no-optional-locks", "--literal-pathspecs")
_SET = ("core.quotepath=off", "core.fsmonitor=false", f"core.hooksPath={os.devnull}")
_COMMIT = re.compile(rb"[0-9a-f]{40,64}\n?")
_REGULAR = frozenset({b"100644", b"100755"})


class HistoryUnavailable(Exception):  # noqa: N818 - a state of the repository, not a fault of the program
    """What was asked for is not there; says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Blob:
    """What git calls the content of a file, and how many bytes that has."""

    name: str
    size: int


@dataclass(frozen=True, slots=True)
class History:
    """A git repository with a working tree, whose uppermost folder is `top`."""

    top: Path

    def base(self, revision: str) -> str:
        """The commit at which HEAD and a revision part. Raises HistoryUnavailable."""
        other, head = self.commit(revision), self.commit("HEAD")
        done = self._ask("merge-base", other, head)
        if done.returncode == 0 and _COMMIT.fullmatch(found := done.stdout.splitlines(keepends=True)[0]):
            return found.strip().decode()
        if self._is_shallow:
            raise HistoryUnavailable(
                f"the history here is cut off before the commit at which `{_shown(revision)}` and HEAD part: "
                "fetch all of it, by `git fetch --unshallow`, or by `fetch-depth: 0` for actions/checkout"
            )
        raise HistoryUnavailable(f"`{_shown(revision)}` and HEAD have no commit in common")

    def commit(self, revision: str) -> str:
        """The commit that a revision names. Raises HistoryUnavailable."""
        # What begins with a hyphen would be an option, and no name of anything begins so.
        is_sane = revision and not revision.startswith("-") and revision.isprintable()
        if is_sane:
            done = self._ask("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
            if done.returncode == 0 and _COMMIT.fullmatch(done.stdout):
                return done.stdout.strip().decode()
        if revision == "HEAD":
            raise HistoryUnavailable("there is no commit here yet")
        cure = "fetch it first, or name a commit, a branch such as `origin/main`, or a tag"
        if self._is_shallow:
            cure += "; the history here is cut off: `fetch-depth: 0` for actions/checkout has all of it"
        raise HistoryUnavailable(f"git knows no `{_shown(revision)}` here: {cure}")

    def changed(self, commit: str, below: Sequence[Path]) -> Mapping[str, bool]:
        """The files below some folders that are not as in a commit, by their paths from `top`.

        Files that git does not track are among them; those that it ignores are no branch's. False stands for
        what is gone. Raises HistoryUnavailable.
        """
        places = self._places(below)
        if not places:
            return {}
        options = (
            "--name-status",
            "-z",
            "--no-renames",
            "--no-ext-diff",
            "--no-textconv",
            "--ignore-submodules",
        )
        said = self._tell("diff", *options, commit, "--", *places).split(b"\0")
        found = {path: status != b"D" for status, path in zip(said[0::2], said[1::2], strict=False)}
        untracked = self._tell("ls-files", "--others", "--exclude-standard", "-z", "--", *places)
        found |= dict.fromkeys(filter(None, untracked.split(b"\0")), True)
        return {os.fsdecode(path): is_there for path, is_there in sorted(found.items()) if _is_sane(path)}

    def files(self, commit: str, below: Sequence[Path]) -> Mapping[str, str]:
        """What git calls the regular files that a commit has below some folders, by their paths from `top`.

        Links are none, nor are other repositories within. Raises HistoryUnavailable.
        """
        places = self._places(below)
        if not places:
            return {}
        said = self._tell("ls-tree", "-r", "-z", "--full-tree", commit, "--", *places)
        found = {}
        for entry in filter(None, said.split(b"\0")):
            about, _, path = entry.partition(b"\t")
            mode, _, name = about.split()
            if mode in _REGULAR and _is_sane(path):
                found[os.fsdecode(path)] = name.decode()
        return found

    def blobs(self, names: Sequence[str]) -> Sequence[Blob]:
        """How large each file is. Raises HistoryUnavailable.

        Only what is to be read is asked about: a clone may have to fetch it first.
        """
        if not names:
            return ()
        said = self._tell("cat-file", "--batch-check", given=_lines(names)).splitlines()
        found = []
        for name, about in zip(names, said, strict=True):
            _, kind, size = [*about.split(), b"", b""][:3]
            if kind != b"blob":
                raise HistoryUnavailable(f"git cannot read {name}: fetch it, or check the repository")
            found.append(Blob(name, int(size)))
        return found

    def read(self, blobs: Iterable[Blob]) -> Iterator[bytes]:
        """The content of each, in order. Raises HistoryUnavailable."""
        batch: list[Blob] = []
        held = 0
        for blob in blobs:
            if batch and held + blob.size > BATCH:
                yield from self._contents(batch)
                batch, held = [], 0
            batch.append(blob)
            held += blob.size
        yield from self._contents(batch)

    def _contents(self, batch: Sequence[Blob]) -> Iterator[bytes]:
        if not batch:
            return
        said = self._tell("cat-file", "--batch", given=_lines([blob.name for blob in batch]))
        at = 0
        for blob in batch:
            start = said.index(b"\n", at) + 1
            if said[at : start - 1] != f"{blob.name} blob {blob.size}".encode():
                raise HistoryUnavailable(f"git says of {blob.name} what it did not say before")
            at = start + blob.size + 1
            yield said[start : at - 1]

    def inside(self, path: Path) -> str | None:
        """A path from `top`, as git has it; None for one that lies elsewhere."""
        try:
            return path.resolve().relative_to(self.top).as_posix()
        except (ValueError, OSError):
            return None

    def _places(self, below: Sequence[Path]) -> list[str]:
        return sorted({place for path in below if (place := self.inside(path)) is not None})

    @property
    def _is_shallow(self) -> bool:
        return self._ask("rev-parse", "--is-shallow-repository").stdout.strip() == b"true"

    def _tell(self, *arguments: str, given: bytes | None = None) -> bytes:
        done = self._ask(*arguments, given=given)
        if done.returncode:
            raise HistoryUnavailable(f"git refuses: {_said(done.stderr)}")
        return done.stdout

    def _ask(self, *arguments: str, given: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
        return ask(self.top, arguments, given)


def history(folder: Path) -> History:
    """The repository that a folder lies in. Raises HistoryUnavailable."""
    done = ask(folder, ("rev-parse", "--show-toplevel"))
    if done.returncode:
        raise HistoryUnavailable(
            "this is no working tree of git"
            if b"not a git repository" in done.stderr or not done.stderr
            else f"git refuses: {_said(done.stderr)}"
        )
    return History(Path(os.fsdecode(done.stdout.removesuffix(b"\n"))).resolve())


def ask(
    folder: Path, arguments: Sequence[str], given: bytes | None = None
) -> subprocess.CompletedProcess[bytes]:
    """What git answers in a folder; it runs nothing that the repository names. Raises HistoryUnavailable."""
    settings = [part for one in _SET for part in ("-c", one)]
    try:
        return subprocess.run(
            ["git", "-C", str(folder), *_FIXED, *settings, *arguments],  # noqa: S607 - the user's git
            input=given if given is not None else b"",
            capture_output=True,
            check=False,
            timeout=SECONDS,
        )
    except FileNotFoundError:
        raise HistoryUnavailable("git is not installed") from None
    except (OSError, subprocess.SubprocessError) as error:
        raise HistoryUnavailable(f"git cannot be asked ({type(error).__name__})") from None


def _is_sane(path: bytes) -> bool:
    """Whether a path leads to a file below the folder that it starts from, on whichever system."""
    parts = path.split(b"/")
    is_plain = b"\\" not in path and b"\0" not in path and all(len(part) < 256 for part in parts)
    return is_plain and not any(part in {b"", b".", b".."} or part.lower() == b".git" for part in parts)


def _lines(names: Iterable[str]) -> bytes:
    return "".join(f"{name}\n" for name in names).encode()


def _said(stderr: bytes) -> str:
    """What git said first, fit for one line."""
    lines = stderr.decode(errors="replace").strip().splitlines() or ["it does not say why"]
    return _shown(lines[0].removeprefix("fatal: "))


def _shown(text: str) -> str:
    shown = "".join(one if one.isprintable() else "\N{REPLACEMENT CHARACTER}" for one in text)
    return shown if len(shown) <= 200 else f"{shown[:199]}…"
