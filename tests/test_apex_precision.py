"""Programs that train with apex: what it is given is what it gives back."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

PROGRAM = """
import argparse
import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--fp16", action="store_true")
args = parser.parse_args()
model = nn.Linear(3, 3){moved}
optimizer = torch.optim.Adam(model.parameters())
if {test}:
    from apex import amp
    {call}
for step in range(3):
    loss = model(torch.ones(2, 3).cuda()).sum()
    loss.backward()
    optimizer.step()
"""
BOTH = 'model, optimizer = amp.initialize(model, optimizer, opt_level="O1")'
LISTS = "[model], optimizer = amp.initialize([model], optimizer)"
ALONE = "model = amp.initialize(model)"


@pytest.mark.parametrize("test", ["args.fp16", "True"])
@pytest.mark.parametrize("call", [BOTH, LISTS, ALONE])
def test_a_model_that_was_not_moved_is_still_not(call: str, test: str) -> None:
    text = PROGRAM.format(moved="", call=call, test=test)
    fixed = fix_texts({"main.py": text})[0]["main.py"]
    assert clashes(text) != []
    assert clashes(fixed) == []
    assert fixed.count("model.cuda()") + fixed.count("nn.Linear(3, 3).") == 1


@pytest.mark.parametrize("call", [BOTH, LISTS, ALONE])
def test_one_that_was_moved_is_left_alone(call: str) -> None:
    assert clashes(PROGRAM.format(moved=".cuda()", call=call, test="args.fp16")) == []


@pytest.mark.parametrize(
    "call",
    [
        "model, optimizer = amp.initialize(*load())",
        "model, optimizer = amp.initialize(load(), optimizer)",
        "model, optimizer = amp.wrap(model, optimizer)",
    ],
)
def test_what_is_not_known_may_be_anything(call: str) -> None:
    text = PROGRAM.format(moved="", call=call, test="True").replace(
        "import torch\n", "import torch\nfrom x import load\n", 1
    )
    assert clashes(text) == []


def test_of_which_width_its_weights_are_is_not_known() -> None:
    text = PROGRAM.format(moved=".cuda()", call=BOTH, test="True")
    assert clashes(text.replace(".cuda()).sum()", ".cuda().half()).sum()")) == []
