"""What a function of a program that is given a device has as a parameter, and uses in a loop, moves once before that."""

from __future__ import annotations

import pytest
from test_adoption import adopted
from text_program import files, fix_texts

TEXT = """
import torch
from torch import nn
from words import Words


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(5, 3)

    def forward(self, kind, x):
        return torch.log_softmax(self.layer(torch.cat([kind, x], dim=1)), dim=1)


words = Words()
net = Net()
criterion = nn.NLLLoss()


def train(kind, line, target):
    {first}
    loss = 0
    {loop}
    loss.backward()
    return loss.item()


print(train(*words.example()))
"""
WORDS = """
import torch


class Words:
    def kind(self, number):
        tensor = torch.zeros(1, 2)
        tensor[0][number] = 1
        return tensor

    def line(self, word):
        tensor = torch.zeros(len(word), 1, 3)
        for i, letter in enumerate(word):
            tensor[i][0]["abc".find(letter)] = 1
        return tensor

    def target(self, word):
        return torch.LongTensor(["abc".find(letter) for letter in word])[:, None]

    def example(self):
        return self.kind(1), self.line("abca"), self.target("bcab")
"""
LOOP = """for i in range(line.size(0)):
        loss = loss + criterion(net(kind, line[i]), target[i])"""
MOVES = "    kind, line, target = kind.to(device), line.to(device), target.to(device)\n"


def trained(first: str = "net.zero_grad()", loop: str = LOOP, text: str = TEXT, words: str = WORDS) -> str:
    """The function that trains, in the program that was given a device."""
    after = adopted(files(text.format(first=first, loop=loop), words=words))["main.py"]
    return after[after.index("def train") : after.index("\n\nprint(")]


@pytest.mark.parametrize("first", ["net.zero_grad()", '"""One line."""', "target.clamp_(max=2)"])
def test_each_moves_once_in_front_of_the_loop(first: str) -> None:
    assert f"    loss = 0\n{MOVES}    {LOOP}\n" in trained(first)


def test_a_loop_that_comes_first_has_them_at_the_top_of_the_function() -> None:
    text = TEXT.replace("    {first}\n    loss = 0\n", '    """One line."""\n').replace(
        "loss.backward()", "pass"
    )
    loop = LOOP.replace("loss = loss + ", "loss = ").replace("for", "for", 1)
    top, _, rounds = trained(loop=loop, text=text).partition("    for i in")
    assert top.splitlines()[:2] == ["def train(kind, line, target):", '    """One line."""']
    assert all(top.count(f"{name}.to(device)") == 1 for name in ("kind", "line", "target"))
    assert ".to(" not in rounds


@pytest.mark.parametrize(
    ("first", "loop"),
    [
        # The name means something else in each round.
        ("net.zero_grad()", f"{LOOP}\n        kind = torch.roll(kind, 1, 1)"),
        # There is no loop.
        ("net.zero_grad()", "loss = criterion(net(kind, line[0]), target[0])"),
        # It is asked for once, before the first round.
        (
            "net.zero_grad()",
            "for y in criterion(net(kind, line[0]), target[0])[None]:\n        loss = loss + y",
        ),
    ],
)
def test_what_is_no_parameter_that_a_loop_reads_moves_where_it_is_used(first: str, loop: str) -> None:
    assert "    kind = kind.to(device)\n" not in trained(first, loop)
    assert "kind, line" not in trained(first, loop).replace("net(kind, line", "").replace(
        "train(kind, line", ""
    )


def test_a_list_of_tensors_has_no_to() -> None:
    words = WORDS.replace('self.line("abca")', 'list(self.line("abca"))')
    after = trained(loop=LOOP.replace("line.size(0)", "len(line)"), words=words)
    assert "line.to(" not in after


def test_a_program_that_chose_its_device_moves_where_it_is_forgotten() -> None:
    chosen = TEXT.replace("net = Net()", 'device = torch.device("cuda")\nnet = Net().to(device)')
    after = fix_texts(files(chosen.format(first="net.zero_grad()", loop=LOOP), words=WORDS))[0]["main.py"]
    assert MOVES not in after
