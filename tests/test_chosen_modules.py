"""Files of which an option imports one, all under one name."""

from __future__ import annotations

import pytest
from text_program import check_texts, files, fix_texts

NET = """
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)

    def forward(self, x):
        return self.fc(x)
"""
APPROACH = """
import torch
from torch import nn

class Approach:
    def __init__(self, net):
        self.net = net
        self.optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

    def train(self, x, y):
        self.optimizer.zero_grad()
        nn.functional.cross_entropy(self.net(x), y).backward()
        self.optimizer.step()
"""
MAIN = """
import argparse
import torch
from net import Net

parser = argparse.ArgumentParser()
parser.add_argument("--approach", type=str, required=True)
args = parser.parse_args()
{imports}
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = Net().to(device)
approach = module.Approach(net)
x = torch.randn(4, 3)
y = torch.zeros(4, dtype=torch.long, device=device)
approach.train(x, y)
"""
NAMES = "sgd ewc lwf hat joint random".split()


def script(names: list[str]) -> str:
    """A script that imports one of these under the name ``module``."""
    branches = [
        f"if args.approach == {name!r}:\n    from approaches import {name} as module" for name in names
    ]
    return MAIN.format(imports="\nel".join(branches))


def texts(names: list[str], there: list[str]) -> dict[str, str]:
    """The project, in which only some of the files are there."""
    own = {f"approaches/{name}.py": APPROACH for name in there}
    return {**files(script(names), net=NET), "approaches/__init__.py": "", **own}


@pytest.mark.parametrize(("names", "there"), [(NAMES[:2], 2), (NAMES, 6), (NAMES, 1), (NAMES[::-1], 2)])
def test_what_any_of_the_files_does_is_seen(names: list[str], there: int) -> None:
    before = texts(names, NAMES[:there])
    after = fix_texts(before)[0]
    assert "x = torch.randn(4, 3).to(device)\n" in after["main.py"]
    assert {path for path in before if before[path] != after[path]} == {"main.py"}


def test_what_is_nowhere_to_be_found_is_unknown() -> None:
    assert not check_texts(texts(NAMES, []))


def test_what_one_of_the_files_moves_by_itself_is_none_of_the_script() -> None:
    """Whether the script has to move it depends on the file: nobody knows which one that is."""
    moving = APPROACH.replace(
        "        self.optimizer.zero_grad()\n", "        x = x.to(next(self.net.parameters()).device)\n"
    )
    before = {**texts(NAMES[:2], []), "approaches/sgd.py": moving, "approaches/ewc.py": moving}
    assert not check_texts(before)
