"""What a new reference of errors begins with: its settings, its workflow, and what git ignores."""

from dataclasses import dataclass

# As `.github/workflows/` of our own names them.
CHECKOUT = "actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1"
SETUP_PYTHON = "actions/setup-python@5fda3b95a4ea91299a34e894583c3862153e4b97 # v7.0.0"
CONFIGURE_PAGES = "actions/configure-pages@983d7736d9b0ae728b81ab479565c72886d7745b # v5.0.0"
UPLOAD_PAGES = "actions/upload-pages-artifact@fc324d3547104276b827a68afc52ff2a11cc49c9 # v5.0.0"
DEPLOY_PAGES = "actions/deploy-pages@cd2ce8fcbc39b97be8ca5fce6e763baed58fa128 # v5.0.0"

IGNORED = ("/site/", "/.cache/")


@dataclass(frozen=True, slots=True)
class Start:
    """What is known of a project: its name, its repository on GitHub, and how pip gets pagefault.

    `own` is what pip installs of the project itself, `.` or nothing.
    """

    title: str
    repo: str
    pagefault: str
    own: str = "."


def settings(start: Start) -> str:
    """The table that is added to `pyproject.toml`."""
    owner, _, name = start.repo.partition("/")
    site = "" if name.lower() == f"{owner.lower()}.github.io" else f"{name}/"
    return (
        "[tool.pagefault]\n"
        f"title = {_quoted(f'Errors of {start.title}'[:80])}\n"
        f'base-url = "https://{owner.lower()}.github.io/{site}"\n'
        f'tracker = "https://github.com/{start.repo}/issues/new?labels=errors"\n'
        f'edit = "https://github.com/{start.repo}/edit/main/"\n'
    )


def ignored(text: str) -> str:
    """What git ignores, with what is built and kept among it."""
    lines = text.splitlines()
    missing = [line for line in IGNORED if line not in lines and line.strip("/") not in lines]
    return "\n".join([*lines, *missing]) + "\n"


def workflow(start: Start) -> str:
    """The workflow that proves the records of a pull request, and publishes those of the main branch."""
    installed = " ".join(_shell(one) for one in (start.pagefault, start.own) if one)
    return f"""\
# Proves the records of errors; on the main branch, publishes their site to GitHub Pages.
name: errors
on:
  pull_request:
  push:
    branches: [main]
  workflow_dispatch:

permissions: {{}}

concurrency:
  group: errors-${{{{ github.ref }}}}
  cancel-in-progress: ${{{{ github.event_name == 'pull_request' }}}}

jobs:
  prove:
    name: prove the records
    runs-on: ubuntu-24.04
    timeout-minutes: 30
    permissions:
      contents: read
      pages: read # to ask for the address
    steps:
      - uses: {CHECKOUT}
        with:
          # What changed is told from where the branch began.
          fetch-depth: 0
          persist-credentials: false
      - uses: {SETUP_PYTHON}
        with:
          python-version: "3.11"
      - run: pip install {installed}
      - run: pagefault fetch
      - if: github.event_name == 'pull_request'
        run: pagefault check --isolation 2 --changed-since "$BASE" --format github
        env:
          BASE: ${{{{ github.event.pull_request.base.sha }}}}
      - if: github.event_name == 'pull_request' && !cancelled()
        run: pagefault diff "$BASE" --isolation 2 --format markdown >> "$GITHUB_STEP_SUMMARY"
        env:
          BASE: ${{{{ github.event.pull_request.base.sha }}}}
      - if: github.event_name != 'pull_request'
        id: pages
        uses: {CONFIGURE_PAGES}
      - if: github.event_name != 'pull_request'
        run: |
          pagefault build --isolation 2 --format github --base-url "$BASE_URL"
          # What the next build would ask for is nothing to publish.
          rm -r site/.pagefault
        env:
          BASE_URL: ${{{{ steps.pages.outputs.base_url }}}}
      - if: github.event_name != 'pull_request'
        uses: {UPLOAD_PAGES}
        with:
          path: site
          include-hidden-files: true

  publish:
    name: publish the site
    if: github.event_name != 'pull_request'
    needs: prove
    runs-on: ubuntu-24.04
    timeout-minutes: 15
    permissions:
      pages: write
      id-token: write
    environment:
      name: github-pages
      url: ${{{{ steps.deployment.outputs.page_url }}}}
    steps:
      - id: deployment
        uses: {DEPLOY_PAGES}
"""


def _quoted(text: str) -> str:
    """A text in TOML's double quotes."""
    return '"' + "".join(_escaped(one) for one in text) + '"'


def _escaped(one: str) -> str:
    if one in '"\\':
        return f"\\{one}"
    return one if one.isprintable() else f"\\u{ord(one):04x}"


def _shell(text: str) -> str:
    return text if all(one.isalnum() or one in "._=-/" for one in text) else f"'{text}'"
