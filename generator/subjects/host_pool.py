"""`sglang.LogicalHostPool`: the bundled pool of page-aligned token slots."""

from generator.model import Subject

SUBJECT = Subject(
    name="sglang.LogicalHostPool",
    imports=(
        "from types import SimpleNamespace\n\nimport torch\n\nfrom generator.pool import LogicalHostPool\n"
    ),
    module="generator.pool",
    requires=("torch",),
)
