"""Markdown and code as HTML: what readers get, and that no text makes it anything else."""

import re
from html.parser import HTMLParser

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markupsafe import Markup, escape
from pygments.lexers import get_all_lexers

from generator.fences import fenced
from generator.prose import (
    LONGEST_CODE,
    LONGEST_PROSE,
    LONGEST_RUN,
    breakable,
    code,
    is_safe_url,
    markdown,
    markdown_inline,
    message,
    safe_url,
)

ALLOWED = {
    "a": {"href", "title"},
    "blockquote": set(),
    "br": set(),
    "code": set(),
    "em": set(),
    "h3": set(),
    "h4": set(),
    "h5": set(),
    "h6": set(),
    "li": set(),
    "ol": {"start"},
    "p": set(),
    "pre": {"tabindex"},
    "span": {"class"},
    "strong": set(),
    "ul": set(),
}
COLOURED = ("python", "py", "json", "yaml", "bash", "sh")


class Reader(HTMLParser):
    """What a browser would find in a piece of HTML; fails where tags are not balanced."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self.others: list[str] = []
        self._open: list[str] = []
        self.feed(str(html))  # markup would escape what is cut out of it
        self.close()
        assert not self._open, f"left open in {html!r}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Remember the tag."""
        assert len(attrs) == len(dict(attrs)), f"an attribute twice in {tag}"
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        if tag != "br":
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Close the innermost tag."""
        assert tag == self._open.pop()

    def handle_data(self, data: str) -> None:
        """Gather the text."""
        self.text += data

    def handle_comment(self, data: str) -> None:
        """Remember what must not be there."""
        self.others.append(data)

    def handle_decl(self, decl: str) -> None:
        """Remember what must not be there."""
        self.others.append(decl)

    def handle_pi(self, data: str) -> None:
        """Remember what must not be there."""
        self.others.append(data)

    def unknown_decl(self, data: str) -> None:
        """Remember what must not be there."""
        self.others.append(data)

    @property
    def links(self) -> list[str]:
        """Return where links lead, as written."""
        return [attributes["href"] for tag, attributes in self.tags if tag == "a"]


def destination(url: str) -> str:
    """Return what a browser takes a link for: its scheme, `//` for another host, or nothing.

    As the URL Standard has it: controls and spaces around are cut, tabs and line ends taken out, and a
    backslash is a slash.
    """
    plain = re.sub("[\t\n\r]", "", url.strip("".join(map(chr, range(0x21))))).replace("\\", "/")
    scheme = re.match(r"([A-Za-z][A-Za-z0-9+.-]*):", plain)
    return scheme[1].lower() if scheme else "//" if plain.startswith("//") else ""


def assert_harmless(html: str) -> Reader:
    """Fail unless HTML has known tags and attributes alone, balanced, and links that may be followed."""
    reader = Reader(html)
    assert not reader.others
    for tag, attributes in reader.tags:
        assert tag in ALLOWED, f"<{tag}> in {html!r}"
        assert attributes.keys() <= ALLOWED[tag], f"{attributes} of <{tag}> in {html!r}"
    assert {destination(link) for link in reader.links} <= {"", "https", "mailto"}
    return reader


# What Markdown there is.


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("text", "<p>text</p>\n"),
        ("one\n\ntwo", "<p>one</p>\n<p>two</p>\n"),
        ("one\ntwo", "<p>one\ntwo</p>\n"),
        ("one  \ntwo", "<p>one<br>\ntwo</p>\n"),
        ("*a* **b** _c_ __d__", "<p><em>a</em> <strong>b</strong> <em>c</em> <strong>d</strong></p>\n"),
        ("`a_b_c` and snake_case_name", "<p><code>a_b_c</code> and snake_case_name</p>\n"),
        ("``a ` b``", "<p><code>a ` b</code></p>\n"),
        ("- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n"),
        ("1. a\n2. b", "<ol>\n<li>a</li>\n<li>b</li>\n</ol>\n"),
        ("3. a", '<ol start="3">\n<li>a</li>\n</ol>\n'),
        ("> a", "<blockquote>\n<p>a</p>\n</blockquote>\n"),
        ("[a](b.html)", '<p><a href="b.html">a</a></p>\n'),
        ('[a](b.html "c")', '<p><a href="b.html" title="c">a</a></p>\n'),
        (r"\*a\* \`b\`", "<p>*a* `b`</p>\n"),
        ("a &amp; b &lt;c&gt; &copy;", "<p>a &amp; b &lt;c&gt; ©</p>\n"),
        ("a & b < c > \"d\" 'e'", "<p>a &amp; b &lt; c &gt; &quot;d&quot; 'e'</p>\n"),
        ("", ""),
    ],
)
def test_markdown_has_what_records_use(text: str, html: str) -> None:
    """Paragraphs, emphasis, code, lists, quotations, links, escapes and entities."""
    assert html == markdown(text)
    assert_harmless(html)


@pytest.mark.parametrize(
    "text",
    [
        "a | b\n--|--\n1 | 2",
        "~~a~~",
        "https://a.example",
        "<https://a.example>",
        "Title\n=====",
        "a\n\n---\n\nb",
    ],
)
def test_markdown_has_nothing_else(text: str) -> None:
    """Tables, strikethrough, links without brackets, rules and underlined headings are text."""
    reader = assert_harmless(markdown(text))
    assert {"p"} == {tag for tag, _ in reader.tags}
    assert re.findall(r"\S+", text) == re.findall(r"\S+", reader.text)


def test_a_reference_is_text() -> None:
    """Links stand where they are used."""
    assert "<p>[a][b]</p>\n<p>[b]: https://c.example</p>\n" == markdown("[a][b]\n\n[b]: https://c.example")


@pytest.mark.parametrize(("written", "shown"), [(1, 3), (2, 4), (3, 5), (4, 6), (5, 6), (6, 6)])
def test_headings_stand_below_the_pages_own(written: int, shown: int) -> None:
    """A page has one first heading, and second ones for its parts."""
    assert f"<h{shown}>a</h{shown}>\n" == markdown(f"{'#' * written} a")


@pytest.mark.parametrize(("lowered", "shown"), [(0, 2), (1, 3), (2, 4), (9, 6)])
def test_headings_are_lowered_as_the_page_asks(lowered: int, shown: int) -> None:
    """A guide is a page of its own, and a note stands deeper."""
    assert f"<h{shown}>a</h{shown}>\n" == markdown("## a", lowered)


def test_inline_markdown_has_no_blocks() -> None:
    """It stands in a paragraph, a heading or a cell."""
    assert "<code>a</code> <em>b</em>" == markdown_inline("`a` *b*")
    assert "- a # b &gt; c" == markdown_inline("- a # b > c")


@pytest.mark.parametrize("text", ["", "a", "`a`"])
def test_html_is_marked_as_such(text: str) -> None:
    """Templates do not escape it a second time."""
    assert isinstance(markdown(text), Markup)
    assert isinstance(markdown_inline(text), Markup)
    assert isinstance(code(text), Markup)


# Raw HTML and images.


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "a <b onclick='x'>b</b>",
        "<!-- comment -->",
        "<?php ?>",
        "<!DOCTYPE html>",
        "<![CDATA[x]]>",
        "<div>\n\n*a*\n\n</div>",
        "</p></main><h1>",
        "<svg/onload=alert(1)>",
        "<style>*{display:none}</style>",
        '"><script>',
        "&lt;script&gt;",
        "&#60;script&#62;",
        "`<script>`",
        "```\n<script>\n```",
        "```html\n</code></pre><script>\n```",
        "# <script>",
        "- <script>",
        "> <script>",
        "[<script>](a)",
        "[a](<b><script>)",
        '[a](b "><script>")',
        "[a](b '\"onclick=alert(1)')",
        "**<script>**",
        "<a href='javascript:alert(1)'>a</a>",
        "<scr\x00ipt>",
    ],
)
def test_raw_html_is_text(text: str) -> None:
    """A reader sees what was written; a browser does nothing with it."""
    for html in (markdown(text), markdown_inline(text)):
        assert_harmless(html)
        assert "<script" not in html


@pytest.mark.parametrize(
    "text", ["![a](b.png)", "![a](https://b.example/c.png)", "[![a](b.png)](c)", "![](b)"]
)
def test_there_are_no_images(text: str) -> None:
    """A page loads nothing that a record names; what was meant is a link."""
    reader = assert_harmless(markdown(text))
    assert "img" not in {tag for tag, _ in reader.tags}
    assert "!" in reader.text


# Links.

FOLLOWED = (
    "https://a.example/b?c=d#e",
    "HTTPS://a.example",
    "mailto:a@b.example",
    "MailTo:a@b.example",
    "b.html",
    "../b/index.html",
    "./b:c",
    "b/c:d",
    "/b",
    "#b",
    "?b=c",
    "b%20c",
    "b//c",
    "%2F%2Fb.example",
    "https://[::1]/",
)
REFUSED = (
    "javascript:alert(1)",
    "JavaScript:alert(1)",
    "jAvAsCrIpT:alert(1)",
    " javascript:alert(1)",
    "\tjavascript:alert(1)",
    "\x01javascript:alert(1)",
    "\x1fjavascript:alert(1)",
    "\x00javascript:alert(1)",
    "\x0bjavascript:alert(1)",
    "java\tscript:alert(1)",
    "java\nscript:alert(1)",
    "java\rscript:alert(1)",
    "javascript\t:alert(1)",
    "j\na\nv\na\nscript:alert(1)",
    "javascript://a.example/%0aalert(1)",
    "javascript:https://a.example",
    "vbscript:msgbox(1)",
    "data:text/html,<script>alert(1)</script>",
    "DATA:text/html;base64,PHNjcmlwdD4=",
    "da\tta:text/html,a",
    "file:///etc/passwd",
    "blob:https://a.example/b",
    "http://a.example",
    "http:a.example",
    "https:a.example",
    "https:/a.example",
    "ftp://a.example",
    "ws://a.example",
    "about:blank",
    "view-source:https://a.example",
    "x-apple.systempreferences:a",
    "//a.example",
    "///a.example",
    "/\t/a.example",
    "/\n/a.example",
    "\t//a.example",
    " //a.example",
    "\\\\a.example",
    "\\/a.example",
    "/\\a.example",
    "/\t\\a.example",
    "\\a.example",
    "b\\c",
)
# Spellings that only Markdown undoes; what becomes of them is for `destination` to say.
SPELLED = (
    "&#106;avascript:alert(1)",
    "&#x6A;avascript:alert(1)",
    "&#0000106;avascript:alert(1)",
    "javascript&colon;alert(1)",
    "javascript&#58;alert(1)",
    "java&Tab;script:alert(1)",
    "java&#9;script:alert(1)",
    "java&NewLine;script:alert(1)",
    "&#1;javascript:alert(1)",
    "&#14;javascript:alert(1)",
    "&nbsp;javascript:alert(1)",
    "<javascript:alert(1)>",
    "<java\tscript:alert(1)>",
    "< javascript:alert(1)>",
    "<javascript:alert(1) >",
    r"java\script:alert(1)",
    r"javascript\:alert(1)",
    r"\javascript:alert(1)",
    "javascript%3Aalert(1)",
    "%6Aavascript:alert(1)",
    "java%0Ascript:alert(1)",
    "java%09script:alert(1)",
    "%01javascript:alert(1)",
    "%20javascript:alert(1)",
    "data&colon;text/html,a",
    "&sol;&sol;a.example",
    "&#47;&#47;a.example",
    "/&sol;a.example",
    "/&bsol;a.example",
    "&bsol;&bsol;a.example",
    r"\\a.example",
    r"\\\\a.example",
    r"\/\/a.example",
    r"/\/a.example",
    r"/\\a.example",
    "/&Tab;/a.example",
    "</\t/a.example>",
    "/%5Ca.example",
    "%5C%5Ca.example",
    "/%09/a.example",
    "http&colon;//a.example",
    "\uff4aavascript:alert(1)",
    "javascript\uff1aalert(1)",
    "java\u00adscript:alert(1)",
    "java\u200bscript:alert(1)",
    "\ufeffjavascript:alert(1)",
    "\u2028javascript:alert(1)",
    "\uff0f\uff0fa.example",
)


@pytest.mark.parametrize("url", FOLLOWED)
def test_links_lead_to_https_to_mail_and_within_the_site(url: str) -> None:
    """They are kept as written."""
    assert is_safe_url(url)
    assert url == safe_url(url)
    assert [url] == assert_harmless(markdown(f"[a]({url})")).links or "[" in url


@pytest.mark.parametrize("url", REFUSED)
def test_links_lead_nowhere_else(url: str) -> None:
    """In a template they become `#`, in Markdown they stay text or lose what made them so."""
    assert not is_safe_url(url)
    assert "#" == safe_url(url)
    for written in (url, f"<{url}>"):
        assert_harmless(markdown(f"[a]({written})"))
        assert_harmless(markdown_inline(f"a [b]({written}) c"))


@pytest.mark.parametrize("url", SPELLED)
def test_no_spelling_of_a_link_leads_elsewhere(url: str) -> None:
    """Entities, escapes, percent signs and letters that look alike: no script, no data, no other host."""
    for text in (f"[a]({url})", f"[a](<{url}>)", f'[a]({url} "b")', f"![a]({url})", f"# [a]({url})"):
        assert_harmless(markdown(text))
    assert destination(safe_url(url)) in {"", "https", "mailto"}


@settings(deadline=None)
@given(st.text(st.sampled_from("javscriptdth:/\\.#?&;%@<> \t\n\r\x00\x01\x1fA\u00a0\u200b"), max_size=30))
def test_an_address_that_passes_leads_nowhere_foreign(url: str) -> None:
    """For any address: a browser finds no scheme but two, and no host without one of them."""
    assert destination(safe_url(url)) in {"", "https", "mailto"}


# Code in Markdown.


def test_a_fence_is_coloured_by_its_language() -> None:
    """It can be scrolled by keyboard."""
    html = markdown("```python\nraise\n```")
    assert '<pre tabindex="0"><code><span class="k">raise</span>\n</code></pre>\n' == html


@pytest.mark.parametrize(
    "info",
    [
        "",
        "unknown",
        "Python",
        "html",
        '"><script>',
        "python\" onclick='alert(1)'",
        "<b>",
        "&quot;&gt;",
        "{.class #id}",
        "../../python",
        "python\u00a0x",
        "__class__",
        "a" * 5_000,
    ],
)
def test_a_fences_language_is_a_name_to_look_up_and_no_more(info: str) -> None:
    """Its first word is known, or nothing is coloured; none of it reaches an attribute."""
    html = markdown(f"~~~{info}\n<b>raise</b>\n~~~")
    assert "<b>raise</b>\n" == assert_harmless(html).text.removesuffix("\n")
    assert html.startswith('<pre tabindex="0"><code>')
    assert ("python" == info.split("\u00a0", maxsplit=1)[0]) == ("class=" in html)


@pytest.mark.parametrize("info", ["python", " python ", "python title=a", "py"])
def test_a_fences_language_is_its_first_word(info: str) -> None:
    """What follows is for other programs."""
    assert '<span class="k">raise</span>' in markdown(f"```{info}\nraise\n```")


@settings(deadline=None)
@given(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\x00")),
    st.sampled_from(("", *COLOURED)),
)
@example("```\n````\n~~~", "python")
@example("\n\n a\n\n", "")
@example("\t\ta", "yaml")
def test_a_fence_made_for_a_text_holds_all_of_it(text: str, language: str) -> None:
    """For any text, backticks and blank lines too, up to its last line's ends."""
    reader = assert_harmless(markdown(fenced(text, language)))
    assert text.rstrip("\n") + "\n" == reader.text.removesuffix("\n")
    assert ["pre", "code"] == [tag for tag, _ in reader.tags if tag != "span"]


