"""What a program asks of its values: their types, and numbers out of scalars as old programs take them."""

from __future__ import annotations

import pytest
from text_program import clashes

MOVED = """
import numpy as np
import torch
from torch.cuda import FloatTensor as CudaTensor

model = torch.nn.Linear(3, 3).cuda()
"""
MADE = "out = model(torch.randn(2, 3).cuda()).detach()\n"

TYPES = """
def on_arrays(x):
    return np.mean(np.absolute(x))


def measure(x):
    if {question}:
        return on_arrays(x)
    return torch.mean(x)


print(measure(out))
"""


@pytest.mark.parametrize(
    "question",
    [
        "type(x) == np.ndarray",
        "type(x) != torch.Tensor",
        "isinstance(x, torch.FloatTensor)",
        "type(x) == type(None)",
        "isinstance(x, type(None))",
    ],
)
def test_a_type_decides_which_code_a_tensor_gets(question: str) -> None:
    assert clashes(MOVED + MADE + TYPES.format(question=question)) == []


@pytest.mark.parametrize(
    "question",
    ["type(x) == torch.Tensor", "isinstance(x, CudaTensor)", "len(x) > 1", "type(x) != type(None)"],
)
def test_a_tensor_that_is_let_through_is_still_told(question: str) -> None:
    assert clashes(MOVED + MADE + TYPES.format(question=question)) != []


def test_a_tensor_of_the_accelerator_is_fetched_where_its_type_says_so() -> None:
    show = "def show(x):\n    x = x.cpu() if isinstance(x, CudaTensor) else x\n    print(x.numpy())\n\n\nshow(out)\n"
    assert clashes(MOVED + MADE + show) == []
    assert clashes(MOVED + MADE + show.replace("CudaTensor", "torch.FloatTensor")) != []


@pytest.mark.parametrize("question", ["type(x) == type(None)", "isinstance(x, type(None))"])
def test_what_is_none_is_of_the_type_of_none(question: str) -> None:
    choose = f"x = None\nif {question}:\n    x = out\nprint(x.numpy())\n"
    assert clashes(MOVED + MADE + choose) == ["11: numpy"]
    assert clashes(MOVED + MADE + choose.replace("x = None", "x = out.cpu()")) == []


def test_code_behind_an_assertion_of_a_type_is_read() -> None:
    batch = "batch = torch.zeros(2, dtype=torch.long)\nassert isinstance(batch, torch.LongTensor)\n"
    lookup = "print(torch.nn.Embedding(3, 3).cuda()(batch))\n"
    assert clashes(MOVED + batch + lookup) != []


def test_the_item_of_a_scalar_is_a_number() -> None:
    losses = "losses = [torch.nn.functional.mse_loss(model(out), out).data{item} for _ in range(3)]\nnp.mean(losses)\n"
    assert clashes(MOVED + MADE + losses.format(item="[0]")) == []
    assert clashes(MOVED + MADE + losses.format(item="")) != []


HUB = """
device = torch.device("cuda")
vocoder = torch.hub.load("x/y", "load", "z")
{moved}
print(vocoder.inverse(torch.randn(3, 3).to(device)), vocoder(torch.randn(3, 3).to(device)))
"""


def test_a_model_whose_part_is_moved_may_consist_of_that_part() -> None:
    assert clashes(MOVED + HUB.format(moved="vocoder.net.to(device)")) == []
    assert clashes(MOVED + HUB.format(moved="vocoder.net.eval()")) != []


OWN = """
class Transform(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("there", torch.randn(4, 1, 3))
        self.register_buffer("back", torch.randn(4, 1, 3))

    def transform(self, x):
        return torch.conv1d(x.cuda(), self.there.cuda()).cpu()

    def forward(self, x):
        return torch.conv_transpose1d(self.transform(x), self.back)
"""


def test_a_module_that_brings_its_tensors_to_the_accelerator_is_not_there() -> None:
    assert clashes(MOVED + OWN) == []
    assert clashes(MOVED + OWN + "\n\nprint(Transform().cuda()(torch.randn(1, 1, 9)))\n") != []


@pytest.mark.parametrize(
    ("asserted", "found"),
    [
        ("assert isinstance(values, np.ndarray), type(values)", False),
        ("assert isinstance(values, (list, np.ndarray))", False),
        ("assert isinstance(values, (torch.Tensor, np.ndarray))", True),
        ("assert values.is_cpu", True),
        ("print(values)", True),
    ],
)
def test_what_is_asserted_to_be_no_tensor_is_not_taken_for_one(asserted: str, found: bool) -> None:
    program = (
        f"{MOVED}{MADE}\ndef read(values):\n    {asserted}\n    return np.isinf(values).any()\n\nread(out)\n"
    )
    assert bool(clashes(program)) is found


def test_a_method_of_that_name_which_is_given_nothing_is_no_check() -> None:
    text = """
    class Row:
        def isinstance(self):
            return False
    assert Row().isinstance()
    """
    assert clashes(text) == []
