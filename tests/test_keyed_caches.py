"""Caches under keys that tell sizes alone: who comes second finds what was made where the first one was."""

import pytest
from text_program import check_texts, clashes, files, fix_texts

HEAD = """
import torch
from torch import nn

CACHE = {}
"""
NET = """
class Net(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.conv = nn.Conv1d(1, 1, 3, padding=1)
        {dry_run}

    def features(self, x):
        x = self.conv(x)
        return x * ramp({key}, x)

    def forward(self, x):
        return self.features(x)

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = Net(16).to(device)
print(net(torch.randn(2, 1, 16, device=device)).sum())
"""
RAMP = """
def ramp(n, like):
    if n not in CACHE:
        CACHE[n] = torch.arange(n, device=like.device).float()
    return CACHE[n]
"""
DRY_RUN = "self.n = self.features(torch.zeros(1, 1, size)).numel()"


def program(ramp: str = RAMP, *, key: str = "x.size(-1)", dry_run: str = DRY_RUN) -> str:
    return HEAD + ramp + NET.format(key=key, dry_run=dry_run)


@pytest.mark.parametrize("key", ["16", "x.size(-1)", "x.shape[2]", "len(x[0, 0])"])
def test_what_a_dry_run_left_on_the_cpu_moves(key: str) -> None:
    texts, _ = fix_texts(files(program(key=key)))
    assert f"return x * ramp({key}, x).to(x.device)" in texts["main.py"]
    assert clashes(texts["main.py"]) == []


def test_a_key_of_several_numbers() -> None:
    ramp = """
def ramp(n, like):
    c, w = like.shape[1:]
    key = (c, w)
    if key not in CACHE:
        made = torch.arange(w, device=like.device).float()
        CACHE[key] = made.expand(c, w)
    return CACHE[key]
"""
    texts, _ = fix_texts(files(program(ramp)))
    assert "    key = (c, w, like.device)\n" in texts["main.py"]
    assert clashes(texts["main.py"]) == []


def test_a_cache_of_an_object() -> None:
    text = """
import torch
from torch import nn

class Mask(nn.Module):
    def __init__(self):
        super().__init__()
        self.kept = {}

    def forward(self, x):
        n = x.size(0)
        if n not in self.kept:
            self.kept[n] = torch.eye(n, device=x.device)
        return self.kept[n] @ x

mask = Mask()
print(mask(torch.ones(3, 3)))
mask.cuda()
print(mask(torch.ones(3, 3).cuda()))
"""
    assert clashes(text) == ["14: device"]


DEVICE_KEYED = """
def ramp(n, like):
    key = (n, {device})
    if key not in CACHE:
        CACHE[key] = torch.arange(n, device=like.device).float()
    return CACHE[key]
"""


@pytest.mark.parametrize(
    "text",
    [
        program(DEVICE_KEYED.format(device="like.device")),
        program(DEVICE_KEYED.format(device="str(like.device)")),
        program(DEVICE_KEYED.format(device="like.device.type")),
        program(DEVICE_KEYED.format(device="like.is_cuda")),
        program(DEVICE_KEYED.format(device="like.get_device()")),
        program(DEVICE_KEYED.format(device="like.device.index")),
        program(RAMP.replace("return CACHE[n]", "return CACHE[n].to(like.device)")),
        program(dry_run="self.n = size"),
        program(dry_run="self.n = self.conv(torch.zeros(1, 1, size)).numel()"),
        program(dry_run=f"{DRY_RUN}\n        CACHE.clear()"),
    ],
)
def test_a_cache_that_serves_each_device(text: str) -> None:
    assert clashes(text) == []
    assert fix_texts(files(text))[0]["main.py"] == text


LOSS = """
def loss(anchors, x):
    close = (x - anchors).abs()
    mask = x > 0
    return {used} + (close * anchors).sum()

class Grid(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.cache = {{}}

    def forward(self, x):
        x = self.layer(x)
        if x.shape not in self.cache:
            self.cache[x.shape] = torch.ones(x.shape, device=x.device) * 2
        return x, self.cache[x.shape]

def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    grid = Grid()
    {before}
    grid.to(device)
    for _ in range(3):
        y, found = grid(torch.ones(4).to(device))
        print(loss(found, y))

main()
"""
DRY = "x, found = grid(torch.ones(4))\n    print(len(found))"


