"""What stands beside a repository's records: whence their lines are read, what was compared with upstream."""

from typing import Annotated, Literal

from msgspec import Meta, structs

from generator.model.record import Line, Repo, RepoPath, Sha, Sha256, Structure, Text, constrain

Glob = Annotated[
    str,
    constrain(r"^[^\\\x00-\x1f]+\.py$", form="a path that ends in `.py`, with `*` for anything", longest=200),
]


WheelFile = Annotated[
    str, constrain(r"^[A-Za-z0-9][A-Za-z0-9._+!-]*\.whl$", form="the plain name of a wheel")
]
Version = Annotated[
    str, constrain("^[A-Za-z0-9][A-Za-z0-9._+!/-]*$", form="a version, or the name of a tag", longest=100)
]
Count = Annotated[int, Meta(ge=0, le=10_000_000)]


class Wheelhouse(Structure, frozen=True):
    """The released wheel whose lines are those of the pinned commit."""

    requirement: Annotated[
        str,
        Meta(description="the release, `name==version`"),
        constrain(
            "^[A-Za-z0-9][A-Za-z0-9._+!-]*==[A-Za-z0-9][A-Za-z0-9._+!-]*$",
            form="`name==version`",
        ),
    ]
    python: Annotated[
        str,
        Meta(description="the Python that the wheel is for"),
        constrain(r"^[0-9]+\.[0-9]+$", form="a version of Python such as `3.11`"),
    ]
    platform: Annotated[
        str,
        Meta(description="the platform that the wheel is for"),
        constrain("^[a-z0-9_]+$", form="a wheel's platform such as `any`"),
    ]
    file: Annotated[WheelFile, Meta(description="the wheel's name")]
    sha256: Annotated[Sha256, Meta(description="the wheel's digest")]
    commit: Annotated[Sha, Meta(description="the commit whose lines these are: `analyzedSha` of the records")]
    prefix: Annotated[str, Meta(description="put before a wheel's path, gives the repository's")] = ""


class Release(Structure, frozen=True):
    """The released package whose installed lines are those of the pinned commit."""

    requirement: Annotated[Text, Meta(description="the release, `name==version`")]
    commit: Annotated[Sha, Meta(description="the commit whose lines these are: `analyzedSha` of the records")]
    prefix: Annotated[str, Meta(description="put before an installed path, gives the repository's")] = ""
    caveat: Annotated[
        Text | None, Meta(description="Markdown: what was not checked of the pin; shown with the source")
    ] = None


class Repository(Structure, frozen=True):
    """What `records/<owner>/<repo>/repo.yaml` says."""

    repo: Annotated[Repo, Meta(description="`owner/name` on GitHub")]
    title: Annotated[Text, Meta(description="what the project is called")]
    description: Annotated[Text | None, Meta(description="what it is, in a sentence or two")] = None
    license: Annotated[Text | None, Meta(description="license of the source that is quoted")] = None
    wheel: Annotated[Wheelhouse | None, Meta(description="the released wheel from which lines are read")] = (
        None
    )
    package: Annotated[
        Release | None, Meta(description="the installed package from which lines are read")
    ] = None
    sites: Annotated[
        tuple[Glob, ...],
        Meta(
            description="paths with `*` for anything: what these files raise and no record explains is found "
            "by a look-up too, and said to be undocumented"
        ),
    ] = ()


class RaiseSite(Structure, frozen=True):
    """A `raise` statement: path in the repository, 1-based line, qualified function, class, template.

    The last two are empty where they are not known.
    """

    file: str
    line: int
    function: str
    error_class: str = ""
    template: str = ""


class Module(Structure, frozen=True):
    """A file: how many of its `raise` statements have a message, and how many of these a record."""

    file: str
    sites: int
    documented: int


class Coverage(Structure, frozen=True):
    """What of a repository's source has records; `lost` are the ids of records that nothing there raises."""

    repo: str
    modules: tuple[Module, ...]
    lost: tuple[str, ...]


class Differential(Structure, frozen=True):
    """The part of `differential.json` about one bundled subject."""

    source: str
    source_sha256: str
    operations: int
    upstream: dict[str, str]


class Edition(Structure, frozen=True, omit_defaults=True):
    """A release that records were followed into: a wheel, or a commit of a clone.

    `messages` is how many different ones its files raise, `new` how many of them the pinned release does not
    raise, and `gone` how many of the pinned release's it does not raise.
    """

    version: Version
    file: WheelFile | None = None
    sha256: Sha256 | None = None
    commit: Sha | None = None
    messages: Count = 0
    new: Count = 0
    gone: Count = 0


State = Literal["same", "moved", "elsewhere", "changed", "gone", "unread"]


class Trace(Structure, frozen=True, omit_defaults=True):
    """What became of a record's message in a release.

    It stands on the `same` line, `moved` within its file or `elsewhere`; its text has `changed`; it is
    `gone`; or its file can be `unread` here, as one for another Python. `text` is what is written there,
    where that is not what the pinned release writes; of that one, where it is not the record's. `places`
    counts those that raise it.
    """

    state: State
    path: RepoPath | None = None
    line: Line | None = None
    text: Annotated[str, Meta(min_length=1, max_length=4000)] | None = None
    places: Count = 1


class Drift(Structure, frozen=True):
    """What `drift.json` says: records in other releases than the one that they are pinned to.

    `pinned` is a version among those of `releases`, oldest first, and `commit` the pin. `records` holds
    traces by a record's id and a release's version, `unfollowed` why others could not be followed.
    """

    repo: Repo
    pinned: Version
    commit: Sha
    releases: tuple[Edition, ...]
    records: dict[str, dict[str, Trace]]
    unfollowed: dict[str, Annotated[str, Meta(min_length=1, max_length=1000)]]

    def of(self, id: str) -> "Drift | None":  # noqa: A002 - the field's name
        """What is said of one record; None if nothing is."""
        if id not in self.records and id not in self.unfollowed:
            return None
        records = {id: self.records[id]} if id in self.records else {}
        why = {id: self.unfollowed[id]} if id in self.unfollowed else {}
        return structs.replace(self, records=records, unfollowed=why)
