"""Each edit in the layouts it meets."""

from __future__ import annotations

import ast
import textwrap

import pytest
from edit_makers import (
    Maker,
    after,
    before,
    bind,
    delete,
    drop,
    edited,
    keyword,
    move_after,
    move_before,
    no_keyword,
    place,
    replace,
    top,
    wrap,
)

from devfix.findings import AssignmentToCall, Edit, InsertAfter, MoveStatement, Span, WrapExpression
from devfix.rewrite import EditError, apply_edits


def block(text: str) -> str:
    return textwrap.dedent(text).lstrip("\n")


# WrapExpression


@pytest.mark.parametrize(
    ("text", "edit", "result"),
    [
        ("y = x", wrap("x", suffix=".to(d)"), "y = x.to(d)"),
        ("y = f(x)[0].a", wrap("f(x)[0].a", suffix=".to(d)"), "y = f(x)[0].a.to(d)"),
        ("y = a + b", wrap("a + b", suffix=".to(d)"), "y = (a + b).to(d)"),
        ("y = (a + b)", wrap("a + b", suffix=".to(d)"), "y = (a + b).to(d)"),
        ("y = ((a + b))", wrap("a + b", suffix=".to(d)"), "y = ((a + b).to(d))"),
        ("y = -a", wrap("-a", suffix=".to(d)"), "y = (-a).to(d)"),
        ("y = -a", wrap("a", suffix=".to(d)"), "y = -a.to(d)"),
        ("y = a ** b", wrap("a ** b", suffix=".to(d)"), "y = (a ** b).to(d)"),
        ("y = a < b", wrap("a < b", suffix=".to(d)"), "y = (a < b).to(d)"),
        ("y = a and b", wrap("a and b", suffix=".to(d)"), "y = (a and b).to(d)"),
        ("y = a if b else c", wrap("a if b else c", suffix=".to(d)"), "y = (a if b else c).to(d)"),
        ("y = lambda: 0", wrap("lambda: 0", suffix=".to(d)"), "y = (lambda: 0).to(d)"),
        ("y = await x", wrap("await x", suffix=".to(d)"), "y = (await x).to(d)"),
        ("y = await x", wrap("x", suffix=".to(d)"), "y = await x.to(d)"),
        ("f(y := x)", wrap("y := x", suffix=".to(d)"), "f((y := x).to(d))"),
        ("y = 1", wrap("1", suffix=".to(d)"), "y = (1).to(d)"),
        ("y = 1.5", wrap("1.5", suffix=".to(d)"), "y = (1.5).to(d)"),
        ("y = 'a' 'b'", wrap("'a' 'b'", suffix=".to(d)"), "y = 'a' 'b'.to(d)"),
        ("y = [1]", wrap("[1]", suffix=".to(d)"), "y = [1].to(d)"),
        ("return_ = a, b", wrap("a, b", suffix=".to(d)"), "return_ = (a, b).to(d)"),
        ("y = (a, b)", wrap("(a, b)", suffix=".to(d)"), "y = (a, b).to(d)"),
        ("y = a, b", wrap("a, b", "f(", ")"), "y = f((a, b))"),
        ("y = f(x for x in z)", wrap("(x for x in z)", suffix=".to(d)"), "y = f((x for x in z).to(d))"),
        ("y = f(x for x in z)", wrap("(x for x in z)", "list(", ")"), "y = f(list(x for x in z))"),
        ("y = (x for x in z)", wrap("(x for x in z)", suffix=".to(d)"), "y = (x for x in z).to(d)"),
        ("y = a + b", wrap("a + b", "f(", ", d)"), "y = f(a + b, d)"),
        ("y = a + b", wrap("a", "not "), "y = (not a) + b"),
        ("y = a * b", wrap("b", "", " + 1"), "y = a * (b + 1)"),
        ("y = a or b", wrap("a or b", "not "), "y = not (a or b)"),
        ("y = x if(a)else b", wrap("a", "f(", ")"), "y = x if(f(a))else b"),
        ("y = x if'a'else b", wrap("'a'", "f(", ")"), "y = x if f('a')else b"),
        ("y = 1if a else b", wrap("1", "f(", " or c"), "EditError"),
        ("f(*a, **b)", wrap("b", suffix=".to(d)"), "f(*a, **b.to(d))"),
        ("x[a, b:c]", wrap("b", suffix=".to(d)"), "x[a, b.to(d):c]"),
        ("y = f'{x} {z!r:>{w}}'", wrap("z", suffix=".to(d)"), "y = f'{x} {z.to(d)!r:>{w}}'"),
        ("y = f'{x} {z!r:>{w}}'", wrap("w", "int(", ")"), "y = f'{x} {z!r:>{int(w)}}'"),
        ("y = f'{x}'", wrap("x", "{", "}"), "y = f'{ {x}}'"),
        ("y = 'é😀', a + b  # é", wrap("a + b", suffix=".to(d)"), "y = 'é😀', (a + b).to(d)  # é"),
        (
            "x = (a +  # c\n     b)\n",
            wrap("a +  # c\n     b", suffix=".to(d)"),
            "x = (a +  # c\n     b).to(d)\n",
        ),
        ("@f(a)\nclass A(B, m=C): pass", wrap("C", "g(", ")"), "@f(a)\nclass A(B, m=g(C)): pass"),
        ("if a:\n    pass\nelif b: pass", wrap("b", "g(", ")"), "if a:\n    pass\nelif g(b): pass"),
    ],
)
def test_wrap(text: str, edit: Maker, result: str) -> None:
    if result == "EditError":
        with pytest.raises(EditError):
            edited(text, edit)
    else:
        assert edited(text, edit) == result


