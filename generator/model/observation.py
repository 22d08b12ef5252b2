"""What is run in a child process, and what it did."""

from typing import Literal

from generator.fences import in_backticks
from generator.model.record import Structure


class Frame(Structure, frozen=True):
    """Where an exception was raised: file below the subject, 1-based line, qualified function name."""

    file: str
    line: int
    function: str


class Outcome(Structure, frozen=True):
    """What one piece of code did.

    `type` is the class of the exception or value; `text` its message or repr (both without memory
    addresses); `is_true` the truth of an expectation's value; `bases` the names of the exception's
    classes, nearest first; `line` the 1-based line of the snippet that was running; `frame` the innermost
    frame, when it lies inside the subject; `is_stated` whether a `raise` statement raised it.
    """

    kind: Literal["returned", "raised", "timed out", "crashed", "unavailable", "skipped"]
    type: str | None = None
    text: str = ""
    is_true: bool | None = None
    bases: tuple[str, ...] = ()
    line: int | None = None
    frame: Frame | None = None
    is_stated: bool = False

    def __str__(self) -> str:
        """What happened, in words; of a long message or value its beginning."""
        shown = self.text if len(self.text) <= 300 else f"{self.text[:299]}…"
        match self.kind:
            case "returned":
                return f"returned {in_backticks(shown)}"
            case "raised":
                return f"raised {in_backticks(f'{self.type}: {shown}' if shown else str(self.type))}"
            case _:
                return f"{self.kind}: {shown}" if shown else self.kind


class Step(Structure, frozen=True):
    """One piece of code: its role, its text, and whether it runs although an earlier one raised."""

    role: str
    code: str
    is_final: bool = False


class Script(Structure, frozen=True):
    """What one child process runs, in order, in one namespace."""

    name: str
    steps: tuple[Step, ...]


class Trial(Structure, frozen=True):
    """All that a worker needs of a record."""

    subject: str
    scripts: tuple[Script, ...]


class Observation(Structure, frozen=True):
    """What running one script did: one outcome for each step's role."""

    name: str
    outcomes: dict[str, Outcome]


class Observed(Structure, frozen=True):
    """What running a record's snippets did, where, and behind which walls."""

    observations: tuple[Observation, ...]
    environment: dict[str, str]
    walls: tuple[str, ...]

    def get(self, name: str) -> Observation | None:
        """The observation of that script."""
        return next((one for one in self.observations if one.name == name), None)
