"""A module that stayed behind moves beside another one that the program moves."""

from __future__ import annotations

import pytest
from text_program import files, fix_texts

HEAD = """\
import argparse
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--kind", required=True)
args = parser.parse_args()
cuda = torch.cuda.is_available()
a = torch.nn.Linear(2, 2)
b = torch.nn.Linear(2, 2)
"""


def fixed(body: str) -> str:
    """What follows the head once it is fixed."""
    text = fix_texts({"main.py": HEAD + body})[0]["main.py"]
    assert text.startswith(HEAD)
    return text.removeprefix(HEAD)


def test_in_place_as_the_other() -> None:
    body = "if cuda:\n    a.cuda()\nx = torch.ones(1, 2).cuda()\nprint(a(x), b(x))\n"
    assert fixed(body) == body.replace("    a.cuda()\n", "    a.cuda()\n    b.cuda()\n")


def test_bound_as_the_other() -> None:
    body = "b = b.cuda(0)\nx = torch.ones(1, 2).cuda()\nprint(a(x), b(x))\n"
    assert fixed(body) == "b = b.cuda(0)\na = a.cuda(0)\n" + body.removeprefix("b = b.cuda(0)\n")


def test_what_a_function_returns_moves_where_it_gets_its_name() -> None:
    texts = files(
        "import torch\nfrom nets import small\n\nnet = small()\nnet(torch.ones(1, 2).cuda())\n",
        nets="import torch\n\n\ndef small():\n    return torch.nn.Linear(2, 2)\n",
    )
    after = fix_texts(texts)[0]
    assert after["nets.py"] == texts["nets.py"]
    assert "net = small()\nnet.cuda()\n" in after["main.py"]


CHOICE = """\
if args.kind == "small":
    net = torch.nn.Linear(2, 2)
elif args.kind == "large":
    net = torch.nn.Sequential(torch.nn.Linear(2, 2)).cuda()
net(torch.ones(1, 2).cuda())
"""


def test_an_option_among_several_decides_no_device() -> None:
    assert fixed(CHOICE) == CHOICE.replace("Linear(2, 2)\nelif", "Linear(2, 2)\n    net.cuda()\nelif")


ONLY = """\
if args.kind:
    print(a.cuda())
    exit(0)
b = b.cuda()
print(b(torch.ones(1, 2)))
"""


def test_what_is_done_instead_of_the_rest_is_no_choice_of_a_device() -> None:
    assert (
        "torch.ones(1, 2, device=next(b.parameters()).device)"
        in fix_texts({"main.py": HEAD + ONLY})[0]["main.py"]
    )


TRAINER = """\
import torch
from torch import nn


class Trainer:
    def __init__(self, gpus):
        self.gpus = gpus
        self.build()
        if self.gpus > 0:
            self.critic.cuda()
            self.judge.cuda()

    def build(self):
        self.{attribute} = nn.Linear(4, 4)
        self.critic = nn.Linear(4, 1)
        self.judge = nn.Linear(4, 1)

    def step(self, x):
        if self.gpus > 0:
            x = x.cuda()
        return self.critic(self.{attribute}(x)) + self.judge(x)


print(Trainer(1).step(torch.ones(2, 4)).shape)
"""


def test_an_attribute_beside_those_that_are_made_with_it() -> None:
    before = TRAINER.format(attribute="actor")
    after = before.replace(
        "            self.judge.cuda()\n", "            self.judge.cuda()\n            self.actor.cuda()\n"
    )
    assert fix_texts({"main.py": before})[0]["main.py"] == after
    assert fix_texts({"main.py": after})[0]["main.py"] == after


BOUND = """\
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--use_cuda", type=bool, default=torch.cuda.is_available())
parser.add_argument("--gpu", type=int, default=0)
args = parser.parse_args()


class Agent:
    def __init__(self, args):
        self.args = args
        self.net = nn.Linear(4, 2)
        self.target = nn.Linear(4, 2)
        self.scale = torch.ones(2)
        if args.use_cuda:
            {first} = {first}.cuda(args.gpu)
            self.scale = self.scale.cuda(args.gpu)
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)

    def learn(self, x):
        if self.args.use_cuda:
            x = x.cuda(self.args.gpu)
        loss = (self.net(x) - self.target(x).detach()) * self.scale
        loss.mean().backward()
        self.optimizer.step()


Agent(args).learn(torch.ones(3, 4))
"""


@pytest.mark.parametrize(("first", "other"), [("self.target", "self.net"), ("self.net", "self.target")])
def test_an_attribute_beside_one_that_is_bound_to_its_name_again(first: str, other: str) -> None:
    before = BOUND.format(first=first)
    move = f"            {first} = {first}.cuda(args.gpu)\n"
    after = before.replace(move, f"{move}            {other} = {other}.cuda(args.gpu)\n")
    assert fix_texts({"main.py": before})[0]["main.py"] == after
    assert fix_texts({"main.py": after})[0]["main.py"] == after


def test_a_tensor_that_is_bound_to_its_name_again_is_no_module_to_stand_beside() -> None:
    before = BOUND.format(first="self.target").replace(
        "            self.target = self.target.cuda(args.gpu)\n", ""
    )
    assert "self.net = self.net.cuda(" not in fix_texts({"main.py": before})[0]["main.py"]


def test_an_attribute_that_is_made_after_the_others_moved() -> None:
    before = """\
import torch
from torch import nn


class Trainer:
    def __init__(self):
        self.critic = nn.Linear(4, 1)
        self.critic.cuda()
        self.actor = nn.Linear(4, 4)

    def step(self, x):
        return self.critic(self.actor(x.cuda()))


print(Trainer().step(torch.ones(2, 4)).shape)
"""
    made = "self.actor = nn.Linear(4, 4)\n"
    after = fix_texts({"main.py": before})[0]["main.py"]
    assert after == before.replace(made, f"{made}        self.actor.cuda()\n")


