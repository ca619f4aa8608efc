"""A tensor that is made on the CPU on each of several paths: to move one of them is not enough."""

from __future__ import annotations

from textwrap import dedent

import pytest
from text_program import check_texts, clashes, files, fix_texts

from devfix.findings import Applicability

_IMPORTS = """
import sys

import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
kind = sys.argv[1]
"""


def _fixed(text: str) -> str:
    texts = files(_IMPORTS + dedent(text))
    once, _ = fix_texts(texts, Applicability.UNSAFE)
    assert not check_texts(once)
    assert fix_texts(once, Applicability.UNSAFE)[0] == once
    return once["main.py"].removeprefix(_IMPORTS)


_FACTORIES = """
x = torch.rand(3).to(device)
if kind == "ones":
    shift = torch.ones(3)
elif kind == "range":
    shift = torch.arange(3)
else:
    shift = torch.randn(3)
print(x + shift)
"""


def test_each_branch_makes_its_tensor_on_the_device() -> None:
    assert _fixed(_FACTORIES) == (
        _FACTORIES.replace("ones(3)", "ones(3, device=device)")
        .replace("arange(3)", "arange(3, device=device)")
        .replace("randn(3)", "randn(3).to(device)")
    )


def test_one_finding_tells_of_all_branches() -> None:
    found = check_texts(files(_IMPORTS + _FACTORIES))
    assert [len(finding.fix.edits) if finding.fix else 0 for finding in found] == [3]
    told = {note.span.line for note in found[0].notes}
    lines = (_IMPORTS + _FACTORIES).splitlines()
    assert {number for number, line in enumerate(lines, 1) if "shift = " in line} <= told


_COMPUTED = """
x = torch.rand(3).to(device)
if kind == "ones":
    shift = torch.ones(3)
else:
    shift = torch.zeros(3)
shift = shift * 2 + 1
print(x + shift)
"""


def test_what_is_computed_of_either_moves_with_both() -> None:
    after = _fixed(_COMPUTED)
    assert after == _COMPUTED.replace("ones(3)", "ones(3, device=device)").replace(
        "zeros(3)", "zeros(3, device=device)"
    )


_ATTRIBUTES = """
class Scaled(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.inner = nn.Linear(3, 3)
        if kind == "ones":
            self.scale = torch.ones(3)
        else:
            self.scale = torch.full((3,), 2.0)

    def forward(self, x):
        return self.inner(x) * self.scale


net = Scaled(kind).to(device)
print(net(torch.rand(2, 3).to(device)))
"""


def test_a_buffer_is_registered_in_each_branch() -> None:
    assert _fixed(_ATTRIBUTES) == _ATTRIBUTES.replace(
        "self.scale = torch.ones(3)", 'self.register_buffer("scale", torch.ones(3), persistent=False)'
    ).replace(
        "self.scale = torch.full((3,), 2.0)",
        'self.register_buffer("scale", torch.full((3,), 2.0), persistent=False)',
    )


_HELPER = """
def draw(weights):
    weights = weights.cpu()
    return torch.multinomial(weights, 1)


def step(ids, p, q, keep):
    if keep < 3:
        rest = (p - q).clamp_min(0)
        new = draw(rest / rest.sum())
    else:
        new = draw(p)
    return torch.cat((ids, new))


ids = torch.zeros(2, dtype=torch.long, device=device)
print(step(ids, torch.rand(8).to(device), torch.rand(8).to(device), int(kind)))
"""


def test_a_result_moves_in_each_branch_that_asks_for_it() -> None:
    assert _fixed(_HELPER) == _HELPER.replace("rest.sum())", "rest.sum()).to(ids.device)").replace(
        "draw(p)", "draw(p).to(ids.device)"
    )


_DOUBLES = """
net = nn.Linear(3, 2)
if kind == "ones":
    x = torch.from_numpy(np.ones(3))
else:
    x = torch.from_numpy(np.random.rand(3))
print(net(x))
"""


def test_doubles_are_cast_in_each_branch() -> None:
    assert _fixed(_DOUBLES) == _DOUBLES.replace("np.ones(3))", "np.ones(3)).float()").replace(
        "rand(3))", "rand(3)).float()"
    )


@pytest.mark.parametrize(
    "text",
    [
        # The branches move what they make, each in its own way.
        _FACTORIES.replace("x + shift", "x + shift.to(device)"),
        _COMPUTED.replace("* 2 + 1", ".to(device) * 2 + 1"),
        # What was on the CPU on two paths was brought there from one place afterwards.
        """
        x = torch.rand(3).to(device)
        if kind == "ones":
            shift = torch.ones(3)
        else:
            shift = torch.zeros(3)
        shift = shift.to(device).cpu()
        print(x.cpu() + shift)
        """,
        # It never meets the accelerator.
        """
        x = torch.rand(3).to(device)
        if kind == "ones":
            shift = torch.ones(3)
        else:
            shift = torch.zeros(3)
        print(x.sum().item() + shift.sum().item())
        """,
    ],
)
def test_what_does_not_meet_the_accelerator_on_any_path_is_left_alone(text: str) -> None:
    texts = files(_IMPORTS + dedent(text))
    assert not clashes(texts["main.py"])
    assert fix_texts(texts, Applicability.UNSAFE)[0] == texts


def test_a_move_behind_the_branches_ends_what_they_made() -> None:
    text = """
    x = torch.rand(3).to(device)
    if kind == "ones":
        shift = torch.ones(3)
    else:
        shift = torch.zeros(3)
    shift = shift.to(device)
    host = shift.cpu()
    print(x + host)
    """
    assert _fixed(text) == dedent(text).replace("print(x ", "print(x.to(host.device) ")


_MOMENTS = """
net = nn.Linear(4, 2).to(device)
means, peaks, totals = {}, {}, {}


def follow(step):
    for name, part in step.items():
        means[name] = 0.9 * means.get(name, torch.zeros(part.shape)) + 0.1 * part
        peak = peaks.get(name, torch.full(part.shape, 0.1)).sqrt()
        peaks[name] = torch.maximum(peak.mul(0.9), part)


for _ in range(3):
    moves = [{name: 2 * value for name, value in net.state_dict().items()} for _ in range(4)]
    follow({name: torch.stack([each[name] for each in moves]).sum(0) for name in moves[0]})
"""


def test_what_stands_in_for_an_entry_has_its_dimensions_still_once_it_is_reckoned_with() -> None:
    assert _fixed(_MOMENTS) == _MOMENTS.replace("part.shape)", "part.shape, device=part.device)").replace(
        "part.shape, 0.1)", "part.shape, 0.1, device=part.device)"
    )


@pytest.mark.parametrize(
    "default",
    [
        "torch.tensor(0.0)",
        "torch.zeros(())",
        "torch.zeros(part.shape).sum()",
        "torch.zeros_like(part)",
        "torch.zeros(part.shape).to(part)",
        "0.0",
    ],
)
def test_what_stands_in_for_an_entry_may_be_a_number_or_lie_where_the_entries_do(default: str) -> None:
    texts = files(
        _IMPORTS
        + _MOMENTS.replace("torch.zeros(part.shape)", default).replace("torch.full(part.shape, 0.1)", "part")
    )
    assert fix_texts(texts, Applicability.UNSAFE)[0] == texts
