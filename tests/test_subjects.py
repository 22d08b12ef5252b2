"""Subjects: what is bundled, where its source lies, and what it needs; all without running it."""

import hashlib
import os
import platform
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from importlib import metadata
from pathlib import Path

import pytest

import generator
from generator import distributions, subjects
from generator.model import Subject

BUNDLED = subjects.bundled()
PACKAGE = Path(generator.__file__).parent


def test_bundled_subjects_are_found_by_name() -> None:
    """Records name them so."""
    assert "sglang.LogicalHostPool" in BUNDLED
    assert {name: subject.name for name, subject in BUNDLED.items()} == {name: name for name in BUNDLED}


def test_no_two_modules_describe_the_same_subject() -> None:
    """The second would hide the first."""
    files = [path for path in Path(subjects.__path__[0]).glob("*.py") if path.stem != "__init__"]
    assert len(files) == len(BUNDLED)


@pytest.mark.parametrize("subject", BUNDLED.values(), ids=BUNDLED)
def test_a_bundled_subjects_source_is_in_the_package(subject: Subject) -> None:
    """It is shipped, and frames in it count as inside."""
    file = subjects.source_file(subject)
    assert file.is_file()
    assert file.is_relative_to(PACKAGE)
    assert subject.kind in {"bundled", "pagefault"}


@pytest.mark.parametrize("subject", BUNDLED.values(), ids=BUNDLED)
def test_a_bundled_subjects_imports_are_python(subject: Subject) -> None:
    """A worker runs them before each record's setup; they name the subject's module."""
    compile(subject.imports, subject.name, "exec")
    assert subject.module in subject.imports


def test_looking_at_subjects_imports_none() -> None:
    """The main process runs no code under test: neither its module nor torch is there afterwards."""
    code = (
        "import sys; from generator import subjects\n"
        "for one in subjects.bundled().values():\n"
        "    subjects.source_digest(one); subjects.versions(one)\n"
        "    assert one.module not in sys.modules, one.module\n"
        "assert 'torch' not in sys.modules\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=PACKAGE.parent
    )
    assert (0, "") == (done.returncode, done.stderr)


def test_the_digest_is_of_the_sources_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One byte changed, and what was observed or compared before counts no more."""
    monkeypatch.syspath_prepend(str(tmp_path))
    subject = Subject(name="one", imports="", module="digested_subject")
    file = tmp_path / "digested_subject.py"
    file.write_bytes(b"raise SystemExit\r\n")
    assert hashlib.sha256(b"raise SystemExit\r\n").hexdigest() == subjects.source_digest(subject)
    file.write_bytes(b"raise SystemExit\n")
    assert hashlib.sha256(b"raise SystemExit\n").hexdigest() == subjects.source_digest(subject)


@pytest.mark.parametrize("module", ["no_such_module_at_all", "generator.no_such_module", "no_such.module"])
def test_a_subject_without_source_is_refused(module: str) -> None:
    """The message names the module."""
    with pytest.raises(ModuleNotFoundError, match=module.partition(".")[0]):
        subjects.source_file(Subject(name="one", imports="", module=module))


def test_versions_are_those_installed() -> None:
    """What is absent has an empty one."""
    subject = Subject(name="one", imports="", module="one", requires=("pytest", "no-such-distribution"))
    assert {"pytest": metadata.version("pytest"), "no-such-distribution": ""} == subjects.versions(subject)


def test_a_subject_that_requires_nothing_has_no_versions() -> None:
    """The interpreter's own version is the caller's to add."""
    assert {} == subjects.versions(Subject(name="one", imports="", module="one"))


# What is installed.

NAME = "pool-of-pages"


def install(
    folder: Path, monkeypatch: pytest.MonkeyPatch, files: Mapping[str, str], *, top_level: str | None = None
) -> Path:
    """Put a distribution of those files where packages are found; returns the folder it lies in."""
    site = folder / "site"
    listed = {
        **files,
        "pool_of_pages-1.5.dist-info/METADATA": f"Metadata-Version: 2.1\nName: {NAME}\nVersion: 1.5\n",
    }
    if top_level is not None:
        listed["pool_of_pages-1.5.dist-info/top_level.txt"] = top_level
    record = "".join(
        f"{name},sha256={hashlib.sha256(text.encode()).hexdigest()},\n" for name, text in listed.items()
    )
    for name, text in {**listed, "pool_of_pages-1.5.dist-info/RECORD": record}.items():
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(str(site))
    return site


def resolved(name: str) -> Subject:
    """Return the subject of that name."""
    subject = subjects.resolve(name)
    assert subject is not None
    return subject


@pytest.mark.parametrize("name", BUNDLED)
def test_a_bundled_subject_is_resolved_to_itself(name: str) -> None:
    """Its name comes before any other meaning."""
    assert BUNDLED[name] is subjects.resolve(name)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "pool",
        "pool>=1",
        "pool==",
        "==1.5",
        "pool == 1.5",
        "-pool==1.5",
        "pool==1.5;x",
        "pool[a]==1",
        "pool==1.5\n",
    ],
)
def test_what_names_no_release_is_no_subject(name: str) -> None:
    """A record that says so is told what there is."""
    assert subjects.resolve(name) is None


@pytest.mark.parametrize(
    ("files", "top_level", "module", "imports"),
    [
        ({"pool_of_pages/__init__.py": "", "other.py": ""}, None, "pool_of_pages", "import pool_of_pages\n"),
        ({"pool_of_pages.py": ""}, None, "pool_of_pages", "import pool_of_pages\n"),
        ({"b/__init__.py": "", "a.py": "", "_c.py": ""}, None, "a", "import a\nimport b\n"),
        ({"b/__init__.py": "", "a.py": ""}, "b\n", "b", "import b\n"),
        ({"../../bin/tool.py": "", "a.py": ""}, None, "a", "import a\n"),
        ({}, None, NAME, ""),
    ],
)
def test_a_package_is_imported_by_its_own_name_or_all_it_brings(
    *,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    files: Mapping[str, str],
    top_level: str | None,
    module: str,
    imports: str,
) -> None:
    """Private modules and scripts are not for snippets."""
    install(tmp_path / "deep" / "er", monkeypatch, files, top_level=top_level)
    subject = resolved(f"{NAME}==1.5")
    assert ("package", module, imports) == (subject.kind, subject.module, subject.imports)
    assert ((NAME,), "1.5", False) == (subject.requires, subject.version, subject.is_bundled)


def test_a_package_that_is_not_installed_is_a_subject_too() -> None:
    """The record is right, and this machine lacks something."""
    subject = resolved("no-such-distribution==1.5")
    assert ("", "no-such-distribution") == (subject.imports, subject.module)
    assert "no-such-distribution not installed" == subjects.why_absent(subject)


def test_another_version_than_the_records_is_absent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What another release does proves nothing of this one."""
    install(tmp_path, monkeypatch, {"pool_of_pages.py": ""})
    assert "" == subjects.why_absent(resolved(f"{NAME}==1.5"))
    why = f"{NAME} 1.5 is installed, the record is about 1.6"
    assert why == subjects.why_absent(resolved(f"{NAME}==1.6"))


