"""The registry: a module in the folder is in the list, and a module without a value is an error."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from itertools import count
from pathlib import Path
from types import ModuleType

import pytest

from generator import checks, formats, pages, subjects
from generator.checks import Check
from generator.model import Subject
from generator.registry import discover

KIND = """\
from dataclasses import dataclass


@dataclass(frozen=True)
class Plug:
    name: str


class Finer(Plug):
    pass
"""
NUMBERS = count()


@dataclass(frozen=True, slots=True)
class Folder:
    """A package of plug-ins in the making, under a name that no other test uses."""

    path: Path

    def add(self, name: str, text: str) -> None:
        """Write a module that can name its kind `Plug`."""
        file = self.path / f"{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"from {self.path.name} import Plug, Finer\n{text}\n", encoding="utf-8")

    def package(self) -> ModuleType:
        """Import it."""
        return import_module(self.path.name)

    def names(self) -> list[str]:
        """Return the names of the plug-ins found, in order."""
        package = self.package()
        return [one.name for one in discover(package, package.Plug)]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Folder]:
    """Return an empty package that can be imported for the time of the test."""
    path = tmp_path / f"plugs_{next(NUMBERS)}"
    path.mkdir()
    (path / "__init__.py").write_text(KIND, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield Folder(path)
    for name in [name for name in sys.modules if name.partition(".")[0] == path.name]:
        del sys.modules[name]


def test_an_empty_folder_holds_nothing(folder: Folder) -> None:
    """The package's own file is no plug-in."""
    assert [] == folder.names()


def test_every_module_of_the_folder_is_found_in_order_of_name(folder: Folder) -> None:
    """Not in the order in which the file system lists them, nor of what they call themselves."""
    for name in ("b", "a", "_c", "d1", "d"):
        folder.add(name, f"PLUG = Plug('of {name}')")
    assert ["of _c", "of a", "of b", "of d", "of d1"] == folder.names()


def test_the_value_may_have_any_name(folder: Folder) -> None:
    """Its type is what counts."""
    folder.add("a", "_hidden = Plug('a')")
    assert ["a"] == folder.names()


def test_a_package_in_the_folder_is_a_plug_in_too(folder: Folder) -> None:
    """A check may outgrow one file; its own modules are its own."""
    folder.add("a/__init__", "PLUG = Plug('a')")
    folder.add("a/inner", "PLUG = Plug('inner')")
    assert ["a"] == folder.names()


def test_other_files_are_no_plug_ins(folder: Folder) -> None:
    """Data and notes may lie beside them."""
    folder.add("a", "PLUG = Plug('a')")
    (folder.path / "notes.md").write_text("PLUG = Plug('notes')", encoding="utf-8")
    assert ["a"] == folder.names()


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("", 0),
        ("PLUG = 'text'", 0),
        ("PLUG = Plug", 0),
        ("PLUGS = [Plug('a')]", 0),
        ("PLUG = Finer('a')", 0),
        ("ONE = Plug('a')\nTWO = Plug('b')", 2),
        ("ONE = TWO = Plug('a')", 2),
    ],
)
def test_a_module_without_one_value_is_an_error(folder: Folder, text: str, number: int) -> None:
    """A plug-in that is not found would be a check that silently does not run; the module is named."""
    folder.add("good", "PLUG = Plug('good')")
    folder.add("wrong", text)
    with pytest.raises(TypeError, match=rf"plugs_\d+\.wrong must define one Plug, not {number}$"):
        folder.names()


def test_a_module_that_fails_to_import_is_an_error(folder: Folder) -> None:
    """It is not passed over."""
    folder.add("a", "raise RuntimeError('broken')")
    with pytest.raises(RuntimeError, match="broken"):
        folder.names()


def test_a_second_look_finds_the_same(folder: Folder) -> None:
    """Modules are imported once."""
    folder.add("a", "PLUG = Plug('a')")
    package = folder.package()
    assert discover(package, package.Plug)[0] is discover(package, package.Plug)[0]


@pytest.mark.parametrize(
    ("package", "kind"),
    [(checks, Check), (subjects, Subject), (pages, pages.PageKind), (formats, formats.Format)],
    ids=lambda one: one.__name__.rpartition(".")[2],
)
def test_each_folder_of_ours_is_complete(package: ModuleType, kind: type[object]) -> None:
    """As many values as there are modules, whatever is added."""
    files = sorted(path.stem for path in Path(package.__path__[0]).glob("*.py") if path.stem != "__init__")
    assert files
    assert len(files) == len(discover(package, kind))
