"""Of what may be an object or a number, what is asked for an item is the object."""

from __future__ import annotations

import pytest
from text_program import Ending, clashes

PROGRAM = """
import torch
from tasks import tasks

data = {{}}
{filled}
data["number of classes"] = {number}
net = torch.nn.Linear(2, 1).cuda()
for t in tasks():
    x, y = data[t]["train"]["x"].cuda(), data[t]["train"]["y"]{move}
    torch.nn.functional.mse_loss(net(x), y)
"""
ONE = """
for t in range(9):
    data[t] = {"train": {"x": torch.ones(3, 2), "y": torch.ones(3, 1)}}
"""
SEVERAL = """
for t in range(9):
    data[t] = {"name": str(t)}
    if t % 2 == 0:
        data[t] = dict.fromkeys(["name", "train"])
    for part in ["train", "test"]:
        data[t][part] = {"x": torch.ones(3, 2), "y": torch.ones(3, 1)}
"""


@pytest.mark.parametrize("filled", [ONE, SEVERAL])
@pytest.mark.parametrize("number", ["5", "len(tasks())", "0.5"])
def test_a_number_among_the_entries_has_no_items(filled: str, number: str) -> None:
    assert clashes(PROGRAM.format(filled=filled, number=number, move=""))
    assert not clashes(PROGRAM.format(filled=filled, number=number, move=".cuda()"))


@pytest.mark.parametrize("number", ["read()", "read", "torch.ones(3, 1).cuda()"])
def test_what_may_have_items_leaves_them_open(number: str) -> None:
    text = PROGRAM.format(filled=ONE, number=number, move="")
    assert not clashes(text.replace("import tasks", "import tasks, read"))


def test_many_objects_and_a_number_stay_what_they_are() -> None:
    text = "kept = {}\nfor k in range(3):\n    kept[f()] = [k]\nkept['n'] = 1\nfound = kept[f()]\nitem = kept[f()][0]"
    assert "int" in repr(Ending(text)["item"])
