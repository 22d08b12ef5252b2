"""Where a line of source belongs: the repository and commit that a record would name, and the release to run.

What is asked for is a path of a file, of a file in a release, or of a frame in somebody's traceback. Nothing
that is read is imported.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import msgspec

from generator import history, subjects, wheels
from generator.excerpts import Sources, split, wheel_of
from generator.frames import Frame
from generator.history import HistoryUnavailable
from generator.model import Repository
from generator.wheels import WheelUnavailable

LARGEST = 4 * 2**20  # bytes of one file
_INSTALLED = re.compile(r"(?:^|[/\\])(?:site|dist)-packages[/\\](.+)$")
_STANDARD = re.compile(r"(?:^|[/\\])python3\.\d+[/\\](?!(?:site|dist)-packages)(.+)$")
_GITHUB = re.compile(r"github\.com[:/]([A-Za-z0-9][\w-]*/[A-Za-z0-9][\w.-]*?)(?:\.git)?/?(?:[#?].*)?$")


@dataclass(frozen=True, slots=True)
class Release:
    """Source and what is known of it; `repo` and `commit` are None where nothing says them.

    `prefix` put before a path here gives the repository's. `requirement` is the release that can be run.
    `is_at_hand` says that a `repo.yaml` names the release, so that a build reads its lines by itself.
    """

    repo: str | None
    commit: str | None
    prefix: str = ""
    requirement: str | None = None
    is_at_hand: bool = False
    title: str | None = None
    license: str | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a file: `file` is its path in the release, `line` 1-based."""

    release: Release
    file: str
    line: int
    text: str


class Unplaceable(ValueError):  # noqa: N818 - what was asked for is not here
    """Why a place cannot be found, and what would help."""


def of_frames(
    frames: Sequence[Frame], repositories: Mapping[str, Repository], *, cache: Path, here: Path
) -> Place:
    """The place that a traceback ends in: the innermost frame in a file. Raises Unplaceable."""
    # What is no file of anybody's, such as `<string>`, raises nothing by a statement.
    meant = [frame for frame in frames if not frame.file.startswith("<")]
    if not meant:
        raise Unplaceable("no traceback says where it was raised: name the place, `file.py:12`")
    frame = meant[-1]
    found = _INSTALLED.search(frame.file) or _STANDARD.search(frame.file)
    if found:
        member = found[1].replace("\\", "/")
        for repository in repositories.values():
            place = _known(repository, member, frame.line, cache)
            if place is not None and _raises_on(place):
                return place
    try:
        is_here = (here / frame.file).is_file()
    except (OSError, ValueError):
        is_here = False
    if not is_here:
        raise Unplaceable(
            f"`{frame.file}`, where it was raised, is not here: install the package, or name the place"
        )
    return of_file(here / frame.file, frame.line, repositories, cache=cache)


def of_file(path: Path, line: int, repositories: Mapping[str, Repository], *, cache: Path) -> Place:
    """A line of a file: of an installed release, or of a working folder of git. Raises Unplaceable."""
    found = _INSTALLED.search(path.as_posix())
    if found and (requirement := _distribution(found[1])):
        return of_member(requirement, found[1], line, repositories, cache=cache)
    text = _text(path)
    root = _git(path.parent, "rev-parse", "--show-toplevel")
    if root is None:
        return Place(Release(None, None), path.name, line, text)
    file = path.resolve().relative_to(Path(root).resolve()).as_posix()
    commit = _git(path.parent, "rev-parse", "HEAD")
    # The lines are those of the commit only if nothing was changed since.
    is_changed = bool(_git(path.parent, "status", "--porcelain", "--", path.name))
    release = Release(
        origin_of(path.parent), None if is_changed else commit, requirement=_project(Path(root))
    )
    return Place(release, file, line, text)


def of_member(
    requirement: str, member: str, line: int, repositories: Mapping[str, Repository], *, cache: Path
) -> Place:
    """A line in a release: one that a `repo.yaml` names, or one that is installed. Raises Unplaceable."""
    for repository in repositories.values():
        named = repository.package or repository.wheel
        if named is not None and named.requirement.lower() == requirement.lower():
            place = _known(repository, member, line, cache)
            if place is not None:
                return place
    release = of_requirement(requirement, repositories)
    file = subjects.installed_file(release.requirement or requirement, member)
    if file is None:
        raise Unplaceable(f"{release.requirement} is installed, and holds no `{member}`")
    return Place(release, member, line, _text(file))


def of_requirement(requirement: str, repositories: Mapping[str, Repository]) -> Release:
    """What is known of an installed release, `name` or `name==version`. Raises Unplaceable."""
    name, _, version = requirement.partition("==")
    try:
        found = metadata.distribution(name)
    except (metadata.PackageNotFoundError, ValueError):
        raise Unplaceable(f"{name} is not installed here: `pip install {requirement}`") from None
    whole = f"{name}=={version or found.version.partition('+')[0]}"
    if subjects.installation(whole) is None:
        raise Unplaceable(f"{name} {found.version} is installed, not {version}: `pip install {requirement}`")
    for repository in repositories.values():
        package = repository.package
        if package is not None and package.requirement.lower() == whole.lower():
            return Release(repository.repo, package.commit, package.prefix, whole, is_at_hand=True)
    said = found.metadata.json
    links = [str(line).partition(",")[2].strip() for line in said.get("project_url", ())]
    repos = [repo for link in (*links, str(said.get("home_page", ""))) if (repo := repo_of(link))]
    return Release(
        repos[0] if repos else None,
        None,
        requirement=whole,
        title=str(said["name"]),
        license=_text_of(said.get("license_expression")),
    )


