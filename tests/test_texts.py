"""Texts that a file writes, wherever in it."""

from generator import texts

SOURCE = '''\
"""The module's own words."""

LIMIT = "a text of the module"


class Pool:
    """More words."""

    def fail(self, name):
        message = _("nothing is called {name!r}").format(name=name)
        wrong = "none of %d" % name, "{0} of them".format(name)
        return (
            f"{name!r} is none of"
            f" {self.size:>4}"
        )
'''


def test_every_text_stands_with_its_lines_function_and_template() -> None:
    """Parts that stand beside each other are one text; what documents is none."""
    assert (
        texts.Text(3, 3, "", "a text of the module"),
        texts.Text(10, 10, "Pool.fail", "nothing is called {name!r}"),
        texts.Text(11, 11, "Pool.fail", "none of %d"),
        texts.Text(11, 11, "Pool.fail", "{0} of them"),
        texts.Text(13, 14, "Pool.fail", "{name!r} is none of {self.size:>4}"),
    ) == texts.every(SOURCE)


def test_each_line_stands_in_its_innermost_function() -> None:
    """As `every` names it; outside of any it is empty."""
    found = texts.functions(SOURCE)

    assert ("", "", "Pool", "Pool.fail", "Pool.fail") == (found[0], found[4], found[6], found[8], found[13])
    assert SOURCE.count("\n") + 1 == len(found)


def test_what_python_cannot_read_has_no_texts() -> None:
    """Nor functions."""
    assert () == texts.every("print 'hello'\n")
    assert ("", "") == texts.functions("print 'hello'\n")
