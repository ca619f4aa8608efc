"""A device chosen by what the machine has is a guess where an option decides whether the inputs move."""

from __future__ import annotations

import pytest
from text_program import check_texts, files, fix_texts

from devfix.findings import Applicability

NETS = """
import torch
from torch import nn

class Learner:
    def __init__(self):
        self.net = nn.Linear(3, 2)

    def step(self, x):
        return self.net(x).sum()
"""
MAIN = """
import argparse
import torch
from nets import Learner

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cuda", action="store_true", default=True)
    args = parser.parse_args()
    use_cuda = torch.cuda.is_available()
    learner = Learner()
    x = torch.ones(4, 3)
    {move}
    print(learner.step(x))

main()
"""


def _trust(move: str) -> Applicability:
    [finding] = check_texts(files(MAIN.format(move=move), nets=NETS))
    assert finding.code == "DF101"
    assert finding.fix is not None
    return finding.fix.applicability


@pytest.mark.parametrize(
    "move",
    [
        "if args.cuda:\n        x = x.cuda()",
        "x = x.cuda() if args.cuda else x",
        "if args.cuda and use_cuda:\n        x = x.cuda()",
    ],
)
def test_where_an_option_moves_the_inputs_the_fix_is_unsafe(move: str) -> None:
    assert _trust(move) is Applicability.UNSAFE


@pytest.mark.parametrize(
    "move",
    [
        "x = x.cuda()",
        "if torch.cuda.is_available():\n        x = x.cuda()",
        "if use_cuda:\n        x = x.cuda()",
    ],
)
def test_where_the_machine_decides_the_fix_is_safe(move: str) -> None:
    assert _trust(move) is Applicability.SAFE


HELPER = """
import argparse
import torch
from nets import Learner

def move_to_cuda(sample):
    return {{k: v.cuda() if torch.is_tensor(v) else v for k, v in sample.items()}}

class Trainer:
    def __init__(self, args, learner):
        self.cuda = torch.cuda.is_available(){option}
        self.scale = torch.ones(1).cuda() if self.cuda else torch.ones(1)
        self.learner = learner

    def step(self, sample):
        {move}
        return self.learner.step(sample["x"]) * self.scale

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cpu", action="store_true")
    args = parser.parse_args()
    Trainer(args, Learner()).step({{"x": torch.ones(4, 3)}})

main()
"""


@pytest.mark.parametrize(
    ("option", "move", "expected"),
    [
        (
            " and not args.cpu",
            "if self.cuda:\n            sample = move_to_cuda(sample)",
            Applicability.UNSAFE,
        ),
        ("", "if self.cuda:\n            sample = move_to_cuda(sample)", Applicability.SAFE),
        (" and not args.cpu", "sample = move_to_cuda(sample)", Applicability.SAFE),
    ],
    ids=["an option", "the machine", "nothing"],
)
def test_what_is_asked_before_a_function_that_moves_counts(
    option: str, move: str, expected: Applicability
) -> None:
    [finding] = check_texts(files(HELPER.format(option=option, move=move), nets=NETS))
    assert finding.code == "DF101"
    assert finding.fix is not None
    assert finding.fix.applicability is expected


NOTHING_YET = """
import torch

device = None

if torch.cuda.is_available():
    device = torch.device("cuda")
{otherwise}
net = torch.nn.Linear(3, 1).to(device)
for _ in range(2):
    x = torch.ones(4, 3)
    print(net(x).sum().item())
"""


@pytest.mark.parametrize(
    ("otherwise", "expected"),
    [
        ('else:\n    device = torch.device("cpu")\n', "device=device"),
        ("", "device=next(net.parameters()).device"),
    ],
    ids=["every branch chooses", "else there is none"],
)
def test_a_name_that_is_nothing_at_first_is_the_device_once_each_branch_has_chosen(
    otherwise: str, expected: str
) -> None:
    after = fix_texts({"main.py": NOTHING_YET.format(otherwise=otherwise)})[0]["main.py"]
    assert f"x = torch.ones(4, 3, {expected})" in after
