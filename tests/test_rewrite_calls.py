"""Edits of calls, in the layouts that calls have."""

from __future__ import annotations

import ast

import pytest
from edit_makers import (
    bind,
    drop,
    edited,
    keyword,
    no_keyword,
    wrap,
)

from devfix.findings import AssignmentToCall, Span
from devfix.rewrite import EditError


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("f()", "f(k=v)"),
        ("f(a)", "f(a, k=v)"),
        ("f(a, b=1)", "f(a, b=1, k=v)"),
        ("f(a, k=1)", "f(a, k=v)"),
        ("f(k=(1), a=2)", "f(k=v, a=2)"),
        ("f(a,)", "f(a, k=v,)"),
        ("f(*a)", "f(*a, k=v)"),
        ("f(a, **b)", "f(a, k=v, **b)"),
        ("f(**a, **b)", "f(k=v, **a, **b)"),
        ("f(**a, b=1)", "f(**a, b=1, k=v)"),
        ("f(x for x in y)", "f((x for x in y), k=v)"),
        ("f(a + b)", "f(a + b, k=v)"),
        ("f(\n    a,\n    b,\n)", "f(\n    a,\n    b,\n    k=v,\n)"),
        ("f(\n    a,\n    b\n)", "f(\n    a,\n    b,\n    k=v\n)"),
        ("f(\n    a,\n    b,  # b\n    # end\n)", "f(\n    a,\n    b,  # b\n    k=v,\n    # end\n)"),
        ("f(\n    a,\n    b  # b\n)", "f(\n    a,\n    b,  # b\n    k=v\n)"),
        ("f(\n\ta,\n)", "f(\n\ta,\n\tk=v,\n)"),
        ("f(a,\n  b)", "f(a,\n  b,\n  k=v)"),
        ("f(a,\n  b,)", "f(a,\n  b,\n  k=v,)"),
        ("f(\n    a, b\n)", "f(\n    a, b, k=v\n)"),
        ("f(\n    a, b,\n)", "f(\n    a, b, k=v,\n)"),
        ("f(a, b,\n  c, e)", "f(a, b,\n  c, e, k=v)"),
        ("f(\n    a,\n    **b,\n)", "f(\n    a,\n    k=v,\n    **b,\n)"),
        ("f(a  # a\n  )", "f(a, k=v  # a\n  )"),
        ("f(  # c\n)", "f(  # c\nk=v)"),
        ("f(\r\n    a,\r\n)", "f(\r\n    a,\r\n    k=v,\r\n)"),
    ],
)
def test_set_keyword(text: str, result: str) -> None:
    assert edited(text, keyword(text, "k", "v")) == result


def test_two_keywords_of_one_call_come_in_the_order_of_their_names() -> None:
    call = "f(\n    a,\n)"
    result = "f(\n    a,\n    device=d,\n    dtype=t,\n)"
    assert edited(call, keyword(call, "dtype", "t"), keyword(call, "device", "d")) == result
    assert edited(call, keyword(call, "device", "d"), keyword(call, "dtype", "t")) == result


def test_a_keyword_is_set_in_a_call_that_is_wrapped_and_whose_argument_is_wrapped() -> None:
    text = "y = f(a)\n"
    edits = [keyword("f(a)", "k", "v"), wrap("f(a)", suffix=".g()"), wrap("a", suffix=".to(d)")]
    assert edited(text, *edits) == "y = f(a.to(d), k=v).g()\n"


def test_a_value_that_binds_loosely_gets_parentheses() -> None:
    assert edited("f(a)", keyword("f(a)", "k", "x := 1")) == "f(a, k=(x := 1))"


