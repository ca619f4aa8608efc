"""Calls that are passed over, since their function was interpreted often enough: what they change is unknown."""

from __future__ import annotations

import pytest
from text_program import clashes

#: Functions that take so many statements that they are passed over when they are called again.
LONG = """
import torch
from torch import nn

def long(n):
    total = 0
    for i in range(n):
        for j in range(i):
            total += 1
            total -= 2
            total *= 3
    return total

"""
_TIMES = 40


def _calls(each: str) -> str:
    """The same statements once for each object, so that every one is made anew."""
    return "\n".join(each.replace("N", str(number)) for number in range(_TIMES))


def test_a_constructor_may_have_moved_what_it_was_given() -> None:
    program = f"""{LONG}
class Trainer:
    def __init__(self, net, device):
        self.net = net
        {"; ".join(["long(3)"] * 40)}
        self.net.to(device)

device = torch.device("cuda")
{_calls("netN = nn.Linear(3, 3); Trainer(netN, device); netN(torch.ones(3).to(device))")}
"""
    assert not clashes(program)


def test_a_function_may_have_moved_what_it_was_given() -> None:
    program = f"""{LONG}
def prepare(net, device):
    {"; ".join(["long(3)"] * 40)}
    net.to(device)

device = torch.device("cuda")
{_calls("netN = nn.Linear(3, 3); prepare(netN, device); netN(torch.ones(3).to(device))")}
"""
    assert not clashes(program)


@pytest.mark.parametrize(
    "by",
    [
        "place(net, device)",
        "place(device=device, net=part)",
        "Mover(device).place(part)",
        "outer(part, device)",
    ],
)
@pytest.mark.parametrize("moves", [True, False])
def test_a_function_may_have_handed_what_it_was_given_to_one_that_moves_it(by: str, *, moves: bool) -> None:
    placed = "net.to(device)" if moves else "print(net)"
    program = f"""{LONG}
def place(net, device):
    {placed}

def outer(model, device):
    if model is not None:
        place(model, device=device)

class Mover:
    def __init__(self, device):
        self.device = device

    def place(self, net):
        {placed.replace("device", "self.device")}

def prepare(net, device):
    {"; ".join(["long(3)"] * 40)}
    part = net
    {by}

device = torch.device("cuda")
{_calls("netN = nn.Linear(3, 3); prepare(netN, device); netN(torch.ones(3).to(device))")}
"""
    assert bool(clashes(program)) is not moves


def test_a_method_may_have_given_its_object_other_buffers() -> None:
    program = f"""{LONG}
class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.zeros(1))

    def find(self, x):
        {"; ".join(["long(3)"] * 40)}
        self.scale = x.max(1)[0]

    def forward(self, x):
        return x / self.scale

x = torch.ones(2, 2, device="cuda")
{_calls("sN = Scale(); sN.find(x); sN(x)")}
"""
    assert not clashes(program)


@pytest.mark.parametrize(
    "moves",
    [
        "for key, value in rows.items(): rows[key] = value.to(device)",
        "for key in rows: rows[key] = moved(rows[key])",
        "rows['x'] = rows['x'].to(device)",
    ],
)
@pytest.mark.parametrize("given", ["prepare(made(N))", "prepare(rows=made(N))"])
def test_a_function_may_have_set_items_of_what_it_was_given(moves: str, given: str) -> None:
    program = f"""{LONG}
device = torch.device("cuda")

def made(n):
    rows = {{}}
    rows["x"] = torch.ones(n, 3)
    return rows

def moved(value):
    return value.to(device)

def prepare(rows):
    {"; ".join(["long(3)"] * 40)}
    {moves}
    return rows

net = nn.Linear(3, 3).cuda()
{_calls(f"net({given}['x'])")}
"""
    assert not clashes(program)
    assert clashes(program.replace(moves, "print(rows)"))


@pytest.mark.parametrize("moves", ["net.train()", "other.to(device)"])
def test_what_a_function_does_not_move_stays(moves: str) -> None:
    program = f"""{LONG}
other = nn.Linear(3, 3)

def prepare(net, device):
    {"; ".join(["long(3)"] * 40)}
    {moves}

device = torch.device("cuda")
{_calls("netN = nn.Linear(3, 3); prepare(netN, device); netN(torch.ones(3).to(device))")}
"""
    assert len(clashes(program)) == _TIMES