def test_wraps_nest() -> None:
    text = "y = f(a)(b + c)\n"
    edits = [wrap("f(a)", suffix=".g"), wrap("a", "h(", ")"), wrap("b + c", suffix=".to(d)")]
    assert edited(text, *edits) == "y = f(h(a)).g((b + c).to(d))\n"


def test_wraps_of_one_expression_are_applied_in_their_order() -> None:
    assert (
        edited("y = a + b", wrap("a + b", suffix=".to(d)"), wrap("a + b", "f(", ")"))
        == "y = f((a + b).to(d))"
    )


def test_identical_edits_are_made_once() -> None:
    assert edited("y = x", wrap("x", suffix=".to(d)"), wrap("x", suffix=".to(d)")) == "y = x.to(d)"


# ReplaceExpression


@pytest.mark.parametrize(
    ("text", "edit", "result"),
    [
        ("y = x + z", replace("x", "a"), "y = a + z"),
        ("y = x + z", replace("z", "a - b"), "y = x + (a - b)"),
        ("y = x + z", replace("x", "a - b"), "y = a - b + z"),
        ("y = x * z", replace("x", "a + b"), "y = (a + b) * z"),
        ("y = (x) * z", replace("x", "a + b"), "y = (a + b) * z"),
        ("y = -x ** 2", replace("x", "-a"), "y = -(-a) ** 2"),
        ("y = 2 ** x", replace("x", "-a"), "y = 2 ** -a"),
        ("y = not x", replace("x", "a in b"), "y = not a in b"),
        ("y = x < z", replace("x", "a < b"), "y = (a < b) < z"),
        ("y = x.a", replace("x", "1"), "y = (1).a"),
        ("y = x.a", replace("x", "a or b"), "y = (a or b).a"),
        ("f(x)", replace("x", "a if b else c"), "f(a if b else c)"),
        ("f(x, y)", replace("x", "(a for a in b)"), "f((a for a in b), y)"),
        ("f(k=x)", replace("x", "a := b"), "f(k=(a := b))"),
        ("f(x)", replace("x", "a, b"), "f((a, b))"),
        ("y = x", replace("x", "a, b"), "y = a, b"),
        ("y = x if x else z", replace("x", "lambda: 0"), "y = (lambda: 0) if x else z"),
        ("y = [a for a in x]", replace("x", "b if c else e"), "y = [a for a in (b if c else e)]"),
        ("y = a if b else'c'", replace("'c'", "x"), "y = a if b else x"),
        ("y = f(\n    a,  # c\n    b,\n)", replace("a", "g(1)"), "y = f(\n    g(1),  # c\n    b,\n)"),
    ],
)
def test_replace(text: str, edit: Maker, result: str) -> None:
    assert edited(text, edit) == result


