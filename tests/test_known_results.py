"""What a function that is not followed any more gives: what it gave before, and its own argument where it gave that."""

from __future__ import annotations

import pytest
from text_program import clashes

from devfix.analysis.accounts import Account
from devfix.analysis.domain.lattice import ACCELERATOR, CPU, UNKNOWN_DEVICE
from devfix.analysis.domain.values import Const, Ref, Tensor, TupleValue


def test_a_function_that_gave_what_it_was_given_does_so_again() -> None:
    account = Account()
    account.keep((Ref(1), Ref(2), Const(True)), Ref(2))
    assert account.known((Ref(1), Ref(5), Const(True))) == Ref(5)
    assert account.known((Ref(1), Ref(2), Const(True))) == Ref(2)


def test_an_object_of_its_own_is_given_again() -> None:
    account = Account()
    account.keep((Ref(1), Ref(2)), Ref(9))
    assert account.known((Ref(1), Ref(5))) == Ref(9)
    assert account.known((Const("other"), Ref(5))) is None


def test_what_another_object_keeps_says_nothing_of_what_this_one_keeps() -> None:
    account = Account()
    here, there = Tensor(CPU, "float32", 2), Tensor(ACCELERATOR, "float32", 2)
    account.keep((Ref(1),), here)
    account.keep((Ref(1), there), TupleValue((there, here)))
    assert account.known((Ref(1),)) == here
    # Of its dtype a tensor that is given tells as much as of its place.
    assert account.known((Ref(2),)) == Tensor(UNKNOWN_DEVICE, None, 2)
    assert account.known((Ref(2), there)) == TupleValue((there, Tensor(UNKNOWN_DEVICE, "float32", 2)))


def _program(block: str) -> str:
    return f"""
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def forward(self, x):
        {"; ".join(["x = x + 1"] * 60)}
        return self.layer(x)


def steps(narrow):
    net, loss = Net().cuda(), nn.MSELoss()
    x, y = torch.ones(2, 2).cuda(), torch.ones(2, 2).cuda()
    {block}
        first = net(x)
        second = net(x + first)
        third = net(x + second)
    last = net(x)
    return loss(last, y)
"""


@pytest.mark.parametrize("block", ["if narrow:", 'with torch.autocast("cuda", dtype=torch.float16):'])
def test_what_was_given_under_autocast_is_not_given_without(block: str) -> None:
    assert clashes(_program(block)) == []


def test_what_is_given_under_autocast_is_as_narrow_beside_it() -> None:
    block = 'with torch.autocast("cuda", dtype=torch.float16):'
    assert len(clashes(_program(block).replace("loss(last, y)", "loss(third, y)"))) == 1


AGAIN = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        size = 2
        SIZES
        self.layer = nn.Linear(size, 2)

    def settle(self, x):
        return self.layer(x)


def made(name):
    return Net()


def every(names):
    first = made(names[0])
    first.settle(torch.ones(2, 2))
    first.cuda()
    second = made(names[1])
    second.settle(torch.ones(2, 2))
    second.cuda()
    third = made(names[2])
    third.settle(torch.ones(2, 2))
    third.cuda()
    fourth = made(names[3])
    fourth.settle(torch.ones(2, 2))
    fourth.cuda()
    third.settle(torch.ones(2, 2).cuda())
"""


def test_what_is_made_anew_is_not_where_that_which_was_made_before_is_by_now() -> None:
    text = AGAIN.replace("SIZES", "; ".join(["size = size + 0"] * 60))
    assert clashes(text) == []
    wrong = text.replace("first.cuda()", "first.cuda().settle(torch.ones(2, 2))")
    assert len(clashes(wrong)) == 1


CHOSEN = """
import torch


def made(n):
    COUNTS
    return torch.zeros(2, 2)


def steps(n):
    there = torch.ones(2, 2).cuda()
    torch.set_default_device("cuda")
    first = made(1) + there
    second = made(1) + there
    third = made(1) + there
    torch.set_default_device("cpu")
    last = made(1) + torch.ones(2, 2)
    return last + there
"""


@pytest.mark.parametrize("count", [1, 260])
def test_what_was_made_on_one_default_device_is_not_given_on_another(count: int) -> None:
    text = CHOSEN.replace("COUNTS", "; ".join(["n = n + 1"] * count))
    assert clashes(text) == ["18: device"]
    assert clashes(text.replace("return last + there", "return last")) == []


EVALUATED = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def forward(self, x):
        LONG
        return self.layer(x)


net, loss = Net().cuda(), nn.MSELoss()
x, y = torch.ones(2, 2).cuda(), torch.ones(2, 2)
for _ in range(5):
    loss(net(x), y.cuda()).backward()
first = net(x)
second = net(x + first)
third = net(x + second)
with torch.no_grad():
    said = net(x)
print(loss(said, TARGET).item())
print(said.cpu().numpy())
"""


def test_what_a_model_gave_in_training_is_known_where_autograd_does_not_record() -> None:
    text = EVALUATED.replace("LONG", "; ".join(["x = x + 1"] * 900))
    assert clashes(text.replace("TARGET", "y.cuda()")) == []
    assert len(clashes(text.replace("TARGET", "y"))) == 1


def _walk(changes: str, end: str) -> str:
    return f"""
import torch
import torch.nn.functional as F


class Walker:
    def __init__(self, exact=False):
        self.exact, self.place = exact, None

    def go(self, name):
        {"; ".join(["step = name"] * 900)}
        {changes}
        return step

    def look(self, places, table):
        return F.embedding(places, table) if self.exact else places


def walk():
    first, second, third, walker = Walker(), Walker(), Walker(), Walker()
    first.go("one")
    second.go("two")
    third.go("three")
    walker.go("four")
    return walker.look(torch.rand(3), torch.rand(9, 2))
{end}"""


@pytest.mark.parametrize("end", ["", "\n\nwalk()\n"])
def test_a_method_that_is_not_followed_changes_of_its_object_what_it_assigns(end: str) -> None:
    assert clashes(_walk("self.place = name", end)) == []
    assert clashes(_walk("self.exact = True", end)) != []
