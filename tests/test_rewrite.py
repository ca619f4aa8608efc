"""Edits of expressions, edits together, and edits that have no place."""

from __future__ import annotations

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
    no_keyword,
    place,
    replace,
    top,
    wrap,
)

from devfix.findings import Edit, Span, WrapExpression
from devfix.rewrite import EditError, apply_edits


def block(text: str) -> str:
    return textwrap.dedent(text).lstrip("\n")


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


@pytest.mark.parametrize("end", ["", "\n", "\n ", "\n\n    \n", "\n\n    \n\n ", "  \r\n\r\n  \r\n"])
def test_blank_lines_at_the_end_stay_as_they_are(end: str) -> None:
    assert edited(f"y = x{end}", wrap("x", suffix=".to(d)")) == f"y = x.to(d){end}"