# Hostile texts.

FRAGMENTS = (
    *(
        "[",
        "]",
        "(",
        ")",
        "<",
        ">",
        "*",
        "**",
        "_",
        "`",
        "```",
        "~~~",
        "#",
        "- ",
        "1. ",
        "> ",
        "!",
        "![",
        "\\",
    ),
    *(
        "\n",
        "\n\n",
        "    ",
        "\t",
        '"',
        "'",
        "&",
        "&amp;",
        "&#106;",
        "&colon;",
        "&lt;",
        "&NewLine;",
        ":",
        "//",
    ),
    *(
        "javascript:",
        "data:",
        "https://",
        "a",
        "b c",
        "<script>",
        "</p>",
        "<!--",
        "-->",
        "onclick=",
        "\x00",
        "é",
        "页",
    ),
)


@settings(deadline=None, max_examples=300)
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=60).map("".join) | st.text(max_size=200))
@example("[a](<javascript:alert(1)>)")
@example("*[a](b\n> c)*\n- `<")
@example('[a](b "`<script>`")')
def test_no_markdown_makes_foreign_html(text: str) -> None:
    """For any text: known tags and attributes, balanced, and links that may be followed."""
    assert_harmless(markdown(text))
    assert_harmless(markdown_inline(text))


@pytest.mark.parametrize(
    "repeated",
    [
        *(
            "[",
            "*",
            "`",
            "> ",
            "![",
            "- ",
            "a\n- ",
            "[a](",
            "*a_ ",
            "_*",
            "**a ",
            "](",
            "[]",
            "[a][",
            "*[a](*",
        ),
        *(
            "&amp",
            "&#",
            "\\",
            "#",
            "# \n",
            "```\n",
            "1. ",
            "- - ",
            "> - ",
            "<",
            "[a](<",
            "`a``",
            "a\n  - ",
            "\n",
        ),
    ],
)
@pytest.mark.parametrize("render", [markdown, markdown_inline])
def test_the_longest_texts_end(render: "type[Markup]", repeated: str) -> None:
    """16,000 characters of what makes a full Markdown slow are rendered, and harmless."""
    assert_harmless(render((repeated * LONGEST_PROSE)[:LONGEST_PROSE]))


