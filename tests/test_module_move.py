"""Modules that are moved: where, when several places would do."""

from __future__ import annotations

from textwrap import dedent

import pytest
from text_program import fix_texts

from devfix.findings import Applicability

NETWORK = """
import torch
from torch import nn

class Critic(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, 1)
        {device}
        {rest}

    def forward(self, x):
        return self.fc(x)

class Learner:
    def __init__(self):
        self.critic = Critic(3)
        self.target = Critic(3)

    def learn(self, x):
        x = x.to("cuda" if torch.cuda.is_available() else "cpu")
        return self.critic(x) + self.target(x)

print(Learner().learn(torch.ones(2, 3)))
"""
CHOICE = 'self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")'


@pytest.mark.parametrize(
    ("device", "rest"),
    [(CHOICE, "self.n = n"), ("self.n = n", CHOICE), (CHOICE, "if n > 4:\n            self.n = n")],
)
def test_a_module_with_a_device_of_its_own_moves_itself(device: str, rest: str) -> None:
    text = dedent(NETWORK).format(device=device, rest=rest)
    fixed = fix_texts({"main.py": text})[0]["main.py"]
    assert fixed == text.replace(f"{rest}\n", f"{rest}\n        self.to(self.device)\n")


def test_what_is_distributed_is_moved_before() -> None:
    text = """
import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

device = torch.device("cuda")
net = nn.Linear(3, 1)
model = DDP(net, device_ids=[0])
print(model(torch.ones(2, 3, device=device)))
"""
    fixed = fix_texts({"main.py": text})[0]["main.py"]
    assert fixed == text.replace("net = nn.Linear(3, 1)", "net = nn.Linear(3, 1).to(device)")


OF_A_LAYER = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(9, 4)
        self.head = nn.Linear(4, 2)
    def forward(self, ids):
        return self.head(dropped(self.words, ids))

def dropped(layer, ids):
    mask = layer.weight.data.new_ones(layer.weight.size(0), 1)
    return nn.functional.embedding(ids, mask * layer.weight)

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = Net()
net(torch.ones(2, 3, dtype=torch.long, device=device))
"""


def test_what_comes_of_a_layers_weight_moves_with_the_model() -> None:
    after = fix_texts({"main.py": OF_A_LAYER})[0]["main.py"]
    assert after == OF_A_LAYER.replace("net = Net()", "net = Net().to(device)")


CHOSEN = """
import argparse
import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--deep", action="store_true")
args = parser.parse_args()
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
if args.deep:
    net = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 1))
else:
    net = nn.Linear(3, 1)
print(net(torch.ones(2, 3, device=device)))
"""


def test_whichever_module_an_option_picks_moves_once() -> None:
    after = fix_texts({"main.py": CHOSEN})[0]["main.py"]
    assert after == CHOSEN.replace("\nprint", "\nnet.to(device)\nprint")


@pytest.mark.parametrize(
    "kept",
    [
        "    net = nn.Linear(3, 1)\n    print(net(torch.ones(3, device=device)))",
        "    net = nn.Linear(3, 1).to(device)",
        "    net = None",
    ],
)
def test_a_branch_that_is_of_another_kind_moves_its_own(kept: str) -> None:
    after = fix_texts({"main.py": CHOSEN.replace("    net = nn.Linear(3, 1)\n", f"{kept}\n")})[0]["main.py"]
    assert "nn.Linear(3, 1)).to(device)" in after
    assert "net.to(device)" not in after


UNENDED = CHOSEN.replace("else:\n    net = ", "elif args.kind == 'narrow':\n    net = ").replace(
    "\nprint", "\n{between}\noptimizer = torch.optim.SGD(net.parameters(), lr=0.1)\nprint"
)


@pytest.mark.parametrize("between", ["print(args)", "rate = 0.1"])
def test_so_does_one_that_is_asked_for_something_soon_in_any_case(between: str) -> None:
    before = UNENDED.replace("{between}", between)
    assert fix_texts({"main.py": before})[0]["main.py"] == before.replace(
        between, f"net.to(device)\n{between}"
    )


@pytest.mark.parametrize("between", ["if args.kind == '':\n    raise SystemExit", "assert args.kind"])
def test_what_may_not_be_there_by_then_moves_where_it_is_made(between: str) -> None:
    after = fix_texts({"main.py": UNENDED.replace("{between}", between)})[0]["main.py"]
    assert "net = nn.Linear(3, 1).to(device)" in after


def test_a_branch_that_raises_is_none_that_makes_another() -> None:
    before = CHOSEN.replace("else:\n    net = ", "elif args.kind == 'narrow':\n    net = ")
    before = before.replace("\nprint", "\nelse:\n    raise ValueError(args.kind)\nprint")
    assert fix_texts({"main.py": before})[0]["main.py"] == before.replace(
        "\nprint", "\nnet.to(device)\nprint"
    )


RETURNED = """
import argparse
import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--wide", action="store_true")
args = parser.parse_args()
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Narrow(nn.Linear):
    pass


