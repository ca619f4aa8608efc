"""Whether a file may be loaded on another machine than it was written on is asked of each script."""

from __future__ import annotations

import pytest
from text_program import clashes

MODEL = "import torch\nfrom torch import nn\n\ndef made():\n    return nn.Linear(3, 3)\n"
#: A script that takes what there is, and says so.
TRAIN = """
import torch
import model

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = model.made().to(device)
print(net(torch.ones(2, 3, device=device)).sum())
torch.save(net.state_dict(), "net.pt")
"""
TEST = """
import torch
import model

{device}
net = model.made(){move}
net.load_state_dict(torch.load("net.pt"))
print(net(torch.ones(2, 3{of})).sum())
"""


def found(device: str, move: str = ".to(device)", of: str = ", device=device") -> list[str]:
    return clashes(TRAIN, TEST.format(device=device, move=move, of=of), model=MODEL)


@pytest.mark.parametrize(
    "device",
    ['device = "cuda"', 'device = torch.device("cuda:0")'],
)
def test_a_script_that_always_takes_the_accelerator_loads_its_files_there(device: str) -> None:
    assert not found(device)


@pytest.mark.parametrize(
    "device",
    [
        'device = "cuda" if torch.cuda.is_available() else "cpu"',
        'device = torch.device("cuda")\nif not torch.cuda.is_available():\n    print("slow")',
    ],
)
def test_a_script_that_asks_whether_there_is_one_may_find_none(device: str) -> None:
    assert found(device)


def test_a_script_that_takes_no_accelerator_needs_none() -> None:
    assert found("", move="", of="")


#: What reads the file is a script of its own, and is called by the one that wrote it as well.
READER = """
import torch
import model

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

def evaluate(name="best.pt"):
    net = model.made().to(device)
    net.load_state_dict(torch.load("kept/{}".format(name)))
    return net(torch.ones(2, 3, device=device)).sum()
"""
WRITER = """
import torch
import model
from reader import device, evaluate

net = model.made().to(device)
torch.save(net.state_dict(), "kept/{}".format("last.pt"))
print(evaluate("last.pt"))
"""
MAIN = '\nif __name__ == "__main__":\n    print(evaluate("best.pt"))\n'


def test_what_one_script_wrote_itself_another_one_has_from_elsewhere() -> None:
    assert clashes(WRITER, model=MODEL, reader=READER + MAIN) == ["reader.py:9: map-location"]


def test_what_only_the_script_that_wrote_it_reads_is_where_it_was() -> None:
    assert clashes(WRITER, model=MODEL, reader=READER) == []
    assert clashes(WRITER, model=MODEL, reader=READER + MAIN.replace("print(evaluate", "print(len")) == []