def test_a_longer_text_is_shown_as_it_is() -> None:
    """Nothing in it is Markdown any more."""
    text = "*a* <b>" + "a" * LONGEST_PROSE
    assert f"<p>{escape(text)}</p>" == markdown(text)
    assert escape(text) == markdown_inline(text)
    assert text == assert_harmless(markdown(text)).text


# Code.

ROWS = 'def f():\n    """Doc\n    string."""\n\n    raise E(f"a {b!r} \'c\'")  # <d> & "e"\n'
PIECES = (
    *ROWS.split(" "),
    *(
        "\n",
        "\n\n",
        " ",
        "\t",
        "\r\n",
        "\r",
        "\f",
        '"""',
        "'",
        '"',
        "\\",
        "{",
        "}",
        "<",
        ">",
        "&",
        "#",
        "f'{",
        "0x",
    ),
    *(
        "é",
        "页",
        "\ufeff",
        "\x00",
        "$(",
        "${",
        "a: b",
        "- ",
        "| ",
        ">-",
        "!tag",
        "&a",
        "*a",
        "//",
        "1e5",
        "@a",
        "...",
    ),
)
CODE = st.lists(st.sampled_from(PIECES), max_size=40).map("".join) | st.text(
    st.characters(exclude_categories=["Cs"]), max_size=80
)
LANGUAGES = st.sampled_from((*COLOURED, "unknown"))


