"""Lists of tensors that a module's method goes through: what moves them, and what tells where to."""

from __future__ import annotations

from text_program import files, fix_texts

LAYERS = """
import torch
from torch import nn

class Layer(nn.Module):
    def __init__(self, weighed):
        super().__init__()
        self.weighed = weighed
        self.weight = nn.Parameter(torch.randn(3, 3))

    def forward(self, x, parts):
        out = 0
        for part in parts:
            if self.weighed:
                out = out + part @ x
            else:
                out = out + part @ self.weight
        return out

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = Layer(False)
        self.second = Layer(True)

    def forward(self, x, parts):
        return self.second(self.first(x, parts), parts)
"""
SCRIPT = """
import torch
from layers import Net

def eye(number):
    return torch.eye(number)

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
{parts}
net = Net().to(device)
print(net(None, parts).sum())
"""


def fixed(parts: str) -> dict[str, str]:
    """Both files, with these lines making the list."""
    return fix_texts(files(SCRIPT.format(parts=parts), layers=LAYERS))[0]


def test_what_one_call_leaves_out_tells_no_device() -> None:
    """``x`` is None in one layer and a tensor in the other."""
    text = fixed("parts = [eye(3), eye(3)]")["layers.py"]
    assert "            part = part.to(self.weight.device)\n" in text
    assert "x.device" not in text


def test_what_got_a_name_in_the_script_moves_there() -> None:
    parts = "parts = []\nfor _ in range(2):\n    part = eye(3)\n    parts.append(part)\n"
    texts = fixed(parts)
    assert "    part = eye(3).to(device)\n" in texts["main.py"]
    assert texts["layers.py"] == LAYERS


def test_what_the_script_writes_to_later_is_left_to_the_module() -> None:
    parts = "parts = []\nfor _ in range(2):\n    part = eye(3)\n    array = part.numpy()\n    parts.append(part)\n    array[0] = 2\n"
    assert "eye(3).to(device)" not in fixed(parts)["main.py"]
