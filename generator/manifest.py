"""`api/manifest.json`: the digest of every API file, for those who mirror the data."""

import hashlib
import re
from collections import defaultdict
from collections.abc import Sequence

import msgspec

from generator.model import File

_RECORD = re.compile(r"api/errors/([0-9a-f]{2})[0-9a-f]{14}(\.json)?")


def manifest(files: Sequence[File], version: str | None) -> list[File]:
    """The manifest, and its shards at `api/manifest/<first two digits of the ids>.json`.

    A shard lists the files of its records; the manifest lists the shards and every other API file. So a
    reader who has one of them knows whether anything below has changed.
    """
    shards: dict[str, dict[str, str]] = defaultdict(dict)
    listed: dict[str, str] = {}
    for file in files:
        if not file.path.startswith(("api/", "schema/")):
            continue
        digest = hashlib.sha256(file.data).hexdigest()
        record = _RECORD.fullmatch(file.path)
        (shards[record[1]] if record else listed)[file.path] = digest
    made = [
        File(f"api/manifest/{name}.json", msgspec.json.encode({"files": shards[name]}, order="sorted"))
        for name in sorted(shards)
    ]
    listed |= {file.path: hashlib.sha256(file.data).hexdigest() for file in made}
    content = {"datasetVersion": version, "files": dict(sorted(listed.items()))}
    return [*made, File("api/manifest.json", msgspec.json.encode(content))]
