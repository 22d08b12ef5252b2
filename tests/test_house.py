"""The house: who may import whom, who may print, which file tests which, and what templates may hold."""

import ast
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

import generator

PACKAGE = Path(generator.__file__).parent
TESTS = Path(__file__).parent
TEMPLATES = PACKAGE.parent / "templates"

# From the ground up. A module imports from the floors below its own alone; a name without a star is meant
# more than a name with one.
FLOORS = (
    # Values and tools that know nothing of records, and the code under test, which knows nothing of us.
    ("generator", "diagnostics", "pattern", "raises", "registry", "store", "walls", "wheels"),
    ("prose", "sandbox", "workers", "pool", "bundled", "bundled.*"),
    # What needs one of these: trees with places, templates that imply patterns, how pages look.
    ("nodes", "template", "lookup", "theme", "config"),
    # JSON to trees, and the types of the chain.
    ("json_reader", "model"),
    # Files to trees.
    ("document",),
    # Trees to records and guides, what surrounds a record, files to a folder.
    ("schema", "guides", "subjects", "links", "manifest", "publish"),
    # What is to be run and what it did, source as it is installed; subjects are described by plug-ins; links
    # that lead nowhere.
    ("probe", "excerpts", "subjects.*", "deadlinks"),
    # Kinds of plug-in; the pinned source itself.
    ("checks", "formats", "pages", "renderings", "pins"),
    # What the codes of all checks mean.
    ("codes",),
    # The plug-ins.
    ("checks.*", "formats.*", "pages.*", "renderings.*"),
    # Pages that are another page once more: in another form, at a former address, all in one file.
    ("pages.former", "pages.twin", "pages.dataset"),
    # Facts and checks to verdicts.
    ("verify",),
    # The chain as one function.
    ("build",),
    # Our own diagnostics as code under test.
    ("selfcheck",),
    # Arguments, printing, exit codes.
    ("cli",),
    ("__main__",),
)

# Who talks to the user and the system. Everybody else gets what they need as arguments.
TALKERS = ("cli", "__main__")
EXCEPTIONS = {
    ("sandbox", "clock"): "a child's deadline is a time of the clock",
    ("sandbox", "exit"): "a child must not get back into its parent's loop",
    ("sandbox", "environment"): "a child's environment is emptied",
    ("sandbox", "streams"): "what a subject prints at import must go nowhere",
    ("walls", "exit"): "which walls work is tried in children",
    ("build", "clock"): "seconds by stage, which no output depends on",
}

# Modules that a test file of another name tests.
TESTED_ELSEWHERE = {
    "generator": "nothing but the version, which tests/test_cli.py asks for",
    "__main__": "tests/test_cli.py runs it",
    "nodes": "tests/test_document.py reads texts into them",
    "json_reader": "tests/test_document.py, one document for both syntaxes",
    "checks.*": "tests/checks/, run by tests/test_checks.py",
    "subjects.*": "tests/test_subjects.py holds them to their form",
    "bundled": "nothing but a docstring",
    "formats": "tests/test_sites.py builds whole sites",
    "formats.*": "tests/test_sites.py builds whole sites",
    "pages": "tests/test_sites.py builds whole sites",
    "pages.*": "tests/test_sites.py builds whole sites",
    "renderings.*": "tests/test_renderings.py holds each to its form",
    "selfcheck": "tests/test_codes.py runs the records about our own codes",
    "guides": "tests/test_sites.py has a site with a guide",
    "manifest": "tests/test_sites.py compares it byte for byte",
    "links": "tests/test_sites.py compares the links of whole sites",
}

# Code that would run or trust what a record says.
FORBIDDEN = {
    "safe": r"\|\s*safe\b",
    "Markup": r"\bMarkup\(",
    "autoescape": r"\{%-?\s*autoescape\b",
    "from_string": r"\bfrom_string\b",
    "innerHTML": r"\b(inner|outer)HTML\b",
    "insertAdjacentHTML": r"\binsertAdjacentHTML\b",
    "document.write": r"\bdocument\.write",
    "RegExp": r"\bnew RegExp\b",
    "eval": r"\beval\(",
    "Function": r"\bnew Function\b",
    "handler": r"""<[^>]*\son[a-z]+\s*=""",
    "javascript": r"\bjavascript:",
}
TRUSTED = {
    ("generator/prose.py", "Markup"): "it makes HTML of texts, and escapes them",
    ("generator/sandbox.py", "eval"): "running records' code behind walls is what it is for",
}


def _name(path: Path) -> str:
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts) or "generator"


