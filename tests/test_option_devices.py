"""A device that is kept in the options of the command line is the one that fixes name."""

from __future__ import annotations

import pytest
from text_program import files, fix_texts

OPTIONS = """\
import argparse
import torch


def main():
    args = argparse.ArgumentParser().parse_args()
{chosen}
    model = torch.nn.Linear(4, 2)
    print(model(batch(args)))


def batch(options):
    return torch.ones(2, 4).to(options.device)


main()
"""
CHOICE = """\
    if torch.cuda.is_available():
        args.device = torch.device("cuda")
    else:
        args.device = torch.device("cpu")
"""


def _fixed(text: str) -> str:
    return fix_texts({"main.py": text})[0]["main.py"]


@pytest.mark.parametrize("chosen", [CHOICE, '    args.device = torch.device("cuda")\n'])
def test_the_function_that_sets_it_names_it(chosen: str) -> None:
    text = OPTIONS.format(chosen=chosen)
    made = "torch.nn.Linear(4, 2)"
    assert _fixed(text) == text.replace(made, f"{made}.to(args.device)")


def test_what_one_branch_alone_sets_is_not_there_in_the_other() -> None:
    text = OPTIONS.format(chosen=CHOICE.replace('args.device = torch.device("cpu")', "args.fallback = True"))
    after = _fixed(text)
    assert "torch.nn.Linear(4, 2).to(device)" in after


def test_what_is_set_too_late_is_not_used_before() -> None:
    text = OPTIONS.format(chosen="").replace("    print(", f"{CHOICE}    print(")
    assert "torch.nn.Linear(4, 2).to(args.device)" not in _fixed(text)


def test_a_function_that_is_given_the_options_knows_their_device() -> None:
    text = files(
        """\
import argparse
import torch
from training import train

args = argparse.ArgumentParser().parse_args()
args.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
data = torch.utils.data.TensorDataset(torch.ones(8, 4), torch.ones(8))
model = torch.nn.Linear(4, 2).to(args.device)
train(torch.utils.data.DataLoader(data), model, args)
""",
        training="""\
def train(loader, model, args):
    for images, _ in loader:
        model(images)
""",
    )
    after = fix_texts(text)[0]
    assert after["main.py"] == text["main.py"]
    moved = "in loader:\n        images = images.to(args.device)\n"
    assert after["training.py"] == text["training.py"].replace("in loader:\n", moved)


def test_what_the_function_asks_for_already_comes_before_a_shorter_name() -> None:
    text = """\
import argparse
import torch


class Room:
    def __init__(self, options):
        self.device = options.device


class Agent:
    def __init__(self, options, room):
        self.support = torch.linspace(0, 1, 4)
        self.net = torch.nn.Linear(4, 4).to(options.device)

    def learn(self, x):
        return (self.net(x) * self.support).sum()


options = argparse.ArgumentParser().parse_args()
options.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
agent = Agent(options, Room(options))
print(agent.learn(torch.ones(2, 4).to(options.device)))
"""
    assert _fixed(text) == text.replace("(0, 1, 4)", "(0, 1, 4, device=options.device)")


@pytest.mark.parametrize(("default", "known"), [("cuda", True), ("tensor", False)])
def test_a_text_is_a_device_where_it_names_one(default: str, known: bool) -> None:
    text = f"""\
import argparse
import torch


def show(model, args):
    x = torch.ones(3, 4)
    print(model(x))


parser = argparse.ArgumentParser()
parser.add_argument("--kind", default="{default}")
args = parser.parse_args()
show(torch.nn.Linear(4, 2).to("cuda"), args)
"""
    assert ("torch.ones(3, 4, device=args.kind)" in _fixed(text)) is known