class Wide(nn.Linear):
    pass


def make(wide, n):
    {body}


model = make(args.wide, 3)
print(model(torch.ones(2, 3, device=device)))
"""


def test_whichever_a_function_makes_moves_where_it_gets_its_name() -> None:
    text = RETURNED.format(body="if wide:\n        return Wide(n, 2)\n    return Narrow(n, 2)")
    fixed = fix_texts({"main.py": text})[0]["main.py"]
    assert fixed == text.replace("make(args.wide, 3)", "make(args.wide, 3).to(device)")


def test_the_only_one_that_a_function_makes_moves_where_it_is_made() -> None:
    text = RETURNED.format(body="return Wide(n, 2)")
    fixed = fix_texts({"main.py": text})[0]["main.py"]
    assert fixed == text.replace("return Wide(n, 2)", "return Wide(n, 2).to(device)")


PARTS = """
import torch

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")

class Learner(torch.nn.Module):
    def __init__(self, first, second):
        super().__init__()
        self.first = first
        self.second = second.to(DEVICE)
{more}
    def forward(self, x):
        return self.first(x) + self.second(x)

def main():
    learner = Learner(torch.nn.Linear(4, 2), torch.nn.Linear(4, 2))
    print(learner(torch.ones(3, 4).to(DEVICE)))

main()
"""


def test_the_one_part_that_stayed_moves_where_the_others_were_moved_one_by_one() -> None:
    text = PARTS.format(more="")
    moved = text.replace("Learner(torch.nn.Linear(4, 2),", "Learner(torch.nn.Linear(4, 2).to(DEVICE),")
    assert fix_texts({"main.py": text})[0]["main.py"] == moved


def test_a_whole_of_which_several_parts_stayed_moves_as_a_whole() -> None:
    text = PARTS.format(more="        self.third = torch.nn.Linear(2, 2)\n")
    assert (
        "Learner(torch.nn.Linear(4, 2), torch.nn.Linear(4, 2)).to(DEVICE)"
        in fix_texts({"main.py": text})[0]["main.py"]
    )


def test_a_layer_made_in_passing_moves_to_what_it_is_called_with() -> None:
    text = """
import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(4, 2)

    def forward(self, x):
        y = self.first(x)
        return torch.cat([torch.nn.Linear(2, 2)(y) for _ in range(2)])

net = Net().cuda()
print(net(torch.ones(3, 4).cuda()))
"""
    made = "torch.nn.Linear(2, 2)"
    assert fix_texts({"main.py": text})[0]["main.py"] == text.replace(made, f"{made}.to(y.device)")


def test_a_parameter_with_a_type_moves_by_its_name() -> None:
    text = """
import torch
from torch import nn

class Settings:
    def __init__(self, path):
        with open(path) as file:
            self.__dict__.update(eval(file.read()))

def fit(model: nn.Module, settings: Settings, steps: int = 2) -> float:
    total = 0.0
    for _ in range(steps):
        x = torch.ones(4, 2).to(settings.device)
        total += model(x).sum().item()
    return total

settings = Settings("settings.txt")
if torch.cuda.is_available():
    settings.device = torch.device("cuda")
    model = nn.Linear(2, 1)
else:
    settings.device = torch.device("cpu")
    model = nn.Linear(2, 1)
print(fit(model, settings))
"""
    fixed = fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"]
    assert fixed == text.replace("    total = 0.0\n", "    model.to(settings.device)\n    total = 0.0\n")


DEMO = """
import torch
from torch import nn

class Maker(nn.Module):
    def __init__(self):
        super().__init__()
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.fc = nn.Linear(3, 4)

    def forward(self, z):
        return self.fc(z)

    def make(self):
        return self.forward(torch.zeros(2, 3))

