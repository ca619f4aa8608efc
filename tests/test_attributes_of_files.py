"""Names that a file does not have, and its ``__getattr__`` gives."""

from __future__ import annotations

import pytest
from text_program import clashes

PLACE = """
import torch

_known = {}

def _device():
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")

def __getattr__(name):
    if name == "device":
        return _known.setdefault(name, _device())
    raise AttributeError(name)
"""


@pytest.mark.parametrize("taken", ["import place; device = place.device", "from place import device"])
def test_what_it_gives_is_known(taken: str) -> None:
    text = f"import torch\n{taken}\nprint(torch.ones(3).to(device) + torch.ones(3))\n"
    assert clashes(text, place=PLACE) == ["3: device"]


@pytest.mark.parametrize("taken", ["import place; device = place.other", "from place import other as device"])
def test_of_what_it_raises_for_nothing_is_known(taken: str) -> None:
    text = f"import torch\n{taken}\nprint(torch.ones(3).to(device) + torch.ones(3))\n"
    assert clashes(text, place=PLACE) == []
