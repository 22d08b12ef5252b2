"""What a record says of a place that raises: texts of wording.toml, around the names that are there."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from random import Random
from string import Template

from generator.template import template
from tests.bench.sites import Site

LONGEST_HOLE = 40  # characters of an expression that prose quotes
FEW = (2, 3, 4, 8, 12, 16, 24, 32, 64, 100, 128)

Kept = Mapping[str, tuple[Template, ...]]


def _read(part: str) -> Kept:
    known = tomllib.loads((Path(__file__).parent / "wording.toml").read_text(encoding="utf-8"))
    return {name: tuple(map(Template, texts)) for name, texts in known[part].items()}


DOCUMENTATION, FIELDS, CODE, WORDS = map(_read, ("documentation", "fields", "code", "words"))


class Writer:
    """Writes of one place. What it draws depends on the numbers that it is given, and on nothing else."""

    def __init__(self, site: Site, draw: Random) -> None:
        self._draw = draw
        self._holes = [
            name
            for name in template(site.message).names
            if len(name) <= LONGEST_HOLE and name.isprintable() and not name.isdigit() and "`" not in name
        ]
        self._has_condition = site.condition is not None
        self._names = _names(site) | {
            "many": str(draw.randrange(130, 9000)),
            "few": str(draw.choice(FEW)),
            "hole": draw.choice(self._holes or [""]),
            **{name: draw.choice(words).template for name, words in WORDS.items()},
        }

    def documentation(self) -> str:
        """What the error means: one paragraph, often two, sometimes a list."""
        kinds = ["opening", "conditional" if self._has_condition else "unconditional"]
        kinds.append("varying" if self._holes else "fixed")
        sentences = [self._some(DOCUMENTATION[kind])[0] for kind in kinds]
        sentences += self._some(DOCUMENTATION["further"], (0, 1, 1, 2))
        parts = [" ".join(sentences), *self._some(DOCUMENTATION["background"], (0, 0, 1))]
        parts.append("\n".join(self._some(DOCUMENTATION["points"], (0, 0, 0, 3))))
        return "\n\n".join(part for part in parts if part)

    def prose(self, field: str, *many: int) -> list[str]:
        """One text of that kind, or as many as one of these numbers."""
        return self._some(FIELDS[field], many or (1,))

    def code(self, kind: str) -> str:
        """Code of that kind."""
        return self._some(CODE[kind])[0].lstrip("\n")

    def fix(self) -> str:
        """Code before and after."""
        return f"# before\n{self.code('before')}\n\n# after\n{self.code('after')}"

    def _some(self, texts: tuple[Template, ...], many: tuple[int, ...] = (1,)) -> list[str]:
        return [one.substitute(self._names) for one in self._draw.sample(texts, self._draw.choice(many))]


def _names(site: Site) -> dict[str, str]:
    """What the texts' names stand for; the owner of a function is the class around it, or its module."""
    outer, _, function = site.function.rpartition(".")
    owner = outer.rpartition(".")[2]
    module = site.path.rpartition("/")[2].removesuffix(".py").strip("_") or "module"
    arguments = site.arguments[:4] or ("value",)
    call = f"{owner.strip('_').lower()}.{function}" if owner else function
    return {
        "function": f"{owner}.{function}" if owner else function,
        "call": owner if owner and function == "__init__" else call,
        "owner": owner or module,
        "module": module,
        "library": site.repo.partition("/")[2],
        "error": site.error_class,
        "condition": site.condition or arguments[0],
        "first": arguments[0],
        "last": arguments[-1],
        "listed": ", ".join(arguments),
        "named": ", ".join(f"{name}={name}" for name in arguments),
        "quoted": ", ".join(f'"{name}"' for name in arguments),
    }


def topics(message: str, known: tuple[str, ...]) -> list[str]:
    """Which of the known words a message is about, in their order."""
    said = set(message.lower().replace("`", " ").replace("'", " ").split())
    return [word for word in known if word in said or f"{word}s" in said]
