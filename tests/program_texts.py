"""Hypothesis strategies: texts of modules in all the layouts that people write, and edits of them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from edit_oracle import spans
from hypothesis import strategies as st

from devfix.findings import (
    AddImport,
    AddParameter,
    AssignmentToCall,
    BindResult,
    DeleteStatement,
    DropCall,
    Edit,
    InsertAfter,
    InsertAfterImports,
    InsertAtBodyStart,
    InsertBefore,
    MoveStatement,
    RemoveKeyword,
    ReplaceExpression,
    SetKeyword,
    Span,
    WrapExpression,
)

#: Simple statements; `@` stands for the indentation of a continued line, one level deeper.
SIMPLE = (
    "x = 1",
    "pass",
    "x.to(d)",
    "self.a[0].to(d)  # moved",
    "m.train().cuda()",
    "y = f(a, b=1)",
    "loss = criterion(model(x), y)  # the loss",
    "a = 1; x.cuda(); b = f(2)",
    "c; d;  # two",
    "s = '''t\n  é 😀\n'''",
    "z = f(\n@a,\n@b=2,  # b\n)",
    "z = f(\n@a.to(d)\n@.g(),\n@**k\n)  # end",
    "h(a,\n@ k=c.cuda(),  # k\n@ b=1)",
    "z = (\n@m(x)  # one\n@.to(d)  # two\n@.g(1,)\n)",
    "q = (a + b) * -c ** 2",
    "q = ( a+b ) .to( d ) if(a)else 'b'",
    'print(f"{x} {y.z(1)!r:>{w}}", "a" f"{b}")',
    "t = a, *b",
    "v = [i.to(d) for i in z if i]",
    "g(i.to(d) for i in z)",
    "w = x.cuda() \\\n@+ 1",
    "u = {'a': f(b), **c}",
    "k = lambda u, *v: u if v else (w := 1)",
    "n = not a and -b < c or d[e, 1:f(g)]",
    "assert a, b.c()",
    "p: T = g(x,)",
    "r += yield a",
    "await b.to(d)",
    "import os",
    "import torch.nn as nn, sys",
    "from a import (b, c)",
    "from e import f",
)

#: Clauses that follow each other, as headers of blocks.
COMPOUND = (
    ("if a.b(c):",),
    ("if a:", "elif b.to(d):", "else:"),
    ("for i in f(x):", "else:"),
    ("while a < b:",),
    ("with open(p) as q, r:",),
    ("def f(a, b=c, *, e: g = h(1)):",),
    ("async def f() -> g(x):",),
    ("def f(a, /, *b, **c):",),
    ("def f(\n    a,\n    b=1,  # b\n):",),
    ("class A(B, m=C(1)):",),
    ("@e(a)\n# why\n@g\ndef f(a):",),
    ("try:", "except E as e:", "else:", "finally:"),
)

#: What can stand between statements.
BETWEEN = ("", "", "", "\n", "\n\n", "# own\n", "\n# a\n# b\n", "# apart\n\n", "  \n", "\f\n")


_Item = TypeVar("_Item")


@dataclass(frozen=True)
class _Layout:
    newline: str
    unit: str


@st.composite
def programs(draw: st.DrawFn) -> str:
    """The text of a module that parses."""
    layout = _Layout(draw(st.sampled_from(["\n", "\r\n"])), draw(st.sampled_from(["    ", "  ", "\t"])))
    docstring = draw(st.sampled_from(["", "", '"""Doc.\n\nMore."""\n', "#!/bin/python\n"]))
    text = docstring + draw(_blocks(layout, indent="", depth=0))
    if draw(st.booleans()):
        text = text.rstrip("\n")
    return text.replace("\n", layout.newline)


@st.composite
def _blocks(draw: st.DrawFn, layout: _Layout, indent: str, depth: int) -> str:
    parts: list[str] = []
    for _ in range(draw(st.integers(1, 4 if depth else 6))):
        parts.append(_indented(draw(st.sampled_from(BETWEEN)), indent))
        if depth < 3 and draw(st.integers(0, 3)) == 0:
            parts.append(draw(_compound(layout, indent, depth)))
        else:
            parts.append(_laid_out(draw(st.sampled_from(SIMPLE)), layout, indent))
    return "".join(parts)


@st.composite
def _compound(draw: st.DrawFn, layout: _Layout, indent: str, depth: int) -> str:
    headers = draw(st.sampled_from(COMPOUND))
    optional = headers[1:] if not headers[0].startswith("try") else headers[2:]
    needed = headers[: len(headers) - len(optional)]
    chosen = [*needed, *[header for header in optional if draw(st.booleans())]]
    text = ""
    for header in chosen:
        text += "".join(indent + line + "\n" for line in header.split("\n"))[:-1]
        if draw(st.integers(0, 3)) == 0:
            text += " " + _laid_out(draw(st.sampled_from(SIMPLE[:10])), layout, "").replace("@", layout.unit)
        else:
            text += draw(st.sampled_from(["\n", "  # header\n"]))
            text += draw(_blocks(layout, indent + layout.unit, depth + 1))
            text += draw(st.sampled_from(["", "", indent + layout.unit + "# end\n"]))
    return text


def _laid_out(statement: str, layout: _Layout, indent: str) -> str:
    first, *others = statement.split("\n")
    continued = [indent + layout.unit + line[1:] if line[:1] == "@" else line for line in others]
    return "\n".join([indent + first, *continued]) + "\n"


def _indented(text: str, indent: str) -> str:
    return "".join(indent + line if line.startswith("#") else line for line in text.splitlines(keepends=True))


WRAPS = (
    ("", ".to(device)"),
    ("f(", ")"),
    ("torch.as_tensor(", ", device=d)"),
    ("", "[0]"),
    ("not ", ""),
    ("-", ""),
    ("", " + 1"),
    ("[", "]"),
)
CODES = (
    "a",
    "a + b",
    "x.y(z)",
    "-a",
    "lambda: 0",
    "a if b else c",
    "1",
    "a, b",
    "a or b",
    "{1: 2}",
    "(yield)",
)
STATEMENTS = (
    "new = 1",
    "if q:\n    w = '''a\n  b'''\nelse:\n    r()",
    "# why\nx(\n    1,\n)",
    "# only a comment",
)
IMPORTS = (AddImport("torch"), AddImport("a", "n"), AddImport("numpy", alias="np"), AddImport("os", "path"))


@dataclass(frozen=True)
class Nodes:
    """The nodes of one text that edits can be about."""

    text: str

    def of(self, kind: type[ast.AST], keep: Callable[[ast.AST], bool] = lambda _: True) -> list[Span]:
        return [
            span
            for span, nodes in spans(self.text).items()
            if any(isinstance(node, kind) and keep(node) for node in nodes)
        ]


def _is_value(node: ast.AST) -> bool:
    stored = isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del))
    return not stored and not isinstance(node, (ast.Starred, ast.Slice))


def _is_method_call(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)


def _has_one_target(node: ast.AST) -> bool:
    if isinstance(node, ast.AnnAssign):
        return node.value is not None
    return isinstance(node, ast.Assign) and len(node.targets) == 1


def _keywords(node: ast.AST) -> list[str]:
    return [item.arg for item in node.keywords if item.arg] if isinstance(node, ast.Call) else []


def expression_edits(text: str) -> st.SearchStrategy[Edit]:
    """One edit of an expression."""
    nodes = Nodes(text)
    values, calls = nodes.of(ast.expr, _is_value), nodes.of(ast.Call)
    methods, named = (
        nodes.of(ast.Call, _is_method_call),
        nodes.of(ast.Call, lambda node: bool(_keywords(node))),
    )
    names = {
        span: _keywords(node) for span, found in spans(text).items() for node in found if _keywords(node)
    }
    choices: list[st.SearchStrategy[Edit]] = []
    if values:
        choices.append(st.builds(lambda at, how: WrapExpression(at, *how), _of(values), _of(WRAPS)))
        choices.append(st.builds(ReplaceExpression, _of(values), _of(CODES)))
    if calls:
        choices.append(st.builds(SetKeyword, _of(calls), _of(("device", "dtype", "b")), _of(("d", "a or b"))))
    if methods:
        choices.append(st.builds(DropCall, _of(methods)))
    if named:
        choices.append(_of(named).flatmap(lambda at: st.builds(RemoveKeyword, st.just(at), _of(names[at]))))
    return st.one_of(choices) if choices else st.nothing()


def statement_edits(text: str) -> st.SearchStrategy[Edit]:
    """One edit of a statement."""
    nodes = Nodes(text)
    statements = nodes.of(ast.stmt, lambda node: True)
    bodies = nodes.of(ast.stmt, lambda node: isinstance(getattr(node, "body", None), list))
    bare = nodes.of(ast.Expr)
    assignments = nodes.of(ast.stmt, _has_one_target)
    choices: list[st.SearchStrategy[Edit]] = [
        st.builds(InsertBefore, _of(statements), _of(STATEMENTS)),
        st.builds(InsertAfter, _of(statements), _of(STATEMENTS)),
        st.builds(DeleteStatement, _of(statements)),
        st.builds(lambda at, to: MoveStatement(at, after=to), _of(statements), _of(statements)),
        st.builds(lambda at, to: MoveStatement(at, before=to), _of(statements), _of(statements)),
    ]
    choices.append(parameter_edits(text))
    if bodies:
        choices.append(st.builds(InsertAtBodyStart, _of(bodies), _of(STATEMENTS)))
    if assignments:
        choices.append(
            st.builds(AssignmentToCall, _of(assignments), st.just("keep('a', "), st.just(", k=1)"))
        )
    if bare:
        choices.append(st.builds(BindResult, _of(bare), _of(("bound", "self.a"))))
    return st.one_of(choices)


def parameter_edits(text: str) -> st.SearchStrategy[Edit]:
    """One edit of the parameters of a function; nothing where there is none."""
    functions = Nodes(text).of(
        ast.stmt, lambda node: isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    )
    given = (_of(("device", "e", "dtype")), _of(('"cpu"', "None", "a or b")))
    return st.builds(AddParameter, _of(functions), *given) if functions else st.nothing()


def module_edits() -> st.SearchStrategy[Edit]:
    """One edit of the imports, or of what follows them."""
    code = st.builds(
        InsertAfterImports, _of(("device = torch.device('cuda')", "# why\nx = 1", "if a:\n    b = 1"))
    )
    return st.one_of(_of(IMPORTS), code)


def _of(items: Sequence[_Item]) -> st.SearchStrategy[_Item]:
    return st.sampled_from(items)
