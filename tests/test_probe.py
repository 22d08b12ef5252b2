"""`generator.probe`: what is to be run of a record, what running it did, and under which key that is kept."""

import platform
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import msgspec
import pytest

from generator import probe, store, subjects
from generator.model import (
    Expectation,
    Lookalike,
    Observation,
    Observed,
    Outcome,
    Record,
    Script,
    Step,
    Subject,
    Trial,
    Verification,
)
from generator.probe import Fix, Limits
from generator.workers import WarmProcess

linux = pytest.mark.skipif(sys.platform != "linux", reason="writes through /proc")

FIX = "# before\npool.take(5)\n\n# after\nsize = 16\npool.take(size)"
RECOVERY = "size = 5\ntry:\n    out = pool.take(size)\nexcept ValueError:\n    out = pool.take(16)"

CLAIMS = Verification(
    subject="pool",
    setup="import pool\nsize = 0",
    trigger="x = 5\npool.take(x)",
    more=("pool.take(6)", "\npool.take(7)"),
    instead=(
        Lookalike(call="y = 32\npool.take(y)", returns="32"),
        Lookalike(call="pool.take('a')", raises="TypeError", expect="size == 0"),
    ),
    fixed=Expectation(expect="size == 16"),
    guarded="pool.take(size)",
    recovered=Expectation(expect="out == 16"),
)

RECORD = Record(
    id="0123456789abcdef",
    repo="acme/pool",
    slug="size-is-refused",
    error_message="size {size} is refused",
    message_pattern="size (.+?) is refused",
    error_class="ValueError",
    file_path="pool.py",
    line_number=4,
    github_url=f"https://github.com/acme/pool/blob/{'0' * 40}/pool.py#L4",
    documentation="Sizes are multiples of 16.",
    example_fix=FIX,
    validation_code="size = 5\nif size % 16:\n    raise RuntimeError('refused')",
    type_guard="assert type(size) is int",
    try_catch_pattern=RECOVERY,
    analyzed_sha="0" * 40,
    verification=CLAIMS,
)

POOL = """\
def take(size):
    if size % 16:
        raise ValueError(f"size {size} is refused")
    return size
"""


def with_claims(**claims: Any) -> Record:
    """Return the record with other claims."""
    return msgspec.structs.replace(RECORD, verification=msgspec.structs.replace(CLAIMS, **claims))


def planned(record: Record) -> Trial:
    """Return the record's trial, which it must have."""
    trial = probe.plan(record)
    assert trial is not None
    return trial


# Fixes and recoveries.


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        ("# before\na\n# after\nb", Fix("a", 2, "b", 4)),
        ("\n# before\na\n\n\n# after\n\nb\n", Fix("a", 3, "\nb", 7)),
        ("intro\n  #Before: raises\n  a\n\t# AFTER the fix\n  b", Fix("  a", 3, "  b", 5)),
        ("# before\n# after\nb", Fix("", 2, "b", 3)),
        ("# before\na\n# after", Fix("a", 2, "", 4)),
        ("# before\nx = '# after'\n# after\nb", Fix("x = '# after'", 2, "b", 4)),
        (
            "# before\n# beforehand\n# afterwards\na\n# after\nb",
            Fix("# beforehand\n# afterwards\na", 2, "b", 6),
        ),
    ],
)
def test_a_fix_has_two_halves(text: str, fix: Fix) -> None:
    """Below `# before` and below `# after`, with the line on which each begins."""
    assert fix == probe.split_fix(text)
    lines = text.split("\n")
    for half, line in ((fix.before, fix.before_line), (fix.after, fix.after_line)):
        assert not half or half.split("\n") == lines[line - 1 : line + half.count("\n")]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a\nb",
        "# before\na",
        "# after\nb",
        "# after\nb\n# before\na",
        "# before\na\n# before\na\n# after\nb",
        "# before\na\n# after\nb\n# after\nc",
        "x = 1  # before\ny = 2  # after",
    ],
)
def test_other_texts_are_no_fix(text: str) -> None:
    """Each mark stands once, on a line of its own, in order."""
    assert probe.split_fix(text) is None


