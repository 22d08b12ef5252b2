"""Copies out of a built site what a pull request changes: `preview.py DIFFERENCE SITE INTO`.

DIFFERENCE is what `pagefault diff --format json` says. Beside the pages of records and guides that are other
than they were there is what all pages load, and a list of them. A preview is for whoever reviews: links to
other pages lead nowhere in it.
"""

import json
import shutil
import sys
from html import escape
from pathlib import Path

LOADED = "static"
FRONT = "index.html"
HEAD = '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<meta name="robots" content="noindex">\n'


def changed(difference: dict[str, list[dict[str, str]]]) -> list[str]:
    """The folders of the pages that a branch changes, those that there may be."""
    records = [one["address"] for one in difference["records"] if one["kind"] != "unreadable"]
    return [*records, *(f"guides/{one['tag']}" for one in difference["guides"])]


def copy(folders: list[str], site: Path, into: Path) -> list[str]:
    """Copies the pages that are in the site, without those in folders below them; says which they were."""
    top = site.resolve()
    found = []
    for folder in folders:
        page = (top / folder / FRONT).resolve()
        if not page.is_file() or not page.is_relative_to(top):
            continue
        place = page.parent.relative_to(top)
        (into / place).mkdir(parents=True, exist_ok=True)
        for file in page.parent.iterdir():
            if file.is_file():
                shutil.copy(file, into / place)
        found.append(place.as_posix())
    if found:
        shutil.copytree(site / LOADED, into / LOADED)
    return found


def listing(folders: list[str]) -> str:
    """A page of links to them."""
    entries = "".join(f'<li><a href="{escape(one)}/{FRONT}">{escape(one)}</a></li>\n' for one in folders)
    return f"{HEAD}<title>Preview</title>\n<h1>Changed pages</h1>\n<ul>\n{entries}</ul>\n"


def main(difference: Path, site: Path, into: Path) -> None:
    """Makes the preview, where any page changes."""
    found = copy(changed(json.loads(difference.read_text(encoding="utf-8"))), site, into)
    if found:
        (into / FRONT).write_text(listing(found), encoding="utf-8")
    print(f"{len(found)} page{'s' * (len(found) != 1)} changed")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
