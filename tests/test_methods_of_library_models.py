"""What is called by a name that no part of a library's model has may be a method, which need not touch the weights."""

from __future__ import annotations

import pytest
from text_program import clashes

PROGRAM = """
import torch
from transformers import AutoModel, LlamaConfig, LlamaModel

device = torch.device("cuda")
model = {made}
hidden = torch.rand((2, 3, 4), device=device)
{used}
"""
_MADE = ("LlamaModel(LlamaConfig())", 'AutoModel.from_pretrained("gpt2")')


@pytest.mark.parametrize("made", _MADE)
@pytest.mark.parametrize(
    "used",
    [
        "print(model._widened_mask(hidden, hidden.shape[:2], hidden, 0))",
        "print(model.positions(hidden))",
        "print(model.encoder.positions(hidden))",
        "positions = model.positions\nprint(positions(hidden, hidden))",
    ],
)
def test_a_method_that_nobody_knows_says_nothing_of_the_model(made: str, used: str) -> None:
    assert clashes(PROGRAM.format(made=made, used=used)) == []


@pytest.mark.parametrize("made", _MADE)
@pytest.mark.parametrize(
    "used",
    [
        "model(inputs_embeds=hidden)",
        "model.encoder(hidden)",
        "model.layers[0](hidden)",
        "for block in model.towers:\n    block(hidden)",
        "model.tower[0](hidden)",
        "model.tower.eval()\nmodel.tower(hidden)",
        "model.tower = torch.nn.Linear(4, 4)\nmodel.tower(hidden)",
        "count = sum(p.numel() for p in model.tower.parameters())\nmodel.tower(hidden)",
    ],
)
def test_a_part_that_is_known_or_used_as_a_module_computes_with_its_weights(made: str, used: str) -> None:
    assert len(clashes(PROGRAM.format(made=made, used=used))) == 1
