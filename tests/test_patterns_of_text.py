"""Layers that are chosen by patterns of their names: which ones is known where names and pattern are."""

from __future__ import annotations

import pytest
from reality import lies
from text_program import Ending, fix_texts

from devfix.analysis.domain.values import Const
from devfix.findings import Applicability

ASKED = """
import fnmatch
import re

found = re.search(r"query|out", "blocks.0.query") is not None
missed = re.search(r"query|out", "blocks.0.value") is None
whole = re.fullmatch(r"layers\\.\\d+\\.attn", "layers.3.attn") is not None
begun = re.match("attn", "layers.3.attn") is None
chosen = [name for name in ("a.key", "a.value", "b.key") if re.search(r"\\.key$", name)]
count = len(chosen)
starred = fnmatch.fnmatch("blocks.0.mlp.up", "blocks.*.mlp.*")
other = fnmatch.fnmatchcase("head", "blocks.*")
"""


def test_what_is_found_is_what_python_finds() -> None:
    assert lies(ASKED) == []


SHOWN = """
import torch

x = torch.ones(2)
name, number, share = "net", 3, 0.5
padded, quoted, plain = f"{number:03d}", f"{name!r}", f"{name!s}{number}"
wide, short, both = f"{name:>6}", f"{share:.2f}", f"{name!r:^9}"
chosen, kept, kind = f"{number:0{number}d}", f"{name!a}.pt", f"{x.dtype!s:>20}"
held, refused = f"{x.dtype}" == "torch.float32", f"{x.dtype!s:>20}" == "torch.float32"
"""


def test_what_a_text_shows_is_what_python_shows() -> None:
    assert lies(SHOWN) == []
    ending = Ending(SHOWN)
    assert [ending[name] for name in ("padded", "wide", "both")] == [
        Const("003"),
        Const("   net"),
        Const("  'net'  "),
    ]
    assert ending["held"] == Const(True)
    assert ending["refused"] != Const(True)


ADAPTED = """
import fnmatch
import re

import torch
from torch import nn


class Adapter(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner
        self.down = nn.Linear(inner.in_features, 2)
        self.up = nn.Linear(2, inner.out_features)

    def forward(self, x):
        return self.inner(x) + self.up(self.down(x))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.query, self.out = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x):
        return self.out(self.query(x))


def adapt(net, pattern):
    names = [name for name, part in net.named_modules() if isinstance(part, nn.Linear) and {test}]
    for name in names:
        above, _, leaf = name.rpartition(".")
        parent = net.get_submodule(above)
        setattr(parent, leaf, Adapter(getattr(parent, leaf)))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Sequential(Block(), Block()).to(device)
adapt(net, {pattern})
net(torch.ones(2, 4, device=device))
"""


@pytest.mark.parametrize(
    ("test", "pattern"),
    [
        ("re.search(pattern, name)", '"query|out"'),
        ("re.match(pattern, name)", r'r"\d+\.query"'),
        ("fnmatch.fnmatch(name, pattern)", '"*.query"'),
        ("any(re.fullmatch(each, name) for each in pattern)", r'[r"1\.out", "head"]'),
    ],
)
def test_what_is_put_in_by_a_pattern_of_names_is_moved(test: str, pattern: str) -> None:
    text = ADAPTED.format(test=test, pattern=pattern)
    after = fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"]
    assert "Adapter(getattr(parent, leaf)).to(" in after


@pytest.mark.parametrize(
    ("test", "pattern"),
    [
        ("re.search(pattern, name)", '"head"'),
        ("re.search(pattern, name)", "input()"),
        ("re.search(pattern, name, re.IGNORECASE)", '"HEAD"'),
        ("re.search(pattern, name)", '"((a|q)+)+$" + "b" * 40'),
        ("re.search(pattern, name)", '"(query"'),
        ("fnmatch.fnmatch(name, pattern)", '"head.*"'),
    ],
)
def test_where_none_is_put_in_or_nobody_knows_all_stays(test: str, pattern: str) -> None:
    text = ADAPTED.format(test=test, pattern=pattern)
    assert fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"] == text
