"""What a test comes to where a name is None is asked of Python."""

from __future__ import annotations

import ast
from itertools import product

import pytest

from devfix.placement.text.none_tests import Outcome, fails_for_none, when_none


def outcomes(test: str) -> set[Outcome]:
    """What Python makes of a test where ``x`` is None, whatever ``a`` and ``b`` are; a run that fails goes no further."""
    found = set()
    for a, b in product((False, True), repeat=2):
        try:
            passed = eval(test, {"x": None, "a": a, "b": b})
        except (AttributeError, TypeError):
            continue
        found.add(Outcome.TRUE if passed else Outcome.FALSE)
    return found or {Outcome.FAILS}


@pytest.mark.parametrize(
    "test",
    [
        "x", "not x", "x is None", "None is x", "x == None", "x is not None", "x != None", "not (x is None)",
        "x is None and a", "a and x is None", "x is not None and a", "a and x is not None", "x is None or a",
        "a or x is None", "x is not None or a", "a or x is not None", "x.size(0) > 1", "not x.size(0)", "x[0] and a",
        "a and x.size(0)", "a or x.size(0)", "a and b and x.size(0)", "a or b or x.size(0)", "(a or b) and x.size(0)",
        "x is None or x.size(0)", "x is not None and x.size(0) > 1", "x is None and x.size(0)", "a", "a and b", "not a",
        "(a and x.size(0)) or b", "(a or x.size(0)) and b", "not (a and x.size(0))", "a if x is None else x.size(0)",
        "x.size(0) if a else b", "(a or b) and not x",
    ],
)  # fmt: skip
def test_a_test_comes_to_what_python_makes_of_it(test: str) -> None:
    claimed = when_none(ast.parse(test, mode="eval").body, "x")
    found = outcomes(test)
    assert claimed in (Outcome.EITHER, Outcome.ASKED) or found == {claimed}
    if "if" not in test:  # what is chosen by a test of its own is not followed
        assert len(found) == 1 or claimed is Outcome.EITHER


@pytest.mark.parametrize("test", ["exists(x)", "isinstance(x, int) and a", "a and x in b"])
def test_what_is_asked_by_other_means_is_known_to_be_asked(test: str) -> None:
    assert when_none(ast.parse(test, mode="eval").body, "x") is Outcome.ASKED


@pytest.mark.parametrize(
    ("code", "fails"),
    [
        ("y = x.size(0)", True),
        ("y = x[0] + 1", True),
        ("x.mul_(2)", True),
        ("y = [x.size(0)]", True),
        ("y = x.size(0) if a else 0", False),
        ("y = 0 if x.size(0) else 1", True),
        ("y = a and x.size(0)", False),
        ("y = lambda: x.size(0)", False),
        ("y = [x.size(0) for _ in a]", False),
        ("y = f(x)", False),
    ],
)
def test_what_is_always_evaluated_fails_for_none(code: str, fails: bool) -> None:
    (statement,) = ast.parse(code).body
    assert fails_for_none(statement, "x") is fails
