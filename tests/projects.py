"""A project as users have it: a package of their own, installed as a link, in a repository of git."""

import json
import os
import subprocess
import sysconfig
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]


def _environment(folder: Path, source: Path, project: Path) -> str:
    """Make an environment with all that this one has and the project as a link; its Python."""
    venv.create(folder, with_pip=False)
    site = next(folder.glob("lib/python*/site-packages"))
    information = site / "widgets-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: widgets\nVersion: 1.0\n")
    told = {"dir_info": {"editable": True}, "url": project.as_uri()}
    (information / "direct_url.json").write_text(json.dumps(told))
    (information / "RECORD").write_text("_widgets.pth,,\nwidgets-1.0.dist-info/METADATA,,\n")
    (site / "_widgets.pth").write_text(f"{source}\n")
    command = folder / "bin" / "pagefault"
    command.write_text(f'#!/bin/sh\nexec "{folder}/bin/python" -m generator "$@"\n')
    command.chmod(0o755)
    (site / "_ours.pth").write_text(f"{ROOT}\n{sysconfig.get_path('purelib')}\n")
    return str(folder / "bin" / "python")


class Project:
    """A working folder of git with a package that is installed as a link, and a shell in it."""

    def __init__(self, folder: Path, source_text: str, program: str) -> None:
        """`program` is what `app.py` holds, beside a package `widgets` with a module `core` of the text."""
        self.folder = folder / "widgets"
        source = self.folder / "src" / "widgets"
        source.mkdir(parents=True)
        (source / "__init__.py").write_text("")
        (source / "core.py").write_text(source_text)
        (self.folder / "app.py").write_text(program)
        (self.folder / "pyproject.toml").write_text('[project]\nname = "widgets"\nversion = "1.0"\n')
        self.python = _environment(folder / "environment", source.parent, self.folder)
        kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        path = f"{Path(self.python).parent}:{kept.get('PATH', '')}"
        self.env = {**kept, "PATH": path, "PYTHONDONTWRITEBYTECODE": "1"}

    def run(self, *command: str, stdin: str = "", status: int = 0) -> "subprocess.CompletedProcess[str]":
        """Run a program; the test ends if its status is another."""
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self.env,
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert status == done.returncode, f"{command}\n{done.stdout}\n{done.stderr}"
        return done

    def say(self, *arguments: str, stdin: str = "", status: int = 0) -> "subprocess.CompletedProcess[str]":
        """Run a command of ours."""
        return self.run(self.python, "-m", "generator", *arguments, stdin=stdin, status=status)

    def shell(self, script: str) -> str:
        """Run a script as a shell in which our command is there does; what it says."""
        return self.run("bash", "-eu", "-c", script).stdout

    def git(self, *arguments: str) -> str:
        """Run git; what it says."""
        names = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        return self.run("git", *names, *arguments).stdout.strip()

    def commit(self, message: str) -> str:
        """Commit all that is there; the commit."""
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", message)
        return self.git("rev-parse", "HEAD")

    def begin(self) -> None:
        """Make it a repository of git whose `origin` is on GitHub."""
        self.git("init", "--quiet", "--initial-branch", "main")
        self.git("remote", "add", "origin", "git@github.com:acme/widgets.git")
        self.commit("Make a press")

    def edit(self, path: str, old: str, new: str) -> None:
        """Change what stands once in a file."""
        file = self.folder / path
        text = file.read_text(encoding="utf-8")
        assert 1 == text.count(old), (old, text)
        file.write_text(text.replace(old, new), encoding="utf-8")