MODULES = {_name(path): path for path in sorted(PACKAGE.rglob("*.py")) if "_templates" not in path.parts}
TREES = {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in MODULES.items()}


def _floor(name: str) -> int:
    """The floor on which a module stands, the lowest being 0."""
    for is_meant in (lambda entry: entry == name, lambda entry: fnmatchcase(name, entry)):
        floors = [n for n, floor in enumerate(FLOORS) if any(is_meant(entry) for entry in floor)]
        if floors:
            assert 1 == len(floors), f"{name} stands on several floors"
            return floors[0]
    raise AssertionError(f"{name} stands on no floor: put it on the lowest that holds")


def _imports(name: str) -> set[str]:
    """The modules of ours that a module imports, wherever in it."""
    found: set[str] = set()
    for node in ast.walk(TREES[name]):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{name} imports relatively: name the whole module"
            whole = {f"{node.module}.{alias.name}" for alias in node.names}
            ours = {one for one in whole if one.removeprefix("generator.") in MODULES}
            found |= ours or {str(node.module)}
            if ours != whole:
                found.add(str(node.module))
    inside = {one.removeprefix("generator.") for one in found if one.split(".")[0] == "generator"}
    return inside - {name}


# Floors.


def test_every_module_stands_on_a_floor() -> None:
    """And every floor's entry is a module: the table is the house as it is."""
    for name in MODULES:
        assert 0 <= _floor(name) < len(FLOORS)
    for floor in FLOORS:
        for entry in floor:
            assert any(fnmatchcase(name, entry) for name in MODULES), f"there is no {entry}"


@pytest.mark.parametrize("name", MODULES)
def test_imports_lead_downwards(name: str) -> None:
    """Also those in functions and for types: the order in which to read the house has no circles."""
    # Of the package itself everybody may have the version.
    upwards = [one for one in _imports(name) if one != "generator" and _floor(one) >= _floor(name)]
    assert [] == upwards


def test_imports_of_ours_are_found() -> None:
    """The test above reads what there is: packages, their modules, and names in them."""
    assert {"cli"} == _imports("__main__")
    assert {"checks", "model"} <= _imports("checks.unique_id")
    assert {"store", "prose"} == _imports("theme")
    assert {"build", "publish", "wheels", "theme", "generator"} <= _imports("cli")


@pytest.mark.parametrize("name", [name for name in MODULES if name.split(".")[0] in {"pool", "bundled"}])
def test_code_under_test_knows_nothing_of_us(name: str) -> None:
    """It could be another package."""
    assert set() == _imports(name)


@pytest.mark.parametrize("name", [name for name in MODULES if name.split(".")[0] not in {"pool", "bundled"}])
def test_nobody_imports_code_under_test(name: str) -> None:
    """Subjects name it in a text that the warm process runs."""
    assert set() == {one for one in _imports(name) if one.split(".")[0] in {"pool", "bundled"}}


# Talk.

_NAMES = {"print": "print", "input": "print", "exit": "exit", "quit": "exit", "SystemExit": "exit"}
_ATTRIBUTES = {
    "sys.exit": "exit",
    "os._exit": "exit",
    "os.abort": "exit",
    "os.environ": "environment",
    "os.environb": "environment",
    "os.getenv": "environment",
    "os.putenv": "environment",
    "sys.argv": "environment",
    "sys.stdin": "streams",
    "sys.stdout": "streams",
    "sys.stderr": "streams",
    "click.echo": "print",
    "warnings.warn": "print",
    "datetime.now": "clock",
    "datetime.today": "clock",
    "datetime.utcnow": "clock",
    "date.today": "clock",
}
_CLOCKS = {"time", "monotonic", "perf_counter", "process_time", "localtime", "gmtime", "ctime", "strftime"}
_CLOCKS |= {f"{name}_ns" for name in _CLOCKS}


def _talk(name: str) -> Iterator[str]:
    """What a module does that only the command line may do."""
    for node in ast.walk(TREES[name]):
        if isinstance(node, ast.Name) and node.id in _NAMES:
            yield _NAMES[node.id]
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name | ast.Attribute):
            owner = node.value.id if isinstance(node.value, ast.Name) else node.value.attr
            if owner == "time" and node.attr in _CLOCKS:
                yield "clock"
            elif kind := _ATTRIBUTES.get(f"{owner}.{node.attr}"):
                yield kind
        elif isinstance(node, ast.ImportFrom) and node.module in {"time", "os", "sys"}:
            # By a bare name, the above would not see them.
            assert not {alias.name for alias in node.names} & {*_CLOCKS, "environ", "exit", "_exit", "stdout"}


