"""A test of an option that is asked twice comes out the same both times."""

from __future__ import annotations

import pytest
from text_program import clashes

#: Two networks that are called differently: the one with numbers, the other with places in a table.
NETWORKS = """
import argparse
import torch
from torch import nn

class Numbers(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x, y):
        return self.layer(x) + y

class Places(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(3, 3)

    def forward(self, x, y):
        return x + self.table(y)

parser = argparse.ArgumentParser()
parser.add_argument("--places", action="store_false")
parser.add_argument("--wide", action="store_true")
parser.add_argument("--kind")
parser.add_argument("--other")
args = parser.parse_args()

def use(net, y):
    return net(torch.ones(2, 3), y)

numbers, places = torch.ones(2, 3), torch.ones(2, dtype=torch.long)

"""
CHOOSE = "    if args.places:\n        net = Places()\n    else:\n        net = Numbers()\n"
PREPARE = "def main(args):\n" + CHOOSE


def found(body: str) -> list[str]:
    lines = NETWORKS.count("\n")
    told = (each.split(": ") for each in clashes(NETWORKS + body + "\nmain(args)\n"))
    return [f"{'in forward' if int(line) < lines else 'in main'}: {what}" for line, what in told]


@pytest.mark.parametrize(
    "body",
    [
        "    if args.places:\n        use(net, places)\n    else:\n        use(net, numbers)\n",
        "    if not args.places:\n        use(net, numbers)\n    else:\n        use(net, places)\n",
        (
            "    for epoch in range(9):\n"
            "        if args.places:\n            use(net, places)\n        else:\n            use(net, numbers)\n"
            "        if args.places:\n            use(net, places)\n        else:\n            use(net, numbers)\n"
        ),
        "    if args.places and args.wide:\n        use(net, places)\n",
        "    if args.wide:\n        print(1)\n    elif args.places:\n        use(net, places)\n",
    ],
)
@pytest.mark.parametrize(
    "choose",
    [
        CHOOSE,
        "    net = Places() if args.places else Numbers()\n",
        "    net = Numbers() if not args.places else Places()\n",
    ],
)
def test_what_an_option_chose_is_used_as_it_says(choose: str, body: str) -> None:
    assert found(f"def main(args):\n{choose}{body}") == []


@pytest.mark.parametrize(
    "name", ["args.places", "places_asked", "options['places']", "args.wide and args.places"]
)
def test_options_have_many_forms(name: str) -> None:
    text = (
        PREPARE.replace("args.places", name)
        + f"    if {name}:\n        use(net, places)\n    else:\n        use(net, numbers)\n"
    )
    setup = "    options = vars(args)\n    places_asked = args.places\n"
    assert found(text.replace("(args):\n", f"(args):\n{setup}")) == []


@pytest.mark.parametrize(
    "body",
    [
        "    if args.places:\n        use(net, numbers)\n",  # the wrong way round
        "    if args.wide:\n        use(net, numbers)\n",  # another option
        "    args.places = input()\n    if not args.places:\n        use(net, numbers)\n",
        "    args = parser.parse_args([])\n    if not args.places:\n        use(net, numbers)\n",
        "    if args.wide:\n        net = Places()\n    if not args.places:\n        use(net, numbers)\n",
        "    if args.places or args.wide:\n        use(net, numbers)\n",
    ],
)
def test_what_may_be_otherwise_is_still_found(body: str) -> None:
    assert found(PREPARE + body) == ["in forward: index-dtype"]


def test_a_test_that_each_round_decides_anew_chooses_nothing_for_the_next() -> None:
    rounds = """
def main(args):
    net = Numbers()
    for name in args.names:
        flag = name.big
        if flag:
            use(net, numbers)
        if flag:
            net = Places()
        else:
            net = Numbers()
"""
    assert found(rounds) == []


#: The network is chosen by a text; no other text than these is taken.
KINDS = """
def main(args):
    if args.kind == "numbers":
        net = Numbers()
    elif args.kind == "places":
        net = Places()
    else:
        raise ValueError(args.kind)
"""


@pytest.mark.parametrize(
    "body",
    [
        '    if args.kind == "places":\n        use(net, places)\n',
        '    if args.kind == "numbers":\n        use(net, numbers)\n',
        '    for i in range(9):\n        if i % 2 == 0:\n            if args.kind == "places":\n                use(net, places)\n',
        '    for i in range(9):\n        if args.kind == "places":\n            use(net, places)\n',
    ],
)
def test_what_is_one_text_is_no_other(body: str) -> None:
    assert found(KINDS + body) == []


