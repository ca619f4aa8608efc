"""A helper that moves what it is given in one branch, and in another does nothing with it, moves it there too."""

from __future__ import annotations

import pytest
from text_program import files, fix_texts

PROGRAM = """
    import torch
    from torch import nn

    class settings:
        gpu = True
        wait = False

    def ready(value, model=False):
        if {asked}:
            {moved}
        elif {rest}:
            {idle}
        return value

    net = ready(nn.Linear(4, 2), True)
    for step in range(3):
        x = ready(torch.randn(8, 4))
        y = ready(torch.zeros(8, 2))
        print((net(x) - y).pow(2).mean().item())
"""
ASKED, REST, MOVED = "model and settings.gpu", "settings.gpu", "value = value.cuda()"


def _changed(idle: str, *, asked: str = ASKED, rest: str = REST, moved: str = MOVED) -> tuple[str, bool]:
    """How the program reads after the repair without its helper, and whether the helper moves in both branches."""
    texts = files(PROGRAM.format(asked=asked, rest=rest, moved=moved, idle=idle))
    after = fix_texts(texts)[0]["main.py"]
    return after.partition("    return value")[2], after.count(moved) == 2


@pytest.mark.parametrize("idle", ["pass", "value = value"])
@pytest.mark.parametrize("moved", [MOVED, "value = value.cuda(non_blocking=settings.wait)"])
def test_the_branch_that_does_nothing_moves_as_the_other_does(idle: str, moved: str) -> None:
    text = files(PROGRAM.format(asked=ASKED, rest=REST, moved=moved, idle=idle))["main.py"]
    assert _changed(idle, moved=moved) == (text.partition("    return value")[2], True)


@pytest.mark.parametrize(
    ("idle", "asked", "rest"),
    [
        ("pass", ASKED, "settings.gpu and not settings.wait"),
        ("value = value.contiguous()", ASKED, REST),
        ("pass", ASKED, "torch.is_tensor(value)"),
    ],
)
def test_a_branch_for_something_else_stays_as_it_is(idle: str, asked: str, rest: str) -> None:
    assert not _changed(idle, asked=asked, rest=rest)[1]


def test_a_helper_whose_values_stay_on_the_cpu_is_left_alone() -> None:
    texts = files(PROGRAM.format(asked=ASKED, rest=REST, moved=MOVED, idle="pass"))
    text = texts["main.py"].replace("net(x) - y", "x.sum() - y")
    assert fix_texts({"main.py": text})[0] == {"main.py": text}