def test_a_new_keyword_takes_the_place_of_a_removed_one() -> None:
    call = "f(\n    cuda=True,  # c\n    b=1,\n)"
    edits = [no_keyword(call, "cuda"), keyword(call, "device", "d")]
    assert edited(call, *edits) == "f(\n    device=d,  # c\n    b=1,\n)"


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("f(k=1)", "f()"),
        ("f(k=1,)", "f()"),
        ("f(a, k=1)", "f(a)"),
        ("f(a, k=1,)", "f(a,)"),
        ("f(a, k=1, b=2)", "f(a, b=2)"),
        ("f(k=1, b=2)", "f(b=2)"),
        ("f(k=1, **b)", "f(**b)"),
        ("f(\n    a,\n    k=1,  # k\n    b=2,\n)", "f(\n    a,\n    b=2,\n)"),
        ("f(\n    a,\n    k=1,\n)", "f(\n    a,\n)"),
        ("f(\n    a,  # a\n    k=1\n)", "f(\n    a  # a\n)"),
        ("f(\n    k=1,\n)", "f()"),
        ("f(\n    # why\n    k=1,\n)", "f(\n    # why\n)"),
        ("f(a,\n  k=1)", "f(a)"),
        ("f(a,  # a\n  k=1)", "f(a  # a\n  )"),
        ("f(a, k=1,\n  b=2)", "f(a,\n  b=2)"),
        ("f(k=1,\n  b=2)", "f(b=2)"),
    ],
)
def test_remove_keyword(text: str, result: str) -> None:
    assert edited(text, no_keyword(text, "k")) == result


def test_two_keywords_are_removed() -> None:
    text = "f(a, j=1, k=2)"
    assert edited(text, no_keyword(text, "k"), no_keyword(text, "j")) == "f(a)"
    text = "f(\n    j=1,\n    a=3,\n    k=2\n)"
    assert edited(text, no_keyword(text, "k"), no_keyword(text, "j")) == "f(\n    a=3\n)"


@pytest.mark.parametrize(
    ("text", "part", "result"),
    [
        ("y = x.to(d)", "x.to(d)", "y = x"),
        ("y = (a + b).cuda()", "(a + b).cuda()", "y = (a + b)"),
        ("y = (a + b).cuda() * c", "(a + b).cuda()", "y = (a + b) * c"),
        ("f((a + b).cuda())", "(a + b).cuda()", "f(a + b)"),
        ("f((a, b).cuda())", "(a, b).cuda()", "f((a, b))"),
        ("f((a for a in b).cuda(), c)", "(a for a in b).cuda()", "f((a for a in b), c)"),
        ("f(().cuda())", "().cuda()", "f(())"),
        ("f(k=(a := b).cuda())", "(a := b).cuda()", "f(k=(a := b))"),
        ("y = x.to(d).float()", "x.to(d)", "y = x.float()"),
        ("y = x.to(d)[0].a", "x.to(d)", "y = x[0].a"),
        ("y = (x.to)(d)", "(x.to)(d)", "y = x"),
        ("y = -x.to(d) ** 2", "x.to(d)", "y = -x ** 2"),
        (
            "z = (\n    m(x)\n    .to(d)\n    .g()\n)",
            "m(x)\n    .to(d)",
            "z = (\n    m(x)\n    .g()\n)",
        ),
        (
            "z = (\n    m(x)  # one\n    .to(d)  # two\n    .g()\n)",
            "m(x)  # one\n    .to(d)",
            "z = (\n    m(x)  # one\n    # two\n    .g()\n)",
        ),
        (
            "z = (\n    m(x)  # one\n    .to(d)\n)",
            "m(x)  # one\n    .to(d)",
            "z = (\n    m(x)  # one\n)",
        ),
        ("z = x.to(\n    d,  # the device\n)\n", "x.to(\n    d,  # the device\n)", "z = x  # the device\n"),
        (
            "if a:\n    z = f(x.to(\n        d,  # the device\n    ), 1)\n",
            "x.to(\n        d,  # the device\n    )",
            "if a:\n    # the device\n    z = f(x, 1)\n",
        ),
        ("if a:\n    x.to(d)  # gone\n", "x.to(d)", "if a:\n    pass\n"),
        ("x.to(d)\ny = 1\n", "x.to(d)", "y = 1\n"),
        ("(x.to(d))\ny = 1\n", "x.to(d)", "y = 1\n"),
        ("x = x.to(d)\ny = 1\n", "x.to(d)", "y = 1\n"),
        ("if a:\n    x['k'] = x['k'].to(d)\n", "x['k'].to(d)", "if a:\n    pass\n"),
        ("x = z = x.to(d)\n", "x.to(d)", "x = z = x\n"),
        ("x.a = f(x).to(d)\n", "f(x).to(d)", "x.a = f(x)\n"),
        ("x, y = x.to(d), y\nz = 1\n", "x.to(d)", "z = 1\n"),
        ("self.a[0].to(d); y = 1\n", "self.a[0].to(d)", "y = 1\n"),
        ("m.train().cuda()\n", "m.train().cuda()", "m.train()\n"),
    ],
)
def test_drop_call(text: str, part: str, result: str) -> None:
    assert edited(text, drop(part)) == result