def test_code_is_coloured_line_by_line() -> None:
    """A text over two lines is two spans."""
    assert (
        'x = <span class="s2">&#34;&#34;&#34;a</span>\n<span class="s2">b&#34;&#34;&#34;</span>\n\n'
    ) == code('x = """a\nb"""\n')


@settings(deadline=None)
@given(CODE, LANGUAGES)
def test_code_is_shown_to_the_letter(text: str, language: str) -> None:
    """For any text and language: what readers copy is the text and a line end."""
    reader = assert_harmless(code(text, language))
    assert f"{text}\n" == reader.text
    assert {"span"} >= {tag for tag, _ in reader.tags}


@settings(deadline=None)
@given(CODE, LANGUAGES)
def test_no_element_crosses_a_line(text: str, language: str) -> None:
    """For any text: a line can be shown, numbered or set off alone."""
    html = code(text, language)
    lines = html.removesuffix("\n").split("\n")
    assert text.split("\n") == [Reader(line).text for line in lines]


@settings(deadline=None)
@given(CODE, LANGUAGES, st.integers(1, 1_000_000), st.data())
def test_numbers_stand_beside_the_lines(text: str, language: str, first: int, data: st.DataObject) -> None:
    """For any text: one element a line with its number, the marked one set off, and the same text."""
    count = len(text.split("\n"))
    marked = data.draw(st.integers(first - 1, first + count))
    reader = Reader(code(text, language, first, marked))
    lines = [attributes for tag, attributes in reader.tags if "id" in attributes]
    assert [
        {
            "class": "line raising" if number == marked else "line",
            "id": f"L{number}",
            "data-line": str(number),
        }
        for number in range(first, first + count)
    ] == lines
    assert f"{text}\n" == reader.text


