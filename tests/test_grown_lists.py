"""Lists that loops of nobody knows how many rounds have filled: how long they are is not claimed, what they hold is."""

from __future__ import annotations

import pytest
from reality import lies
from text_program import Ending, clashes

from devfix.analysis.domain.values import Const, Scalar, Tensor, TupleValue
from devfix.simulator import simulated_accelerator

GROWN = """\
import collections
import itertools
import os

import numpy as np
import torch
from torch import nn

rounds = int(os.environ.get("ROUNDS", "7"))
out = []
for number in range(rounds):
    out.append(2)
"""

#: What is made of a list that has grown, and would tell how long it is.
MADE = {
    "tuple": "made = tuple(out)",
    "list": "made = tuple(list(out))",
    "copy": "made = tuple(out.copy())",
    "sorted": "made = tuple(sorted(out))",
    "reversed": "made = tuple(reversed(out))",
    "starred in a tuple": "made = (*out, 1)",
    "starred in a list": "made = len(tuple([1, *out]))",
    "starred in a set": "made = len({*out, 'a'})",
    "starred argument": "def given(*args):\n    return args, len(args)\nmade = given(*out)",
    "starred name": "first, *rest = out\nmade = len(tuple(rest))",
    "slice": "made = len(tuple(out[1:]))",
    "sum of lists": "made = tuple(out + [1])",
    "sum of lists behind": "made = tuple([1] + out)",
    "repeated": "made = tuple(out * 2)",
    "extended": "made = [1]\nmade.extend(out)\nmade = tuple(made)",
    "added in place": "made = []\nmade += out\nmade = tuple(made)",
    "comprehension": "made = tuple([entry for entry in out])",
    "nested comprehension": "made = tuple([entry for entry in out for _ in range(2)])",
    "dict": "made = len(dict(enumerate(out)))",
    "dict comprehension": "made = len({number: entry for number, entry in enumerate(out)})",
    "zip": "made = len(tuple(zip(out, out)))",
    "map": "made = tuple(map(str, out))",
    "chain": "made = len(tuple(itertools.chain(out, out)))",
    "product": "made = len(tuple(itertools.product(out, [1])))",
    "quantifier": "made = 3 in out",
    "index": "out.append('a')\nmade = out.index('a')",
    "sizes": "made = torch.zeros(out)",
    "starred sizes": "made = torch.zeros(*out)",
    "new sizes": "made = torch.zeros(1).new_zeros(*out)",
    "view": "made = torch.zeros(128).view(out)",
    "starred view": "made = torch.zeros(128).reshape(*out)",
    "array": "made = np.zeros(out)",
    "dimensions": "made = torch.zeros([1] * 9).sum([i for i, _ in enumerate(out)])",
    "module list": "made = len(nn.ModuleList([nn.Linear(2, 2) for _ in out]))",
    "sequential": "made = len(nn.Sequential(*[nn.Linear(2, 2) for _ in out]))",
    "grown module list": "made = nn.ModuleList()\nfor _ in range(rounds):\n    made.append(nn.ReLU())\nmade = len(made)",
    "while": "made = []\nwhile len(made) < rounds:\n    made.append(1)\nmade = tuple(made)",
    "nested": "made = []\nfor _ in range(rounds):\n    row = []\n    for _ in range(rounds):\n        row.append(1)\n"
    "    made.append(row)\nmade = tuple(made[0])",
    "begun in the loop": "held = {}\nfor _ in range(rounds):\n    if 'a' not in held:\n        held['a'] = []\n"
    "    held['a'].append(1)\nmade = tuple(held['a'])\ndel held",
    "default": "held = collections.defaultdict(list)\nfor _ in range(rounds):\n    held['a'].append(1)\n"
    "made = tuple(held['a'])\ndel held",
    "attribute": "class Kept:\n    def __init__(self):\n        self.kept = []\n    def add(self, entry):\n"
    "        self.kept.append(entry)\nowner = Kept()\nfor _ in range(rounds):\n    owner.add(1)\n"
    "made = tuple(owner.kept)\ndel owner",
}