@pytest.mark.parametrize(
    "body",
    [
        '    if args.kind == "places":\n        use(net, numbers)\n',
        '    if args.other == "places":\n        use(net, numbers)\n',
        '    if args.kind != "numbers":\n        use(net, numbers)\n',
        '    if args.kind == "places":\n        pass\n    use(net, numbers)\n',
        '    args.kind = input()\n    if args.kind == "places":\n        use(net, numbers)\n',
    ],
)
def test_what_may_be_either_text_is_still_found(body: str) -> None:
    assert found(KINDS + body) != []


#: The script chooses the network, a function of it is given that, and asks for the option again.
CHOSEN = """
if args.kind == "numbers":
    network = Numbers()
elif args.kind == "places":
    network = Places()
else:
    print("of no kind")
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
network = network.to(device)
x, numbers, places = torch.ones(2, 3).to(device), numbers.to(device), places.to(device)

def run(net{more}):
    for i in range(9):
{body}

run(network{given})
"""


def of_function(body: str, more: str = "", given: str = "") -> list[str]:
    script = CHOSEN.format(body=body, more=more, given=given).replace("use(net, ", "net(x, ")
    return clashes(NETWORKS + script)


@pytest.mark.parametrize(
    "body",
    [
        '        if args.kind == "places":\n            use(net, places)\n',
        '        if args.kind == "numbers":\n            use(net, numbers)\n        else:\n            use(net, places)\n',
        '        if args.kind != "numbers":\n            use(net, places)\n        else:\n            use(net, numbers)\n',
        '        if i > 3 and args.kind == "places":\n            use(net, places)\n',
    ],
)
def test_a_function_asks_what_the_script_asked(body: str) -> None:
    assert of_function(body) == []


@pytest.mark.parametrize(
    ("body", "more", "given"),
    [
        ('        if args.kind == "places":\n            use(net, numbers)\n', "", ""),
        ('        if args.other == "places":\n            use(net, numbers)\n', "", ""),
        ('        if args.kind == "places":\n            use(net, numbers)\n', ", args", ", args"),
        ("        use(net, numbers)\n", "", ""),
    ],
)
def test_a_function_that_asks_for_something_else_is_told_nothing(body: str, more: str, given: str) -> None:
    assert of_function(body, more, given) != []


#: A second network that there is if an option asks for it, which it does not as a rule.
SECOND = """
import argparse
import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--second", default="")
parser.add_argument("--third", default="")
parser.add_argument("--cuda", action="store_true")
args = parser.parse_args()

def build(params):
    first = nn.Embedding(4, 3)
    {before}
    if params.second:
        second = {made}
    else:
        second = None
    if params.cuda:
        first.cuda()
        if {asked}:
            second.cuda()
    return first, second

first, second = build(args)
second(first.weight)
"""


@pytest.mark.parametrize("asked", ["params.second", "not not params.second"])
@pytest.mark.parametrize("made", ["nn.Linear(3, 3)", "nn.Sequential(nn.Linear(3, 3), nn.ReLU())"])
def test_what_a_branch_made_is_what_the_same_branch_makes_of_it(asked: str, made: str) -> None:
    assert not clashes(SECOND.format(before="pass", made=made, asked=asked))


@pytest.mark.parametrize(
    ("before", "made", "asked"),
    [
        ("pass", "nn.Linear(3, 3)", "params.third"),
        ("other = nn.Linear(3, 3)", "other", "params.second"),
    ],
)
def test_what_is_made_apart_from_the_test_may_stay_where_it_is(before: str, made: str, asked: str) -> None:
    assert len(clashes(SECOND.format(before=before, made=made, asked=asked))) == 1


STACKED = """
import torch

def elbo(x, classes):
    {before}
    losses = []
    for row in x:
        loss = torch.tensor([0.0])
        {within}
        if has_classes:
            loss = row.sum(dim=0, keepdim=True)
        losses.append(loss)
    losses = torch.stack(losses)
    prior = torch.tensor([0.0])
    if has_classes:
        prior = x.sum(dim=0)
    return losses + prior{more}

print(elbo(torch.rand(5, 3).cuda(), torch.rand(5, 0).cuda()))
"""


@pytest.mark.parametrize(
    ("before", "within", "more", "found"),
    [
        ("has_classes = classes.shape[1] > 0", "pass", "", []),
        ("pass", "has_classes = row.shape[0] > 1", "", ["13: device", "17: device"]),
        ("has_classes = classes.shape[1] > 0", "pass", " + x", ["17: device"]),
    ],
)
def test_a_test_that_comes_out_the_same_each_round_leaves_all_of_a_list_in_one_place(
    before: str, within: str, more: str, found: list[str]
) -> None:
    assert clashes(STACKED.format(before=before, within=within, more=more)) == found


