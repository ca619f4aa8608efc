"""The name of a tensor in an expression that is just evaluated, where other runs tell nothing of it."""

from __future__ import annotations

import ast

import pytest
from text_program import analyse_text

from devfix.placement.text.naming import named_at_use, named_tensor

POOL = """
import torch

def pool(x):
    return {expression}

def pooled(data):
    return pool(data["x"])

print(pool(torch.ones(2, 3).cuda()))
{more}
"""


def _named(expression: str, more: str = "") -> tuple[str | None, str | None]:
    facts = analyse_text(POOL.format(expression=expression, more=more))
    outline = facts.outline("main.py")
    nodes = [node for node in ast.walk(outline.source.tree) if isinstance(node, ast.Return)]
    value = nodes[0].value
    assert value is not None
    return named_tensor(outline, facts, value), named_at_use(outline, facts, value)


@pytest.mark.parametrize("expression", ["x.sum(dim=1)", "x.mean(0, keepdim=True)", "x.unsqueeze(0)"])
def test_what_only_tensors_have_is_called_on_a_tensor(expression: str) -> None:
    assert _named(expression) == (None, "x")


@pytest.mark.parametrize("expression", ["x.sum(axis=1)", "x.sum(1)", "x.cpu()", "x * 2"])
def test_what_others_have_as_well_says_nothing(expression: str) -> None:
    assert _named(expression) == (None, None)


def test_what_is_a_number_in_some_run_is_not_taken_for_a_tensor() -> None:
    assert _named("x.sum(dim=1)", "print(pool(3))") == (None, None)
