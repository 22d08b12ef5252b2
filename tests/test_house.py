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
    (
        "generator",
        "diagnostics",
        "distributions",
        "escaping",
        "executor",
        "fences",
        "history",
        "logs",
        "memory",
        "pattern",
        "quotes",
        "raises",
        "reach",
        "registry",
        "rewriting",
        "sentences",
        "serving",
        "store",
        "terminal",
        "tokens",
        "tracker",
        "walls",
        "words",
        "watching",
        "stage",
        "starting",
        "wheels",
    ),
    # How code is coloured: rules, a lexer of them, lexers by their names.
    ("rules", "texts"),
    ("lexing",),
    ("highlight",),
    (
        "prose",
        "environment",
        "sandbox",
        "workers",
        "hosting",
        "pool",
        "bundled",
        "bundled.*",
        "frames",
        "chapters",
        "formula",
    ),
    # What needs one of these: trees with places, templates that imply patterns, how pages look.
    ("nodes", "template", "lookup", "theme", "config", "paste"),
    # What those who write fields know of them.
    ("shapes",),
    # JSON to trees, trees to rows, and the types of the chain, in the order in which they are made.
    ("json_reader", "rows", "model.record", "shards"),
    ("model.repository", "model.observation"),
    ("model.case",),
    ("model.site",),
    ("model",),
    # Files to trees; the short way to a record.
    ("document", "quick"),
    # A paste to the records that explain it, and what the index says of a record; where there are such.
    ("search", "libraries", "sightings"),
    # Trees to records and guides, what surrounds a record, files to a folder; other releases in words.
    ("scanning", "schema", "fixes", "guides", "subjects", "links", "state", "editions"),
    # What is to be run and what it did, source as it is installed; subjects are described by plug-ins; links
    # that lead nowhere, and records that meet; what editors are told, how files are laid out.
    ("json_schema", "layout", "probe", "excerpts", "subjects.*", "deadlinks", "kinship", "publish"),
    # What is raised in the source, in other releases too, and what the index says of all of it.
    ("harvest", "entries", "drafts", "origins", "statements"),
    # Kinds of plug-in; the pinned source, and other releases; what a run depends on.
    ("checks", "formats", "pages", "renderings", "pins", "drift", "releases", "settings", "difference"),
    # What the codes of all checks mean; records moved to another release; what a branch changed, what there
    # was before, how that is told.
    ("codes", "repin", "scope", "reviews"),
    ("snapshot",),
    # The plug-ins; what running did.
    ("facts", "checks.*", "formats.*", "pages.*", "renderings.*"),
    # Pages that are another page once more: at a former address, all in one file.
    ("pages.former", "pages.api"),
    # Facts and checks to verdicts.
    ("verify",),
    # Records that can be judged where they are read; files to records, pages to files.
    ("plain",),
    ("reading", "encoding"),
    # Whether there is anything to do; what is made together.
    ("unchanged", "units"),
    # Records that no site was built of, and an answer out of any library.
    ("unbuilt", "explained"),
    ("answering", "tally"),
    # Which pages read otherwise than before.
    ("twins",),
    # The chain as one function; two sides held against each other, and what is told of them.
    ("build", "comparison"),
    ("reviews.*",),
    # Our own diagnostics as code under test.
    ("selfcheck",),
    # Arguments, printing, exit codes.
    ("cli.speech",),
    ("cli.run", "cli.answers", "cli.writing", "cli.formatting"),
    ("cli.surveys", "cli.mending", "cli.beginning", "cli.branches", "cli.drifts"),
    ("cli.options",),
    ("cli.rebuilding",),
    ("cli.commands", "cli.commands.*"),
    ("cli",),
    ("__main__",),
)

