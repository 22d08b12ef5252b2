"""`pagefault`: this program, whose diagnostics are errors too, with records of their own."""

from generator.model import Subject

SUBJECT = Subject(
    name="pagefault",
    kind="pagefault",
    imports="from generator.selfcheck import GOOD, Diagnostic, check\n",
    module="generator.selfcheck",
)
