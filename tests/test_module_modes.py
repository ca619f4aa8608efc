"""``train()`` and ``eval()``: what a module's ``self.training`` says from then on."""

import pytest
from text_program import clashes

NET = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, training=True):
        super().__init__()
        {setting}
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        y = self.layer(x)
        return (y, y) if self.training else y

model = nn.DataParallel(Net().cuda())
{mode}
print({result} * torch.ones(3))
"""


@pytest.mark.parametrize("setting", ["pass", "self.training = training"])
@pytest.mark.parametrize(
    ("mode", "result"),
    [
        ("model.eval()", "model(torch.ones(3, 3).cuda())"),
        ("model.eval().train()", "model(torch.ones(3, 3).cuda())[0]"),
    ],
)
def test_a_mode_holds_for_what_a_module_has_set_of_itself_too(setting: str, mode: str, result: str) -> None:
    assert clashes(NET.format(setting=setting, mode=mode, result=result))