# Who talks to the user and the system. Everybody else gets what they need as arguments.
TALKERS = ("cli", "cli.*", "__main__")
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
    "rows": "tests/test_layout.py, which has files laid out",
    "shapes": "tests/test_layout.py, as above",
    "reach": "tests/test_highlight.py, one document for how code is coloured",
    "rules": "tests/test_highlight.py, as above",
    "lexing": "tests/test_highlight.py, as above",
    "tokens": "tests/test_highlight.py, as above",
    "generator": "nothing but the version, which tests/test_cli.py asks for",
    "__main__": "tests/test_cli.py runs it",
    "nodes": "tests/test_document.py reads texts into them",
    "model.*": "tests/test_model.py, one document for the whole chain",
    "json_reader": "tests/test_document.py, one document for both syntaxes",
    "terminal": "tests/test_paste.py, which reads pastes whole",
    "frames": "tests/test_paste.py, as above",
    "entries": "tests/test_lookups.py makes them of our own records",
    "fences": "tests/test_prose.py has every block made and read again",
    "explained": "tests/test_answering.py, where its pages are asked for",
    "libraries": "tests/test_answering.py, which asks each kind",
    "logs": "tests/test_scanning.py, where they are read",
    "sightings": "tests/test_scanning.py, as above",
    "tally": "tests/test_scanning.py, as above",
    "unbuilt": "tests/test_answering.py, as above",
    "checks.*": "tests/checks/, run by tests/test_checks.py",
    "subjects.*": "tests/test_subjects.py holds them to their form",
    "bundled": "nothing but a docstring",
    "formats": "tests/test_sites.py builds whole sites",
    "formats.*": "tests/test_sites.py builds whole sites",
    "pages": "tests/test_sites.py builds whole sites",
    "pages.*": "tests/test_sites.py builds whole sites",
    "difference": "tests/test_comparison.py finds them",
    "twins": "tests/test_comparison.py, as above",
    "snapshot": "tests/test_comparison.py, as above",
    "reviews.*": "tests/test_reviews.py, one document for all ways to tell",
    "renderings.*": "tests/test_renderings.py holds each to its form",
    "settings": "tests/test_cli.py makes them",
    "reading": "tests/test_build.py, one document for the whole chain",
    "encoding": "tests/test_build.py, as above",
    "unchanged": "tests/test_build.py, as above",
    "units": "tests/test_build.py and tests/test_plain.py, as above",
    "stage": "tests/test_publish.py, which publishes what is staged",
    "state": "tests/test_publish.py, where it is noted and read",
    "cli.commands": "nothing but a docstring",
    "cli.commands.*": "the tests of what each does call it",
    "cli.rebuilding": "tests/test_serve.py, which runs the command",
    "cli.options": "tests/test_cli.py, which calls commands",
    "cli.branches": "tests/test_comparison.py and tests/test_scope.py, which call them",
    "cli.run": "tests/test_cli.py, as above",
    "cli.formatting": "tests/test_fmt.py, which calls the command",
    "cli.mending": "tests/test_fixes.py, which has records mended",
    "cli.answers": "tests/test_answering.py, as above",
    "cli.writing": "tests/test_drafts.py, which begins records",
    "cli.beginning": "tests/test_starting.py, which begins references",
    "cli.surveys": "tests/test_drafts.py, as above",
    "cli.drifts": "tests/test_drift.py and tests/test_repin.py, which call it",
    "distributions": "tests/test_subjects.py, which installs some",
    "origins": "tests/test_drafts.py, where places are asked for",
    "cli.speech": "tests/test_cli.py, as above",
    "selfcheck": "tests/test_codes.py runs the records about our own codes",
    "guides": "tests/test_sites.py has a site with a guide",
}

# Code that would run or trust what a record says.
FORBIDDEN = {
    "safe": r"\|\s*safe\b",
    "Markup": r"\b(?:Markup|as_html)\(|__new__\(Markup\b",
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
    ("generator/escaping.py", "Markup"): "it marks HTML for those who made it",
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
    assert {"store", "prose", "fences", "environment"} == _imports("theme")
    assert {"build", "stage", "wheels"} <= _imports("cli.run")
    assert {"theme", "cli.speech"} <= _imports("cli.options")
    assert {"cli.speech", "generator"} == _imports("cli")


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


def _is_talker(name: str) -> bool:
    return any(fnmatchcase(name, one) for one in TALKERS)


def test_only_the_command_line_talks() -> None:
    """Nothing else prints, exits, or reads the environment or the clock; no exception is idle."""
    found = {(name, kind) for name in MODULES if not _is_talker(name) for kind in _talk(name)}
    assert set(EXCEPTIONS) == found
    assert {"print", "exit", "environment", "clock", "streams"} == {
        kind for name in MODULES if _is_talker(name) for kind in _talk(name)
    }


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
    for path in sorted((*MODULES.values(), *PACKAGE.glob("*.js"), *TEMPLATES.rglob("*")))
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
    # Whatever follows a `#` leads within the page.
    if re.fullmatch(r"#\{\{ [\w.]+ \}\}", rest):
        return True
    is_ours = all(one == "root" or re.fullmatch(r"assets\[[\w. ']+\]", one) for one in expressions)
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
