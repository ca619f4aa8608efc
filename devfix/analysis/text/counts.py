"""Counts: attributes by which layers and models tell how many of something they have or take."""

from __future__ import annotations

import ast

#: What layers of torch call so.
OF_LAYERS = frozenset(
    "in_features out_features in_channels out_channels groups num_features num_embeddings embedding_dim "
    "hidden_size input_size num_layers embed_dim num_heads head_dim num_groups num_channels upscale_factor".split()
)
#: What a part of a model whose code is not here calls so, a part that configures it included: one whole number.
OF_PARTS = frozenset(
    "in_features out_features in_channels out_channels num_embeddings embedding_dim hidden_size vocab_size d_model "
    "n_embd num_labels".split()
)


def are_told(node: ast.expr | None) -> bool:
    """Whether an expression is such an attribute of whatever it may be, or a choice of two of them."""
    if isinstance(node, ast.IfExp):
        return are_told(node.body) and are_told(node.orelse)
    return isinstance(node, ast.Attribute) and node.attr in OF_LAYERS | OF_PARTS