def test_python_itself_is_a_subject_of_a_minor_version() -> None:
    """Its standard library is what is inside."""
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    subject = resolved(f"python=={here}")
    assert ("python", "", "") == (subject.kind, subject.imports, subjects.why_absent(subject))
    assert "" == subjects.why_absent(resolved(f"python=={here}.99"))
    assert f"this is Python {here}, the record is about 3.1" == subjects.why_absent(resolved("python==3.1"))
    assert Path(hashlib.__file__).is_relative_to(subjects.roots(subject)[0])
    assert "" == subjects.why_absent(subjects.PYTHON)


def test_frames_of_a_whole_package_are_inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a folder all files, of a module that one, of a bundled subject its own alone."""
    site = install(tmp_path, monkeypatch, {"pool_of_pages/__init__.py": ""})
    assert (site / "pool_of_pages",) == subjects.roots(resolved(f"{NAME}==1.5"))
    one = replace(resolved(f"{NAME}==1.5"), module="flat_pages")
    (site / "flat_pages.py").touch()
    assert (site / "flat_pages.py",) == subjects.roots(one)
    assert (PACKAGE / "pool.py",) == subjects.roots(BUNDLED["sglang.LogicalHostPool"])


def test_a_packages_digest_changes_with_any_of_its_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are listed with their hashes where the package was installed."""
    digests = []
    for text in ("x = 1", "x = 1", "x = 2"):
        install(tmp_path, monkeypatch, {"pool_of_pages/__init__.py": "", "pool_of_pages/deep.py": text})
        digests.append(subjects.source_digest(resolved(f"{NAME}==1.5")))
    assert digests[0] == digests[1] != digests[2]


def link(folder: Path, monkeypatch: pytest.MonkeyPatch, files: Mapping[str, str]) -> Path:
    """Install a working folder of those files as a link; returns the folder that is imported from."""
    source = folder / "work" / "src"
    for name, text in files.items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(text, encoding="utf-8")
    told = '{"dir_info": {"editable": true}, "url": "file:///work"}'
    install(
        folder,
        monkeypatch,
        {"_pool.pth": f"import odd\n{source}\n", "pool_of_pages-1.5.dist-info/direct_url.json": told},
    )
    monkeypatch.syspath_prepend(str(source))
    return source