#: Loops that bind a longer list or tuple to a name instead of adding to the one there is.
BOUND_ANEW = {
    "sum": "kept = []\nfor _ in range(rounds):\n    kept = kept + [1]\nmade = tuple(kept), len(kept)",
    "sum behind": "kept = ['a']\nfor _ in range(rounds):\n    kept = [1] + kept\nmade = tuple(kept)",
    "sum with the first": "kept = ['a']\nfor _ in range(rounds):\n    kept = kept + [1]\nmade = kept[0], kept[-1], len(kept)",
    "starred": "kept = ['a']\nfor _ in range(rounds):\n    kept = [*kept, 1]\nmade = tuple(kept)",
    "tuple": "kept = ()\nfor _ in range(rounds):\n    kept += (1,)\nmade = kept, len(kept)",
    "tuple behind": "kept = ('a',)\nfor _ in range(rounds):\n    kept = (1,) + kept\nmade = kept, kept[0], kept[-1]",
    "starred tuple": "kept = ()\nfor _ in range(rounds):\n    kept = (*kept, 1)\nmade = len(kept + (2,))",
    "sum of tuples": "kept = ()\nfor _ in range(rounds):\n    kept += (1,)\nmade = kept + (2,), (2,) + kept",
    "sizes": "kept = ()\nfor _ in range(rounds):\n    kept += (1,)\nmade = torch.zeros(kept)",
    "while": "kept = ()\nwhile len(kept) < rounds:\n    kept = kept + (1,)\nmade = kept",
    "attribute": "class Kept:\n    kept = ()\n    def add(self, entry):\n        self.kept = self.kept + (entry,)\nowner = Kept()\n"
    "for _ in range(rounds):\n    owner.add(1)\nmade = owner.kept\ndel owner",
    "entry": "held = {'a': []}\nfor _ in range(rounds):\n    held['a'] = held['a'] + [1]\nmade = tuple(held['a'])\ndel held",
    "test in the loop": "kept, made = (), []\nfor _ in range(rounds):\n    kept += (1,)\n    if len(kept) > 3:\n        made.append(1)",
}


@pytest.mark.parametrize("name", BOUND_ANEW)
def test_how_long_what_is_bound_anew_in_each_round_is_is_not_claimed(name: str) -> None:
    assert lies(f"{GROWN}{BOUND_ANEW[name]}\n") == []


@pytest.mark.parametrize("made", MADE)
def test_how_long_a_grown_list_is_is_not_claimed_by_what_is_made_of_it(made: str) -> None:
    assert lies(f"{GROWN}{MADE[made]}\n") == []


PLACES = """
out = ["first"]
for number in range(rounds):
    out.append(2.0)
out.append("last")
first, second, third, last, before, far = out[0], out[1], out[2], out[-1], out[-2], out[6]
rest, end = out[1:], out[-2:]
of_rest, of_end = rest[1], end[0]
joined = ["zeroth", *out, 1]
zeroth, fifth, beyond = joined[0], joined[5], joined[9]
behind = [1, 2] + out
one, two, three, eight = behind[1], behind[2], behind[3], behind[8]
taken = out.pop()
remains = out[-1]
"""


def test_what_stands_where_in_a_grown_list_is_so() -> None:
    assert lies(GROWN + PLACES) == []
    end = Ending(GROWN + PLACES)
    assert [end[name] for name in ("first", "second", "last", "before", "zeroth")] == [
        Const("first"), Const(2.0), Const("last"), Const(2.0), Const("zeroth"),
    ]  # fmt: skip
    assert [end[name] for name in ("one", "two", "taken", "remains")] == [
        Const(2), Const("first"), Const("last"), Const(2.0),
    ]  # fmt: skip


def test_what_a_grown_list_holds_is_known() -> None:
    end = Ending(
        GROWN + "parts = [torch.zeros(2, 3, dtype=torch.float64) for _ in out]\n"
        "stacked, joined = torch.stack(tuple(parts)), torch.cat(parts)\n"
        "data, nested = torch.tensor(out), torch.tensor([[entry, 1] for entry in out])\n"
        "layers = [nn.Linear(3, 4)]\nfor _ in range(rounds):\n    layers.append(nn.ReLU())\nlayers.append(nn.Linear(4, 2).double())\n"
        "net = nn.Sequential(*layers)\nlast = net[-1].weight\nfirst = nn.ModuleList(layers)[0].weight\n"
    )
    tensors = {name: end[name] for name in ("stacked", "joined", "data", "nested", "last", "first")}
    found = {name: (each.dtype, each.rank) for name, each in tensors.items() if isinstance(each, Tensor)}
    assert found.pop("last")[0] == "float64"
    assert found.pop("first")[0] == "float32"
    assert found == {
        "stacked": ("float64", 3),
        "joined": ("float64", 2),
        "data": ("int64", 1),
        "nested": ("int64", 2),
    }


