"""How readers find the page of their error: they paste it, or narrow a list."""

from typing import TYPE_CHECKING
from urllib.parse import parse_qs, quote, unquote, urlsplit

import pytest

from generator.tracker import PROPOSAL_FORM
from tests.browser.sites import ALLOCATION, ATTACK, MESSAGE, Hosts
from tests.browser.witness import Witness

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

pytestmark = pytest.mark.browser("chromium", "playwright")

TRACEBACK = f"""Traceback (most recent call last):
  File "/srv/app/serve.py", line 12, in <module>
    main()
  File "/usr/lib/python3/site-packages/sglang/srt/mem_cache/memory_pool_host.py", line 112, in alloc
    raise ValueError(
ValueError: {MESSAGE}
"""
UNKNOWN = "ZebraError: the crossing at Ostwall has no lights & no signs"


@pytest.mark.parametrize(
    ("kind", "field"), [("home", "paste"), ("proven", "seek"), ("list", "seek"), ("not found", "seek")]
)
def test_a_key_leads_to_the_field(page: "Page", hosts: Hosts, kind: str, field: str) -> None:
    """`/` goes to the one field for messages, Escape leaves it, and within it `/` is a character."""
    page.goto(hosts.of(kind))
    focused = "document.activeElement.id"
    page.keyboard.press("/")
    assert field == page.evaluate(focused)
    assert not page.input_value(f"#{field}")

    page.keyboard.type("a/b")
    assert "a/b" == page.input_value(f"#{field}")
    page.keyboard.press("Escape")
    assert field != page.evaluate(focused)
    assert 1 == page.locator("#paste, #seek").count()


@pytest.mark.parametrize("way", ["root", "below", "file"])
def test_a_paste_finds_the_one_page(page: "Page", hosts: Hosts, way: str) -> None:
    """Its values are marked, and on the page that it leads to they stand under "Your message".

    All that is asked for are files of the index, and nothing that was pasted is in a request.
    """
    witness = Witness(page)
    page.goto(hosts.of("home", way))
    page.fill("#paste", TRACEBACK)
    page.wait_for_selector(".found li")

    assert "This is it" == page.inner_text(".found h2")
    assert [MESSAGE] == page.locator(".found li samp").all_inner_texts()
    assert ["5003", "64"] == page.locator(".found mark").all_inner_texts()
    address = str(page.get_attribute(".found a", "href"))
    assert f"{ALLOCATION}#m={quote(MESSAGE, safe='')}" == address.removeprefix("../")

    page.click(".found a")
    page.wait_for_selector("#yours")
    assert MESSAGE == page.inner_text("#yours samp")
    assert ["5003", "64", "79", "5056"] == page.locator("#yours dd").all_inner_texts()
    assert [] == witness.complaints
    own = hosts.of("home", way).removesuffix("index.html")
    # What follows `#` stays with the browser: only what is before it is sent.
    sent = [url.partition("#")[0] for url in witness.requests]
    assert any("/lookup/" in url for url in sent)
    assert [] == [url for url in sent if not url.startswith(own) or "5003" in url or "LogicalHostPool" in url]


def test_a_paste_can_be_shared(page: "Page", hosts: Hosts) -> None:
    """Asked for by the button or by Ctrl+Enter, it stands in the address; who comes by that sees the same."""
    page.goto(hosts.of("home"))
    page.fill("#paste", MESSAGE)
    page.click("button:text('Find it')")
    page.wait_for_selector(".found li")
    shared = page.url
    assert MESSAGE == unquote(urlsplit(shared).fragment.removeprefix("m="))

    page.goto("about:blank")
    page.goto(shared)
    page.wait_for_selector(".found li")
    assert MESSAGE == page.input_value("#paste")
    assert 1 == page.locator(".found li").count()

    page.fill("#paste", UNKNOWN)
    page.keyboard.press("Control+Enter")
    page.wait_for_url(lambda url: unquote(urlsplit(url).fragment.removeprefix("m=")) == UNKNOWN)
    page.fill("#paste", "")
    page.wait_for_selector(".found", state="hidden")


@pytest.mark.parametrize("way", ["root", "below"])
def test_lines_pasted_into_the_header_go_home(
    context: "BrowserContext", page: "Page", hosts: Hosts, way: str
) -> None:
    """The front page opens with all of them in its field, and with what they say found."""
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(hosts.of("list", way))
    page.evaluate("(text) => navigator.clipboard.writeText(text)", TRACEBACK)
    page.focus("#seek")
    page.keyboard.press("Control+V")
    page.wait_for_selector(".found li")

    assert hosts.of("home", way) == page.url.partition("#")[0]
    assert TRACEBACK == unquote(urlsplit(page.url).fragment.removeprefix("m="))
    assert TRACEBACK == page.input_value("#paste")
    assert "This is it" == page.inner_text(".found h2")


@pytest.mark.parametrize("way", ["root", "below", "file"])
def test_what_is_typed_in_the_header_goes_home(page: "Page", hosts: Hosts, way: str) -> None:
    """By Enter; an empty field stays where it is."""
    page.goto(hosts.of("guide", way))
    page.press("#seek", "Enter")
    assert hosts.of("guide", way) == page.url
    page.fill("#seek", MESSAGE)
    page.press("#seek", "Enter")
    page.wait_for_selector(".found li")

    assert hosts.of("home", way) == page.url.partition("#")[0]
    assert [MESSAGE] == page.locator(".found li samp").all_inner_texts()


