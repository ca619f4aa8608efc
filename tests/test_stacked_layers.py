"""``nn.TransformerEncoder`` and ``nn.TransformerDecoder``: copies of a layer are where the layer is."""

from __future__ import annotations

import pytest
import torch
from text_program import clashes
from torch import nn

STACK = """
import torch
from torch import nn

class Layer(nn.Module):
    def __init__(self, device=None):
        super().__init__()
        self.linear = nn.Linear(8, 8, device=device)

    def forward(self, x, *others):
        return self.linear(x)

x = torch.ones(2, 2, 8, device="cuda")
stack = {stack}
if stack.norm is not None:
    x = stack.norm(x)
print(stack(x, x), x + torch.ones(1, device="cuda"))
"""


@pytest.mark.parametrize(
    "stack",
    [
        'nn.TransformerDecoder(Layer("cuda"), 2)',
        'nn.TransformerDecoder(decoder_layer=nn.TransformerDecoderLayer(8, 2, device="cuda"), num_layers=2)',
        'nn.TransformerEncoder(encoder_layer=Layer("cuda"), num_layers=2, norm=nn.LayerNorm(8, device="cuda"))',
    ],
)
def test_a_stack_is_where_its_layer_is(stack: str) -> None:
    assert clashes(STACK.format(stack=stack)) == []


@pytest.mark.parametrize(
    "stack",
    [
        "nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2), 2)",
        'nn.TransformerEncoder(Layer("cuda"), 2, norm=nn.LayerNorm(8))',
    ],
)
def test_what_stays_on_the_cpu_meets_the_input_there(stack: str) -> None:
    assert clashes(STACK.format(stack=stack))


def test_torch_copies_the_layer_as_it_is() -> None:
    layer = nn.TransformerEncoderLayer(8, 2, device="meta")
    stack = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
    assert {parameter.device for parameter in stack.parameters()} == {torch.device("meta")}
    assert stack.norm is None