def test_only_the_command_line_talks() -> None:
    """Nothing else prints, exits, or reads the environment or the clock; no exception is idle."""
    found = {(name, kind) for name in MODULES if name not in TALKERS for kind in _talk(name)}
    assert set(EXCEPTIONS) == found
    assert {"print", "exit", "environment", "clock", "streams"} == set(_talk("cli"))


# Tests.


def _test_file(name: str) -> Path:
    *folders, stem = name.split(".")
    return TESTS.joinpath(*folders, f"test_{stem}.py")


def test_every_module_has_a_test_file_of_its_name() -> None:
    """Or another that tests it, and why; no exception is idle."""
    untested = [name for name in MODULES if not _test_file(name).is_file()]
    used = set()
    for name in untested:
        reasons = [entry for entry in TESTED_ELSEWHERE if fnmatchcase(name, entry)]
        assert reasons, f"{_test_file(name).relative_to(TESTS.parent)} is missing"
        used |= set(reasons)
    assert set(TESTED_ELSEWHERE) == used
    for reason in TESTED_ELSEWHERE.values():
        for file in re.findall(r"tests/[\w/.]+\w", reason):
            assert (TESTS.parent / file).exists(), file


# Templates.

_SOURCES = {
    path.relative_to(PACKAGE.parent).as_posix(): path.read_text(encoding="utf-8")
    for path in sorted((*MODULES.values(), *TEMPLATES.rglob("*")))
    if path.suffix in {".py", ".html", ".md", ".js", ".svg"}
}
_ADDRESS = re.compile(r"""\b(href|src|srcset|action|formaction|poster|data|ping)\s*=\s*("[^"]*"|\S*)""")
_EXPRESSION = re.compile(r"\{\{-?\s*(.+?)\s*-?\}\}")


def test_nothing_runs_or_trusts_what_a_record_says() -> None:
    """In templates, scripts and the generator; no exception is idle."""
    found = {
        (path, name)
        for path, text in _SOURCES.items()
        for name, pattern in FORBIDDEN.items()
        if re.search(pattern, text)
    }
    assert set(TRUSTED) == found


def _addresses(text: str) -> Iterator[str]:
    """Every address as a template writes it, quotes included."""
    markup = re.sub(r"\{#.*?#\}|\{%.*?%\}", "", text, flags=re.DOTALL)
    for found in _ADDRESS.finditer(markup):
        yield found[2]


def _is_harmless(address: str) -> bool:
    """Whether an address is quoted, and fixed, ours, or checked by the filter `url` where it begins."""
    if not re.fullmatch(r'"[^"]+"', address):
        return False
    rest = address.strip('"')
    expressions = _EXPRESSION.findall(rest)
    if not expressions:
        return bool(re.match(r"#|https://|[a-z]+[/.]", rest))
    if len(expressions) == 1 and rest.startswith("{{") and rest.endswith("}}"):
        expression = expressions[0]
        return bool(re.fullmatch(r"[\w.]+ \| url", expression))
    is_ours = all(one == "root" or re.fullmatch(r"assets\['[\w.]+'\]", one) for one in expressions)
    return is_ours and rest.startswith("{{ root }}")


@pytest.mark.parametrize("path", [path for path in _SOURCES if path.endswith(".html")])
def test_addresses_are_quoted_and_checked(path: str) -> None:
    """Through `url`, or built from the way to the site's root, an asset, or fixed text."""
    assert [] == [address for address in _addresses(_SOURCES[path]) if not _is_harmless(address)]


@pytest.mark.parametrize(
    "address",
    [
        "{{ one.url }}",
        '"{{ one.url }}"',
        '"{{ one.url | url }}#{{ one.place }}"',
        '"{{ one.url | url | upper }}"',
        '"https:{{ rest | url }}"',
        '"javascript:alert(1)"',
        '"//elsewhere"',
        '"{{ root }}{{ path }}"',
        '""',
        "index.html",
        "'index.html'",
    ],
)
def test_other_addresses_are_refused(address: str) -> None:
    """The tests above would see them."""
    (found,) = _addresses(f"<a href={address} >")
    assert not _is_harmless(found)


def test_every_fixed_call_of_a_macro_with_an_address_is_fixed() -> None:
    """What is passed as `href` is a place on the page."""
    calls = [call for text in _SOURCES.values() for call in re.findall(r"\{\{ badge\(([^}]*)\) \}\}", text)]
    assert calls
    assert [] == [call for call in calls if "," in call and not re.fullmatch(r"[\w.]+, '#\w+'", call)]
