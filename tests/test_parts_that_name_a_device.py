"""The device of one of several tensors that a function is given together."""

from __future__ import annotations

from text_program import clashes, fix_texts

from devfix.findings import Applicability

LOSS = """
import torch


def smoothed(outputs, y):
    smooth = torch.full((len(y), 3), 0.1)
    smooth[torch.arange(len(y)), y] += 0.9
    return -(smooth * outputs[0].log_softmax(1)).sum(1).mean()
"""

MAIN = """
import torch
from loss import smoothed
from torch import nn

net = nn.Linear(4, 3).to("cuda" if torch.cuda.is_available() else "cpu")
h = net(torch.ones(2, 4).to("cuda" if torch.cuda.is_available() else "cpu"))
print(smoothed({outputs}, torch.tensor([0, 1])))
"""


def repaired(outputs: str) -> tuple[str, str]:
    main = MAIN.format(outputs=outputs)
    after = fix_texts({"main.py": main, "loss.py": LOSS}, Applicability.UNSAFE)[0]
    return after["main.py"], after["loss.py"]


def test_one_of_a_tuple_of_tensors_tells_the_device() -> None:
    main, loss = repaired("(h, h.relu())")
    assert main == MAIN.format(outputs="(h, h.relu())")
    assert "smooth.to(outputs[0].device) * outputs[0].log_softmax(1)" in loss
    assert not clashes(main, loss=loss)


def test_what_may_hold_other_things_is_not_asked() -> None:
    """What is beside the tensor makes the pair none of tensors: what stands at a number may differ elsewhere."""
    main, loss = repaired('(h, "last")')
    assert "outputs[0].device" not in loss
    assert 'smoothed((h, "last"), torch.tensor([0, 1]), device=next(net.parameters()).device)' in main
    assert not clashes(main, loss=loss)
