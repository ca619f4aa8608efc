"""A load without ``map_location`` beside one with it, in the other branch of a choice, is meant as it is."""

from __future__ import annotations

import pytest
from text_program import check_texts, files, fix_texts, names

from devfix.findings import Applicability

PROGRAM = """
import torch
from torch import nn

net = nn.Linear(3, 3)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
{load}
net.to(device)
"""


@pytest.mark.parametrize(
    "load",
    [
        (
            "if torch.cuda.is_available():\n    net.load_state_dict(torch.load('a.pt'))\n"
            "else:\n    net.load_state_dict(torch.load('a.pt', map_location='cpu'))"
        ),
        (
            "if not torch.cuda.is_available():\n    state = torch.load('a.pt', map_location=lambda s, l: s)\n"
            "else:\n    state = torch.load('a.pt')\nnet.load_state_dict(state)"
        ),
        (
            "state = torch.load('a.pt') if torch.cuda.is_available() else torch.load('a.pt', map_location='cpu')\n"
            "net.load_state_dict(state)"
        ),
        (
            "if torch.cuda.is_available():\n    net.load_state_dict(torch.load('a.pt'))\n"
            "else:\n    net.load_state_dict(torch.load('a.pt'))"
        ),
        "if torch.cuda.is_available() and net:\n    net.load_state_dict(torch.load('a.pt'))\nelse:\n    print('new')",
        "if not torch.cuda.is_available():\n    print('new')\nelse:\n    net.load_state_dict(torch.load('a.pt'))",
    ],
)
def test_the_other_branch_says_where_or_is_for_other_machines(load: str) -> None:
    assert check_texts(files(PROGRAM.format(load=load))) == []


@pytest.mark.parametrize(
    "load",
    [
        "net.load_state_dict(torch.load('a.pt'))",
        "if device.type == 'cuda' or torch.cuda.is_available():\n    net.load_state_dict(torch.load('a.pt'))",
        "if not torch.cuda.is_available():\n    print('slow')\nnet.load_state_dict(torch.load('a.pt'))",
        "if torch.load('a.pt', map_location='cpu'):\n    net.load_state_dict(torch.load('a.pt'))",
    ],
)
def test_nobody_says_where(load: str) -> None:
    assert names(check_texts(files(PROGRAM.format(load=load)))) == {"load-without-map-location"}


WRAPPED = """
import torch
from torch import nn

def read(name, place=None):
    return torch.load(name, {place})

net = nn.Linear(3, 3)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net.load_state_dict(read("a.pt"))
net.to(device)
"""


@pytest.mark.parametrize("place", ["place", "map_location=place"])
def test_who_calls_what_loads_may_say_where(place: str) -> None:
    assert check_texts(files(WRAPPED.format(place=place))) == []


@pytest.mark.parametrize("place", ["{}", "weights_only=True, map_location={}"])
def test_what_is_written_as_nothing_is_written_over(place: str) -> None:
    text = WRAPPED.format(place=place.format(None))
    after = fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"]
    assert after == WRAPPED.format(place=place.format("device"))