def test_what_drops_leave_of_an_assignment_is_no_assignment_to_itself() -> None:
    text = "x, y = x.to(d), y.to(d)\nz = 1\n"
    drops = [drop("x.to(d)"), drop("y.to(d)")]
    assert edited(text, *drops) == "z = 1\n"
    assert edited(text, *drops, wrap("y.to(d)", suffix=".float()")) == "x, y = x, y.float()\nz = 1\n"


def test_chained_calls_are_dropped() -> None:
    text = "y = x.to(a).cuda()\nx.to(b).cuda()\n"
    parts = ["x.to(a)", "x.to(a).cuda()", "x.to(b)", "x.to(b).cuda()"]
    assert edited(text, *map(drop, parts)) == "y = x\n"


def test_a_dropped_call_makes_room_for_another() -> None:
    text = "y = (a + b).cuda()\n"
    edits = [drop("(a + b).cuda()"), wrap("(a + b).cuda()", suffix=".to(d)"), wrap("a", "f(", ")")]
    assert edited(text, *edits) == "y = (f(a) + b).to(d)\n"


def test_only_method_calls_are_dropped() -> None:
    with pytest.raises(EditError, match="no call of a method"):
        edited("y = f(x)", drop("f(x)"))


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("x.to(d)\n", "x = x.to(d)\n"),
        ("if a: x.to(d)  # c\n", "if a: x = x.to(d)  # c\n"),
        ("a = 1; x.to(d); b\n", "a = 1; x = x.to(d); b\n"),
        ("(x.to(d))\n", "x = (x.to(d))\n"),
        ("\tx = 1\n"[1:] + "x.to(d)", "x = 1\nx = x.to(d)"),
    ],
)
def test_bind_result(text: str, result: str) -> None:
    assert edited(text, bind("x.to(d)", "x")) == result


def test_a_bound_statement_is_not_taken_away_with_its_call() -> None:
    assert edited("x.f(a)", bind("x.f(a)", "y"), wrap("x.f(a)", "g(", ")")) == "y = g(x.f(a))"


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("self.a = b  # why\n", 'self.keep("a", b, k=1)  # why\n'),
        ("self.a: int = b\n", 'self.keep("a", b, k=1)\n'),
        ("if c: self.a = b; d = 1\n", 'if c: self.keep("a", b, k=1); d = 1\n'),
        ("self.a = (b +  # one\n  c)\n", 'self.keep("a", (b +  # one\n  c), k=1)\n'),
        ("self.a = \\\n  b\n", 'self.keep("a", b, k=1)\n'),
        ("self.a = b, c\n", 'self.keep("a", (b, c), k=1)\n'),
        ("self.a = (b, c)\n", 'self.keep("a", (b, c), k=1)\n'),
    ],
)
def test_an_assignment_becomes_a_call(text: str, result: str) -> None:
    assert edited(text, AssignmentToCall(_assignment(text), 'self.keep("a", ', ", k=1)")) == result


def test_the_value_handed_over_takes_other_edits() -> None:
    text = "self.a = b + c\n"
    call = AssignmentToCall(_assignment(text), "f(", ")")
    assert edited(text, call, wrap("b + c", "", ".to(d)")) == "f((b + c).to(d))\n"


@pytest.mark.parametrize("text", ["a = b = c\n", "a: int\n", "a\n"])
def test_only_an_assignment_to_one_target_becomes_a_call(text: str) -> None:
    end = len(text) - 1
    with pytest.raises(EditError, match="one target"):
        edited(text, AssignmentToCall(Span(1, 0, 1, end), "f(", ")"))


def _assignment(text: str) -> Span:
    found = next(node for node in ast.walk(ast.parse(text)) if isinstance(node, (ast.Assign, ast.AnnAssign)))
    assert found.end_lineno is not None
    assert found.end_col_offset is not None
    return Span(found.lineno, found.col_offset, found.end_lineno, found.end_col_offset)


def test_only_expressions_are_bound() -> None:
    with pytest.raises(EditError, match="no result to bind"):
        edited("y = x.to(d)", bind("y = x.to(d)", "x"))
