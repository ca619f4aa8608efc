"""What a module makes beside what it is given goes where that is, once both move when a program is adopted."""

from __future__ import annotations

import pytest
from test_adoption import adopted
from text_program import files

_ROWS = "torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(8, 3)), batch_size=4)"
_LOOPS = {
    "batches": f"for (x,) in {_ROWS}:",
    "made": "for x in [torch.randn(4, 3)]:",
}
_MAIN = """
import torch


class Tagged(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(4, 1)

    def forward(self, x):
        n, _ = x.shape
        ramp = torch.linspace(0, 1, n).view(n, 1)
        RENEWED
        return self.fc(torch.cat([x, ramp], 1))


net = Tagged()
LOOP
    print(net(x).sum().item())
"""


@pytest.mark.parametrize("loop", _LOOPS.values(), ids=_LOOPS)
def test_a_module_asks_its_input_for_the_device(loop: str) -> None:
    after = adopted(files(_MAIN.replace("LOOP", loop).replace("RENEWED", "ramp = ramp * 2")))["main.py"]
    assert "torch.linspace(0, 1, n, device=x.device)" in after


def test_a_name_that_stands_for_another_value_later_is_not_asked() -> None:
    after = adopted(files(_MAIN.replace("LOOP", _LOOPS["batches"]).replace("RENEWED", "x = x.cpu()")))[
        "main.py"
    ]
    assert "x.device" not in after


def test_a_name_that_is_gone_is_not_asked() -> None:
    text = _MAIN.replace("LOOP", _LOOPS["batches"]).replace("RENEWED", "ramp = ramp * 2")
    text = text.replace("n, _ = x.shape\n", "n, _ = x.shape\n        y = x * 2\n        del x\n")
    after = adopted(files(text.replace("cat([x,", "cat([y,")))["main.py"]
    assert "x.device" not in after
    assert "torch.linspace(0, 1, n)" not in after