def test_a_working_folder_that_is_installed_is_what_is_there_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its module, its files, and a digest that changes with them."""
    source = link(tmp_path, monkeypatch, {"pool_of_pages/__init__.py": "", "conftest.py": ""})
    subject = resolved(f"{NAME}==1.5")
    before = subjects.source_digest(subject)
    (source / "pool_of_pages" / "new.py").write_text("x = 1")

    assert ("import pool_of_pages\n", "") == (subject.imports, subjects.why_absent(subject))
    assert before != subjects.source_digest(subject)
    release = subjects.installation(f"{NAME}==1.5")
    assert release is not None
    assert ("pool_of_pages/__init__.py", "pool_of_pages/new.py") == release.members
    assert source / "pool_of_pages/new.py" == release.file("pool_of_pages/new.py")
    assert None is release.file("conftest.py")


def test_a_working_folder_may_have_other_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then all that can be imported there is its own."""
    link(tmp_path, monkeypatch, {"pages/__init__.py": "", "flat.py": "", "docs/conf.py": ""})
    assert "import flat\nimport pages\n" == resolved(f"{NAME}==1.5").imports


def test_what_is_installed_is_known_to_have_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file in a working folder, a release that took another's place; nothing else."""
    source = link(tmp_path, monkeypatch, {"pool_of_pages/__init__.py": "", "conftest.py": ""})
    assert source / "pool_of_pages" in distributions.sources()
    assert source / "conftest.py" not in distributions.sources()
    seen = [distributions.stamps(), distributions.stamps()]
    (source / "conftest.py").write_text("x = 1")
    seen.append(distributions.stamps())
    assert 1 == len(set(seen))
    (source / "pool_of_pages" / "__init__.py").write_text("x = 1")
    seen.append(distributions.stamps())
    assert 2 == len(set(seen))
    note = next(tmp_path.rglob("pool_of_pages-1.5.dist-info"))
    os.utime(note, (1, 1))
    assert distributions.stamps() not in seen


def test_a_link_that_leads_nowhere_is_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then the list that installing wrote is all that is known."""
    source = link(tmp_path, monkeypatch, {"pool_of_pages/__init__.py": ""})
    (source / "pool_of_pages" / "__init__.py").unlink()
    (source / "pool_of_pages").rmdir()
    source.rmdir()
    release = subjects.installation(f"{NAME}==1.5")
    assert release is not None
    assert "_pool.pth" in release.members


def test_a_file_of_an_installed_release_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its path below the folder of packages."""
    site = install(tmp_path, monkeypatch, {"pool_of_pages/deep.py": ""})
    assert (site / "pool_of_pages/deep.py").resolve() == subjects.installed_file(
        f"{NAME}==1.5", "pool_of_pages/deep.py"
    )


@pytest.mark.parametrize(
    ("requirement", "member"),
    [
        (f"{NAME}==1.6", "pool_of_pages.py"),
        ("no-such-distribution==1.5", "pool_of_pages.py"),
        ("sglang.LogicalHostPool", "pool.py"),
        ("no subject", "pool_of_pages.py"),
        (f"{NAME}==1.5", "absent.py"),
        (f"{NAME}==1.5", "of_another_package.py"),
        (f"{NAME}==1.5", "../outside.py"),
        (f"{NAME}==1.5", "pool_of_pages"),
        (f"{NAME}==1.5", ""),
        (f"{NAME}==1.5", "/etc/passwd"),
        ("python==3.1.99", "os.py"),
    ],
)
def test_no_other_file_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, requirement: str, member: str
) -> None:
    """Neither another release's, nor another package's that lies beside it, nor one that lies elsewhere."""
    site = install(tmp_path, monkeypatch, {"pool_of_pages.py": ""})
    (site / "of_another_package.py").touch()
    (tmp_path / "outside.py").touch()
    assert subjects.installed_file(requirement, member) is None


def test_a_file_of_the_standard_library_is_found_in_the_very_version() -> None:
    """Lines move between patches."""
    here = f"python=={platform.python_version()}"
    assert Path(hashlib.__file__).resolve() == subjects.installed_file(here, "hashlib.py")
    assert subjects.installed_file(here, "../outside.py") is None


def test_a_subject_weighs_what_it_requires() -> None:
    """By the length of the lists of files: Python alone weighs nothing, nor does what is not installed."""
    names = ("python==3.11", "sglang.RadixKey", "absent-one==1.0")
    assert [0, 0, 0] == [subjects.weight(one) for name in names if (one := subjects.resolve(name))]
    light, heavy = (subjects.resolve(name) for name in ("jinja2==3.1.6", "sglang.LogicalHostPool"))
    assert light
    assert heavy
    assert 0 < subjects.weight(light) < subjects.weight(heavy)