TAKEN_OUT = """\
import torch
from torch import nn


class Features(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Conv2d(3, 3, 3), nn.ReLU())


class Perception(nn.Module):
    def __init__(self):
        super().__init__()
        whole = Features()
        {first}
        self.kept = nn.Sequential(*list(whole.layers)[:1])

    def forward(self, x):
        return self.kept(x).mean()


model = nn.Conv2d(3, 3, 1)
criterion = Perception()
if torch.cuda.is_available():
    model.cuda()
x = torch.rand(2, 3, 8, 8)
if torch.cuda.is_available():
    x = x.cuda()
print(criterion(model(x)))
"""


@pytest.mark.parametrize("first", ["pass", "whole.eval()"])
def test_layers_taken_out_of_another_network_move_with_the_one_that_runs(first: str) -> None:
    before = TAKEN_OUT.replace("{first}", first)
    after = before.replace("    model.cuda()\n", "    model.cuda()\n    criterion.cuda()\n")
    assert fix_texts({"main.py": before})[0]["main.py"] == after


ABOVE = """
first = torch.nn.Linear(2, 2)
{moved}
second = torch.nn.Linear(2, 2)
print(second(torch.ones(1, 2).cuda()), first)
"""


@pytest.mark.parametrize(
    ("moved", "added"),
    [("first.cuda()", "second.cuda()"), ("first = first.cuda(0)", "second = second.cuda(0)")],
)
def test_what_is_made_after_the_other_has_moved_moves_at_once(moved: str, added: str) -> None:
    body = ABOVE.format(moved=moved)
    assert fixed(body) == body.replace("\nprint", f"\n{added}\nprint")


def test_what_moves_under_a_guard_decides_nothing_for_what_is_made_behind_it() -> None:
    assert "\nsecond.cuda()\n" not in fixed(ABOVE.format(moved="if cuda:\n    first.cuda()"))


TOGETHER = """
device = torch.device("cuda")
class Pair:
    def __init__(self):
        {first}, {second} = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
        {first}, {second} = {moves}
        print({second}({first}(torch.ones(1, 2).to(device))))
Pair()
"""


@pytest.mark.parametrize("names", [("one", "two"), ("self.one", "self.two")])
@pytest.mark.parametrize("move", [".cuda()", ".to(device)", '.to("cuda")'])
@pytest.mark.parametrize("left", [0, 1])
def test_one_that_the_same_assignment_leaves_out(names: tuple[str, str], move: str, left: int) -> None:
    first, second = names
    moves = [first + move, second + move]
    after = TOGETHER.format(first=first, second=second, moves=", ".join(moves))
    moves[left] = names[left]
    assert fixed(TOGETHER.format(first=first, second=second, moves=", ".join(moves))) == after
    assert fixed(after) == after


OTHERS = ["one.to(device).eval(), two", "two, one.to(device)"]


@pytest.mark.parametrize("moves", OTHERS)
def test_what_else_an_assignment_binds_is_no_move_of_another(moves: str) -> None:
    body = TOGETHER.format(first="one", second="two", moves=moves)
    after = fixed(body)
    assert after != body
    assert moves.replace("two", "two.to(device)") not in after


def test_parentheses_around_one_that_moves_are_no_part_of_its_move() -> None:
    body = TOGETHER.format(first="one", second="two", moves="one, (two).cuda(0)")
    assert fixed(body) == body.replace("= one, (two)", "= one.cuda(0), (two)")


PAIR = """
import copy
import torch
from torch import nn

class Pair:
    def __init__(self):
        {first}
        {second}

    def {mover}(self, where):
        {move}
        return self

    def loss(self, x):
        return (self.student(x) - self.teacher(x)).square().mean()

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
pair = Pair().{mover}(device)
print(pair.loss(torch.ones(3, 2, device=device)))
"""


@pytest.mark.parametrize(
    ("second", "move", "left"),
    [
        ("self.teacher = nn.Linear(2, 2)", "self.student.to(where)", "self.teacher.to(where)"),
        (
            "self.teacher = copy.deepcopy(self.student).eval()",
            "self.student.to(where)",
            "self.teacher.to(where)",
        ),
        (
            "self.teacher = nn.Linear(2, 2)",
            "self.student = self.student.to(where)",
            "self.teacher = self.teacher.to(where)",
        ),
    ],
)
def test_a_method_that_moves_one_module_of_its_object_moves_the_other(
    second: str, move: str, left: str
) -> None:
    text = PAIR.format(first="self.student = nn.Linear(2, 2)", second=second, mover="to", move=move)
    after = fix_texts({"main.py": text})[0]["main.py"]
    assert after == text.replace(f"        {move}\n", f"        {move}\n        {left}\n")


def test_a_method_that_moves_both_or_is_there_for_something_else_is_left_as_it_is() -> None:
    parts = {
        "first": "self.student = nn.Linear(2, 2)",
        "second": "self.teacher = nn.Linear(2, 2)",
    }
    both = PAIR.format(**parts, mover="to", move="self.student.to(where)\n        self.teacher.to(where)")
    assert fix_texts({"main.py": both})[0]["main.py"] == both
    other = PAIR.format(**parts, mover="begin", move="self.student.to(where)")
    assert "self.teacher.to(where)" not in fix_texts({"main.py": other})[0]["main.py"]
