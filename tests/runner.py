"""Runs the steps of a workflow or of a composite action as GitHub does, but for those of other actions."""

import os
import re
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

# What `run` is run by, where a step does not say and where it says `bash`.
SHELLS = {None: ["bash", "-e"], "bash": ["bash", "--noprofile", "--norc", "-eo", "pipefail"]}
# What the host has beside what a run is told.
KEPT = ("PATH", "HOME", "LANG", "LC_ALL")

_TOKEN = re.compile(r"\s*(?:'((?:[^']|'')*)'|(&&|\|\||==|!=|[!()])|([\w.-]+))")
_STATUS = re.compile(r"\b(success|failure|cancelled|always)\(\)")

Handler = Callable[[str, dict[str, str]], Mapping[str, str]]


def read(path: Path) -> dict[str, Any]:
    """A workflow or an action. YAML takes a bare `on` for a truth: it is called `on` here."""
    text = path.read_text(encoding="utf-8")
    found: dict[Any, Any] = yaml.safe_load(text)
    return {("on" if key is True else key): value for key, value in found.items()}


class Expression:
    """An expression: values by their names, comparisons, `&&`, `||`, `!` and the functions of a status."""

    def __init__(self, text: str, look: Callable[[str], object]) -> None:
        self._tokens = [found.groups() for found in _TOKEN.finditer(text)]
        assert "".join(text.split()) == "".join(
            "".join(found[0].split()) for found in _TOKEN.finditer(text)
        ), f"cannot be read: {text}"
        self._look = look

    def value(self) -> object:
        """What it comes to."""
        found = self._either()
        assert not self._tokens
        return found

    def _either(self) -> object:
        found = self._both()
        while self._take("||"):
            other = self._both()
            found = found or other
        return found

    def _both(self) -> object:
        found = self._equal()
        while self._take("&&"):
            other = self._equal()
            found = found and other
        return found

    def _equal(self) -> object:
        found = self._one()
        if self._take("=="):
            return found == self._one()
        if self._take("!="):
            return found != self._one()
        return found

    def _one(self) -> object:
        if self._take("!"):
            return not self._one()
        if self._take("("):
            found = self._either()
            assert self._take(")")
            return found
        text, _, name = self._tokens.pop(0)
        if name is None:
            return text.replace("''", "'")
        if self._take("("):
            assert self._take(")")
            return self._look(f"{name}()")
        return self._look(name)

    def _take(self, operator: str) -> bool:
        is_there = bool(self._tokens) and self._tokens[0][1] == operator
        if is_there:
            self._tokens.pop(0)
        return is_there


@dataclass
class Job:
    """A job that is run: where it works, what its expressions know, and what it left.

    `handle` stands for the actions of others: it is given one's name and inputs, and gives its outputs.
    `instead` is done in place of steps, by their names.
    """

    workspace: Path
    temporary: Path
    handle: Handler
    context: dict[str, Any]
    environment: dict[str, str] = field(default_factory=dict)
    instead: Mapping[str, Callable[[], None]] = field(default_factory=dict)
    outcomes: dict[str, str] = field(default_factory=dict)
    log: str = ""
    summary: str = ""

    @property
    def has_failed(self) -> bool:
        """Whether any step has."""
        return "failure" in self.outcomes.values()

    def run(self, steps: Sequence[dict[str, Any]]) -> None:
        """Runs the steps in their order, those that are meant."""
        self.temporary.mkdir(exist_ok=True)
        self.context.setdefault("steps", {})
        self.context["runner"] = {"temp": str(self.temporary)}
        for number, step in enumerate(steps):
            name = step.get("name") or step["uses"]
            assert name not in self.outcomes, f"two steps are called {name}"
            is_meant = self._is_meant(str(step.get("if", "success()")))
            outcome, outputs = self._outcome(step, number) if is_meant else ("skipped", {})
            self.outcomes[name] = outcome
            if "id" in step:
                self.context["steps"][step["id"]] = {"outcome": outcome, "outputs": outputs}

    def text(self, template: object) -> str:
        """A text with the values of its expressions."""
        return re.sub(r"\$\{\{(.*?)\}\}", lambda found: _said(self._value(found[1])), str(template))

    def _outcome(self, step: dict[str, Any], number: int) -> tuple[str, Mapping[str, str]]:
        if step.get("name") in self.instead:
            self.instead[step["name"]]()
            return "success", {}
        if "uses" in step:
            inputs = {name: self.text(value) for name, value in step.get("with", {}).items()}
            return "success", self.handle(step["uses"].partition("@")[0], inputs)
        files = {
            name: self.temporary / f"{number}-{name}" for name in ("output", "step_summary", "env", "path")
        }
        for file in files.values():
            file.touch()
        script = self.temporary / f"{number}.sh"
        # As GitHub does: what an expression comes to is part of the script.
        script.write_text(self.text(step["run"]), encoding="utf-8")
        done = subprocess.run(
            [*SHELLS[step.get("shell")], str(script)],
            cwd=self.workspace / self.text(step.get("working-directory", ".")),
            env={
                **{name: os.environ[name] for name in KEPT if name in os.environ},
                **self.environment,
                "CI": "true",
                "GITHUB_ACTIONS": "true",
                "GITHUB_WORKSPACE": str(self.workspace),
                "RUNNER_TEMP": str(self.temporary),
                **{f"GITHUB_{name.upper()}": str(file) for name, file in files.items()},
                **{name: self.text(value) for name, value in step.get("env", {}).items()},
            },
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        self.log += f"$ {step['name']}\n{done.stdout}{done.stderr}"
        self.summary += files["step_summary"].read_text(encoding="utf-8")
        assert not files["env"].read_text() + files["path"].read_text(), (
            "later steps are told by outputs alone"
        )
        pairs = [line.split("=", 1) for line in files["output"].read_text(encoding="utf-8").splitlines()]
        return "failure" if done.returncode else "success", dict(pairs)

    def _is_meant(self, condition: str) -> bool:
        whole = re.fullmatch(r"\$\{\{(.*)\}\}", condition.strip(), re.DOTALL)
        text = whole[1] if whole else condition
        return (bool(_STATUS.search(text)) or not self.has_failed) and bool(self._value(text))

    def _value(self, expression: str) -> object:
        return Expression(expression, self._look).value()

    def _look(self, name: str) -> object:
        if name in {"success()", "failure()", "cancelled()", "always()"}:
            is_failed = self.has_failed
            return {"success()": not is_failed, "failure()": is_failed, "cancelled()": False}.get(name, True)
        found: object = self.context
        for part in name.split("."):
            # What there is not is nothing.
            found = found.get(part, "") if isinstance(found, Mapping) else ""
        return found


def _said(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


class Uploads(dict[str, Path]):
    """Stands for the actions of others: the folders and files that were uploaded, by their names."""

    def __init__(self, workspace: Path) -> None:
        super().__init__()
        self._workspace = workspace

    def handle(self, action: str, inputs: dict[str, str]) -> Mapping[str, str]:
        """Notes what is uploaded, and gives a site an address."""
        if action == "actions/configure-pages":
            return {"base_url": "https://acme.github.io/errors", "base_path": "/errors"}
        place = self._workspace / inputs["path"] if "upload" in action else None
        if place is not None and place.exists():
            self[inputs.get("name", "github-pages")] = place
        return {}

    def files(self, name: str) -> set[str]:
        """The files of an upload, by their paths within it."""
        place = self[name]
        if place.is_file():
            return {place.name}
        return {one.relative_to(place).as_posix() for one in place.rglob("*") if one.is_file()}