@pytest.mark.parametrize(
    ("code", "tried"),
    [
        ("try:\n    a()\nexcept ValueError:\n    b()", "a()"),
        ("x = 1\ntry:\n    a(x)\n    c()\nfinally:\n    b()\nd()", "x = 1\na(x)\nc()"),
        ("try:\n    a()\nexcept A:\n    pass\ntry:\n    b()\nexcept B:\n    pass", "a()"),
        (
            "try:\n    try:\n        a()\n    finally:\n        b()\nexcept B:\n    pass",
            "try:\n    a()\nfinally:\n    b()",
        ),
    ],
)
def test_what_is_tried_is_the_first_try_and_what_leads_to_it(code: str, tried: str) -> None:
    """Without it the recovery has nothing to recover from."""
    assert tried == probe.tried(code)


@pytest.mark.parametrize(
    "code", ["", "a()", "def f():\n    try:\n        a()\n    finally:\n        b()", "try:", "'\0'"]
)
def test_without_a_try_nothing_is_tried(code: str) -> None:
    """Nor in code that is no Python."""
    assert probe.tried(code) is None


# The plan.


def test_a_plan_runs_all_code_that_a_page_shows() -> None:
    """Each claim is a script, which begins with the set-up and may end with an expectation."""
    assert {
        "trigger": ["setup", "trigger"],
        "more[0]": ["setup", "trigger"],
        "more[1]": ["setup", "trigger"],
        "instead[0]": ["setup", "call"],
        "instead[1]": ["setup", "call", "expect"],
        "before": ["setup", "trigger", "expect"],
        "after": ["setup", "fix", "expect"],
        "guarded": ["setup", "validationCode", "typeGuard", "guarded"],
        "unrecovered": ["setup", "trigger"],
        "recovered": ["setup", "recovery", "expect"],
    } == {script.name: [step.role for step in script.steps] for script in planned(RECORD).scripts}


def test_only_expectations_are_final() -> None:
    """They are asked for although the code raised; other code is not."""
    steps = [step for script in planned(RECORD).scripts for step in script.steps]
    assert {"expect"} == {step.role for step in steps if step.is_final}
    assert all(step.is_final for step in steps if step.role == "expect")


def test_code_without_an_expectation_is_run_all_the_same() -> None:
    """What a page shows is never unread."""
    record = with_claims(setup=None, more=(), instead=(), fixed=None, guarded=None, recovered=None)
    assert {
        "trigger": ["trigger"],
        "before": ["trigger"],
        "after": ["fix"],
        "guarded": ["validationCode", "typeGuard"],
        "unrecovered": ["trigger"],
        "recovered": ["recovery"],
    } == {script.name: [step.role for step in script.steps] for script in planned(record).scripts}


def test_without_code_there_is_no_script() -> None:
    """A trial may be empty."""
    record = msgspec.structs.replace(
        RECORD,
        example_fix=None,
        validation_code=None,
        type_guard=None,
        try_catch_pattern=None,
        verification=Verification(subject="pool"),
    )
    assert () == planned(record).scripts


def test_of_a_record_that_is_unproven_the_trigger_alone_is_run() -> None:
    """To see whether the reason still holds."""
    record = with_claims(unproven="needs a device")
    assert {"trigger": ["setup", "trigger"]} == {
        script.name: [step.role for step in script.steps] for script in planned(record).scripts
    }


@pytest.mark.parametrize(
    "claims", [None, Verification(trigger="pool.take(5)"), Verification(unproven="needs a device")]
)
def test_a_record_that_names_no_subject_is_not_run(claims: Verification | None) -> None:
    """It claims no proof, says why not, or does not say on what."""
    assert probe.plan(msgspec.structs.replace(RECORD, verification=claims)) is None


def test_names_of_scripts_are_unique() -> None:
    """They are the keys of observations."""
    names = [script.name for script in planned(RECORD).scripts]
    assert len(set(names)) == len(names)


def _field(record: Record, *steps: str | int) -> Any:
    value: Any = msgspec.to_builtins(record)
    for step in steps:
        value = value[step]
    return value


def test_every_step_has_a_place_in_the_record() -> None:
    """Each line of it stands in the field named, on the line named."""
    for script in planned(RECORD).scripts:
        for step in script.steps:
            for number, line in enumerate(step.code.split("\n"), 1):
                fields, at = probe.place(RECORD, script.name, step.role, number)
                text = _field(RECORD, *fields)
                if script.name != "unrecovered" or step.role == "setup":
                    assert line == text.split("\n")[at - 1], (script.name, step.role)
                else:
                    assert (RECORD.try_catch_pattern, "try:") == (text, text.split("\n")[at - 1])


