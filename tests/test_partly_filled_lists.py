"""Lists of tensors on the CPU of which some rounds of a loop replace entries: what the others leave there is found."""

from __future__ import annotations

import pytest
from reality import lies
from text_program import Ending, clashes, fix_texts

from devfix.analysis.domain.values import Const
from devfix.simulator import simulated_accelerator

PROGRAM = """
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 3).to(device)
x = torch.arange(18.0, device=device).view(6, 3)
groups = torch.tensor([0, 0, 3, 3, 3, 0], device=device)
boxes = [[int(a), int(a) + b] for a, b in zip(torch.arange(4), (2, 0, 3, 0))]

def gathered(x, groups, boxes):
    n = len(boxes)
    outs = {made}
    for i, (low, high) in enumerate(boxes):
{body}
    {after}

y = gathered(x, groups, boxes)
"""
COMPREHENSION, REPEATED = "[torch.zeros(3) for _ in range(n)]", "[torch.zeros(3)] * n"
STACKED = "return torch.stack(outs)"
SKIPPED = "        if high <= low:\n            continue\n        outs[i] = net(x[low:high]).mean(0)"
#: What replaces some entries, and leaves others.
PARTLY = {
    "continue": SKIPPED,
    "either": "        if low < high or low < 0:\n            outs[i] = net(x[low:high]).mean(0)",
    "length": "        part = x[groups == i]\n        if len(part) > 0:\n            outs[i] = net(part).mean(0)",
    "nothing there": "        part = x[groups == i]\n        if not len(part):\n            continue\n        outs[i] = net(part).mean(0)",
}
#: What replaces all entries, or none by what is on the accelerator.
WHOLLY = {
    "all": "        outs[i] = net(x[low]).relu()",
    "both": "        if high <= low:\n            outs[i] = net(x[0])\n        else:\n            outs[i] = net(x[low:high]).mean(0)",
    "host": "        if high <= low:\n            continue\n        outs[i] = net(x[low:high]).mean(0).cpu()",
}


def program(body: str, made: str = COMPREHENSION, after: str = STACKED) -> str:
    return PROGRAM.format(body=body, made=made, after=after)


def runs(text: str) -> bool:
    with simulated_accelerator():
        try:
            exec(text, {})
        except RuntimeError:
            return False
    return True


@pytest.mark.parametrize("made", [COMPREHENSION, REPEATED])
@pytest.mark.parametrize("body", PARTLY)
def test_what_some_rounds_leave_is_found(body: str, made: str) -> None:
    text = program(PARTLY[body], made)
    assert not runs(text)
    assert [clash.partition(": ")[2] for clash in clashes(text)] == ["device"]
    fixed = fix_texts({"main.py": text})[0]["main.py"]
    assert fixed == text.replace("torch.zeros(3)", "torch.zeros(3, device=device)")
    assert runs(fixed)


@pytest.mark.parametrize("made", [COMPREHENSION, REPEATED])
@pytest.mark.parametrize("body", WHOLLY)
def test_what_every_round_replaces_is_right(body: str, made: str) -> None:
    text = program(WHOLLY[body], made)
    assert runs(text)
    assert clashes(text) == []


#: What happens to a list that was filled in part, and is right.
AFTERWARDS = (
    "return torch.stack([out.to(device) for out in outs])",
    "outs = [out.to(device) for out in outs]\n    return torch.stack(outs)",
    "for i in range(len(outs)):\n        outs[i] = x[i]\n    return torch.stack(outs)",
    "return torch.stack([outs[i] for i, (low, high) in enumerate(boxes) if low < high])",
    "return sum(outs[i] * x[i] for i, (low, high) in enumerate(boxes) if low < high)",
    "return [out.tolist() for out in outs]",
)


@pytest.mark.parametrize("after", AFTERWARDS)
def test_what_is_moved_first_or_taken_one_by_one_is_right(after: str) -> None:
    text = program(SKIPPED, after=after)
    assert runs(text)
    assert clashes(text) == []


def test_types_and_devices_decide_for_all_entries_alike() -> None:
    text = program("        if outs[i].device != x.device:\n            outs[i] = outs[i].to(x.device)")
    assert runs(text)
    assert clashes(text) == []
    option = text.replace("outs[i].device != x.device", "verbose").replace(
        "device = torch", "verbose = 1\ndevice = torch"
    )
    assert runs(option)
    assert clashes(option) == []


EITHER = """\
import os

def grown(rounds):
    found = []
    for number in range(rounds):
        found.append(number)
    return found

rounds = int(os.environ.get("ROUNDS", "7"))
first, second = grown(rounds), grown(rounds)
one = first if os.environ.get("OTHER") else second
length = len(one)
"""


def test_how_long_either_of_two_lists_has_grown_is_not_claimed() -> None:
    assert lies(EITHER) == []


def test_either_of_two_tuples_of_one_length_has_it() -> None:
    end = Ending("import os\none = (1, 2) if os.environ.get('OTHER') else (3, 4)\nlength = len(one)\n")
    assert end["length"] == Const(2)
