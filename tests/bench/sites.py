"""Places at which installed packages raise errors, with the source around each: what records are made of."""

import ast
import hashlib
import sys
import sysconfig
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from generator import raises
from generator.checks.pattern_specific import GOOD_CHARACTERS, LEAST_WORDS
from generator.nodes import HIDDEN
from generator.template import TemplateError, template
from tests.bench.corpus import SKIPPED

AROUND = 36  # lines kept on either side of a statement
LONGEST_STATEMENT = 8  # lines
LONGEST_LINE = 160  # characters
LONGEST_CONDITION = 70

# Where each package's folder stands in its repository, and what it is installed as.
PACKAGES = {
    "django": ("django/django", "django", "django"),
    "networkx": ("networkx/networkx", "networkx", "networkx"),
    "scipy": ("scipy/scipy", "scipy", "scipy"),
    "sklearn": ("scikit-learn/scikit-learn", "sklearn", "scikit-learn"),
    "sqlalchemy": ("sqlalchemy/sqlalchemy", "lib/sqlalchemy", "sqlalchemy"),
    "sympy": ("sympy/sympy", "sympy", "sympy"),
    "twisted": ("twisted/twisted", "src/twisted", "twisted"),
}


@dataclass(frozen=True, slots=True)
class Origin:
    """A repository, the release of it that is installed, and where its files are here and there."""

    repo: str
    release: str
    prefix: str
    folder: Path


@dataclass(frozen=True, slots=True)
class Site:
    """One `raise` statement.

    `function` is its qualified name, `arguments` what that takes, `condition` the test of the innermost `if`
    above the statement, where it is short. `text` is the source around it, from `first_line` (1-based) on.
    """

    repo: str
    release: str
    path: str
    line: int
    last_line: int
    error_class: str
    message: str
    function: str
    arguments: tuple[str, ...]
    condition: str | None
    first_line: int
    text: str


@dataclass(frozen=True, slots=True)
class _Surroundings:
    arguments: tuple[str, ...] = ()
    condition: ast.expr | None = None


def origins(packages: Path) -> list[Origin]:
    """The standard library, and those of the known packages that are in a folder."""
    python = ".".join(map(str, sys.version_info[:3]))
    found = [Origin("python/cpython", python, "Lib", Path(sysconfig.get_path("stdlib")))]
    releases = {one.name.lower(): one.version for one in metadata.distributions(path=[str(packages)])}
    for name, (repo, prefix, distribution) in PACKAGES.items():
        if distribution in releases:
            found.append(Origin(repo, releases[distribution], prefix, packages / name))
    return found


def harvest(known: list[Origin]) -> list[Site]:
    """What they raise, in an order that has nothing to do with where it is."""
    found = [site for origin in known for site in _of(origin)]
    return sorted(
        found, key=lambda one: hashlib.sha256(f"{one.repo}:{one.path}:{one.line}".encode()).digest()
    )


def _of(origin: Origin) -> Iterator[Site]:
    for file in sorted(origin.folder.rglob("*.py")):
        path = file.relative_to(origin.folder)
        if SKIPPED.isdisjoint(path.parts):
            try:
                text = file.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue
            # Of a text without the word nothing need be parsed.
            if "raise" in text:
                yield from _in(text, f"{origin.prefix}/{path.as_posix()}", origin)


def _in(text: str, path: str, origin: Origin) -> Iterator[Site]:
    lines = text.removesuffix("\n").split("\n")
    fit = {}
    for statement, function in raises.every(text):
        first = max(0, statement.first_line - 1 - AROUND)
        kept = lines[first : statement.last_line + AROUND]
        # Behind a colon it is not where the checks of records look for it.
        is_alone = lines[statement.first_line - 1].lstrip().startswith("raise")
        if function and is_alone and _is_fit(statement, kept):
            fit[statement.first_line] = (statement, function, first, kept)
    for line, here in _around(text).items() if fit else ():
        if line in fit:
            statement, function, first, kept = fit[line]
            yield Site(
                origin.repo,
                origin.release,
                path,
                line,
                statement.last_line,
                statement.error_class or "",
                statement.message or "",
                function,
                here.arguments,
                _condition(here.condition),
                first + 1,
                "\n".join(kept),
            )


def _is_fit(statement: raises.Raise, lines: list[str]) -> bool:
    """Whether a record can be made of it that nothing is to be said about."""
    if statement.error_class is None or statement.message is None:
        return False
    if statement.last_line - statement.first_line >= LONGEST_STATEMENT:
        return False
    # What shows nothing has to be escaped in JSON, and is reported.
    if HIDDEN.search("\n".join(lines)) or max(map(len, lines)) > LONGEST_LINE:
        return False
    try:
        pattern = template(statement.message).pattern()
    except TemplateError:
        return False
    return (
        pattern.fixed >= GOOD_CHARACTERS
        and pattern.words >= LEAST_WORDS
        and not HIDDEN.search(statement.message)
    )


def _around(text: str) -> Mapping[int, _Surroundings]:
    """What surrounds the `raise` statements of a file, by their lines; the file is known to parse."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what a compiler says of it is not our news
        tree = ast.parse(text)
    found = {}
    waiting: list[tuple[ast.AST, _Surroundings]] = [(tree, _Surroundings())]
    while waiting:
        node, here = waiting.pop()
        if isinstance(node, ast.Raise):
            found[node.lineno] = here
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            names = (one.arg for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs))
            here = _Surroundings(tuple(name for name in names if name not in {"self", "cls"}))
        inner = _Surroundings(here.arguments, node.test) if isinstance(node, ast.If) else here
        body = node.body if isinstance(node, ast.If) else ()
        waiting += [(child, inner if child in body else here) for child in ast.iter_child_nodes(node)]
    return found


def _condition(node: ast.expr | None) -> str | None:
    text = ast.unparse(node) if node is not None else ""
    is_short = 0 < len(text) <= LONGEST_CONDITION and "\n" not in text and "`" not in text
    return text if is_short else None