# Keys.

SUBJECT = Subject(name="pool", imports="import pool", module="json", requires=("msgspec",))
TRIAL = Trial(subject="pool", scripts=(Script(name="trigger", steps=(Step(role="trigger", code="1"),)),))


def _key(trial: Trial = TRIAL, subject: Subject = SUBJECT, limits: Limits | None = None) -> str:
    around = probe.surroundings(subject, limits or Limits())
    return store.key("observed", **probe.trial_inputs(trial, around))


def _stepping(**fields: Any) -> Trial:
    step = msgspec.structs.replace(TRIAL.scripts[0].steps[0], **fields)
    return Trial(subject="pool", scripts=(Script(name="trigger", steps=(step,)),))


@pytest.mark.parametrize(
    "other",
    [
        lambda: _key(_stepping(code="2")),
        lambda: _key(_stepping(role="call")),
        lambda: _key(_stepping(is_final=True)),
        lambda: _key(Trial(subject="pool", scripts=(Script(name="more[0]", steps=TRIAL.scripts[0].steps),))),
        lambda: _key(Trial(subject="pool", scripts=TRIAL.scripts * 2)),
        lambda: _key(Trial(subject="pool", scripts=())),
        lambda: _key(Trial(subject="other", scripts=TRIAL.scripts)),
        lambda: _key(subject=replace(SUBJECT, imports="import other")),
        lambda: _key(subject=replace(SUBJECT, module="ast")),
        lambda: _key(subject=replace(SUBJECT, requires=("click",))),
        lambda: _key(limits=Limits(seconds=9.5)),
        lambda: _key(limits=Limits(memory=2**30)),
    ],
)
def test_every_input_of_a_run_changes_its_key(other: Callable[[], str]) -> None:
    """What is run, on what, and behind which walls."""
    assert _key() != other()


