"""Questions about pieces of syntax: what they answer, however they come to it."""

from __future__ import annotations

import ast

import pytest
from text_program import clashes

from devfix.analysis.text.syntax import in_rows, spelt, statements_in, walk


@pytest.mark.parametrize(
    "text", ["x", "self.a", "a.b.c", "(a + b).c", "f(x).y", "a[0]", "a.b[1:].c", "1 .real"]
)
def test_an_expression_is_spelt_as_python_does(text: str) -> None:
    node = ast.parse(text, mode="eval").body
    assert spelt(node) == ast.unparse(node)


CLASSES = """
import torch
from torch import nn


class Inner(nn.Module):
    def __init__(self, late=False):
        super().__init__()
        self.late = late

    def forward(self, x):
        return torch.zeros(3, device='cuda') + {inner}

    def other(self, x):
        return torch.zeros(3, device='cuda') + {other}


class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()

    def forward(self, x):
        return self.inner(x)
"""


@pytest.mark.parametrize(
    ("inner", "other", "found"),
    [
        ("torch.ones(3)", "1", ["12: device"]),  # seen within what is made of it
        ("1", "torch.ones(3)", ["15: device"]),  # of its own alone
        ("torch.ones(3)", "torch.ones(3)", ["12: device", "15: device"]),
        ("torch.ones(3, device='cuda')", "torch.ones(())", []),
    ],
)
def test_parts_and_what_is_made_of_them_are_seen_once(inner: str, other: str, found: list[str]) -> None:
    assert clashes(CLASSES.format(inner=inner, other=other)) == found


_ALL_KINDS = """
import a.b, c
from . import d as e
@f(g)
class H(I, metaclass=J):
    k: int = 1
    def l(self, m, /, n, *o, p, q=2, **r):
        global s
        return {**t, u: v}, [*w], lambda x, *, y: x[y:1], f"{z!r:>{a}}", {b for c in d if e}
def f():
    try:
        with a as b, c: del d
    except (E, F) as e: raise g from h
    else: x += -y if a < b <= c else (d := not e)
    finally: pass
    match a:
        case {"k": b, **rest}: assert b
        case C(1, d=None) | [*_]: yield
    for i in j:
        while k: break
        else: continue
"""


def test_all_nodes_are_walked_but_contexts_and_operators() -> None:
    tree = ast.parse(_ALL_KINDS)
    left_out = (ast.expr_context, ast.operator, ast.unaryop, ast.boolop, ast.cmpop)
    wanted = [node for node in ast.walk(tree) if not isinstance(node, left_out)]
    assert sorted(map(id, walk(tree))) == sorted(map(id, wanted))
    assert [*in_rows(tree)] == wanted


def test_statements_are_walked_without_expressions() -> None:
    tree = ast.parse(_ALL_KINDS)
    kinds = (ast.stmt, ast.excepthandler, ast.match_case)
    assert {*statements_in(tree)} == {tree, *(node for node in ast.walk(tree) if isinstance(node, kinds))}