class Judge(nn.Module):
    def __init__(self):
        super().__init__()
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.fc = nn.Linear(4, 1)

    def forward(self, x):
        return self.fc(x + torch.ones(4, device=self.device))

if __name__ == "__main__":
    print(Judge()(Maker().make()))
"""
USE = """
import torch
from demo import Judge, Maker

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
maker, judge = Maker().to(device), Judge().to(device)
print(judge(maker(torch.zeros(2, 3, device=device))))
"""


def test_a_class_that_others_move_does_not_move_itself() -> None:
    """What a file tries out at its end moves there, and where its parts meet nothing is moved in their stead."""
    text = fix_texts({"demo.py": DEMO, "main.py": USE})[0]["demo.py"]
    assert "self.to(" not in text
    assert "x.to(" not in text
    assert "    print(Judge().to(device)(Maker().to(device).make()))\n" in text


def test_a_copy_is_no_place_where_a_module_stays() -> None:
    learner = NETWORK.format(device="pass", rest="pass").replace(
        "        self.target = Critic(3)\n",
        "        self.target = Critic(3)\n        self.best = copy.deepcopy(self.critic.cpu())\n"
        "        torch.save(self.target.cpu(), 'target.pt')\n",
    )
    text = fix_texts({"main.py": "import copy\n" + learner})[0]["main.py"]
    assert "self.critic = Critic(3).to(" in text
    assert "self.target = Critic(3).to(" in text


def test_what_is_put_on_the_cpu_stays_there() -> None:
    learner = NETWORK.format(device="pass", rest="pass").replace(
        "Critic(3)\n\n", "Critic(3)\n        self.target.cpu()\n\n"
    )
    text = fix_texts({"main.py": learner})[0]["main.py"]
    assert "self.target = Critic(3)\n        self.target.cpu()\n" in text


GIVEN = """
import numpy as np
import torch
from torch import nn

def main(data):
    def score(x, model):
        return model(x).sum().item()

    data = torch.from_numpy(data).float().cuda()
    net = nn.Linear(3, 3){move}
    opt = torch.optim.SGD(net.parameters(), 0.1)
    print(score(data, net))
    for _ in range(3):
        net(data).sum().backward()
        opt.step()

main(np.ones((3, 3)))
"""


def test_a_module_moves_where_it_is_made_though_a_function_that_is_given_it_has_a_device_at_hand() -> None:
    right = GIVEN.format(move=".cuda()")
    assert fix_texts({"main.py": right})[0]["main.py"] == right
    after = fix_texts({"main.py": GIVEN.format(move="")})[0]["main.py"]
    assert after == GIVEN.format(move="\n    net.cuda()")


LEARNER = """
import torch
from torch import nn

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")

class Learner(nn.Module):
    def __init__(self, policy, value, rate):
        super().__init__()
        self.policy = policy.to(DEVICE)
        self.value = value
        self.optimizer = torch.optim.SGD(self.value.parameters(), lr=rate)

    def update(self, rows):
        rows = rows.to(DEVICE)
        loss = self.policy(rows).mean() + self.value(rows).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()
"""
LEARNS = """
import torch
from torch import nn
from learner import Learner

learner = Learner(policy=nn.Linear(3, 1), value=nn.Linear(3, 1), rate=0.1)
print(learner.update(torch.rand(4, 3)))
"""


def _learner(text: str) -> str:
    after = fix_texts({"main.py": LEARNS, "learner.py": text})[0]
    assert after["main.py"] == LEARNS
    return after["learner.py"]


def test_a_module_that_an_object_is_given_moves_as_the_object_keeps_it() -> None:
    right = LEARNER.replace("self.value = value\n", "self.value = value.to(DEVICE)\n")
    assert _learner(LEARNER) == right
    assert _learner(right) == right


def test_a_module_that_is_used_before_the_object_keeps_it_moves_ahead_of_that() -> None:
    used = "        self.value = value\n        self.optimizer = torch.optim.SGD(self.value.parameters(), lr=rate)\n"
    first = (
        "        self.optimizer = torch.optim.SGD(value.parameters(), lr=rate)\n        self.value = value\n"
    )
    after = _learner(LEARNER.replace(used, first))
    assert "        value.to(DEVICE)\n        super().__init__()\n" in after
    assert first in after
