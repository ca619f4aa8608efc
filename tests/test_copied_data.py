"""Whether what ``torch.tensor`` copies is a tensor, so that the copy is where that is."""

import pytest
from text_program import clashes

UNKNOWN_DATA = """
import torch
from elsewhere import load

y = load()
{making}
print(x.permute(0, 2, 1) + torch.zeros(3, device="cuda"))
"""


@pytest.mark.parametrize(
    "making",
    [
        "x = torch.tensor(y.to('cuda'))",
        "x = torch.tensor(y.clamp(min=-1, max=1).to('cuda'), requires_grad=True)",
        "x = torch.tensor(y.detach()[0])",
        "y = y.to('cuda')\nx = torch.tensor(y)",
        "z = y.unsqueeze(0)\nx = torch.tensor(y[0])",
    ],
)
def test_what_is_asked_for_what_only_tensors_have_is_copied_where_it_is(making: str) -> None:
    assert not clashes(UNKNOWN_DATA.format(making=making))


@pytest.mark.parametrize(
    "making",
    [
        "x = torch.tensor(y)",
        "x = torch.tensor(y.to('cuda').tolist())",
        "x = torch.tensor(y.clip(0, 1))",
        "x = torch.tensor(y)\nx = x.contiguous()\ny.detach()",
    ],
)
def test_other_data_is_copied_to_the_cpu(making: str) -> None:
    assert clashes(UNKNOWN_DATA.format(making=making))


STEP = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.cost = nn.CrossEntropyLoss()

    def training_step(self, batch, number):
        {taken}
        return self.cost(self.layer(x), torch.tensor(y, dtype=torch.long))
"""


def test_what_is_taken_out_of_a_batch_that_the_caller_moved_is_copied_where_it_is() -> None:
    assert not clashes(STEP.format(taken="x, y = batch"))


@pytest.mark.parametrize(
    "taken",
    [
        "x, y = batch\n        x = x.to(next(self.parameters()).device)",
        "x, y = batch, [number]",
    ],
)
def test_what_the_function_moves_itself_is_another_matter(taken: str) -> None:
    assert len(clashes(STEP.format(taken=taken))) == 1
