"""A name that a loop gives another value, and that is used behind it: each value moves where it gets the name."""

from __future__ import annotations

import pytest
from text_program import files, fix_texts

_PLAY = """
import numpy as np
import torch

{choice}

def play(action):
    return np.ones((4, 3), dtype=np.float32), float(action.sum())


def main(rounds):
    net = torch.nn.Linear(3, 2){moved}
    seen = {first}
    total = 0.0
    for _ in range(rounds):
        action = net(seen).argmax(1)
        new, reward = play(action.cpu().numpy())
        total += reward
        {again}
    print(total, {last})


main(5)
"""
_CHOICE = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'
_FIRST, _AGAIN, _LAST = (
    "torch.from_numpy(np.zeros((4, 3), dtype=np.float32))",
    "torch.from_numpy(new)",
    "net(seen).sum()",
)


def _fixed(
    *, first: str = _FIRST, again: str = f"seen = {_AGAIN}", last: str = _LAST, adopt: bool = False
) -> str:
    choice, moved = ("", "") if adopt else (_CHOICE, ".to(device)")
    text = _PLAY.format(choice=choice, moved=moved, first=first, again=again, last=last)
    return fix_texts(files(text), adopt=adopt)[0]["main.py"]


@pytest.mark.parametrize("adopt", [False, True])
def test_both_values_move_where_they_get_the_name(adopt: bool) -> None:
    after = _fixed(adopt=adopt)
    assert f"    seen = {_FIRST}.to(device)\n" in after
    assert f"        seen = {_AGAIN}.to(device)\n" in after
    assert "net(seen).argmax(1)" in after
    assert f"print(total, {_LAST})" in after


def test_the_other_value_may_be_there_already() -> None:
    after = _fixed(first="torch.zeros(4, 3, device=device)")
    assert f"        seen = {_AGAIN}.to(device)\n" in after
    assert f"print(total, {_LAST})" in after


def test_what_is_an_array_behind_the_loop_stays() -> None:
    after = _fixed(last="seen.numpy().sum()")
    assert f"        seen = {_AGAIN}\n" in after
    assert "print(total, seen.numpy().sum())" in after


def test_what_is_bound_in_another_way_too_moves_where_it_is_used() -> None:
    after = _fixed(again=f"seen = {_AGAIN}\n        if total > 3:\n            seen, total = load(), 0.0")
    assert f"        seen = {_AGAIN}\n" in after
    assert "net(seen.to(device)).sum()" in after
