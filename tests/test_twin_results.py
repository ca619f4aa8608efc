"""What one of two modules gives moves as what the other gives does: both stay on the host, as the author meant them to."""

from __future__ import annotations

import pytest
from text_program import fix_texts

PROGRAM = """import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Scores:
    def __init__(self, users, items):
        self.users, self.items = nn.EmbeddingBag(users, 8), nn.EmbeddingBag(items, 8)
        self.tower = nn.Linear(8, 8).to(device)

    def score(self, u, i):
        left = self.users(u){left}
        right = self.items(i){right}
        return (self.tower(left) * self.tower(right)).sum(-1)


scores = Scores(50, 90)
for _ in range(3):
    u, i = torch.randint(0, 50, (16, 3)), torch.randint(0, 90, (16, 3))
    print(scores.score(u{where}, i).sum().item())
"""
MOVE = ".to(device, non_blocking=True)"


def _fixed(left: str, right: str, where: str = "") -> tuple[str, str]:
    text = PROGRAM.format(left=left, right=right, where=where)
    return text, fix_texts({"main.py": text})[0]["main.py"]


@pytest.mark.parametrize(("left", "right"), [("", MOVE), (MOVE, ""), ("", ".cuda()")])
def test_what_a_table_gives_moves_as_what_the_other_gives(left: str, right: str) -> None:
    _, after = _fixed(left, right)
    assert after == PROGRAM.format(left=left or ".to(device)", right=right or ".to(device)", where="")


def test_without_such_a_twin_the_modules_move() -> None:
    text, after = _fixed("", "")
    assert "left = self.users(u)\n" in after
    assert after != text


def test_a_module_that_is_given_what_is_on_the_accelerator_moves_itself() -> None:
    _, after = _fixed("", MOVE, where=".to(device)")
    assert "nn.EmbeddingBag(users, 8).to(device)" in after


def test_what_is_there_already_stays() -> None:
    text, after = _fixed(MOVE, MOVE)
    assert after == text
