"""Edits of statements, in the layouts that blocks have."""

from __future__ import annotations

import pytest
from edit_makers import (
    Maker,
    after,
    before,
    bind,
    delete,
    edited,
    move_after,
    move_before,
    top,
    wrap,
)

from devfix.findings import InsertAfter, MoveStatement, Span
from devfix.rewrite import EditError, apply_edits


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


def test_insertions_with_a_rank_stand_in_its_order() -> None:
    span = Span(1, 0, 1, 1)
    edits = [InsertAfter(span, "n", rank=2), InsertAfter(span, "m", rank=1)]
    assert edited("a\nb\n", *edits) == "a\nm\nn\nb\n"


def test_a_statement_is_replaced_by_code_before_it_and_its_deletion() -> None:
    text = "if a:\n    # why\n    b()  # b\n"
    assert edited(text, before("b()", "c()"), delete("b()")) == "if a:\n    # why\n    c()\n"


def test_a_comment_does_not_fill_a_body() -> None:
    assert edited("if a: b()\n", before("b()", "# c"), delete("b()")) == "if a:\n    # c\n    pass\n"


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
