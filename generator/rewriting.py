"""A text put in the place of a file's, whole or not at all; and what would change."""

import difflib
import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path


def replace(file: Path, text: str) -> None:
    """Writes the text into the file in one step, with the mode that it has. Raises OSError."""
    mode = stat.S_IMODE(file.stat().st_mode)
    # A hidden name: nobody takes it for a record, should it be left behind.
    handle, temporary = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(text.encode())
            stream.flush()
            os.fsync(stream.fileno())
        Path(temporary).chmod(mode)
        Path(temporary).replace(file)
    except BaseException:
        with suppress(OSError):
            Path(temporary).unlink()
        raise


def difference(name: str, before: str, after: str) -> str:
    """A unified diff that `git apply` takes; empty for none."""
    rows = difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), f"a/{name}", f"b/{name}"
    )
    return "".join(row if row.endswith("\n") else f"{row}\n\\ No newline at end of file\n" for row in rows)