def test_a_marked_line_is_set_off() -> None:
    """Numbers begin where the excerpt does, and are in no text that is copied."""
    assert (
        '<span class="line" id="L7" data-line="7">a\n</span>'
        '<span class="line raising" id="L8" data-line="8">&lt;b&gt;\n</span>'
        '<span class="line" id="L9" data-line="9">\n</span>'
    ) == code("a\n<b>\n", "text", 7, 8)


@pytest.mark.parametrize("before", ['    """', None])
def test_numbered_lines_that_begin_in_a_string_are_coloured_as_such(before: str | None) -> None:
    """A part of a file does, by what is known of that, or by a guess; and it may end in another."""
    text = '    prose.\n    """\n    return 1\ndef f():\n    """Prose.'
    html = code(text, "python", 7, before=before)
    assert [
        '<span class="sd">    prose.</span>',
        '<span class="sd">    &#34;&#34;&#34;</span>',
        '    <span class="k">return</span> <span class="mi">1</span>',
        '<span class="k">def</span> <span class="nf">f</span>():',
        '    <span class="sd">&#34;&#34;&#34;Prose.</span>',
    ] == re.findall(r'data-line="\d+">(.*)\n</span>', html)


def test_lines_without_numbers_are_whole() -> None:
    """They begin in no string."""
    assert 'a.\n<span class="s2">' in code('a.\n"""\nb')


