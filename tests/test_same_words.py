"""What moves by a choice, or by a function of the program, has the rest of its batch moved by the same words."""

from __future__ import annotations

import pytest
from text_program import fix_texts

PROGRAM = """
import argparse
import torch
from torch import nn
from torch.autograd import Variable

parser = argparse.ArgumentParser()
parser.add_argument("--cuda", action="store_true")
args = parser.parse_args()
use_cuda = torch.cuda.is_available()


{function}


net = nn.Linear(4, 4)
if {flag}:
    net = net.cuda()
loader = torch.utils.data.DataLoader([(torch.ones(4), torch.ones(4))] * 8, batch_size=2)
for x, y in loader:
    x = {move}
    loss = (net(x) - y).pow(2).mean()
    loss.backward()
"""
GUARDED = """
def send(x):
    \"\"\"Where the net is.\"\"\"
    if use_cuda:
        x = x.cuda()
    return x
"""
RETURNING = """
def send(x):
    if not use_cuda:
        return x
    return x.cuda()
"""
WRAPPING = """
def send(x):
    return Variable(x.cuda() if use_cuda else x)
"""
WRAPPED_THEN_MOVED = """
def send(x, where=None):
    x = Variable(x)
    return x.cuda() if use_cuda else x
"""


@pytest.mark.parametrize(
    ("flag", "move", "copy", "function"),
    [
        ("use_cuda", "x.cuda() if use_cuda else x", "y.cuda() if use_cuda else y", ""),
        ("args.cuda", "x.cuda() if args.cuda else x", "y.cuda() if args.cuda else y", ""),
        ("use_cuda", "send(x)", "send(y)", GUARDED),
        ("use_cuda", "send(x)", "send(y)", RETURNING),
        ("use_cuda", "send(x)", "send(y)", WRAPPING),
        ("use_cuda", "send(x)", "send(y)", WRAPPED_THEN_MOVED),
    ],
)
def test_the_rest_of_a_batch_moves_by_the_same_words(flag: str, move: str, copy: str, function: str) -> None:
    text = PROGRAM.format(flag=flag, move=move, function=function)
    after = text.replace(f"    x = {move}\n", f"    x = {move}\n    y = {copy}\n")
    assert fix_texts({"main.py": text})[0]["main.py"] == after


@pytest.mark.parametrize(
    "function",
    [
        GUARDED.replace("return x", "return x / 255"),
        RETURNING.replace("return x.cuda()", "return x.cuda() / 255"),
        RETURNING.replace("return x.cuda()", "seen.append(x)\n    return x.cuda()"),
        WRAPPING.replace("use_cuda else x", "use_cuda else x, requires_grad=True"),
        "scale = 2\n" + RETURNING.replace("not use_cuda", "not use_cuda or scale > x.sum()"),
    ],
    ids=["calculates", "calculates there", "remembers", "asks for gradients", "looks at the values"],
)
def test_a_function_that_does_more_than_move_is_not_called_for_another(function: str) -> None:
    text = PROGRAM.format(flag="use_cuda", move="send(x)", function="seen = []\n" + function)
    after = fix_texts({"main.py": text})[0]["main.py"]
    assert "send(y)" not in after


def test_a_choice_that_asks_the_sibling_is_not_copied() -> None:
    text = PROGRAM.format(flag="use_cuda", move="x.cuda() if x.dim() > 1 else x", function="")
    assert "y.dim()" not in fix_texts({"main.py": text})[0]["main.py"]


def test_another_module_moves_under_the_test_of_a_choice() -> None:
    text = """
import argparse
import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--cuda", action="store_true")
args = parser.parse_args()
net = nn.Linear(4, 4)
head = nn.Linear(4, 2)
net = net.cuda() if args.cuda else net
x = torch.ones(2, 4)
x = x.cuda() if args.cuda else x
print(head(net(x)))
"""
    after = fix_texts({"main.py": text})[0]["main.py"]
    guarded = "if args.cuda:\n    head.cuda()\n"
    assert after == text.replace("head = nn.Linear(4, 2)\n", "head = nn.Linear(4, 2)\n" + guarded)