def test_what_is_filled_in_a_known_number_of_rounds_is_as_long() -> None:
    end = Ending(
        "out = []\nfor number in range(3):\n    out.append(number)\nmade = tuple(out)\ngiven = (*out, 3)\n"
        "grown = [0]\nfor number in range(len(open('a').read())):\n    grown.append(1)\ngrown.clear()\ngrown.append(2)\n"
        "cleared = tuple(grown)\n"
    )
    numbers = tuple(map(Const, range(4)))
    assert [end["made"], end["given"]] == [TupleValue(numbers[:3]), TupleValue(numbers)]
    assert end["cleared"] == TupleValue((Const(2),))


def test_a_list_made_anew_in_each_round_is_as_long_as_it_is() -> None:
    end = Ending(
        "import os\npair = []\nfor number in range(int(os.environ.get('N', 3))):\n    pair = [number, 'a']\n"
        "made, length = tuple(pair), len(tuple(pair))\n"
    )
    assert end["made"] == TupleValue((Scalar("int"), Const("a")))
    assert end["length"] == Const(2)


def test_a_list_that_each_round_makes_and_fills_is_as_long_as_it_is() -> None:
    end = Ending(
        "import os\nfor number in range(int(os.environ.get('N', 3))):\n    pair = []\n    pair.append('a')\n    pair.append('b')\n"
        "    held = {'pair': []}\n    held['pair'] += pair\nmade, other = tuple(pair), tuple(held['pair'])\n"
    )
    assert end["made"] == end["other"] == TupleValue((Const("a"), Const("b")))


DECIDED = """\
import os
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

def scaled(x, sizes):
    if {test}:
        return x * torch.ones({shape})
    return x

sizes = []
for number in range(int(os.environ.get("ROUNDS", "7"))):
    sizes.append(2)
y = scaled(torch.zeros(2, device=device), sizes)
"""


@pytest.mark.parametrize(
    "test", ["len(tuple(sizes)) > 4", "len(dict(enumerate(sizes))) == 7", "7 == len((*sizes,))"]
)
def test_what_only_longer_lists_lead_to_is_found(test: str) -> None:
    text = DECIDED.format(test=test, shape="2")
    with simulated_accelerator(), pytest.raises(RuntimeError, match="device"):
        exec(text, {})
    assert [clash.partition(": ")[2] for clash in clashes(text)] == ["device"]


RIGHT = {
    "moved": DECIDED.format(test="len(tuple(sizes)) > 4", shape="2, device=x.device"),
    "number": DECIDED.format(test="True", shape="2").replace("torch.ones(2)", "torch.zeros(sizes).sum(list(range(len(sizes))))"),
    "stacked": "import torch\nout = []\nfor n in torch.arange(5):\n    out.append(torch.zeros(2, device='cuda'))\n"
    "y = torch.stack(tuple(out)) + torch.cat(out).view(-1, 2)\n",
    "in turn": "import torch\nout = [torch.zeros(2)]\nfor n in torch.arange(5):\n    out.append(torch.zeros(2, device='cuda'))\n"
    "y = torch.stack(out[1:]) + out[-1] + out[2]\n",
}  # fmt: skip


@pytest.mark.parametrize("name", RIGHT)
def test_right_programs_with_grown_lists_stay_right(name: str) -> None:
    with simulated_accelerator():
        exec(RIGHT[name], {})
    assert clashes(RIGHT[name]) == []


def test_a_list_with_one_on_the_host_is_found() -> None:
    text = RIGHT["in turn"].replace("out[1:]", "out")
    with simulated_accelerator(), pytest.raises(RuntimeError, match="device"):
        exec(text, {})
    assert [clash.partition(": ")[2] for clash in clashes(text)] == ["device"]


@pytest.mark.parametrize(
    "use",
    ["kept[0] + here", "first, *_ = kept\nfirst + here", "first, *rest = kept\n[r + there for r in rest]"],
)
@pytest.mark.parametrize(
    "longer",
    ["kept = kept + (there,)", "kept = (*kept, there)", "kept = kept + (there,) if len(kept) == 1 else kept"],
)
def test_a_tuple_that_began_elsewhere_has_what_it_began_with(longer: str, use: str) -> None:
    made = "import torch\nhere, there = torch.ones(3), torch.ones(3).cuda()\n"
    rounds = f"kept = (here,)\nfor _ in range(int(input())):\n    {longer}\n"
    assert clashes(f"{made}{rounds}{use}\n") == []
    alike = rounds.replace("(here,)", "(there,)")
    assert len(clashes(f"{made}{alike}kept[0] + here\n")) == 1
