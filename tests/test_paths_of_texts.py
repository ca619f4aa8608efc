"""Paths that are put together: how they end is known, so they are no empty text, and a test of one is decided."""

from __future__ import annotations

import pytest
from text_program import Ending, clashes, fix_texts

from devfix.analysis.domain.values import Scalar
from devfix.findings import Applicability

RESUMED = """
import os
import sys
import tempfile
import torch
from torch import nn

class Memory:
    def __init__(self, size, device):
        self.mean = torch.zeros(size, device=device)

    def state_dict(self):
        return {"mean": self.mean, "rate": 0.9}

    def load_state_dict(self, state):
        self.mean = state["mean"]

def save(path, net, memory):
    torch.save({"net": net.state_dict(), "memory": memory.state_dict()}, path)

def restore(path, net, memory):
    found = torch.load(path, map_location="cpu")
    net.load_state_dict(found["net"])
    memory.load_state_dict(found["memory"])

def train(out, resume):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = nn.Linear(3, 4).to(device)
    memory = Memory(4, device)
    if resume:
        restore(resume, net, memory)
    print(net(torch.ones(2, 3, device=device)) - memory.mean)
    save(out, net, memory)

PATH
train(path, "")
train(path, path)
"""
PATHS = [
    "path = os.path.join(tempfile.mkdtemp(), 'last.pt')",
    "path = os.path.join(sys.argv[1], f'run{sys.argv[2]}.pt')",
    "from os.path import join\npath = join('runs', sys.argv[1], 'last.pt')",
    "path = tempfile.mkdtemp() + '/last.pt'",
    "path = '%s/last.pt' % sys.argv[1]",
    "path = '{}/last.pt'.format(sys.argv[1])",
    "path = f'{sys.argv[1]}/last.pt'",
]
NOT_KNOWN = [
    "path = os.path.join('runs', sys.argv[1])",
    "path = '{}{}'.format(*sys.argv)",
    "path = os.path.join(*sys.argv)",
    "path = os.path.join('runs', '')",
]


@pytest.mark.parametrize("path", PATHS)
def test_what_is_resumed_from_a_path_is_where_it_was_loaded_to(path: str) -> None:
    text = RESUMED.replace("PATH", path)
    assert [line.split(": ")[1] for line in clashes(text)] == ["device"]
    after = fix_texts({"train.py": text}, Applicability.UNSAFE)[0]["train.py"]
    assert 'map_location="cpu"' not in after
    assert not clashes(after)


@pytest.mark.parametrize("path", [*PATHS, *NOT_KNOWN])
def test_what_is_brought_along_is_right(path: str) -> None:
    text = RESUMED.replace("PATH", path)
    assert not clashes(text.replace('= state["mean"]', '= state["mean"].to(self.mean.device)'))


@pytest.mark.parametrize("path", NOT_KNOWN)
def test_a_path_of_which_no_end_is_known_decides_nothing(path: str) -> None:
    assert not clashes(RESUMED.replace("PATH", path))


@pytest.mark.parametrize(("path", "answer"), [(PATHS[0], True), (PATHS[4], True), (NOT_KNOWN[0], None)])
def test_a_text_with_an_end_is_not_empty(path: str, answer: bool | None) -> None:
    found = Ending(f"import os, sys, tempfile\n{path}\nkind = 'some' if path else 'none'\n")["kind"]
    assert (getattr(found, "value", None) == "some") is bool(answer)


def test_the_path_is_a_text_and_ends_as_its_last_part_does() -> None:
    ending = Ending("import os, sys\npath = os.path.join(sys.argv[1], 'a', sys.argv[2] + '.pt')\n")
    assert ending["path"] == Scalar("str", ends=("", ".pt"))