@pytest.mark.parametrize(
    "change",
    [
        lambda patch: patch.setattr(subjects, "source_digest", lambda _: "another"),
        lambda patch: patch.setattr(subjects, "versions", lambda _: {"msgspec": "99"}),
        lambda patch: patch.setattr(platform, "python_version", lambda: "3.99.0"),
        lambda patch: patch.setattr(probe, "_runner_digest", lambda: "another"),
    ],
)
def test_the_surroundings_of_a_run_change_its_key(
    change: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The subject's source, installed versions, the interpreter, and our own code that runs it."""
    before = _key()
    change(monkeypatch)
    assert before != _key()


def test_how_many_run_at_once_does_not_change_the_key() -> None:
    """Another machine with other cores has the same facts."""
    assert _key(limits=Limits(jobs=1)) == _key(limits=Limits(jobs=64))


@pytest.mark.parametrize(
    "fields",
    [
        {"message_pattern": "size (.*?) is refused"},
        {"documentation": "Other words."},
        {"error_message": "other {size}"},
        {"error_class": "KeyError"},
        {"line_number": 5},
        {"solutions": ("Round.",)},
        {"id": "f" * 16, "slug": "other"},
    ],
)
def test_what_is_not_run_does_not_change_the_key(fields: dict[str, Any]) -> None:
    """To edit a pattern or a sentence is to run nothing."""
    other = planned(msgspec.structs.replace(RECORD, **fields))
    assert _key(planned(RECORD)) == _key(other)


def test_what_a_step_is_to_yield_does_not_change_the_key() -> None:
    """Facts are kept, not what is thought of them."""
    other = with_claims(
        captures={"size": "6"}, instead=(Lookalike(call="y = 32\npool.take(y)", returns="33"),)
    )
    same = with_claims(
        captures={"size": "5"}, instead=(Lookalike(call="y = 32\npool.take(y)", returns="32"),)
    )
    assert _key(planned(same)) == _key(planned(other))


def test_every_input_of_a_match_changes_its_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pattern, the messages in their order, the interpreter and our own code."""
    keys = [
        probe.match_key("a(.+?)", ["ab", "ac"]),
        probe.match_key("a(.*?)", ["ab", "ac"]),
        probe.match_key("a(.+?)", ["ac", "ab"]),
        probe.match_key("a(.+?)", ["ab"]),
        probe.match_key("a(.+?)", ['ab", "ac']),
    ]
    monkeypatch.setattr(platform, "python_version", lambda: "3.99.0")
    keys.append(probe.match_key("a(.+?)", ["ab", "ac"]))
    monkeypatch.setattr(probe, "_runner_digest", lambda: "another")
    keys.append(probe.match_key("a(.+?)", ["ab", "ac"]))
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize(
    ("kind", "is_lasting"),
    [
        ("returned", True),
        ("raised", True),
        ("skipped", True),
        ("timed out", False),
        ("crashed", False),
        ("unavailable", False),
    ],
)
def test_only_what_would_happen_again_is_kept(kind: Any, *, is_lasting: bool) -> None:
    """A lost script may have met a busy machine, an absent package may be installed."""
    outcomes = {"setup": Outcome(kind="returned"), "trigger": Outcome(kind=kind)}
    observed = Observed((Observation("trigger", outcomes),), {}, ())
    assert is_lasting is probe.is_lasting(observed)


# Runs.


@pytest.fixture(scope="module")
def subject(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Subject]:
    """Return a small subject of pure Python, importable by a name that nothing else has."""
    folder = tmp_path_factory.mktemp("subject")
    (folder / "small_pool.py").write_text(POOL)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        imports = f"import os, sys, time\nsys.path.insert(0, {str(folder)!r})\nimport small_pool as pool"
        yield Subject(name="pool", imports=imports, module="small_pool", requires=("msgspec",))


@pytest.fixture(scope="module")
def warm() -> Iterator[WarmProcess]:
    """Return one warm process for all that runs below."""
    with WarmProcess({}) as process:
        yield process


def _trial(*codes: str) -> Trial:
    """Return a trial with a script of one step for each code."""
    return Trial(
        subject="pool",
        scripts=tuple(
            Script(name=f"more[{n}]", steps=(Step(role="trigger", code=code),))
            for n, code in enumerate(codes)
        ),
    )


def _observe(
    trials: list[tuple[Trial, Subject]], warm: WarmProcess, limits: Limits | None = None
) -> dict[int, Observed]:
    found: dict[int, Observed] = {}
    for index, observed in probe.observe(trials, warm, limits or Limits()):
        assert index not in found
        found[index] = observed
    return found


def test_a_record_is_observed(subject: Subject, warm: WarmProcess) -> None:
    """Every script and step of its plan, in order, with where and behind which walls it ran."""
    record = with_claims(setup="size = 0")
    (observed,) = _observe([(planned(record), subject)], warm).values()
    assert [script.name for script in planned(record).scripts] == [one.name for one in observed.observations]
    assert {
        "trigger": "raised `ValueError: size 5 is refused`",
        "more[0]": "raised `ValueError: size 6 is refused`",
        "more[1]": "raised `ValueError: size 7 is refused`",
        "instead[0]": "returned `32`",
        "instead[1]": "returned `True`",
        "before": "returned `False`",
        "after": "returned `True`",
        "guarded": "skipped",
        "unrecovered": "raised `ValueError: size 5 is refused`",
        "recovered": "returned `True`",
    } == {one.name: str(list(one.outcomes.values())[-1]) for one in observed.observations}
    assert {"python": platform.python_version(), **subjects.versions(subject)} == observed.environment
    assert (
        "deadline of 10 s on the process group",
        "2048 MiB of memory",
        "empty folder",
        "bare environment",
    ) == observed.walls


def test_an_observation_is_the_same_each_time(subject: Subject, warm: WarmProcess) -> None:
    """One job or several, and in a process of its own."""
    trials = [(planned(with_claims(setup="size = 0")), subject)] * 2
    first = _observe(trials, warm, Limits(jobs=1))
    assert first == _observe(trials, warm, Limits(jobs=4))
    with WarmProcess({}) as other:
        assert first == _observe(trials, other)


def test_a_raise_tells_where(subject: Subject, warm: WarmProcess) -> None:
    """The subject's frame is known, and the line of the snippet."""
    (observed,) = _observe([(_trial("x = 5\npool.take(x)"), subject)], warm).values()
    outcome = observed.observations[0].outcomes["trigger"]
    assert outcome.frame is not None
    assert ("small_pool.py", 3, "take") == msgspec.structs.astuple(outcome.frame)
    assert (2, "ValueError", ("ValueError", "Exception", "BaseException")) == (
        outcome.line,
        outcome.type,
        outcome.bases,
    )


def test_a_trial_is_told_as_soon_as_its_last_script_has_ended(subject: Subject, warm: WarmProcess) -> None:
    """Progress and the cache do not wait for the slowest."""
    trials = [(_trial("time.sleep(0.3)", "1"), subject), (_trial("2", "3"), subject)]
    assert [1, 0] == list(_observe(trials, warm))


def test_a_trial_without_scripts_is_observed(subject: Subject, warm: WarmProcess) -> None:
    """As nothing."""
    found = _observe([(_trial(), subject), (_trial("1"), subject)], warm)
    assert [0, 1] == [len(found[index].observations) for index in range(2)]


def test_after_a_failed_setup_all_is_skipped(subject: Subject, warm: WarmProcess) -> None:
    """Nothing of the record was proven."""
    (observed,) = _observe([(planned(with_claims(setup="1 / 0")), subject)], warm).values()
    for one in observed.observations:
        assert ["raised", *["skipped"] * (len(one.outcomes) - 1)] == [
            outcome.kind for outcome in one.outcomes.values()
        ]


def test_a_lost_script_costs_itself_alone(subject: Subject, warm: WarmProcess) -> None:
    """All its steps are lost: which one it was is unknown. The others of the trial are not."""
    script = Script(
        name="lost",
        steps=(
            Step(role="setup", code="1"),
            Step(role="call", code="os._exit(3)"),
            Step(role="expect", code="1"),
        ),
    )
    trial = Trial(subject="pool", scripts=(*_trial("1").scripts, script))
    late = _trial("while True:\n    pass", "5")
    found = _observe([(trial, subject), (late, subject)], warm, Limits(seconds=0.5))
    crashed = Outcome(kind="crashed", text="ended by itself with status 3 and no answer")
    assert {"setup": crashed, "call": crashed, "expect": crashed} == found[0].observations[1].outcomes
    assert "1" == found[0].observations[0].outcomes["trigger"].text
    assert ["timed out", "5"] == [
        str(one.outcomes["trigger"]).removeprefix("returned ").strip("`") for one in found[1].observations
    ]


@linux
@pytest.mark.parametrize(
    "outcomes",
    [
        "5",
        "[]",
        "{'trigger': 5}",
        "{'trigger': {}}",
        "{'trigger': {'kind': 'proven'}}",
        "{'trigger': {'kind': 'raised', 'line': 'three'}}",
        "{'trigger': {'kind': 'returned', 'text': 5}}",
        "{'trigger': {'kind': 'raised', 'frame': {'file': 'pool.py'}}}",
    ],
)
def test_an_answer_of_another_shape_is_a_crash(subject: Subject, warm: WarmProcess, outcomes: str) -> None:
    """A snippet that finds the pipe cannot break the build, only its own observation."""
    code = "import json\npipe = max(n for n in range(3, 64) if os.path.exists(f'/proc/self/fd/{n}'))\n"
    code += f"os.write(pipe, json.dumps({{'outcomes': {outcomes}}}).encode())\nos._exit(0)"
    (observed,) = _observe([(_trial(code, "1"), subject)], warm).values()
    assert ["crashed", "returned"] == [one.outcomes["trigger"].kind for one in observed.observations]
    assert observed.observations[0].outcomes["trigger"].text


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"requires": ("msgspec", "absent-one", "absent-two")}, "absent-one and absent-two not installed"),
        (
            {"imports": "import absent_module"},
            "its imports failed: ModuleNotFoundError: No module named 'absent_module'",
        ),
        (
            {"imports": "import os\nos._exit(1)"},
            "its imports failed: importing it ended the process (the process around it ended with status 1)",
        ),
        pytest.param(
            {"imports": "import threading as t\nt.Thread(target=t.Event().wait, daemon=True).start()"},
            "importing it started threads, and a process with threads cannot be forked safely",
            marks=linux,
        ),
    ],
)
def test_a_subject_that_is_not_there_is_an_observation(
    subject: Subject, fields: dict[str, Any], why: str
) -> None:
    """Every step says why; records of other subjects are run."""
    broken = replace(subject, name="broken", **fields)
    with WarmProcess({}) as warm:
        found = _observe([(planned(RECORD), broken)], warm)
        outcomes = {outcome for one in found[0].observations for outcome in map(str, one.outcomes.values())}
        assert {f"unavailable: {why}"} == outcomes
        assert len(planned(RECORD).scripts) == len(found[0].observations)