def _text_of(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def source(
    target: str, repositories: Mapping[str, Repository], *, cache: Path
) -> tuple[Release, list[tuple[str, str]]]:
    """What is known of a body of source, and its Python files: paths in the release, texts.

    `target` is a folder or a file, a repository that records name, or an installed release. Raises
    Unplaceable.
    """
    if (repository := repositories.get(target)) is not None:
        named = repository.package or repository.wheel
        if named is None:
            raise Unplaceable(f"the `repo.yaml` of {target} names no release to read: name a folder")
        requirement = repository.package.requirement if repository.package else None
        release = Release(target, named.commit, named.prefix, requirement, is_at_hand=True)
        whole = repository if repository.sites else msgspec.structs.replace(repository, sites=("*.py",))
        files = list(Sources(cache).matching(whole))
        if not files:
            raise Unplaceable(f"{named.requirement} is not at hand: `pagefault fetch`, or install it")
        return release, [(path.removeprefix(named.prefix), text) for path, text in files]
    path = Path(target)
    if path.exists():
        return _folder(path, repositories, cache=cache)
    release = of_requirement(target, repositories)
    found = subjects.installation(release.requirement or target)
    members = [one for one in found.members if one.endswith(".py") and ".." not in one] if found else []
    kept = [(one, file) for one in members if found and (file := found.file(one))]
    return release, list(_texts(kept))


def _folder(
    path: Path, repositories: Mapping[str, Repository], *, cache: Path
) -> tuple[Release, list[tuple[str, str]]]:
    files = [path] if path.is_file() else sorted(path.rglob("*.py"))
    meant = [one for one in files if not any(part.startswith(".") for part in one.relative_to(path).parts)]
    if not meant:
        raise Unplaceable(f"`{path}` holds no Python file")
    first = of_file(meant[0], 1, repositories, cache=cache)
    above = len(meant[0].resolve().as_posix()) - len(first.file)
    named = [(one.resolve().as_posix()[above:], one) for one in meant]
    return first.release, list(_texts(named))


def _texts(files: Sequence[tuple[str, Path]]) -> Iterator[tuple[str, str]]:
    """Files that are texts, each with its path; of others nothing is known."""
    for name, file in files:
        with suppress(Unplaceable):
            yield name, _text(file)


def origin_of(folder: Path) -> str | None:
    """The repository on GitHub that a working folder is pushed to."""
    return repo_of(_git(folder, "remote", "get-url", "origin") or "")


def repo_of(address: str) -> str | None:
    """`owner/name` of an address of GitHub's, None of any other."""
    found = _GITHUB.search(address)
    return found[1] if found else None


def _known(repository: Repository, member: str, line: int, cache: Path) -> Place | None:
    """A place in the release that a `repo.yaml` names, if that is at hand and holds the file."""
    if (package := repository.package) is not None:
        file = subjects.installed_file(package.requirement, member)
        if file is None:
            return None
        release = Release(
            repository.repo, package.commit, package.prefix, package.requirement, is_at_hand=True
        )
        return Place(release, member, line, _text(file))
    house = repository.wheel
    wheel = wheels.cached(wheel_of(house), cache) if house is not None else None
    if house is None or wheel is None:
        return None
    try:
        text = wheels.read(wheel, member)
    except WheelUnavailable:
        return None
    # A wheel is read, and never run.
    return Place(Release(repository.repo, house.commit, house.prefix, is_at_hand=True), member, line, text)


def _raises_on(place: Place) -> bool:
    """Whether the line may be where a traceback ends: another version's would hold something else."""
    rows = split(place.text)
    return place.line <= len(rows) and rows[place.line - 1].strip().startswith("raise")


def _distribution(member: str) -> str | None:
    """The installed release that holds a file, as `name==version`."""
    for found in metadata.distributions():
        if f"\n{member}," in f"\n{found.read_text('RECORD') or ''}":
            return f"{found.metadata['Name']}=={found.version.partition('+')[0]}"
    return None


def _project(root: Path) -> str | None:
    """The release that a working folder is installed as, if it is."""
    try:
        text = (root / "pyproject.toml").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    try:
        project = tomllib.loads(text).get("project")
        name = project.get("name") if isinstance(project, dict) else None
        return f"{name}=={metadata.version(name).partition('+')[0]}" if isinstance(name, str) else None
    except (tomllib.TOMLDecodeError, metadata.PackageNotFoundError, ValueError):
        return None


def _text(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            data = stream.read(LARGEST + 1)
        if len(data) > LARGEST:
            raise Unplaceable(f"`{path}` is larger than {LARGEST} bytes")
        return data.decode().replace("\r\n", "\n")
    except OSError as error:
        raise Unplaceable(f"`{path}` cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise Unplaceable(f"`{path}` is no UTF-8") from error


def _git(folder: Path, *what: str) -> str | None:
    """What git says of a folder; None where it says nothing, or is not there."""
    try:
        done = history.ask(folder, what)
    except HistoryUnavailable:
        return None
    return done.stdout.decode(errors="replace").strip() or None if done.returncode == 0 else None