SHARED = """
import argparse
import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--overlap", action="store_true")
parser.add_argument("--other", action="store_true")
parser.add_argument("--device", default="cuda")
args = parser.parse_args()
device = args.device
feature = torch.zeros(5, 3)
net = nn.Linear(3, 3).to(device)

def forward(x{given}):
    h = net(x)
    if {asked}:
        return h + net(feature)
    return h

if args.overlap:
    feature = feature.to(device)
for _ in range(3):
    print(forward(torch.ones(5, 3).to(device)))
    {more}
"""


@pytest.mark.parametrize(
    ("asked", "given", "more", "found"),
    [
        ("args.overlap", "", "pass", []),
        ("args.overlap and len(x) > 2", "", "pass", []),
        ("not args.overlap", "", "pass", ["18: device"]),
        ("args.other", "", "pass", ["18: device"]),
        ("args.overlap", ", args=args", "pass", []),
        ("args.overlap", ", args=parser.parse_args()", "pass", ["18: device"]),
        ("args.overlap", "", "args.overlap = True", ["18: device"]),
    ],
)
def test_a_function_that_asks_what_the_script_asked_finds_what_that_chose(
    asked: str, given: str, more: str, found: list[str]
) -> None:
    assert clashes(SHARED.format(asked=asked, given=given, more=more)) == found


MOVED = """
import argparse
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--fast", action="store_true")
parser.add_argument("--slow", action="store_true")
args = parser.parse_args()
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = torch.nn.Linear(3, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
if args.fast:
    net.to(device)
if {again}:
    net.{moved}
print(net(torch.ones(2, 3).to(device)))
"""


@pytest.mark.parametrize(
    ("again", "moved", "found"),
    [
        ("not args.fast", "to(device)", 0),
        ("not args.fast", "to(device, dtype=torch.float32)", 0),
        ("not args.fast", "to(torch.float32)", 1),
        ("not args.fast", "train()", 1),
        ("args.slow", "to(device)", 1),
    ],
)
def test_a_module_that_either_of_two_tests_moves_has_moved(again: str, moved: str, found: int) -> None:
    assert len(clashes(MOVED.format(again=again, moved=moved))) == found


GIVEN = """
import functools
import torch
from torch import nn
from torch.nn import functional as F

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(3, 4)
        self.score = functools.partial(F.linear, weight=self.embedding.weight{changed})

    def forward(self, x):
        return self.score(x)

net = Net()
net.{moved}
print(net(torch.ones(2, 4).cuda()))
"""


@pytest.mark.parametrize(
    ("changed", "moved", "found"),
    [
        ("", "cuda()", 0),
        ("", "to('cuda')", 0),
        (" * 2", "cuda()", 1),
        ("", "double()", 1),
        ("", "train()", 1),
    ],
)
def test_a_parameter_that_a_call_is_given_moves_with_its_module(changed: str, moved: str, found: int) -> None:
    assert (
        sum(each.endswith("device") for each in clashes(GIVEN.format(changed=changed, moved=moved))) == found
    )


SWITCH = """
import argparse
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--cuda", TOLD)
args = parser.parse_args()
x = torch.ones(3)
if FIRST:
    x = x.cuda()


def read(x, host):
    return x.numpy() if host else x


read(x, SECOND)
"""
FLAG, COUNT = 'action="store_true"', "type=int, default=0"


@pytest.mark.parametrize(
    ("told", "first", "second", "found"),
    [
        (FLAG, "args.cuda", "not args.cuda", []),
        (FLAG, "args.cuda > 0", "not args.cuda", []),
        (FLAG, "args.cuda == True", "not args.cuda", []),
        (FLAG, "args.cuda != False", "not args.cuda", []),
        (FLAG, "not args.cuda == 0", "not args.cuda", []),
        (FLAG, "args.cuda > 0", "args.cuda", ["14: numpy"]),
        (FLAG, "args.cuda == 0", "not args.cuda", ["14: numpy"]),
        (COUNT, "args.cuda > 1", "not args.other", ["14: numpy"]),
    ],
)
def test_a_switch_that_is_compared_with_a_number_is_asked_for_itself(
    told: str, first: str, second: str, found: list[str]
) -> None:
    text = SWITCH.replace("TOLD", told).replace("FIRST", first).replace("SECOND", second)
    assert clashes(text) == found
