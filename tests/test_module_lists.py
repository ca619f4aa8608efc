"""A list of models that a function makes moves where it is asked for."""

from __future__ import annotations

import pytest
from text_program import files, fix_texts

MEMBERS = """
from torch import nn


class Member(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = nn.Linear(3, width)

    def forward(self, x):
        return self.body(x)


def make_members(count, width):
    return [Member(width) for _ in range(count)]
"""

MAIN = """
import torch
from torch.func import functional_call, stack_module_state, vmap
from members import Member, make_members

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Ensemble:
    def __init__(self, members):
        self.members = members
        self.params, self.buffers = stack_module_state(members)
        self.template = Member(8).to("meta")

    def to(self, device):
        for member in self.members:
            member.to(device)
        return self

    def one(self, params, buffers, x):
        return functional_call(self.template, (params, buffers), (x,))

    def __call__(self, x):
        return vmap(self.one, in_dims=(0, 0, None))(self.params, self.buffers, x)


def main(width=8):
HERE
    print(ensemble(torch.randn(5, 3).to(DEVICE)))


main()
"""


def _after(body: str) -> dict[str, str]:
    return fix_texts(files(MAIN.replace("HERE", body), members=MEMBERS))[0]


def test_the_members_move_before_their_state_is_stacked() -> None:
    body = "    members = make_members(5, width)\n    ensemble = Ensemble(members).to(DEVICE)"
    after = _after(body)
    assert "    members = [model.to(DEVICE) for model in make_members(5, width)]\n" in after["main.py"]
    assert after["members.py"] == MEMBERS


def test_a_list_that_is_handed_on_moves_in_the_call() -> None:
    after = _after("    ensemble = Ensemble(make_members(5, width)).to(DEVICE)")
    assert "Ensemble([model.to(DEVICE) for model in make_members(5, width)]).to(DEVICE)\n" in after["main.py"]


@pytest.mark.parametrize(
    "body",
    [
        "    members = [each.to(DEVICE) for each in make_members(5, width)]\n    ensemble = Ensemble(members)",
        "    members = make_members(5, width)\n    _ = [each.to(DEVICE) for each in members]\n    ensemble = Ensemble(members)",
    ],
)
def test_members_that_moved_in_time_are_left_alone(body: str) -> None:
    assert _after(body) == files(MAIN.replace("HERE", body), members=MEMBERS)


def test_not_where_another_caller_knows_no_device() -> None:
    body = "    members = make_members(5, width)\n    ensemble = Ensemble(members).to(DEVICE)"
    other = "\n\ndef spare():\n    found = make_members(1, 2)\n    return found\n"
    after = fix_texts(files(MAIN.replace("HERE", body), members=MEMBERS + other))[0]
    assert "for model in make_members" not in after["main.py"]