def test_a_replaced_expression_is_wrapped_as_what_it_becomes() -> None:
    assert edited("y = x", replace("x", "a + b"), wrap("x", suffix=".to(d)")) == "y = (a + b).to(d)"


# SetKeyword


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


# RemoveKeyword


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


# DropCall


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
        ("self.a[0].to(d); y = 1\n", "self.a[0].to(d)", "y = 1\n"),
        ("m.train().cuda()\n", "m.train().cuda()", "m.train()\n"),
    ],
)
def test_drop_call(text: str, part: str, result: str) -> None:
    assert edited(text, drop(part)) == result


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


# BindResult


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


# InsertBefore, InsertAfter


@pytest.mark.parametrize(
    ("text", "edit", "result"),
    [
        ("a\nb\n", before("b", "n"), "a\nn\nb\n"),
        ("a\nb\n", after("a", "n"), "a\nn\nb\n"),
        ("a\nb", after("b", "n"), "a\nb\nn"),
        ("a\r\nb\r\n", after("a", "n\nm"), "a\r\nn\r\nm\r\nb\r\n"),
        ("\ufeffa\n", before("a", "n"), "EditError"),
        ("# own\n\n# why\na\n", before("a", "n"), "# own\n\nn\n# why\na\n"),
        ("#!/bin/python\n# licence\na\n", before("a", "n"), "#!/bin/python\n# licence\nn\na\n"),
        ("a = 1; b = 2; c = 3  # c\n", before("b = 2", "n"), "a = 1\nn\nb = 2; c = 3  # c\n"),
        ("a = 1; b = 2;  # c\n", after("b = 2", "n"), "a = 1; b = 2;  # c\nn\n"),
        ("if x: a(); b()  # c\n", before("b()", "n"), "if x:\n    a()\n    n\n    b()  # c\n"),
        ("if x: a()\nelse: b()\n", after("a()", "n"), "if x:\n    a()\n    n\nelse: b()\n"),
        ("try: a()\nexcept E: b()\n", after("b()", "n"), "try: a()\nexcept E:\n    b()\n    n\n"),
        ("@e\n# c\ndef f(): pass\n", before("def f(): pass", "n"), "n\n@e\n# c\ndef f(): pass\n"),
        ("@e\ndef f(): pass\n", after("def f(): pass", "n"), "@e\ndef f(): pass\nn\n"),
        (
            "for a in b:\n    c\n    # end\n\n# next\ne\n",
            after("for a in b:\n    c", "n"),
            "for a in b:\n    c\n    # end\nn\n\n# next\ne\n",
        ),
        ("for a in b:\n    c\n    # end\ne\n", after("c", "n"), "for a in b:\n    c\n    n\n    # end\ne\n"),
        ("if a:\n\tb\n", before("b", "if c:\n    e"), "if a:\n\tif c:\n\t\te\n\tb\n"),
        ("if a:\n  b\n", before("b", "if c:\n    e"), "if a:\n  if c:\n    e\n  b\n"),
        ("if a:\n  b\n", after("b", 'c = """x\n    y"""'), 'if a:\n  b\n  c = """x\n    y"""\n'),
        ("match x:\n  case 1: a()\n", before("a()", "n"), "match x:\n  case 1:\n    n\n    a()\n"),
        ("async def f():\n    async for a in b: c\n", after("async for a in b: c", "n"),
         "async def f():\n    async for a in b: c\n    n\n"),
        ("a = 1 \\\n  + 2; b\n", before("b", "n"), "a = 1 \\\n  + 2\nn\nb\n"),
        ("\x0cif a:\n    b\n\x0c    c\n", before("c", "n"), "\x0cif a:\n    b\n    n\n\x0c    c\n"),
        ("a\n\x0cb\n", before("b", "n"), "a\nn\n\x0cb\n"),
    ],
)  # fmt: skip
def test_insert(text: str, edit: Maker, result: str) -> None:
    if result == "EditError":
        assert edited(text, InsertAfter(Span(1, 0, 1, 1), "n")) == "\ufeffa\nn\n"
    else:
        assert edited(text, edit) == result


