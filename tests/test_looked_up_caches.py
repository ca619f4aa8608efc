"""What a lookup gives at times and at others not: one run returns what it found there, and what it made anew."""

from __future__ import annotations

from textwrap import indent

import pytest
from text_program import clashes

STORE = """
from collections import OrderedDict
import torch
from torch import nn
class Cache:
    def __init__(self):
        self.rows = OrderedDict()
    def get(self, key):
        entry = self.rows.get(key)
        if entry is None:
            return None
        born, row = entry
        return row
    def put(self, key, row):
        self.rows[key] = (1, row)
        while len(self.rows) > 10:
            self.rows.popitem(last=False)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
table, cache, plain = torch.randn(5, 4), Cache(), {{}}
def row(view, i):
{body}
net = nn.Linear(4, 1).to(device)
for ids in torch.randint(0, 5, (10, 3)):
    net(torch.stack([row("user", int(i)) for i in ids.tolist()]))
"""
HIT = """\
    cached = cache.get((view, i))
    if cached is not None:
        return {found}
    made = table[i]{moved}
    cache.put((view, i), made)
    return made.to(device)
"""
PLAIN = """\
    cached = plain.get(i)
    if cached is None:
        cached = table[i]{moved}
        plain[i] = cached
        cached = cached.to(device)
    return cached
"""


def kinds(body: str) -> list[str]:
    """What is found in the program whose lookup is this, without the lines."""
    return [clash.split(": ")[1] for clash in clashes(STORE.format(body=body))]


@pytest.mark.parametrize(
    "body",
    [
        HIT.format(found="cached", moved=""),
        HIT.format(found="cached", moved="").replace("cache.get((view, i))", "plain.get(i)").replace(
            "cache.put((view, i), made)", "plain[i] = made"
        ),
    ],
)  # fmt: skip
def test_what_was_kept_before_it_moved_is_found_again(body: str) -> None:
    """The first call moves what it returns, the next finds what lies on the CPU."""
    assert kinds(body) == ["device"]


@pytest.mark.parametrize(
    "body",
    [
        HIT.format(found="cached.to(device)", moved=""),
        HIT.format(found="cached", moved=".to(device)"),
        PLAIN.format(moved=".to(device)"),
        HIT.format(found="cached", moved="").replace("cache.get((view, i))", "plain.get('bias')"),
    ],
)
def test_what_was_kept_where_it_is_used_is_left_alone(body: str) -> None:
    """It was moved before, or when it is found; what nobody put under a written name is not found."""
    assert kinds(body) == []


SESSIONS = """
import torch
from torch import nn
class Store:
    def __init__(self, fresh):
        self.fresh, self.parked = fresh, {{}}
    def checkout(self, keys):
        states = []
        for key in keys:
{body}
            states.append(state)
        return torch.cat(states, dim=1)
    def park(self, keys, carry):
        for key, state in zip(keys, carry.split(1, dim=1)):
            self.parked[key] = {kept}
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.GRU(4, 4).to(device)
store = Store(lambda: torch.zeros(1, 1, 4, device=device))
for _ in range(5):
    names = [str(i) for i in torch.randint(0, 7, (3,)).tolist()]
    out, carry = net(torch.randn(2, 3, 4, device=device), store.checkout(names))
    store.park(names, carry)
"""
WAYS = (
    "state = self.parked.pop(key, None)\nstate = self.fresh() if state is None else state",
    "state = self.parked.get(key)\nstate = state if state is not None else self.fresh()",
    "state = self.parked.get(key, None)\nif state is None:\n    state = self.fresh()",
    "state = self.parked.pop(key) if key in self.parked else self.fresh()",
    "state = self.fresh() if key not in self.parked else self.parked[key]",
    "if key in self.parked:\n    state = self.parked[key]\nelse:\n    state = self.fresh()",
)


def sessions(way: str, kept: str = "state.detach().cpu()") -> list[str]:
    """What is found where states are looked up in a way, and are kept so."""
    body = indent(way, " " * 12)
    return [clash.split(": ")[1] for clash in clashes(SESSIONS.format(body=body, kept=kept))]


@pytest.mark.parametrize("way", WAYS)
def test_a_lookup_that_misses_at_times_finds_what_was_parked_on_the_host(way: str) -> None:
    """What is made for a key that is new is on the accelerator, and goes beside what was found under the others."""
    assert sessions(way) == ["device"]


@pytest.mark.parametrize("way", WAYS)
def test_a_lookup_that_finds_what_lies_beside_what_it_makes_is_left_alone(way: str) -> None:
    """What is parked wakes where it is used, or was parked there."""
    assert sessions(f"{way}\nstate = state.to(device)") == []
    assert sessions(way, kept="state.detach()") == []


POSITIONS = """
import torch
from torch import nn
cache = {{}}
def positions(n, device):
    key = {key}
    held = cache.get(key)
    if held is None:
        held = torch.arange(n, device=device).float()
        cache[key] = held
    return held
def steps(n, device):
    held = cache[{key}] if {key} in cache else torch.arange(n, device=device).float()
    cache[{key}] = held
    return held
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
host = {made}(5, torch.device("cpu")) + torch.zeros(5)
net = nn.Linear(5, 5).to(device)
for n in torch.randint(0, 7, (3,)).tolist():
    net(torch.zeros(n, 5, device=device)) + {made}(5, device)
"""


@pytest.mark.parametrize("made", ["positions", "steps"])
@pytest.mark.parametrize("key", ["(n, device)", "(n, str(device))", "f'{n}/{device}'", "(n, device.index)"])
def test_under_a_key_that_tells_a_device_there_is_nothing_of_another(key: str, made: str) -> None:
    """However the key says it: nobody finds what was made for the host."""
    assert clashes(POSITIONS.format(key=key, made=made)) == []
    assert clashes(POSITIONS.format(key="n", made=made)) != []


MASKS = """
import torch
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
cache = {{}}
def key_of(x):
    return tuple(x.shape), x.device.type
def made(n, where):
    key = {whole}
    m = {way}
    cache[key] = m
    return m
def made_like(x):
    key = {key}
    m = cache.get(key)
    if m is None:
        m = torch.ones_like(x)
        cache[key] = m
    return x * m
def by_get(n, where):
    m = cache.get(({whole}))
    if m is None:
        m = torch.ones(n, device=where)
        cache[{whole}] = m
    return m
here = torch.ones(3, device=device)
{use}
"""
BY_TEST = "cache[key] if key in cache else torch.ones(n, device=where)"


@pytest.mark.parametrize(
    "use", ["made(3, 'cpu') + 1\nmade(3, device) + here", "by_get(3, 'cpu')\nby_get(3, device) + here"]
)
def test_under_a_key_that_holds_a_device_there_is_nothing_of_another(use: str) -> None:
    """Whatever it is called: what was made for the host is not found."""
    assert clashes(MASKS.format(way=BY_TEST, key="x", whole="n, where", use=use)) == []
    assert clashes(MASKS.format(way=BY_TEST, key="x", whole="n, 0", use=use)) != []


def test_under_a_key_that_is_asked_of_a_tensor_there_may_be_nothing_of_another_device() -> None:
    use = "made_like(torch.ones(3))\nmade_like(here)"
    assert clashes(MASKS.format(way=BY_TEST, key="key_of(x)", whole="n", use=use)) == []
    assert clashes(MASKS.format(way=BY_TEST, key="len(x)", whole="n", use=use)) != []
