"""Layers of graph libraries: those without weights are nowhere, and ask for nothing."""

from __future__ import annotations

import pytest
from text_program import clashes

PROPAGATED = """
import dgl.nn.pytorch as dglnn
import torch
import torch_geometric.nn as pyg

def propagate(graph, device):
    layer = {layer}
    cell = torch.zeros(3, 4).to(device)
    return layer(graph, {given})

propagate(None, "cuda")
"""
_BARE = "dglnn.GraphConv(0, 0, norm='none', weight=False, bias=False)"


@pytest.mark.parametrize(
    ("layer", "given"),
    [
        (_BARE, "cell"),
        ("dglnn.SumPooling()", "cell"),
        ("pyg.APPNP(10, 0.1)", "cell"),
        (f'dglnn.HeteroGraphConv({{"a": {_BARE}, "b": {_BARE}}}, aggregate="sum")', '{"a": cell}'),
        (f"dglnn.HeteroGraphConv({{name: {_BARE} for name in names()}})", '{"a": cell}'),
    ],
)
def test_a_layer_without_weights_takes_what_is_anywhere(layer: str, given: str) -> None:
    text = PROPAGATED.format(layer=layer, given=given)
    compared = text.replace("return layer", "got = layer").replace(
        "propagate(None",
        '    return cell * 0.5 + (got["a"] if isinstance(got, dict) else got)\n\npropagate(None',
    )
    assert clashes(text) == []
    assert clashes(compared) == []


@pytest.mark.parametrize(
    "layer",
    [
        "dglnn.GraphConv(4, 4)",
        "dglnn.GraphConv(4, 4, weight=False)",
        "pyg.GCNConv(4, 4)",
        'dglnn.HeteroGraphConv({"a": dglnn.GraphConv(4, 4)})',
    ],
)
def test_one_with_weights_has_to_be_where_its_input_is(layer: str) -> None:
    assert len(clashes(PROPAGATED.format(layer=layer, given="cell"))) == 1
