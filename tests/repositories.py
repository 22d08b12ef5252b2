"""Git repositories for tests."""

import subprocess
from pathlib import Path

WHO = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")


def git(folder: Path, *arguments: str, given: bytes | None = None) -> str:
    """Run git in a folder; what it wrote."""
    done = subprocess.run(
        ["git", "-C", str(folder), *WHO, *arguments],  # noqa: S607 - the one that is tested
        input=given,
        capture_output=True,
        check=True,
    )
    return done.stdout.decode().strip()


def commit(folder: Path, message: str = "change") -> str:
    """Commit whatever is in a folder; the commit."""
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "-m", message)
    return git(folder, "rev-parse", "HEAD")


def branch(folder: Path) -> None:
    """Make a repository whose `main` holds what is in a folder, on a branch of its own."""
    git(folder, "init", "--quiet", "--initial-branch=main")
    commit(folder, "begin")
    git(folder, "switch", "--quiet", "--create", "topic")
