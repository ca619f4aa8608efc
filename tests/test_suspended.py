"""Context managers written as generators: what they did holds for the body, and what they undo comes after it."""

from __future__ import annotations

import pytest
from text_program import clashes

_MANAGER = """\
    import contextlib
    import torch
    from torch import nn

    @contextlib.contextmanager
    def on_host(model):
        before = next(model.parameters()).device
        model.cpu()
        try:
            yield model
        finally:
            model.to(before)

    net = nn.Linear(2, 2).to("cuda")
"""


def test_a_model_is_where_its_manager_moved_it() -> None:
    assert clashes(_MANAGER + "    with on_host(net) as m:\n        m(torch.zeros(2))\n") == []


def test_a_model_is_back_after_the_body() -> None:
    body = "    with on_host(net) as m:\n        m(torch.zeros(2))\n    net(torch.zeros(2))\n"
    assert clashes(_MANAGER + body) == ["17: device"]


def test_inputs_left_on_the_accelerator_meet_what_the_manager_moved() -> None:
    body = "    with on_host(net):\n        net(torch.zeros(2, device='cuda'))\n"
    assert clashes(_MANAGER + body) == ["16: device"]


def test_what_the_body_moves_itself_stays_there() -> None:
    body = """\
    other = nn.Linear(2, 2)
    with on_host(net):
        other.to("cuda")
    other(torch.zeros(2))
"""
    assert clashes(_MANAGER + body) == ["18: device"]


@pytest.mark.parametrize("leaving", ["return net", "return None"])
def test_a_body_that_returns_leaves_the_model_where_the_manager_leaves_it(leaving: str) -> None:
    body = f"""\
    def score():
        with on_host(net):
            {leaving}

    score()
    net(torch.zeros(2, device="cuda"))
"""
    assert clashes(_MANAGER + body) == []
