"""Makes the pastes of this folder again: runs what `cases.yaml` says, and scrubs what differs by machine.

    python tests/lookups/make.py [NAME ...]

writes `<name>.txt`, the output, and `<name>.json`, what a look-up of it must find. Beside the project's own
`torch`, `subjects` and `test` extras it needs ipykernel, ipython, nbconvert, structlog, python-json-logger,
loguru, gunicorn and uvicorn, the wheels that `make test-upstream` fetches, git, node, npm, rustc and a
Python 3.13 beside this 3.11.
"""

import ast
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT))

from generator import wheels  # noqa: E402 - found by the line above

SITE = ".venv/lib/python3.11/site-packages"
Replacement = Callable[[re.Match[str]], str]
COLOUR = re.compile(r"\x1b\[[\d;]*m")
RIGHT_SIDE = re.compile(r"(.*?)( *)((?:\x1b\[[\d;]*m)*│(?:\x1b\[[\d;]*m)*)")
FUTURE = "from __future__ import annotations"
MEM = "sglang/srt/mem_cache"
CELLS = f"from sglang.{MEM[7:].replace('/', '.')}"
# What is kept of SGLang's released modules: wheel, member, first line of ours, definitions at their lines.
RELEASED = (
    ("sglang-*", f"{MEM}/pool_host/base.py", "from functools import wraps", "synchronized"),
    (
        "sglang-*",
        f"{MEM}/memory_pool_host.py",
        f"import threading, torch; {CELLS}.pool_host.base import synchronized",
        "LogicalHostPool",
    ),
    ("sglang-*", f"{MEM}/hicache_storage.py", "from enum import Enum", "PoolName"),
    (
        "sglang-*",
        f"{MEM}/pool_host/group.py",
        f"import torch; from dataclasses import dataclass; {CELLS}.hicache_storage import PoolName",
        "PoolEntry HostPoolGroup",
    ),
    ("sglang-*", f"{MEM}/radix_cache.py", "from array import array", "RadixKey"),
    (
        "sglang-*",
        "sglang/lang/ir.py",
        "import dataclasses",
        "SglSamplingParams SglExpr SglExprList SglGen SglSelect SglSeparateReasoning",
    ),
    ("sglang-*", "sglang/lang/api.py", "from sglang.lang.ir import *", "separate_reasoning"),
    (
        "sglang_kernel-*",
        "sgl_kernel/flash_attn.py",
        "import torch; maybe_wrap_debug_kernel = lambda function: function",
        "maybe_contiguous flash_attn_with_kvcache",
    ),
)


def release(site: Path) -> None:
    """Put SGLang's released definitions below `site`: they are imported and shown as upstream's are."""
    cache = Path(os.environ.get("PAGEFAULT_CACHE") or ROOT / ".cache" / "pagefault")
    for wheel, member, first, names in RELEASED:
        (path,) = (cache / "wheels").glob(f"{wheel}.whl")
        text = wheels.read(path, member)
        lines = text.split("\n")
        kept = [""] * len(lines)
        kept[0] = f"{FUTURE}; {first}"
        for node in ast.parse(text).body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name in names.split():
                start = min([node.lineno, *(one.lineno for one in node.decorator_list)]) - 1
                kept[start : node.end_lineno] = lines[start : node.end_lineno]
        target = site / member
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("\n".join(kept), "utf-8")


def same_length(fixed: str) -> Replacement:
    """Replace by as much of `fixed` as there was, so that columns stay."""
    return lambda found: fixed[: len(found[0])]


