"""Where the simulated accelerator is known to answer otherwise than the recorded one, and why."""

from __future__ import annotations

#: Operators that compile a CUDA kernel of their own; there is no CPU kernel to run instead.
WITHOUT_A_CPU_KERNEL = {
    "jiterator_2inputs_2outputs",
    "jiterator_4inputs_with_extra_args",
    "jiterator_binary",
    "jiterator_binary_return_by_ref",
}

_WORDING = "refused alike, in words of another release of torch or of another place in it"
_MADE_INSIDE = "made inside C++ without a word on where; it fits every device until it meets a tensor"

#: The name of a question to the reason.
EXPLAINED: dict[str, str] = {
    "r = gi(1, 2) % 0": "the CPU checks for a division by zero, CUDA returns what it likes",
    "r = F.dropout(gi(0, 1))": _WORDING,
    "r = torch.bernoulli(gi(0, 1))": _WORDING,
    "r = F.nll_loss(c(2, 3), ci(0., 1.))": _WORDING,
    "r = np.sum(g(2))": _WORDING,
    "r = F.scaled_dot_product_attention(g(1, 2, 16, 64), g(1, 2, 16, 64), g(1, 2, 16, 64), attn_mask=cs(0.))": _WORDING,
    "p = nn.Parameter(c(2)); p.sum().backward(); p.data = g(2); p.sum().backward()": (
        "a gradient is where its tensor is; that the tensor was moved in between is not remembered"
    ),
    '["nn.functional.cosine_similarity", "", 3, "", 0]': _MADE_INSIDE,
}
