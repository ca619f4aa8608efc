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


ENDLESS = """
import torch

def read(path):
    with open(path) as lines:
        while True:
            try:
                row = next(lines)
            except StopIteration:
                break
            yield {given}

def marked(rows):
    for number, row in enumerate(rows):
        if row:
            row["number"] = number
            yield row

def main(path, wanted):
    kept = [row for row in marked(read(path)) if not wanted]
    return torch.ones(2).cuda() + torch.ones(2)
"""


@pytest.mark.parametrize(
    "given", ["{'row': row}", "{part: row for part in path}", "({'row': row}, [row])[0]", "dict(row=row)"]
)
def test_what_only_rounds_make_that_no_path_leaves_is_unknown(given: str) -> None:
    assert clashes(ENDLESS.format(given=given)) == ["21: device"]


def test_what_rounds_make_within_a_tuple_is_unknown_too() -> None:
    text = ENDLESS.format(given="(path, {'row': row})").replace(
        "number, row in enum", "number, (_, row) in enum"
    )
    assert clashes(text) == ["21: device"]
