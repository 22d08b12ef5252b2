"""`sglang.SglSeparateReasoning`: the bundled naming of reasoning, and the expressions it looks into."""

from generator.model import Subject

SUBJECT = Subject(
    name="sglang.SglSeparateReasoning",
    imports=(
        "from generator.bundled.reasoning import (\n"
        "    SglExprList,\n    SglGen,\n    SglSelect,\n    SglSeparateReasoning,\n    separate_reasoning,\n"
        ")\n"
    ),
    module="generator.bundled.reasoning",
)