@pytest.mark.parametrize(
    "override",
    [
        "def _apply(self, fn): {long}; return super()._apply(fn)",
        "def to(self, device): {long}; return super().to(device)",
        "def to(self, device): {long}; super(Wide, self).to(device); return self",
    ],
)
def test_an_override_may_have_moved_its_module_as_its_base_does(override: str) -> None:
    method = override.format(long="; ".join(["long(3)"] * 40))
    program = f"""{LONG}
class Wide(nn.Linear):
    {method}

device = torch.device("cuda")
{_calls("netN = Wide(3, 3); netN.to(device); netN(torch.ones(3).to(device))")}
"""
    assert not clashes(program)


@pytest.mark.parametrize("given", ["netN, 0, device", "device=device, net=netN", "netN, device=device"])
@pytest.mark.parametrize("body", ["net.to(device)", "print(net)"])
def test_what_is_given_by_name_is_told_from_the_rest(given: str, body: str) -> None:
    program = f"""{LONG}
def prepare(net, other=None, device=None):
    {"; ".join(["long(3)"] * 40)}
    {body}

device = torch.device("cuda")
{_calls(f"netN = nn.Linear(3, 3); prepare({given}); netN(torch.ones(3).to(device))")}
"""
    assert bool(clashes(program)) is (body == "print(net)")


@pytest.mark.parametrize("by", ["self.goal.to(device)", "self.place(device)"])
@pytest.mark.parametrize("moves", [True, False])
def test_a_method_may_have_moved_what_its_object_holds(by: str, *, moves: bool) -> None:
    program = f"""{LONG}
class Goal:
    def __init__(self):
        self.device = torch.device("cpu")
        self.offset = torch.zeros(3)

    def to(self, device):
        self.device = device
        self.offset = self.offset.to(device)

class Layer:
    def __init__(self, goal):
        self.goal = goal

    def place(self, device):
        self.goal.to(device)

    def prepare(self, device):
        {"; ".join(["long(3)"] * 40)}
        {by if moves else "print(self.goal)"}

device = torch.device("cuda")
x = torch.ones(3).to(device)
{_calls("goalN = Goal(); Layer(goalN).prepare(device); goalN.offset + x; torch.zeros(3, device=goalN.device) + x")}
"""
    assert len(clashes(program)) == (0 if moves else 2 * _TIMES)


def test_methods_that_call_one_another_come_to_an_end() -> None:
    program = f"""{LONG}
class Goal:
    def __init__(self):
        self.offset = torch.zeros(3)
        self.me = self

    def one(self, device):
        {"; ".join(["long(3)"] * 40)}
        if device is None:
            self.me.two(device)

    def two(self, device):
        self.one(device)
        self.offset = self.offset.to(device)

x = torch.ones(3).to(torch.device("cuda"))
{_calls("goalN = Goal(); goalN.one(x.device); goalN.offset + x")}
"""
    assert len(clashes(program)) < _TIMES


@pytest.mark.parametrize(
    "made", ['self.register_buffer("scale", torch.zeros(3))', "self.scale = torch.zeros(3)"]
)
def test_what_a_module_registered_that_nobody_saw_made_is_unknown(made: str) -> None:
    program = f"""{LONG}
class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        {"; ".join(["long(3)"] * 40)}
        {made}

    def forward(self, x):
        return x * self.scale

device = torch.device("cuda")
{_calls("sN = Scale(); sN.scale = torch.ones(3) + N; sN.to(device); sN(torch.ones(3).to(device))")}
"""
    found = len(clashes(program))
    assert found == 0 if "register" in made else 0 < found < _TIMES


def test_what_a_function_gave_of_other_numbers_tells_no_dtype() -> None:
    program = f"""{LONG}
def padded(rows, value):
    {"; ".join(["long(3)"] * 40)}
    return torch.zeros(len(rows), 3, dtype=rows[0].dtype)

def floats(n):
    return padded([torch.ones(3) for _ in range(n + 1)], 0)

def whole(n):
    return padded([torch.ones(3).long() for _ in range(n + 1)], 0)

table = nn.Embedding(3, 3)
{_calls("xN = floats(N)")}
{_calls("yN = whole(N)")}
table(y{_TIMES - 1})
"""
    assert not clashes(program)


def test_what_a_function_gave_of_a_tensor_like_this_one_has_its_dtype() -> None:
    program = f"""{LONG}
def scaled(x, rows):
    {"; ".join(["long(3)"] * 40)}
    return x * 2

table = nn.Embedding(3, 3)
{_calls("yN = scaled(torch.ones(N, 3), [N])")}
table(y{_TIMES - 1})
"""
    assert len(clashes(program)) == 1
