"""`.pre-commit-hooks.yaml`: which files the hooks are given, and what they do with those of a commit.

Files are picked as pre-commit documents it: those staged, whose path `files` finds and `exclude` does not.
"""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parent.parent
HOOKS: dict[str, dict[str, Any]] = {
    hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
}

TIDY = """\
repo: acme/{name}
errorMessage: no room for {{size}} pages
errorClass: PoolError
filePath: pool/pages.py
lineNumber: 7
documentation: There is no room.
analyzedSha: 0132848349585cfe6aae51c4941cbae872505f8a
"""
REPOSITORY = "repo: acme/pool\ntitle: Pool\n"


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder, with nothing of the environment that could lead it elsewhere."""
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "HOME": str(folder)}
    return subprocess.run(
        command, cwd=folder, capture_output=True, encoding="utf-8", check=False, env=environment
    )


def git(folder: Path, *arguments: str) -> str:
    """What git says."""
    identity = ("-c", "user.name=Case", "-c", "user.email=case@example.org", "-c", "commit.gpgSign=false")
    done = run(["git", *identity, *arguments], folder)
    assert 0 == done.returncode, done.stderr
    return done.stdout


def hook(name: str, folder: Path) -> tuple[list[str], subprocess.CompletedProcess[str] | None]:
    """The files that a hook is given, and what its entry did; None where it is given none."""
    staged = git(folder, "diff", "--staged", "--name-only", "--no-ext-diff", "-z", "--diff-filter=ACMRTUXB")
    given = [
        path
        for path in staged.split("\0")
        if path and re.search(HOOKS[name]["files"], path) and not re.search(HOOKS[name]["exclude"], path)
    ]
    program, *arguments = shlex.split(HOOKS[name]["entry"])
    assert "pagefault" == program
    return given, run([sys.executable, "-m", "generator", *arguments, *given], folder) if given else None


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Return a repository with three records, of which each hook would find the first wrong."""
    records = tmp_path / "records" / "acme" / "pool"
    records.mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text('[tool.pagefault]\ntracker = "https://example.org/new"\n')
    (records / "old.yaml").write_text(TIDY.format(name="old").replace("lineNumber: 7", "lineNumber:  seven"))
    (records / "one.yaml").write_text(TIDY.format(name="one"))
    (records / "repo.yaml").write_text(REPOSITORY)
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "--message=All there is")
    return tmp_path


def test_hooks_are_those_that_are_documented() -> None:
    """In an environment of their own, and over all files at once."""
    assert ["pagefault-fmt", "pagefault-check"] == list(HOOKS)
    for one in HOOKS.values():
        assert ("python", True) == (one["language"], one["require_serial"])
        assert one["id"] in (ROOT / "README.md").read_text()


def test_nothing_changed_is_nothing_to_do(repository: Path) -> None:
    """Whatever is wrong with what was there before."""
    assert [([], None), ([], None)] == [hook(name, repository) for name in HOOKS]


def test_changed_records_alone_are_laid_out(repository: Path) -> None:
    """The commit is stopped by the change; once that is staged, nothing is left to do."""
    records = repository / "records" / "acme" / "pool"
    untidy = "".join(reversed(TIDY.format(name="two").splitlines(keepends=True)))
    (records / "two.yaml").write_text(untidy)
    (records / "repo.yaml").write_text("title: Pool\nrepo: acme/pool\n")
    git(repository, "add", "--all")
    given, done = hook("pagefault-fmt", repository)
    assert ["records/acme/pool/repo.yaml", "records/acme/pool/two.yaml"] == given
    assert done is not None
    assert 0 == done.returncode, done.stderr
    assert TIDY.format(name="two") == (records / "two.yaml").read_text()
    assert REPOSITORY == (records / "repo.yaml").read_text()
    git(repository, "add", "--all")
    _, again = hook("pagefault-fmt", repository)
    assert again is not None
    assert (0, "") == (again.returncode, again.stdout)


def test_changed_records_alone_are_checked(repository: Path) -> None:
    """The commit is stopped by what is wrong with them."""
    records = repository / "records" / "acme" / "pool"
    (records / "two.yaml").write_text(TIDY.format(name="two"))
    (records / "one.yaml").unlink()
    git(repository, "add", "--all")
    given, done = hook("pagefault-check", repository)
    assert ["records/acme/pool/two.yaml"] == given
    assert done is not None
    assert 0 == done.returncode, done.stderr
    (records / "two.yaml").write_text(TIDY.format(name="two") + "tgs: [a]\n")
    git(repository, "add", "--all")
    _, done = hook("pagefault-check", repository)
    assert done is not None
    assert 1 == done.returncode
    assert "records/acme/pool/two.yaml:8:1" in done.stderr
    assert "old.yaml" not in done.stderr


@pytest.mark.parametrize(
    "path",
    [
        "records/acme/pool/differential.json",
        "records/acme/pool/drift.json",
        "records/.schema/record.json",
        "records/guides/pools.yaml",
        "records/acme/.draft.yaml",
        "records/acme/all.jsonl",
        "tests/records/one.yaml",
        "docs/one.yaml",
    ],
)
def test_what_is_no_record_is_not_looked_at(repository: Path, path: str) -> None:
    """By either hook."""
    file = repository / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("{}\n")
    git(repository, "add", "--all")
    assert [([], None), ([], None)] == [hook(name, repository) for name in HOOKS]


def test_our_own_hooks_look_at_the_same_files() -> None:
    """As those that we offer, run from the environment that is there."""
    (local,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    ours = {one["id"]: one for one in local["hooks"]}
    for name, offered in HOOKS.items():
        assert f".venv/bin/{offered['entry']}" == ours[name]["entry"]
        assert (offered["files"], offered["exclude"]) == (ours[name]["files"], ours[name]["exclude"])