def test_insertions_at_one_place_keep_their_order() -> None:
    edits = [before("b", "m"), before("b", "n"), after("a", "k"), after("a", "l"), before("b", "m")]
    assert edited("a\nb\n", *edits) == "a\nk\nl\nm\nn\nb\n"


def test_a_statement_is_replaced_by_code_before_it_and_its_deletion() -> None:
    text = "if a:\n    # why\n    b()  # b\n"
    assert edited(text, before("b()", "c()"), delete("b()")) == "if a:\n    # why\n    c()\n"


def test_a_comment_does_not_fill_a_body() -> None:
    assert edited("if a: b()\n", before("b()", "# c"), delete("b()")) == "if a:\n    # c\n    pass\n"


# InsertAtBodyStart


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("for x in y: f(x)\n", "for x in y:\n    n = 1\n    f(x)\n"),
        ("for x in y:\n\n  # c\n  f(x)\n", "for x in y:\n\n  n = 1\n  # c\n  f(x)\n"),
        ('def f(): "doc"\n', 'def f():\n    "doc"\n    n = 1\n'),
        ('def f():\n\t"""Doc."""\n\n\tx\n', 'def f():\n\t"""Doc."""\n\n\tn = 1\n\tx\n'),
        ('def f():\n    """Doc."""\n', 'def f():\n    """Doc."""\n    n = 1\n'),
        ('class A:\n    b"no doc"\n', 'class A:\n    n = 1\n    b"no doc"\n'),
        ('while a:\n    "no doc"\n', 'while a:\n    n = 1\n    "no doc"\n'),
        ("class A: x = 1; y = 2  # c\n", "class A:\n    n = 1\n    x = 1; y = 2  # c\n"),
        ("if a:\n    x\nelse: y\n", "if a:\n    n = 1\n    x\nelse: y\n"),
        ("with a as b:  # c\n    x\n", "with a as b:  # c\n    n = 1\n    x\n"),
        ("async def f(): x\n", "async def f():\n    n = 1\n    x\n"),
    ],
)
def test_insert_at_body_start(text: str, result: str) -> None:
    assert edited(text, top(text.strip(), "n = 1")) == result


def test_the_top_of_an_elif_and_of_a_handler() -> None:
    text = "if a:\n    b\nelif c:\n    e\n"
    assert edited(text, top("elif c:\n    e", "n")) == "if a:\n    b\nelif c:\n    n\n    e\n"
    text = "try:\n    a\nexcept E:\n    b\n"
    assert edited(text, top("except E:\n    b", "n")) == "try:\n    a\nexcept E:\n    n\n    b\n"


# DeleteStatement


@pytest.mark.parametrize(
    ("text", "part", "result"),
    [
        ("a\nb  # b\nc\n", "b", "a\nc\n"),
        ("a\n# why\nb\nc\n", "b", "a\n# why\nc\n"),
        ("a\n\nb\n\nc\n", "b", "a\n\nc\n"),
        ("a\n\nb\n\n\nc\n", "b", "a\n\n\nc\n"),
        ("a\n\nb", "b", "a"),
        ("if x:\n    b  # b\nc\n", "b", "if x:\n    pass\nc\n"),
        ("if x: b  # b\n", "b", "if x: pass  # b\n"),
        ("if x: a; b\n", "b", "if x: a\n"),
        ("a; b; c\n", "a", "b; c\n"),
        ("a; b; c\n", "b", "a; c\n"),
        ("a; b;\n", "b", "a;\n"),
        ("a; \\\n  b\n", "b", "a\n"),
        ("def f():\n    a\n\n    b\n\n\nc\n", "b", "def f():\n    a\n\n\nc\n"),
        ("def f():\n    b\n\n    a\n", "b", "def f():\n    a\n"),
        ("@e\ndef f():\n    b\na\n", "def f():\n    b", "a\n"),
        ("a\r\nb\r\nc", "b", "a\r\nc"),
        ("try: a\nexcept E: b\n", "b", "try: a\nexcept E: pass\n"),
    ],
)
def test_delete(text: str, part: str, result: str) -> None:
    assert edited(text, delete(part)) == result


