"""`sglang.HostPoolGroup`: the bundled group of host pools, and a pool to put into it."""

from generator.model import Subject

SUBJECT = Subject(
    name="sglang.HostPoolGroup",
    imports=(
        "import torch\n\n"
        "from generator.bundled.host_group import HostPoolGroup, PoolEntry, PoolName\n"
        "from generator.pool import LogicalHostPool\n"
    ),
    module="generator.bundled.host_group",
    requires=("torch",),
    uses=("generator.pool",),
)
