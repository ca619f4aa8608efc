"""What a random draw decides comes out both ways in one run, and what either way leaves behind is judged."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

ACTING = """
import random
import torch
net = torch.nn.Linear(4, 3).cuda()
least = 0.3

def act(state):
    sample = {draw}
    if {test}:
        return net(state).argmax(dim=1)
    else:
        return {other}

for step in range(4):
    state = torch.ones(1, 4).cuda()
    action = act(state)
    print({use})
"""
OTHER = "torch.randint(3, (1,))"


def acting(
    draw: str = "random.random()", *, test: str = "sample > least", other: str = OTHER, use: str
) -> str:
    return ACTING.format(draw=draw, test=test, other=other, use=use)


@pytest.mark.parametrize("draw", ["random.random()", "torch.rand(1)", "torch.rand(1).item()"])
def test_what_is_drawn_is_no_option(draw: str) -> None:
    """Both an action of the network and a random one get to what follows, so one of them meets the state elsewhere."""
    assert clashes(acting(draw, use="state.argmax(1) + action")) == ["17: device"]


@pytest.mark.parametrize("test", ["sample > least", "not sample > least"])
def test_numpy_cannot_read_what_one_of_two_ways_leaves_on_the_accelerator(test: str) -> None:
    text = acting(test=test, use="action.detach().numpy()[0]")
    assert clashes(text) == ["17: numpy"]
    after, _ = fix_texts({"main.py": text})
    assert "action.detach().cpu().numpy()[0]" in after["main.py"]
    assert clashes(after["main.py"]) == []


def test_what_is_fetched_on_the_way_is_read() -> None:
    assert clashes(acting(use="action.cpu().numpy()")) == []
    fetched = acting(use="action.numpy()").replace("argmax(dim=1)", "argmax(dim=1).cpu()")
    assert clashes(fetched) == []


def test_what_is_asked_where_it_is_is_read_there() -> None:
    """A test of the place tells the ways apart."""
    assert clashes(acting(use="(action.cpu() if action.is_cuda else action).numpy()")) == []
    assert clashes(acting(use="(action if action.device.type == 'cpu' else action.cpu()).numpy()")) == []


@pytest.mark.parametrize(
    "asked", ["action.is_cuda", "action.device.type == 'cuda'", "action.get_device() >= 0"]
)
def test_what_was_asked_where_it_is_is_read(asked: str) -> None:
    text = acting(use="action.numpy()")
    guarded = text.replace("    print(", f"    if {asked}:\n        action = action.cpu()\n    print(")
    assert clashes(guarded) == []


@pytest.mark.parametrize("draw", ["read()", "float(input())", "least * 2"])
def test_what_is_not_drawn_is_an_option(draw: str) -> None:
    """Where the branch that names the accelerator is chosen, nothing else is judged."""
    other = "torch.randint(3, (1,), device='cuda')"
    assert clashes(acting(draw, other=other, use="action + state.argmax(1)")) == []


MOVED = """
import argparse
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--type", default="mlp")
args = parser.parse_args()
net = torch.nn.Linear(4, 10).cuda()

def test(loader):
    for data, target in loader:
        if not args.type.startswith("regress_"):
            hot = torch.zeros(target.size(0), 10)
        if not args.type.startswith("regress_"):
            data, {moved}, target = data.cuda(), hot{move}, target.cuda()
        else:
            data, target = data.cuda(), target.cuda()
        out = net(data)
        if args.type != "plain":
            print(torch.nn.functional.mse_loss(out, hot))

data = torch.utils.data.TensorDataset(torch.ones(8, 4), torch.ones(8))
test(torch.utils.data.DataLoader(data))
"""


def test_what_a_run_without_options_moves_is_moved() -> None:
    """What a round begins with on the CPU, and moves before it is used, has been there for no later use."""
    assert clashes(MOVED.format(moved="hot", move=".cuda()")) == []
    assert clashes(MOVED.replace("{moved}, ", "").replace("hot{move}, ", "")) == ["20: device"]


FLAGGED = """
import torch
from torch import nn
net = nn.Linear(4, 3).cuda()
{before}

def train(batches):
    for x, y in batches:
        if {test}:
            labeled = False
        else:
            labeled = {known}
        x = x.cuda()
        if labeled:
            loss = nn.functional.cross_entropy(net(x), y)
        else:
            loss = (net(x) * torch.ones(3).cuda()).sum()
        loss.backward()

train(torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.ones(8, 4), torch.ones(8).long())))
"""


def test_a_flag_that_what_a_round_brings_sets_is_no_option() -> None:
    """Both of its branches are followed, though one alone names the accelerator."""
    text = FLAGGED.format(before="", test="y[0] == -1", known="True")
    assert clashes(text) == ["15: device"]


@pytest.mark.parametrize(("test", "known"), [("least > 0", "True"), ("y[0] == -1", "asked(y)")])
def test_a_flag_of_another_kind_is(test: str, known: str) -> None:
    assert clashes(FLAGGED.format(before="least, asked = read(), read()", test=test, known=known)) == []


@pytest.mark.parametrize(
    ("draw", "test"),
    [
        ("random.choice(['net', 'any'])", "sample == 'net'"),
        ("random.choice(['net', 'any', 'best'])", "sample in ('net', 'best')"),
        ("random.randint(0, 3)", "sample != 0"),
        ("int(torch.randint(4, (1,)).item())", "sample == 0"),
    ],
)
def test_what_is_chosen_by_chance_is_told_by_what_it_is(draw: str, test: str) -> None:
    assert clashes(acting(draw, test=test, use="state.argmax(1) + action")) == ["17: device"]
    other = "torch.randint(3, (1,), device='cuda')"
    assert clashes(acting(draw, test=test, other=other, use="state.argmax(1) + action")) == []


@pytest.mark.parametrize("shuffle", ["random.shuffle", "random.Random(3).shuffle", "np.random.shuffle"])
@pytest.mark.parametrize("last", ["here", "there"])
def test_what_is_shuffled_is_in_any_order(shuffle: str, last: str) -> None:
    made = "import random, torch\nimport numpy as np\nhere, there = torch.ones(3), torch.ones(3).cuda()\n"
    assert (
        len(clashes(f"{made}rows = [there, {last}]\nrows[1] + {'there' if last == 'here' else 'here'}\n"))
        == 1
    )
    mixed = f"rows = [here, there]\n{shuffle}(rows)\nrows[0] + there\nrows[1] + {last}\n"
    put = (
        f"rows = [there] * int(input())\nk = len(input())\nrows[k] = here\n{shuffle}(rows)\nrows[k] + there\n"
    )
    assert clashes(made + mixed) == clashes(made + put) == []
    alike = f"rows = [here, torch.zeros(3)]\n{shuffle}(rows)\nrows[0] + there\n"
    assert len(clashes(made + alike)) == 1


@pytest.mark.parametrize(
    "again",
    [
        'if kind == "a":\n        x = x.cuda()',
        'x = x.cuda() if kind in ("a",) else x.cuda()',
        'match kind:\n        case "a":\n            x = x.cuda()',
        "x = place(x, kind)",
    ],
)
def test_what_is_told_again_by_what_was_chosen_is_what_it_was(again: str) -> None:
    text = f"""
import random
import torch

def place(x, kind):
    return x.cuda() if kind == "a" else x

there = torch.ones(3, device="cuda")
for _ in range(5):
    kind = random.choice("abc")
    x = torch.ones(3)
    if kind in ("b", "c"):
        x = x.cuda()
    {again}
    print(there + x)
"""
    assert clashes(text) == []