@pytest.mark.parametrize("used", ["anchors[mask].sum()", "anchors[mask, ...].sum()", "anchors.sum()"])
def test_what_a_cache_held_moves_once_where_it_gets_a_name(used: str) -> None:
    texts = files(HEAD + LOSS.format(used=used, before=DRY))
    after = fix_texts(texts)[0]["main.py"].splitlines()
    added = [line.strip() for line in after if line not in texts["main.py"].splitlines()]
    assert added == ["found = found.to(device)"]


def test_what_may_lie_on_the_cpu_is_not_indexed_by_the_accelerator() -> None:
    alone = "def main():\n    x = torch.ones(4).cuda()\n    grid = Grid()\n    grid(torch.ones(4))\n    grid.cuda()\n"
    text = HEAD + LOSS.format(used="0", before=DRY).partition("def main():")[0] + alone
    assert len(clashes(text + "    print(grid(x)[1][x > 0])\n\nmain()\n")) == 1
    assert clashes(text + "    print(x[grid(x)[1] > 0])\n\nmain()\n") == []


def test_without_a_dry_run_the_same_program_is_right() -> None:
    assert clashes(HEAD + LOSS.format(used="anchors[mask].sum()", before="")) == []


TABLES = """
import torch
from torch import nn

TABLES = {{}}

def rotary(length, dim, device):
    key = {key}
    if key not in TABLES:
        angles = torch.outer(torch.arange(length, device=device).float(), torch.ones(dim, device=device))
        TABLES[key] = (angles.cos(), angles.sin())
    return TABLES[key]

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        cos, sin = rotary(x.shape[0], x.shape[1], x.device)
        return self.layer(x) * cos + x * sin

net = Net()
{dry_run}
net.cuda()
print(net(torch.ones(3, 4).cuda()))
"""
DRY_NET = "net(torch.zeros(3, 4))"


def test_a_cache_of_pairs() -> None:
    text = TABLES.format(key="(length, dim)", dry_run=DRY_NET)
    assert clashes(text) == ["21: device", "21: device"]
    after = fix_texts(files(text))[0]["main.py"]
    assert clashes(after) == []


@pytest.mark.parametrize(
    ("key", "dry_run"),
    [("(length, dim)", ""), ("(length, dim, device)", DRY_NET), ("(length, str(device))", DRY_NET)],
)
def test_a_cache_of_pairs_that_serves_each_device(key: str, dry_run: str) -> None:
    text = TABLES.format(key=key, dry_run=dry_run)
    assert clashes(text) == []
    assert fix_texts(files(text))[0]["main.py"] == text


DESCRIPTOR = """
import torch
from torch import nn

class memo_table:
    def __init__(self, function):
        self.function = function

    def __set_name__(self, owner, name):
        self.slot = f"_memo_{{name}}"

    def __get__(self, held, owner=None):
        store = held.__dict__.setdefault(self.slot, {{}})

        def lookup(n):
            {key}
            if key not in store:
                store[key] = self.function(held, n)
            return store[key]

        return lookup

class Turned(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("rates", torch.ones(2), persistent=False)

    @memo_table
    def angles(self, n):
        turns = torch.outer(torch.arange(n, device=self.rates.device).float(), self.rates)
        return turns.cos(), turns.sin()

    @staticmethod
    def half(x):
        return -x

    def forward(self, q):
        cos, sin = self.angles(q.size(-2))
        return q * cos + self.half(q) * sin

def build(device):
    net = Turned()
    {first}
    return net.to(device)
"""
BUILT = """
import torch
from turned import build

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(build(device)(torch.ones(4, 2, device=device)).sum())
"""
PROBED = "print(net(torch.zeros(4, 2)).shape)"


def test_what_a_descriptor_keeps_from_a_dry_run_moves_to_what_it_meets() -> None:
    text = DESCRIPTOR.format(key="key = n", first=PROBED)
    texts, _ = fix_texts({"main.py": BUILT, "turned.py": text})
    changed = [line.strip() for line in texts["turned.py"].splitlines() if line not in text.splitlines()]
    assert (changed, texts["main.py"]) == (["cos, sin = cos.to(q.device), sin.to(q.device)"], BUILT)


@pytest.mark.parametrize(
    ("key", "first"), [("key = (n, held.rates.device)", PROBED), ("key = n", "print(net)")]
)
def test_a_descriptor_that_keeps_what_is_right(key: str, first: str) -> None:
    texts = {"main.py": BUILT, "turned.py": DESCRIPTOR.format(key=key, first=first)}
    assert fix_texts(texts)[0] == texts
    assert not check_texts(texts)
