"""`sgl_kernel.flash_attn_with_kvcache`: the bundled argument checks of an attention call."""

from generator.model import Subject

SUBJECT = Subject(
    name="sgl_kernel.flash_attn_with_kvcache",
    imports="import torch\n\nfrom generator.bundled.flash_attn import flash_attn_with_kvcache\n",
    module="generator.bundled.flash_attn",
    requires=("torch",),
)