def test_an_emptied_body_gets_one_pass() -> None:
    text = "if x:\n    a\n    b; c\ne\n"
    assert edited(text, *map(delete, "abc")) == "if x:\n    pass\ne\n"


# MoveStatement


@pytest.mark.parametrize(
    ("text", "edit", "result"),
    [
        ("a\nb\nc\n", move_after("a", "b"), "b\na\nc\n"),
        ("a\nb\nc", move_after("a", "c"), "b\nc\na"),
        ("a\nb\nc\n", move_before("c", "a"), "c\na\nb\n"),
        ("a\n\n# why\nb  # b\n\nc\n", move_before("b", "a"), "# why\nb  # b\na\n\nc\n"),
        ("if x:\n    # why\n    f(a,\n      b)\nc\n", move_after("f(a,\n      b)", "c"),
         "if x:\n    pass\nc\n# why\nf(a,\n  b)\n"),
        ("for x in y: f(x)  # c\n", move_before("f(x)", "for x in y: f(x)"), "f(x)\nfor x in y: pass  # c\n"),
        ("a; b; c  # c\ne\n", move_after("b", "e"), "a; c  # c\ne\nb\n"),
        ("a\nif x: b\n", move_after("a", "b"), "if x:\n    b\n    a\n"),
        ("if x:\n\ty\na\n", move_after("a", "y"), "if x:\n\ty\n\ta\n"),
        ('class A:\n  def f(self):\n    s = """\n  a\n"""\n    return s\nx\n',
         move_after('def f(self):\n    s = """\n  a\n"""\n    return s', "x"),
         'class A:\n  pass\nx\ndef f(self):\n  s = """\n  a\n"""\n  return s\n'),
        ("@e\ndef f():\n    a\nif x:\n  b\n", move_before("def f():\n    a", "b"),
         "if x:\n  @e\n  def f():\n      a\n  b\n"),
        ("\x0ca\nif x:\n    b\n", move_after("a", "b"), "if x:\n    b\n\x0c    a\n"),
    ],
)  # fmt: skip
def test_move(text: str, edit: Maker, result: str) -> None:
    assert edited(text, edit) == result


def test_a_moved_statement_takes_its_edits_along() -> None:
    text = "a\nif x:\n    m.to(d)\n    b\n"
    edits = [
        move_before("m.to(d)", "a"),
        bind("m.to(d)", "m"),
        wrap("d", "f(", ")", 0),
        before("m.to(d)", "n"),
    ]
    assert edited(text, *edits) == "n\nm = m.to(f(d))\na\nif x:\n    b\n"


def test_moved_statements_follow_each_other() -> None:
    assert edited("a\nb\nc\n", move_after("a", "b"), move_after("b", "c")) == "c\nb\na\n"


@pytest.mark.parametrize(
    "edits",
    [
        (move_after("a", "b"), move_after("b", "a")),
        (move_after("a", "a"),),
        (move_after("if x:\n    c", "c"),),
        (move_after("a", "b"), delete("a")),
        (move_after("a", "b"), move_before("a", "c")),
    ],
)
def test_moves_that_have_no_end(edits: tuple[Maker, ...]) -> None:
    with pytest.raises(EditError):
        edited("a\nb\nif x:\n    c\n", *edits)


def test_a_move_names_one_target() -> None:
    span = Span(1, 0, 1, 1)
    with pytest.raises(EditError, match="exactly one"):
        apply_edits("a\nb\n", [MoveStatement(span)])
    with pytest.raises(EditError, match="exactly one"):
        apply_edits("a\nb\n", [MoveStatement(span, Span(2, 0, 2, 1), Span(2, 0, 2, 1))])


# Together


