"""What a ``forward`` does with what it can do without is seen as well, though nobody calls it."""

from __future__ import annotations

import ast

import pytest
from text_program import check_texts, files

from devfix.analysis.text import absent_arguments

PROGRAM = """
import torch
from torch import nn


class Scorer(nn.Module):
    def __init__(self):
        super().__init__()
        self.scores = nn.Linear(4, 4)

    def forward(self, {parameters}):
        out = self.scores(x)
{body}
        return out
"""

MASKED = """\
        if lengths is not None:
            steps = torch.arange(4)
            out = out.masked_fill(steps > 2, 0.0)
"""


def found(parameters: str, body: str) -> list[str]:
    """The rules of what is found, with the lines."""
    text = PROGRAM.format(parameters=parameters, body=body)
    return [f"{each.rule} {each.span.line}" for each in check_texts(files(text))]


@pytest.mark.parametrize(
    "parameters", ["x, lengths", "x, lengths=None", "x, *, lengths=None", "x, scale=1.0, lengths=None"]
)
def test_a_mask_that_is_made_on_the_cpu_for_what_is_given_at_times(parameters: str) -> None:
    assert found(parameters, MASKED) == ["created-on-cpu 15"]


def test_what_is_made_where_nothing_is_given_is_found_too() -> None:
    assert found(
        "x, state=None",
        "        if state is None:\n            state = torch.zeros(4)\n        out = out + state",
    ) == ["created-on-cpu 15"]


@pytest.mark.parametrize(
    "body",
    [
        "        if lengths is not None:\n            out = out + lengths",
        "        if lengths is not None:\n            out = out + torch.ones(4, device=lengths.device)",
        "        if lengths is not None:\n            out = out + torch.arange(4).to(lengths)",
        "        if lengths is not None:\n            out = out.cpu() + torch.ones(4)",
        "        if lengths is None:\n            lengths = torch.ones(4, device=x.device)\n        out = out + lengths",
        "        if lengths is not None and lengths.is_cuda:\n            out = out + torch.ones(4, device=x.device)",
        "        if lengths is not None:\n            lengths = lengths.to(x.device)\n        return out",
    ],
)
def test_what_is_right_with_and_without_is_left_alone(body: str) -> None:
    assert found("x, lengths=None", body) == []


def test_a_device_that_may_be_given_is_no_place_that_is_known() -> None:
    assert (
        found(
            "x, where=None",
            "        if where is not None:\n            out = out.to(where) + torch.ones(4).to(where)",
        )
        == []
    )


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("def f(x, y=None): return x if y is None else y", ["y"]),
        ("def f(x, y=None): return x and y is not None", ["y"]),
        ("def f(x, *, y=None):\n    if y is not None: return y", ["y"]),
        ("def f(x, y=None): return x + y", []),
        ("def f(x, y=1): return y is None", []),
        ("def f(x, y): return y is None", []),
    ],
)
def test_which_arguments_are_asked_for(text: str, names: list[str]) -> None:
    (node,) = ast.parse(text).body
    assert isinstance(node, ast.FunctionDef)
    assert [parameter.arg for parameter in absent_arguments.of(node)] == names
