"""What is left on the CPU goes where the author told others to be, in the same call or by the same function."""

from __future__ import annotations

import difflib

import pytest
from text_program import files, fix_texts

from devfix.findings import Applicability

PROGRAM = """
import numpy as np
import torch
from torch import nn

class Process(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(3))

    def observe(self, x, y):
        self.x, self.y = x, y
        return self

    def fit(self):
        return (self.x / self.scale - self.y[:, None]).pow(2).mean()

class Search:
    def __init__(self, device):
        self.device = device
        self.xs, self.ys = [torch.rand(3) for _ in range(4)], [1.0, 2.0, 3.0, 4.0]

    def ask(self):
        process = Process().to(self.device)
        process.observe(CALL)
        return process.fit()

class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.value = nn.Linear(3, 1)

    def advantage(self, rewards, values):
        gain = torch.zeros_like(rewards)
        for step in range(len(rewards)):
            gain[step] = rewards[step].sum()
        return gain - values

def collect(agent, device):
    rows = []
    for step in range(3):
        state, reward = np.ones((4, 3), dtype=np.float32), np.ones(4, dtype=np.float32)
        seen = torch.as_tensor(state, device=device)
        rows.append((agent.value(seen).squeeze(-1), ROW))
    values, rewards = (torch.stack(column) for column in zip(*rows))
    return agent.advantage(rewards, values)

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(Search(device).ask())
agent = Agent().to(device)
print(collect(agent, device).mean())
"""
CALL, MOVED = (
    "torch.stack(self.xs), torch.tensor(self.ys, device=self.device)",
    "torch.stack(self.xs).to(self.device)",
)
ROW = "torch.as_tensor(reward, device=device)"


def _changed(call: str = f"{MOVED}, torch.tensor(self.ys, device=self.device)", row: str = ROW) -> list[str]:
    before = files(PROGRAM.replace("CALL", call).replace("ROW", row))
    after = fix_texts(before, Applicability.SAFE)[0]["main.py"]
    lines = difflib.ndiff(before["main.py"].splitlines(), after.splitlines())
    return [line[1:].strip() for line in lines if line.startswith("+ ")]


@pytest.mark.parametrize(
    "other",
    ["torch.tensor(self.ys, device=self.device)", "torch.tensor(self.ys).to(self.device)"],
)
def test_an_argument_moves_as_the_other_does(other: str) -> None:
    moved = f"process.observe({MOVED}, {other})"
    assert _changed(f"torch.stack(self.xs), {other}") == [moved]
    assert _changed(f"x=torch.stack(self.xs), y={other}") == [
        moved.replace("(torch", "(x=torch").replace(", t", ", y=t")
    ]


def test_a_call_is_told_what_the_function_tells_the_others() -> None:
    told = f"rows.append((agent.value(seen).squeeze(-1), {ROW}))"
    assert _changed(row="torch.as_tensor(reward)") == [told]


@pytest.mark.parametrize(
    ("call", "row"),
    [
        (f"{MOVED}, torch.tensor(self.ys, device=self.device)", ROW),
        (f"{MOVED}, torch.tensor(self.ys).to(self.device)", "torch.as_tensor(reward).to(device)"),
        (f"{MOVED}, torch.tensor(self.ys, device=self.device)", "torch.from_numpy(reward).to(seen.device)"),
    ],
)
def test_what_works_stays(call: str, row: str) -> None:
    assert _changed(call, row) == []


def test_what_others_are_not_told_is_not_told() -> None:
    row = "torch.from_numpy(reward)"
    assert _changed(row=row) == ["gain = torch.zeros_like(rewards, device=values.device)"]


def test_a_call_that_is_told_otherwise_is_told_the_same() -> None:
    told = f"rows.append((agent.value(seen).squeeze(-1), {ROW}))"
    assert _changed(row="torch.as_tensor(reward, device='cpu')") == [told]


STATES = """
import torch

net = torch.nn.LSTM(3, 4).cuda()
h, c = {h}, {c}
x = torch.ones(5, 2, 3).cuda()
print(net(x, (h, c))[0].sum())
"""
ZEROS, NEW = "torch.zeros(1, 2, 4)", "torch.ones(1, 2, 4).mul(2)"


@pytest.mark.parametrize(("h", "c"), [(ZEROS, f"{ZEROS}.cuda()"), (f"{ZEROS}.to('cuda:0')", ZEROS)])
def test_what_one_statement_makes_alike_moves_as_the_other_does(h: str, c: str) -> None:
    moved = next(each for each in (h, c) if each != ZEROS)
    before = files(STATES.format(h=h, c=c))
    assert fix_texts(before)[0] == files(STATES.format(h=moved, c=moved))


@pytest.mark.parametrize("c", [f"{ZEROS}.cpu()", f"{NEW}.cuda()"])
def test_what_it_makes_otherwise_tells_nothing(c: str) -> None:
    after = fix_texts(files(STATES.format(h=ZEROS, c=c)))[0]["main.py"]
    assert f"h, c = {ZEROS[:-1]}, device=next(net.parameters()).device)" in after
