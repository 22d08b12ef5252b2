"""The browser's scripts in node: what tests compare with Python's answers."""

import json
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

SCRIPTS = Path(__file__).parent.parent / "templates" / "static"
_HARNESS = """
const fs = require("fs");
const vm = require("vm");
for (const name of ["pattern.js", "paste.js", "search.js"]) {
  vm.runInThisContext(fs.readFileSync(process.argv[1] + "/" + name, "utf8"), name);
}
const { pastes, index } = JSON.parse(fs.readFileSync(0, "utf8"));
(async function () {
  const answers = [];
  for (const paste of pastes) {
    const asked = [];
    const load = async (name) => { asked.push(name); return JSON.parse(index[name]); };
    answers.push({
      spoken: pagefault.spoken(paste),
      found: index.meta === undefined ? null : await pagefault.search(paste, load),
      asked,
    });
  }
  process.stdout.write(JSON.stringify(answers));
})();
"""


def node() -> str:
    """The program that runs them. Skips the test without it; fails it where it is demanded."""
    program = shutil.which("node")
    if program is None:
        reason = "node is not on the path: the browser's scripts are not compared"
        if os.environ.get("PAGEFAULT_REQUIRE_NODE") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    return program


def answers(pastes: Sequence[str], index: Mapping[str, bytes] | None = None) -> list[dict[str, Any]]:
    """What node makes of each paste: its readings; with an index what is found, and which files that took."""
    files = {name: data.decode() for name, data in (index or {}).items()}
    done = subprocess.run(
        [node(), "-e", _HARNESS, str(SCRIPTS)],
        input=json.dumps({"pastes": pastes, "index": files}),
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=120,
    )
    assert (0, "") == (done.returncode, done.stderr)
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found