def test_edits_of_one_statement_compose() -> None:
    text = block(
        """
        def train(model, loader):
            for images, labels in loader:
                images.cuda()
                # forward
                loss = criterion(model(images), labels, weight=torch.ones(3))

        main()
        """
    )
    result = block(
        """
        def train(model, loader):
            model = model.to(device)
            for images, labels in loader:
                labels = labels.to(device)
                images = images.cuda(non_blocking=True)
                # forward
                loss = criterion(model(images), labels, weight=torch.ones(3, device=device).float())
                loss.backward()

        main()
        """
    )
    loop = text[text.index("for") : text.index("\n\nmain")]
    assert result == edited(
        text,
        before(loop, "model = model.to(device)"),
        top(loop, "labels = labels.to(device)"),
        bind("images.cuda()", "images"),
        keyword("images.cuda()", "non_blocking", "True"),
        keyword("torch.ones(3)", "device", "device"),
        wrap("torch.ones(3)", suffix=".float()"),
        after("loss = criterion(model(images), labels, weight=torch.ones(3))", "loss.backward()"),
    )


def test_no_edits_leave_any_text_alone() -> None:
    assert apply_edits("not python at all (", []) == "not python at all ("


# What has no place


@pytest.mark.parametrize(
    ("text", "edits"),
    [
        ("y = x", [WrapExpression(Span(1, 4, 1, 9), "f(", ")")]),
        ("y = x", [WrapExpression(Span(3, 0, 3, 1), "f(", ")")]),
        ("y = x.a", [wrap("a", "f(", ")")]),
        ("f(k=1)", [wrap("k", "f(", ")")]),
        ("f(*a)", [wrap("*a", "f(", ")")]),
        ("y = x", [wrap("x", "f(", "")]),
        ("y = x", [wrap("x", "f(", ")"), replace("x", "a"), replace("x", "b")]),
        ("y = f(x)", [replace("f(x)", "a"), wrap("x", "g(", ")")]),
        ("y = x.to(d)", [drop("x.to(d)"), wrap("d", "g(", ")")]),
        ("y = x.to(d)", [drop("x.to(d)"), keyword("x.to(d)", "k", "v")]),
        ("y = x", [replace("x", "a +")]),
        ("y = x", [keyword("x", "k", "v")]),
        ("f(x)", [keyword("f(x)", "k", "v"), keyword("f(x)", "k", "w")]),
        ("f(x)", [keyword("f(x)", "not a name", "v")]),
        ("f(x)", [no_keyword("f(x)", "k")]),
        ("f(k=g(a))", [keyword("f(k=g(a))", "k", "v"), wrap("a", "h(", ")")]),
        ("f(k=1)", [keyword("f(k=1)", "k", "2"), no_keyword("f(k=1)", "k")]),
        ("f(x)", [bind("f(x)", "a"), bind("f(x)", "b")]),
        ("f(x)", [bind("f(x)", "a +")]),
        ("y = f(x)", [before("f(x)", "n")]),
        ("if a: b\nelif c: e", [before("elif c: e", "n")]),
        ("if a: b\nelif c: e", [delete("elif c: e")]),
        ("a", [top("a", "n")]),
        ("a", [before("a", "b +")]),
        ("a\nb", [delete("a"), wrap("a", "f(", ")")]),
        ("if a:\n    b\nc", [delete("if a:\n    b"), before("b", "n")]),
        ("x = f'{a}'", [wrap("a", "f('", "')")]),
        ("x = f'{a}'", [wrap("a", 'f("\\n", ', ")")]),
        ("x = (", [WrapExpression(Span(1, 0, 1, 1), "f(", ")")]),
        ("x", [wrap("x", "1 = ")]),
    ],
)  # fmt: skip
def test_an_edit_without_a_place_is_an_error(text: str, edits: list[Maker | Edit]) -> None:
    with pytest.raises(EditError, match=r"\.$"):
        edited(text, *edits)


def test_text_that_is_nested_too_deeply_is_an_error() -> None:
    text = "x = " + "a.b()" + ".c()" * 900 + "\n"
    with pytest.raises(EditError, match=r"\.$"):
        apply_edits(text, [WrapExpression(place(text, "a"), "f(", ")")])


def test_warnings_of_the_parser_are_not_ours() -> None:
    assert edited("x = '\\d'\n", wrap("'\\d'", "f(", ")")) == "x = f('\\d')\n"
