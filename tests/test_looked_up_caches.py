"""What a lookup gives at times and at others not: one run returns what it found there, and what it made anew."""

from __future__ import annotations

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
