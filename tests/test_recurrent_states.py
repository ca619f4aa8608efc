"""Both states of a recurrent layer fit it, and are cast where they are made, since the tuple of them cannot be."""

from __future__ import annotations

from textwrap import dedent

import pytest
from text_program import clashes, fix_texts

from devfix.findings import Applicability

_MODEL = """
import torch
from torch import nn


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.LSTM(3, 2)

    def forward(self, rows):
        state = ({hidden}, {memory})
        out, state = self.cell(rows, state)
        return out


print(Reader()(torch.rand(4, 1, 3)).sum())
"""
_WIDE = "torch.zeros(1, 1, 2, dtype=torch.float64)"
_PLAIN = "torch.zeros(1, 1, 2)"


def _fixed(text: str) -> str:
    return fix_texts({"main.py": dedent(text)}, Applicability.UNSAFE)[0]["main.py"]


@pytest.mark.parametrize(("hidden", "memory"), [(_WIDE, _WIDE), (_WIDE, _PLAIN), (_PLAIN, _WIDE)])
def test_each_wide_state_is_made_as_the_layer_takes_it(hidden: str, memory: str) -> None:
    text = _MODEL.format(hidden=hidden, memory=memory)
    fixed = _fixed(text)
    assert fixed == text.replace("torch.float64", "torch.float32")
    assert not clashes(fixed)


def test_what_is_drawn_is_drawn_in_the_dtype_of_the_layer() -> None:
    drawn = "torch.randn(1, 1, 2, dtype=torch.float64)"
    fixed = _fixed(_MODEL.format(hidden=drawn, memory=drawn))
    assert (
        "state = (torch.randn(1, 1, 2, dtype=torch.float32), torch.randn(1, 1, 2, dtype=torch.float32))"
        in fixed
    )


def test_a_state_out_of_a_list_of_pairs_gets_no_method_of_a_tensor() -> None:
    fixed = _fixed(
        """
        import torch
        from torch import nn

        cells = nn.ModuleList([nn.LSTM(1, 2) for _ in range(3)])
        states = [(torch.zeros(1, 1, 2, dtype=torch.float64), torch.zeros(1, 1, 2)) for _ in range(3)]
        for place in range(3):
            out, states[place] = cells[place](torch.rand(1, 1, 1), states[place])
            print(out.sum())
        """
    )
    assert ".float()" not in fixed
    assert (
        "states = [(torch.zeros(1, 1, 2, dtype=torch.float32), torch.zeros(1, 1, 2)) for _ in range(3)]"
        in fixed
    )


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(
            ("Reader()(torch.rand(4, 1, 3))", "Reader().double()(torch.rand(4, 1, 3, dtype=torch.float64))"),
            id="all is wide",
        ),
        pytest.param((_WIDE, _PLAIN), id="all is as PyTorch makes it"),
    ],
)
def test_states_that_fit_are_left_alone(change: tuple[str, str]) -> None:
    text = _MODEL.format(hidden=_WIDE, memory=_WIDE).replace(*change)
    assert _fixed(text) == text
    assert not clashes(text)


def test_a_single_state_is_cast_where_it_is_used() -> None:
    text = _MODEL.replace("nn.LSTM", "nn.GRU").replace("({hidden}, {memory})", _WIDE)
    assert "self.cell(rows, state.float())" in _fixed(text)
