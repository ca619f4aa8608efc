"""Objects of the program that move what they keep: one more attribute there, or a call of their method."""

from __future__ import annotations

from text_program import fix_texts

STORAGE = """
import torch
from torch import nn


class Storage:
    def __init__(self, steps):
        self.states = torch.zeros(steps, 4)
        self.rewards = torch.zeros(steps, 2)
        self.masks = torch.ones(steps, 2)

    def to(self, device):
        self.states = self.states.to(device)
        self.rewards = self.rewards.to(device)
        self.masks = self.masks.to(device)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = nn.Linear(4, 2).to(device)
    storage = Storage(5)
    storage.to(device)
    values = net(storage.states)
    print(((values - storage.rewards) * storage.masks).mean())


main()
"""


def mended(text: str) -> str:
    return fix_texts({"main.py": text})[0]["main.py"]


def test_a_right_program_stays_as_it_is() -> None:
    assert mended(STORAGE) == STORAGE


def test_an_attribute_that_was_left_out_moves_beside_its_neighbours() -> None:
    for line in (
        "        self.rewards = self.rewards.to(device)\n",
        "        self.masks = self.masks.to(device)\n",
    ):
        assert mended(STORAGE.replace(line, "")) == STORAGE


def test_the_call_that_is_missing_is_put_where_the_object_is_made() -> None:
    assert mended(STORAGE.replace("    storage.to(device)\n", "")) == STORAGE


def test_what_one_object_of_several_keeps_is_moved_elsewhere() -> None:
    text = STORAGE.replace("    storage.to(device)\n", "    other = Storage(2)\n    print(other.states)\n")
    after = mended(text)
    assert "other.to(" not in after
    assert after.count(".to(device)") > text.count(".to(device)")
