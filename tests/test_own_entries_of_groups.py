"""What a program keeps in the parameter groups of an optimizer is where it was put; the parameters are where their module is."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

from devfix.findings import Applicability

OWN = """
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Proximal(torch.optim.Optimizer):
    def __init__(self, params, lr=0.1, mu=0.1):
        super().__init__(params, {defaults})
        for group in self.param_groups:
            {keep}

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p, anchor in zip(group["params"], {anchors}):
                p.sub_(p.grad + group["mu"] * (p - anchor))


net = nn.Linear(4, 2){first}
optimizer = Proximal(net.parameters())
{then}
net(torch.ones(3, 4, device=device)).sum().backward()
optimizer.step()
"""
PLAIN = "dict(lr=lr, mu=mu)"
HELD = 'group["anchors"]'


def _own(keep: str, *, anchors: str = HELD, defaults: str = PLAIN, early: bool = True) -> str:
    moved = (".to(device)", "") if early else ("", "net.to(device)")
    return OWN.format(keep=keep, anchors=anchors, defaults=defaults, first=moved[0], then=moved[1])


@pytest.mark.parametrize(
    "keep",
    [
        'group["anchors"] = [torch.zeros(p.shape) for p in group["params"]]',
        'group["anchors"] = [p.detach().cpu() for p in group["params"]]',
        'group.update(anchors=[torch.zeros(p.shape) for p in group["params"]])',
        'group.setdefault("anchors", [torch.zeros(p.shape) for p in group["params"]])',
    ],
)
def test_what_a_group_keeps_stays_where_it_was_made(keep: str) -> None:
    assert len(clashes(_own(keep))) == 1
    assert not clashes(_own(keep, anchors=f"[each.to(device) for each in {HELD}]"))


@pytest.mark.parametrize(
    "keep",
    [
        'group["anchors"] = [torch.zeros_like(p) for p in group["params"]]',
        'group["anchors"] = [p.detach().clone() for p in group["params"]]',
        'group["anchors"] = [torch.zeros(p.shape, device=p.device) for p in group["params"]]',
        'group["anchors"] = [torch.tensor(0.0) for p in group["params"]]',
    ],
)
def test_what_is_made_beside_the_parameters_is_left_alone(keep: str) -> None:
    assert not clashes(_own(keep))


def test_what_was_copied_before_the_model_moved_did_not_move() -> None:
    keep = 'group["anchors"] = [p.detach().clone() for p in group["params"]]'
    assert clashes(_own(keep, early=False))
    assert not clashes(_own("pass", anchors='[torch.zeros_like(p) for p in group["params"]]', early=False))


def test_the_defaults_are_those_of_each_group() -> None:
    defaults = "dict(lr=lr, mu=mu, pull=torch.ones(4))"
    anchors = '[group["pull"] for p in group["params"]]'
    assert clashes(_own("pass", anchors=anchors, defaults=defaults))
    right = defaults.replace("ones(4)", "ones(4, device=device)")
    assert not clashes(_own("pass", anchors=anchors, defaults=right))


GIVEN = """
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(4, 2).to(device)
scale = torch.tensor([1.0, 2.0])
optimizer = torch.optim.SGD(
    [
        {"params": [net.weight], "scale": scale[:, None], "name": "weight"},
        {"params": [net.bias], "scale": scale, "lr": 0.1},
    ],
    lr=0.2,
)
net(torch.ones(3, 4, device=device)).sum().backward()
for group in optimizer.param_groups:
    group["lr"] *= 0.5
    for p in group["params"]:
        p.grad.mul_(group["scale"])
optimizer.step()
"""


def test_what_groups_are_given_is_where_it_was() -> None:
    assert clashes(GIVEN)
    after, _ = fix_texts({"main.py": GIVEN}, Applicability.SAFE)
    assert after["main.py"] != GIVEN
    assert not clashes(after["main.py"])
    assert not clashes(GIVEN.replace("2.0])", "2.0], device=device)"))
