"""Pages to files in the stage: those alone that are not as the last pass left them.

Pages come in *units*. The key of a unit names all that its bytes depend on; a unit whose key and files are
the last pass's is kept without a look. The others are rendered in whichever process, and staged there.
"""

import hashlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from importlib import metadata
from pathlib import Path

import msgspec

from generator import formats, pages, plain
from generator.executor import Executor, Item
from generator.formats import Format
from generator.model import (
    Drift,
    File,
    Head,
    Page,
    Relation,
    Repository,
    Site,
    Standing,
    Verified,
)
from generator.pages import PageKind
from generator.plain import Stored
from generator.publish import Publication
from generator.registry import discover
from generator.settings import Settings
from generator.stage import Made, stage
from generator.subjects import own_code
from generator.theme import Theme


def output_of(page: Page) -> str:
    """Which of `OUTPUTS` a page belongs to. What an HTML page loads is HTML's."""
    if page.format == "asset" or page.path.endswith(".html") or page.path in {".gitignore", ".nojekyll"}:
        return "html"
    is_record = page.path.startswith("api/errors/") and page.path.endswith(".json")
    return "json" if is_record else "other"


class Sheet(msgspec.Struct, frozen=True, array_like=True):
    """A page that only needs to be encoded: its path, format and template, and its context."""

    path: str
    format: str
    template: str
    context: msgspec.Raw


class Beside(msgspec.Struct, frozen=True, array_like=True):
    """What another record's page says of a record: its head, its standing, and what relates them."""

    head: Head
    standing: Standing
    reasons: tuple[str, ...]


class Task(msgspec.Struct, frozen=True, array_like=True):
    """A unit to be rendered: sheets, or the pages of a plain record that stands somewhere.

    `known` are its files that lie in the output as they were left. `drift` is what became of that record.
    """

    known: list[Made]
    sheets: list[Sheet] = []
    text: tuple[str, str, str, bytes] | None = None
    related: list[Beside] = []
    drift: Drift | None = None


class Surroundings(msgspec.Struct, frozen=True, array_like=True):
    """What all tasks of a build share: where they go, how pages look, and the site without its records."""

    out: str
    folders: list[str]
    additions: list[tuple[str, bytes]]
    theme: str
    outputs: list[str]
    settings: dict[str, str | bool | None]
    repositories: dict[str, Repository]
    guides: list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Unit:
    """Pages that are rendered together, or a plain record's; `inputs` name what they depend on."""

    name: str
    inputs: bytes
    task: Callable[[list[Made]], Task]


class Groups:
    """Units that are made of the same things: if these are as they were, none of them is looked at.

    One group after the other: the units made after `is_as` are the group's.
    """

    def __init__(self, publication: Publication) -> None:
        self._publication = publication
        self._found: dict[str, bytes] = {}
        self._begun: tuple[str, bytes] | None = None
        self._units: list[str] = []

    def is_as(self, name: str, inputs: bytes | None) -> bool:
        """Whether a group's units are as they were, and then kept. None is for inputs that are not known."""
        self._end()
        fact = f"group of {name}"
        key = b"" if inputs is None else hashlib.sha256(_code() + inputs).digest()[:16]
        last = self._publication.fact(fact) if key else None
        if last is not None:
            known, units = msgspec.msgpack.decode(last, type=tuple[bytes, list[str]])
            if known == key and all(unit in self._publication.keys for unit in units):
                for unit in units:
                    self._publication.keep(unit)
                self._found[fact] = last
                return True
        self._begun = (fact, key) if key else None
        return False

    def _end(self) -> None:
        """Packs what is known of the group that was begun: names are many."""
        if self._begun is not None:
            fact, key = self._begun
            self._found[fact] = msgspec.msgpack.encode((key, self._units))
        self._begun, self._units = None, []

    def of(self, unit: Unit) -> Unit:
        """The unit, as one of the group."""
        self._units.append(unit.name)
        return unit

    @property
    def facts(self) -> dict[str, bytes]:
        """What the next pass is to know of the groups."""
        self._end()
        return self._found


def of_page(page: Page, theme: Theme) -> Unit:
    """The unit of one page."""
    encoder = msgspec.msgpack.Encoder()
    # What says what its context is made of has it made only where it is needed.
    context = page.inputs if page.inputs is not None else encoder.encode(page.made)
    look = theme.digest if formats_by_name()[page.format].is_themed else ""

    def task(files: list[Made]) -> Task:
        packed = context if page.inputs is None else encoder.encode(page.made)
        return Task(files, [Sheet(page.path, page.format, page.template, msgspec.Raw(packed))])

    return Unit(page.path, encoder.encode((page.format, page.template, look, context)), task)


def of_kind(name: str, inputs: bytes, make: Callable[[], Iterator[Page]]) -> Unit:
    """The unit of all pages of a kind."""
    encoder = msgspec.msgpack.Encoder()

    def task(files: list[Made]) -> Task:
        return Task(
            files,
            [
                Sheet(page.path, page.format, page.template, msgspec.Raw(encoder.encode(page.made)))
                for page in make()
            ],
        )

    return Unit(name, inputs, task)