def replacements(folder: Path) -> list[tuple[str, str | Replacement]]:
    """What differs from run to run and from machine to machine, and what stands for it."""
    path = r"[^\s\"'`:,()\[\x1b]*"
    return [
        (re.escape(str(folder)), "/app"),
        (rf"\.\./{path}/site-packages", SITE),
        (rf"(?<!\.venv)/{path}/site-packages", f"/app/{SITE}"),
        (rf"(?:\.\.)?/{path}/lib/python(3\.\d+)/(?!site-packages)", r"/usr/lib/python\1/"),
        (rf"/{path}/bin/python3?(?:\.\d+)?(?![\w/])", "/usr/bin/python3"),
        (r"\b20\d\d-\d\d-\d\d([T ])\d\d:\d\d:\d\d", r"2026-11-30\g<1>12:00:00"),
        (r"(?<=12:00:00[.,])\d+", lambda found: "0" * len(found[0])),
        (r"\b20\d\d-\d\d-\d\dT\d\d_\d\d_\d\d_\d+Z", "2026-11-30T12_00_00_000Z"),
        (r"\b0x[0-9a-f]{6,}\b", same_length("0x7f3a5c1e8d905b20")),
        (r"\b(in|Finished in) \d+\.\d+s", lambda found: re.sub(r"\d", "1", found[0])),
        (r"(?<=\[)\d{2,7}(?=\] \[|\]$)", "4711"),
        (r"((?:process|pid:) \[?)\d{2,7}\b", r"\g<1>4711"),
        (r"(Listening at: \S+) \(\d+\)", r"\1 (4711)"),
        (r"isolation level \d", "isolation level 3"),
        (r"(MainProcess'|MainThread'|thread 'main') \(\d+\)", r"\1 (4711)"),
        (r"127\.0\.0\.1:\d{4,5}", "127.0.0.1:50000"),
        (r"Notebook\w*-\d+|ipykernel_\d+/\d+\.py", "ipykernel_4711/1.py"),
        (re.escape(socket.gethostname()), "web-1"),
    ]


def fitted(line: str, width: int) -> str:
    """A line of a box with its right side where it was: `width` characters, colours not counted."""
    side = RIGHT_SIDE.fullmatch(line)
    if side is None or not COLOUR.sub("", line).startswith("│"):
        return line
    spaces = len(side[2]) + width - len(COLOUR.sub("", line))
    return side[1] + " " * spaces + side[3]


def scrub(text: str, folder: Path) -> str:
    """The text as it would be of a program below `/app`; boxes keep their width."""
    lines = []
    for line in text.split("\n"):
        fixed = line
        for pattern, instead in replacements(folder):
            fixed = re.sub(pattern, instead, fixed)
        lines.append(fitted(fixed, len(COLOUR.sub("", line))))
    return "\n".join(lines)


def output(case: dict[str, Any], site: Path) -> str:
    """What the case's command writes, to either stream, in a folder of its own that holds its program."""
    with tempfile.TemporaryDirectory(prefix="pf") as scratch:
        folder = Path(scratch).resolve()
        (folder / ".venv").symlink_to(site.parents[2])
        for name, text in {"main.py": case.get("program", ""), **case.get("files", {})}.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, "utf-8")
        environment = {
            "HOME": str(folder),
            "LANG": "C.UTF-8",
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "PYTHONPATH": f"{folder / SITE}",
            "PYTHONHASHSEED": "0",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PAGEFAULT": str(ROOT),
            "COLUMNS": "100",
            "TERM": "xterm-256color",
            **case.get("set", {}),
            "RUSTUP_HOME": os.environ.get("RUSTUP_HOME", str(Path.home() / ".rustup")),
            **{name: value for name, value in os.environ.items() if name.startswith("OPENBLAS_")},
        }
        done = subprocess.run(
            ["bash", "-c", case.get("run", "python main.py")],  # noqa: S607 - whatever bash there is
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=300,
            check=False,
        )
        return scrub(done.stdout.decode("utf-8"), folder)


def main(wanted: list[str]) -> None:
    """Write the files of the cases named, or of all."""
    cases = yaml.safe_load((HERE / "cases.yaml").read_text("utf-8"))
    with tempfile.TemporaryDirectory(prefix="pf") as scratch:
        site = Path(scratch) / SITE
        release(site)
        for name, case in cases.items():
            if wanted and name not in wanted:
                continue
            expected = {
                "match": case["match"],
                "record": case.get("record"),
                "values": case.get("values", {}),
                "made": case["made"],
            }
            (HERE / f"{name}.txt").write_bytes(output(case, site).encode())
            text = json.dumps(expected, indent=2, ensure_ascii=False) + "\n"
            (HERE / f"{name}.json").write_text(text, "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
