"""A function that is told a device, and does nothing with it, moves there what it makes."""

from __future__ import annotations

import pytest
from text_program import fix_texts

SCRIPT = """
import torch
from torch import nn

def rows(numbers, width, device):
    count = len(numbers) // width
    ids = torch.LongTensor(numbers[: count * width])
{made}

def batch(source, place):
    return source[place], source[place + 1]

def evaluate(net, source):
    total = 0
    for place in range(len(source) - 1):
        x, y = batch(source, place)
        total += nn.functional.cross_entropy(net(x), y).item()
    return total

def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = nn.Embedding(9, 9).to(device)
    train = rows([1, 2, 3, 4, 5, 6], 2, {given})
    test = rows([1, 2, 3, 4], 2, device)
    for place in range(2):
        x, y = batch(train, place)
        nn.functional.cross_entropy(net(x), y).backward()
    print(evaluate(net, train), evaluate(net, test))

main()
"""

MADE = "ids = ids.view(width, -1).t().contiguous()\nreturn ids"


def changed(made: str, given: str = "device") -> list[str]:
    """The lines that a fix adds or puts in place of others."""
    lines = "".join(f"    {line}\n" for line in made.split("\n"))
    text = SCRIPT.format(made=lines.rstrip("\n"), given=given)
    after = fix_texts({"main.py": text})[0]["main.py"].splitlines()
    return [line.strip() for line in after if line not in text.splitlines()]


@pytest.mark.parametrize(
    "made",
    [
        MADE,
        "return ids.view(width, -1).t()",
        "return torch.LongTensor(numbers).view(width, -1).t()",
    ],
)
def test_what_it_makes_moves_there_once_for_all_who_get_it(made: str) -> None:
    (line,) = changed(made)
    assert line.startswith(("ids = ", "return "))
    assert line.count(".to(device)") == 1


def test_a_function_that_uses_its_device_has_done_with_it() -> None:
    assert not any("ids" in line for line in changed(f"print(device)\n{MADE}"))


def test_what_somebody_wants_on_the_cpu_is_not_moved_for_all() -> None:
    assert "return ids.view(width, -1).t().to(device)" not in changed(
        "return ids.view(width, -1).t()", "'cpu'"
    )


def test_what_it_makes_there_is_left_alone() -> None:
    assert not changed("return ids.view(width, -1).t().to(device)")


TOLD = """
import torch

class Weights:
    def __init__(self, first):
        self.first, self.calls = first, 0

    def draw(self, n, device=None):
        self.calls += 1
        {begins}
        return {last}

def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    weights, table = Weights(3), torch.ones(8).to(device)
    for step in range(9):
        w = weights.draw(8, {given})
        print((w * table).sum().item())

main()
"""
EARLY = "if self.calls <= self.first: return torch.ones(n, device=device)"


@pytest.mark.parametrize("begins", [EARLY, "self.last = n"])
def test_what_is_returned_at_once_is_made_there(begins: str) -> None:
    text = TOLD.format(begins=begins, last="torch.zeros(n)", given="device=device")
    after = fix_texts({"main.py": text})[0]["main.py"]
    assert after == text.replace("return torch.zeros(n)", "return torch.zeros(n, device=device)")


@pytest.mark.parametrize("given", ["device='cpu'", "None"])
def test_what_nobody_wants_there_is_not_made_there(given: str) -> None:
    text = TOLD.format(begins="self.last = n", last="torch.zeros(n)", given=given)
    assert "return torch.zeros(n)\n" in fix_texts({"main.py": text})[0]["main.py"]


MADE_OF = """
from dataclasses import dataclass, replace
import torch

@dataclass
class Batch:
    rows: torch.Tensor
    weights: torch.Tensor
{method}
def sample(n, device):
    w = torch.rand(n)
    batch = {batch}
    return {returned}

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
batch = sample(4, device)
print((batch.rows.to(device).sum(1) * batch.weights).mean())
"""


def test_of_an_object_that_keeps_it_the_tensor_moves() -> None:
    made = "Batch(torch.rand(n, 3), weights=(w / w.max()).float())"
    text = MADE_OF.format(method="", batch=made, returned="batch")
    after = fix_texts({"main.py": text})[0]["main.py"]
    assert after == text.replace(".float()", ".float().to(device)")


def test_a_device_to_which_the_object_moves_itself_is_not_unused() -> None:
    method = "    def to(self, device):\n        return replace(self, rows=self.rows.to(device, copy=True))\n"
    made = "Batch(torch.rand(n, 3), weights=w / w.max())"
    text = MADE_OF.format(method=method, batch=made, returned="batch.to(device)")
    assert f"batch = {made}\n    return batch.to(device)\n" in fix_texts({"main.py": text})[0]["main.py"]