def of_plain(
    one: Verified, body: Stored, beside: Sequence[Beside], common: bytes, drift: Drift | None = None
) -> Unit:
    """The unit of a plain record; `common` names what all of them depend on."""
    location = one.file.location
    text = (location, body.file, body.name, body.packed)
    inputs = b"".join((common, body.row.meaning, msgspec.msgpack.encode((location, beside, drift))))
    return Unit(one.head.id, inputs, lambda known: Task(known, [], text, list(beside), drift))


def encode(
    units: Iterable[Unit],
    publication: Publication,
    surroundings: Surroundings,
    executor: Executor,
    settings: Settings,
    *,
    of: int,
) -> int:
    """Stages every unit that is not as it was; how many files were rendered now.

    `of` is about how many units there are. Raises what a template raises, and stage.Unpublishable.
    """
    keys = publication.keys
    asked: deque[tuple[str, bytes]] = deque()

    def missing() -> Iterator[Item]:
        for unit in units:
            key = _key(unit)
            if keys.get(unit.name) == key:
                publication.keep(unit.name)
                continue
            asked.append((unit.name, key))
            known = [*publication.of(unit.name).values()]
            yield unit.name, msgspec.msgpack.encode(unit.task(known))

    rendered = 0
    settings.say("render", 0, of)
    work = partial(render, common=msgspec.msgpack.encode(surroundings))
    answers = executor.map(work, missing())
    for done, answer in enumerate(answers, 1):
        name, key = asked.popleft()
        made = msgspec.msgpack.decode(answer, type=list[Made])
        publication.add(name, key, made)
        rendered += len(made)
        settings.say("render", min(done, of), of)
    return rendered


def encode_here(made: Iterable[Page], publication: Publication, theme: Theme) -> int:
    """Stages pages about files, each as soon as it is there, so that the next may be about it; how many."""
    rendered = 0
    for page in made:
        unit = of_page(page, theme) if page.inputs is None else Unit(page.path, page.inputs, _no_task)
        key = _key(unit)
        if publication.is_as(unit.name, key):
            publication.keep(unit.name)
            continue
        data = formats_by_name()[page.format].encode(page, theme)
        publication.add(unit.name, key, publication.stage(unit.name, [File(page.path, data)]))
        rendered += 1
    return rendered


def _no_task(_: list[Made]) -> Task:
    raise AssertionError("it is made here")


def _key(unit: Unit) -> bytes:
    return hashlib.sha256(_code() + unit.inputs).digest()[:16]


@cache
def _code() -> bytes:
    return f"{own_code()} {_versions()} ".encode()


def render(batch: Sequence[bytes], *, common: bytes) -> list[bytes]:
    """The files of each task, staged. Raises theme.TemplateFailed, plain.Changed, OSError."""
    around = _around(common)
    return [msgspec.msgpack.encode(_render(msgspec.msgpack.decode(one, type=Task), around)) for one in batch]


@dataclass(frozen=True, slots=True)
class _Around:
    """What a process keeps from task to task."""

    out: str
    theme: Theme
    site: Site
    outputs: frozenset[str]


@lru_cache(maxsize=1)
def _around(common: bytes) -> _Around:
    known = msgspec.msgpack.decode(common, type=Surroundings)
    theme = Theme(tuple(map(Path, known.folders)), tuple(known.additions))
    return _Around(
        known.out,
        theme,
        pages.site_of(known.settings, known.repositories, known.guides),
        frozenset(known.outputs),
    )


def _render(task: Task, around: _Around) -> list[Made]:
    known = {one.path: one for one in task.known}
    made = _plain(task, around) if task.text is not None else map(_page, task.sheets)
    return [
        stage(around.out, page.path, formats_by_name()[page.format].encode(page, around.theme), known)
        for page in made
    ]


def _page(sheet: Sheet) -> Page:
    return Page(sheet.path, sheet.format, msgspec.msgpack.decode(sheet.context), sheet.template)


def _plain(task: Task, around: _Around) -> Iterator[Page]:
    """The pages of a plain record."""
    assert task.text is not None  # noqa: S101 - for the type checker
    location, file, name, packed = task.text
    related = [Relation(each.head.id, each.reasons) for each in task.related]
    one = plain.whole(Stored(file, name, packed), location, related, task.drift)
    by_id = {each.head.id: each for each in task.related}
    for kind in kinds():
        if kind.of is not None:
            yield from (
                page for page in kind.of(around.site, one, by_id) if output_of(page) in around.outputs
            )


@cache
def kinds() -> tuple[PageKind, ...]:
    """The kinds of page."""
    return discover(pages, PageKind)


@cache
def formats_by_name() -> dict[str, Format]:
    """The output formats by name."""
    return {form.name: form for form in discover(formats, Format)}


def _versions() -> str:
    """Of all beside our code and the theme that turns a context into bytes."""
    names = ("jinja2", "markdown-it-py", "markupsafe", "msgspec", "pygments")
    return ", ".join(f"{name} {metadata.version(name)}" for name in names)
