"""Every diagnostic code and what is true when it is silent. The list is never shortened."""

from generator import checks
from generator.checks import Check
from generator.registry import discover

# Those that no module of `checks` owns: reading, decoding, guides and the site.
OTHERS = {
    "E0101": "the file is YAML or JSON",
    "E0102": "the file can be read",
    "E0103": "the file is not empty",
    "E0104": "the file is not too large or too deep",
    "E0105": "the file has no aliases, tags or merges",
    "E0106": "a key stands once",
    "E0107": "there are no invisible characters",
    "E0108": "a record is a mapping",
    "E0111": "every field is known",
    "E0112": "no field is missing",
    "E0113": "every field has its type",
    "E0114": "no field is empty",
    "E0115": "nothing is written as null",
    "E0116": "every field has its form",
    "E0601": "every background has a guide",
    "E0602": "a guide's code does what it claims",
    "E0603": "a guide has its form",
    "E0604": "links within the site lead somewhere",
    "E0701": "there is a tracker",
    "E0702": "the configuration can be read",
    "E0703": "as many records are proven as the floor says",
    "E0704": "the site is as small as a host wants it",
}


def names() -> dict[str, str]:
    """What each code is about, by code, in order."""
    owned = {check.code: check.name for check in discover(checks, Check)}
    return dict(sorted((OTHERS | owned).items()))