def test_code_without_numbers_marks_nothing() -> None:
    """There is no element to mark."""
    assert "a\nb\n" == code("a\nb", "text", marked=1)


def test_no_lexer_outside_the_list_is_used() -> None:
    """Pygments has hundreds, and two are known to hang on fifty characters."""
    names = {alias for _, aliases, _, _ in get_all_lexers() for alias in aliases} - {*COLOURED}
    assert len(names) > 500
    text = '<?php if (1) { return "a"; } // b ?>'
    assert {f"{escape(text)}\n"} == {str(code(text, name)) for name in (*names, "Python", "", "PythonLexer")}


@pytest.mark.parametrize("language", COLOURED)
def test_languages_of_the_list_are_coloured(language: str) -> None:
    """Python, JSON, YAML and shell."""
    assert 'class="' in code('{"a": 1}\nif true; then\n', language)


@pytest.mark.parametrize(
    ("text", "is_coloured"),
    [
        ("x = 1\n" * 10_000, True),
        ("x = 1\n" * 11_000, False),
        ("raise " + "x" * (LONGEST_RUN - 6), True),
        ("raise " + "x" * (LONGEST_RUN - 5), False),
        ("raise\n" + " \n" * (LONGEST_RUN // 2 - 1) + "x", True),
        ("raise\n" + " \n" * (LONGEST_RUN // 2) + "x", False),
    ],
)
def test_code_that_a_lexer_might_take_long_over_is_plain(text: str, is_coloured: bool) -> None:  # noqa: FBT001 - a table's column
    """A long file, a long line, a long run of white space; readers get the same text."""
    html = code(text)
    assert is_coloured == ("class=" in html)
    assert f"{text}\n" == Reader(html).text


@pytest.mark.parametrize("language", ["python", "json", "yaml", "bash"])
@pytest.mark.parametrize(
    "repeated",
    [
        *(
            " \n",
            "\n",
            "'",
            '"',
            '"""',
            "f'",
            "{",
            "(",
            "\\",
            "`",
            "@",
            "%",
            "&a ",
            "!a ",
            "*a ",
            "- ",
            "a: ",
            "0",
        ),
        *("${", "$((", "<<a\n", "[", "#", "\t", "a.", "f'{a:"),
    ],
)
def test_hostile_code_ends(language: str, repeated: str) -> None:
    """What makes lexers slow is shown to the letter, in one line or, coloured, in many."""
    line = (repeated * LONGEST_RUN)[:LONGEST_RUN]
    for text in (line * 16, "\n".join([line] * 8)):
        assert f"{text}\n" == assert_harmless(code(text, language)).text


def test_code_of_no_line_is_one_empty_line() -> None:
    """An empty text has one."""
    assert "\n" == code("")
    assert len(code("\n" * LONGEST_CODE + "\n")) == LONGEST_CODE + 2


def test_a_path_breaks_between_its_parts() -> None:
    """After slashes and underscores; and what is in it stays text."""
    assert "src/<wbr>my_<wbr>pool.py:7" == breakable("src/my_pool.py:7")
    assert "a/<wbr>&lt;b&gt;" == breakable("a/<b>")


def test_a_message_is_shown_with_its_holes_and_values() -> None:
    """By what they are; whatever they hold stays text."""
    parts = [{"text": "<a> "}, {"hole": "b"}, {"text": "&"}, {"value": "<c>"}]
    assert "&lt;a&gt; <var>{b}</var>&amp;<mark>&lt;c&gt;</mark>" == message(parts)
    assert isinstance(message([]), Markup)
