"""`sglang.RadixKey`: the bundled key of the prefix tree."""

from generator.model import Subject

SUBJECT = Subject(
    name="sglang.RadixKey",
    imports="from array import array\n\nfrom generator.bundled.radix_key import RadixKey\n",
    module="generator.bundled.radix_key",
)