@pytest.mark.parametrize(
    "paste", [ATTACK, "ValueError: <img src=x onerror=alert(1)> must be page-aligned, got"]
)
def test_a_hostile_paste_is_text(page: "Page", hosts: Hosts, paste: str) -> None:
    """Whether a page fits it or none does, nothing of it becomes an element, runs, or asks for anything."""
    witness = Witness(page)
    address = hosts.of("hostile").removesuffix(hosts.sites.places["hostile"].path)
    page.goto(f"{address}index.html#m={quote(paste)}")
    page.wait_for_selector(".found h2")
    page.wait_for_timeout(100)

    assert "<img src=x onerror=alert(1)>" in page.inner_text(".found")
    assert 0 == page.locator("main :is(script, img, iframe, object, embed, style, [onerror])").count()
    assert [] == [url for url in witness.requests if not url.startswith(address)]
    assert [] == witness.complaints


@pytest.mark.parametrize("kind", ["home", "front"])
def test_an_unknown_message_can_be_proposed(page: "Page", hosts: Hosts, kind: str) -> None:
    """No page is claimed to fit; a form of the site's tracker is offered, filled with what was understood."""
    home = hosts.of(kind).removesuffix(hosts.sites.places[kind].path) + "index.html"
    page.goto(home)
    page.fill("#paste", f'  File "/srv/crossing.py", line 7, in cross\n{UNKNOWN}')
    page.wait_for_selector(".found h2")

    assert "No page fits it" == page.inner_text(".found h2")
    assert 0 == page.locator(".found li").count()
    address, asked = _proposal(page)
    assert f"Record wanted: {UNKNOWN}" == asked.pop("title")
    if kind == "home":
        assert "https://github.com/acme/errors/issues/new" == address
        assert {"template": PROPOSAL_FORM, "message": UNKNOWN, "raised-at": "/srv/crossing.py:7"} == asked
    else:
        assert "https://example.org/issues/new" == address
        about = f"Message:\n\n{UNKNOWN}\n\nRaised at /srv/crossing.py:7"
        assert {"template": "record.yml", "body": about} == asked


@pytest.mark.parametrize("kind", ["home", "front"])
def test_a_proposal_stays_short(page: "Page", hosts: Hosts, kind: str) -> None:
    """Trackers refuse long addresses: of letters that take many bytes it holds those that have room."""
    page.goto(hosts.of(kind).removesuffix(hosts.sites.places[kind].path) + "index.html")
    words = "ValueError: x" + "🚂" * 3000
    page.fill("#paste", f'  File "/{"山" * 2000}.py", line 7, in cross\n{words}')
    page.wait_for_selector(".found h2")

    _, asked = _proposal(page)
    assert 8000 > len(str(page.get_attribute(".found a:text('Propose')", "href")))
    assert asked["title"].removeprefix("Record wanted: ") in words
    assert len(asked["title"]) > 80
    said = asked["message" if kind == "home" else "body"].removeprefix("Message:\n\n").partition("\n")[0]
    assert said in words
    assert len(said) > 400


def _proposal(page: "Page") -> tuple[str, dict[str, str]]:
    """Where the offered form is, and what it is filled with."""
    link = urlsplit(str(page.get_attribute(".found a:text('Propose')", "href")))
    asked = parse_qs(link.query, strict_parsing=True)
    assert {1} == {len(values) for values in asked.values()}
    return f"{link.scheme}://{link.netloc}{link.path}", {name: one for name, (one,) in asked.items()}


def test_a_failed_index_is_said(page: "Page", hosts: Hosts) -> None:
    """Where the index does not load, the reader is told, and the lists are still there."""
    page.route("**/lookup/**", lambda route: route.abort())
    page.goto(f"{hosts.of('home')}#m={quote(MESSAGE)}")
    page.wait_for_selector(".found p")

    assert "could not be loaded" in page.inner_text(".found")


@pytest.mark.parametrize(
    ("kind", "typed", "left"),
    [("class", "Page-Aligned size", 3), ("overview", "alloc", 1), ("list", "zebra", 0)],
)
def test_typing_narrows_a_list(page: "Page", hosts: Hosts, kind: str, typed: str, left: int) -> None:
    """To the entries that hold every word, in any order and case; how many these are is said to all."""
    page.goto(hosts.of(kind))
    entries = page.locator(".filtered li")
    whole = entries.count()
    page.locator("#filter").press_sequentially(typed)
    seen = [one.inner_text().lower() for one in entries.all() if one.is_visible()]

    assert left == len(seen)
    assert all(word in text for text in seen for word in typed.lower().split())
    assert f"{left} of {whole}" == page.inner_text(".filter [role=status]")
    headings = page.locator(".filtered .group").all()
    assert sum(one.is_visible() for one in headings) <= left

    page.fill("#filter", "")
    assert whole == sum(one.is_visible() for one in entries.all())
    assert not page.inner_text(".filter [role=status]")
    page.press("#filter", "Enter")
    assert hosts.of(kind) == page.url