def test_one_subject_that_is_not_there_does_not_keep_others_from_running(
    subject: Subject, warm: WarmProcess
) -> None:
    """They share the process."""
    broken = replace(subject, name="broken", requires=("absent-one",))
    found = _observe([(_trial("1"), broken), (_trial("2"), subject)], warm)
    assert ["unavailable", "returned"] == [
        found[index].observations[0].outcomes["trigger"].kind for index in range(2)
    ]


def test_a_subject_is_imported_once_for_a_batch(subject: Subject) -> None:
    """However many records are about it."""
    with WarmProcess({}) as warm:
        _observe([(_trial("1"), subject)] * 5, warm)
        assert 1 == len(warm._imports)
        assert 1 == warm.starts


class Counted:
    """A warm process that writes down what it is asked for; the first time, `lost` crashes."""

    def __init__(self, warm: WarmProcess, *, lost: str = "") -> None:
        self._warm = warm
        self._lost = lost
        self.loads: list[str] = []
        self.requests: list[dict[str, Any]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        """The warm process is another's."""

    def load(self, subject: str, code: str) -> dict[str, Any]:
        """As the warm process."""
        self.loads.append(subject)
        return self._warm.load(subject, code)

    def run(self, requests: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """As the warm process."""
        self.requests += requests
        lost, self._lost = self._lost, ""
        for answer in self._warm.run(requests):
            yield {"id": lost, "lost": "crashed", "why": "none"} if answer["id"] == lost else answer

    @property
    def sizes(self) -> list[int]:
        """How many patterns each child was given."""
        return [len(request["batch"]) for request in self.requests]


def test_what_a_subject_is_is_looked_up_once(
    subject: Subject, warm: WarmProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its files and versions, for all its scripts; each script has a request of its own."""
    looked_up: Counter[str] = Counter()
    for name in ("roots", "versions"):
        found = getattr(subjects, name)(subject)
        monkeypatch.setattr(
            subjects, name, lambda _, name=name, found=found: looked_up.update([name]) or found
        )
    monkeypatch.setattr(subjects, "why_absent", lambda _: "")
    counted = Counted(warm)
    assert 30 == len(list(probe.observe([(_trial("1", "2"), subject)] * 30, counted, Limits())))
    assert 60 == len({request["id"] for request in counted.requests}) == len(counted.requests)
    assert {"roots": 2, "versions": 1} == looked_up


def test_the_lightest_subject_comes_first(
    subject: Subject, warm: WarmProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is imported for one is copied into every process that follows."""
    heavy, light = (replace(subject, name=name) for name in ("a heavy one", "light"))
    monkeypatch.setattr(subjects, "weight", lambda one: {heavy.name: 5_000, light.name: 100}.get(one.name, 0))
    plain = subjects.PYTHON
    counted = Counted(warm)
    trials = [(_trial(str(n)), one) for n, one in enumerate((heavy, light, plain, heavy, light))]
    found = dict(probe.observe(trials, counted, Limits(jobs=1)))
    assert [plain.name, light.name, heavy.name] == counted.loads
    assert ["2", "1", "4", "0", "3"] == [request["steps"][0]["code"] for request in counted.requests]
    assert {n: str(n) for n in range(5)} == {
        n: observed.observations[0].outcomes["trigger"].text for n, observed in found.items()
    }


# The regular expression engine.


def _match(
    warm: WarmProcess, *batches: tuple[str, list[str]], limits: Limits | None = None
) -> dict[int, dict[str, Any]]:
    return dict(probe.match(batches, warm, limits or Limits()))


def test_the_engine_answers_for_each_message(warm: WarmProcess) -> None:
    """The groups of a full match, in which dot matches line ends; None for no match."""
    assert {
        0: {"size 5 of 16": ("5", "16"), "size \n of ": None, "size a\nb of c": ("a\nb", "c")},
        1: {"fixed": (), "fixed ": None},
    } == _match(
        warm,
        ("size (.+?) of (.+?)", ["size 5 of 16", "size \n of ", "size a\nb of c"]),
        ("fixed", ["fixed", "fixed "]),
    )


def test_an_engine_that_does_not_end_says_so(warm: WarmProcess) -> None:
    """The batch has no answer, the others have."""
    endless = ("(.+?)" * 12 + "x", ["a" * 400, "b"])
    assert {0: {"a" * 400: "timed out", "b": "timed out"}, 1: {"c": ()}} == _match(
        warm, endless, ("c", ["c"]), limits=Limits(seconds=0.5)
    )


def test_an_engine_that_cannot_read_the_pattern_says_so(warm: WarmProcess) -> None:
    """Why there is no answer is a text."""
    assert {0: {"a": "ended by itself with status 70 and no answer"}} == _match(warm, ("(", ["a"]))


def test_a_child_is_given_many_patterns(warm: WarmProcess) -> None:
    """As many as are worth it, and no more text than it can answer with."""
    counted = Counted(warm)
    short = [(f"{n} (.+?)", [f"{n} a", f"{n} b"]) for n in range(2 * probe.TOGETHER + 1)]
    found = dict(probe.match(short, counted, Limits()))
    assert {n: {f"{n} a": ("a",), f"{n} b": ("b",)} for n in range(len(short))} == found
    assert [probe.TOGETHER, probe.TOGETHER, 1] == counted.sizes
    counted.requests.clear()
    texts = ["\U0001f600" * (probe.SPOKEN // 2), "\U0001f600" * probe.SPOKEN, "a", "b"]
    found = dict(probe.match([("(.+?)", [text]) for text in texts], counted, Limits()))
    assert {n: {text: (text,)} for n, text in enumerate(texts)} == found
    assert [2, 1, 1] == counted.sizes


def test_a_pattern_without_an_answer_is_asked_for_alone(warm: WarmProcess) -> None:
    """Once among the others, twice alone where it is late; nothing else is asked for again."""
    counted = Counted(warm)
    batches = [("a(.+?)", ["ab"])] * 20
    batches[5:5] = [("(.+?)" * 12 + "x", ["a" * 400])]
    batches[9:9] = [("(", ["a"])]
    found = dict(probe.match(batches, counted, Limits(seconds=0.5)))
    lost = {5: {"a" * 400: "timed out"}, 9: {"a": "ended by itself with status 70 and no answer"}}
    assert {n: {"ab": ("b",)} for n in range(22)} | lost == found
    assert [22, 1, 1, 1] == counted.sizes


def test_a_child_that_is_lost_with_many_patterns_costs_none(warm: WarmProcess) -> None:
    """All are asked for alone."""
    counted = Counted(warm, lost="0")
    found = dict(probe.match([("a(.+?)", ["ab"])] * (probe.TOGETHER + 5), counted, Limits()))
    assert {n: {"ab": ("b",)} for n in range(probe.TOGETHER + 5)} == found
    assert [probe.TOGETHER, 5, *[1] * probe.TOGETHER] == counted.sizes


# A bundled subject, with torch.


@linux
def test_a_bundled_subject_runs_behind_the_walls() -> None:
    """Its own error has a frame, too much memory is an error, and the process has one thread to fork from."""
    bundled = subjects.bundled()["sglang.LogicalHostPool"]
    trial = Trial(
        subject=bundled.name,
        scripts=_trial(
            "LogicalHostPool(16, 16).alloc(5)",
            "torch.zeros(10 * 2**30, dtype=torch.uint8)",
            "import os\n[len(os.listdir(f'/proc/{pid}/task')) for pid in (os.getpid(), os.getppid())]",
            "torch.get_num_threads()",
        ).scripts,
    )
    with WarmProcess({}) as warm:
        (observed,) = _observe([(trial, bundled)], warm).values()
        raised, refused, tasks, threads = (one.outcomes["trigger"] for one in observed.observations)
        assert 1 == warm.starts
    message = "LogicalHostPool allocation must be page-aligned, got need_size=5, page_size=16"
    assert ("ValueError", message) == (raised.type, raised.text)
    assert raised.frame is not None
    assert (Path(subjects.source_file(bundled)).name, "LogicalHostPool.alloc") == (
        raised.frame.file,
        raised.frame.function,
    )
    assert ("raised", "RuntimeError") == (refused.kind, refused.type)
    assert "can't allocate memory" in refused.text
    assert ("[1, 1]", "1") == (tasks.text, threads.text)
