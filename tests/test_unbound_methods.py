"""Methods of a base class outside the project, called by the name of that class."""

from __future__ import annotations

import pytest
from text_program import clashes, files, fix_texts

HEAD = """\
import torch
import torch.nn as nn

x = torch.zeros(3, 3, device="cuda")


class Rank:
    def __init__(self, rank):
        self.rank = rank


"""


@pytest.mark.parametrize(
    "body",
    [
        "class Layer(nn.Linear):\n    def forward(self, x):\n        return nn.Linear.forward(self, x)\n",
        "class Layer(nn.Linear, Rank):\n    def __init__(self, *size):\n        nn.Linear.__init__(self, *size)\n",
        "class Layer(nn.Linear):\n    def train(self, mode=True):\n        nn.Module.train(self, mode)\n",
    ],
)
def test_method_by_the_name_of_its_class(body: str) -> None:
    body = HEAD + body
    (found,) = clashes(body + "layer = Layer(3, 3)\nlayer(x)\n")
    assert found.endswith(": device")
    assert not clashes(body + "layer = Layer(3, 3).cuda()\nlayer(x)\n")
    assert not clashes(body + "layer = Layer(3, 3)\nlayer.to('cuda')\nlayer(x)\n")


def test_move_by_the_name_of_its_class() -> None:
    moving = "class Layer(nn.Linear):\n    def to(self, device):\n        return nn.Module.to(self, device)\n"
    assert not clashes(HEAD + moving + "layer = Layer(3, 3).to('cuda')\nlayer(x)\n")
    assert clashes(HEAD + moving + "layer = Layer(3, 3).to('cpu')\nlayer(x)\n")


@pytest.mark.parametrize("init", ["nn.Linear.__init__(self, 3, 3)", "super().__init__(3, 3)"])
def test_what_is_moved_is_the_object(init: str) -> None:
    """The call of a base's ``__init__`` gives None, so nothing can be moved there."""
    text = f"""
        import torch
        import torch.nn as nn
        import torch.nn.functional as F

        class Layer(nn.Linear):
            def __init__(self):
                {init}

            def forward(self, x):
                return F.linear(x, self.weight)

        layer = Layer()
        layer(torch.zeros(3, 3, device="cuda"))
    """
    changed = fix_texts(files(text))[0]["main.py"]
    assert f"{init}\n" in changed
    assert "layer = Layer().to(device)" in changed
