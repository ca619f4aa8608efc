"""Where the simulated accelerator is known to answer otherwise than the recorded one, and why."""

from __future__ import annotations

#: Operators that compile a CUDA kernel of their own; there is no CPU kernel to run instead.
WITHOUT_A_CPU_KERNEL = {
    "jiterator_2inputs_2outputs",
    "jiterator_4inputs_with_extra_args",
    "jiterator_binary",
    "jiterator_binary_return_by_ref",
}

#: The name of a question to the reason.
EXPLAINED: dict[str, str] = {}
