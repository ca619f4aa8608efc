"""A tree whose bodies are parsed late is the tree that parsing all of it gives."""

from __future__ import annotations

import ast
import copy
from pathlib import Path

import pytest

import devfix
from devfix.imports import find_imports
from devfix.late_bodies import LATE, places_of
from devfix.source import Source

LATE_TEXTS = {
    "docstring": 'def f(x):\n    """What."""\n    return x\n',
    "method": "class A:\n    x = 1\n\n    def f(self):\n        y = self.x\n        return y\n\n    z = 2\n",
    "class within": "class A:\n    class B:\n        def f(self):\n            y = 1\n            return y\n",
    "async": "async def f(x):\n    await x\n    return x\n",
    "decorated": "@one\n@two(\n    3\n)\ndef f(x):\n    y = x\n    return y\n",
    "header on lines": "def f(\n    x,\n    y=lambda: 1,\n):\n    z = x\n    return z\n",
    "function within": "def f(x):\n    def g():\n        return x\n    return g\n",
    "comment behind": "def f(x):\n    y = x\n    return y  # so\n    # and so\n\nx = 1\n",
    "semicolon behind": "def f(x):\n    y = x\n    return y;\n",
    "other letters": "def f(x):\n    y = 'ä'\n    return 'öüß', x, 'é'  # è\n",
    "text on lines": 'def f(x):\n    return """\n        a\n\n      b"""\n\nx = 1\n',
    "brackets on lines": "def f(x):\n    return (\n        x\n     )\n",
    "lines that go on": "def f(x):\n    y = x + \\\n        1\n    return y\n",
    "other newlines": "def f(x):\r\n    y = x\r\n    return y\r\n",
    "no last newline": "def f(x):\n    y = x\n    return y",
    "formatted text": 'def f(x):\n    y = f"""{x}\n    {x!r:>{x}}"""\n    return f"a{y}b{f(x)}"\n',
    "an escape that is none": "def f(x):\n    y = '\\d'\n    return y\n",
    "much space": "\n\n\ndef f(x):\n\n\n        y = x\n\n        return y\n\n\n\nclass A: pass\n",
}
#: Where a body is parsed with the rest.
WHOLE_TEXTS = {
    "one line": "def f(x): return x\n",
    "header and body in a line": "def f(\n    x,\n): return x\n",
    "one statement": "def f(x):\n    return x\n",
    "a decorated function first": "def f(x):\n    @x\n    def g():\n        return 1\n    return g\n",
    "tabs": "def f(x):\n\ty = x\n\treturn y\n",
    "an end before its begin": "class A:\n    def f(self):\n        return (\n            1\n)\n",
    "in a branch": "if x:\n    def f(x):\n        y = x\n        return y\n",
}


def dumped(tree: ast.AST) -> str:
    """All that is known of a tree."""
    return ast.dump(tree, include_attributes=True)


def late(text: str) -> Source:
    """A source with the bodies that another run need not parse at once."""
    source, first = Source("a.py", text), Source("a.py", text)
    source.late_bodies = places_of(first.tree, first.lines)
    return source


def functions(tree: ast.Module) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    """The functions of a module, without a look into any."""
    found: list[ast.FunctionDef | ast.AsyncFunctionDef] = []
    pending: list[ast.stmt] = list(tree.body)
    while pending:
        node = pending.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found.append(node)
        elif isinstance(node, ast.ClassDef):
            pending += node.body
    return found


@pytest.mark.parametrize("text", LATE_TEXTS.values(), ids=LATE_TEXTS)
def test_a_body_is_parsed_when_it_is_asked_for(text: str) -> None:
    tree = late(text).tree
    assert all(isinstance(each, LATE) for each in functions(tree))
    assert dumped(tree) == dumped(Source("a.py", text).tree)
    assert not any(isinstance(each, LATE) for each in ast.walk(tree))


@pytest.mark.parametrize("text", WHOLE_TEXTS.values(), ids=WHOLE_TEXTS)
def test_a_body_that_cannot_be_told_from_the_rest_is_parsed_with_it(text: str) -> None:
    tree = late(text).tree
    assert not any(isinstance(each, LATE) for each in ast.walk(tree))
    assert dumped(tree) == dumped(Source("a.py", text).tree)


def test_trees_of_real_files_are_whole() -> None:
    for path in sorted(Path(devfix.__file__).parent.glob("analysis/*/*.py"))[::5]:
        text = path.read_text(encoding="utf-8")
        assert dumped(late(text).tree) == dumped(Source("a.py", text).tree), path


def test_a_function_stays_the_same_object() -> None:
    (function,) = functions(late(LATE_TEXTS["docstring"]).tree)
    function.__dict__["answer"] = 42
    places = (function.lineno, function.end_lineno, function.end_col_offset)
    assert ast.get_docstring(function) == "What."
    assert type(function) is ast.FunctionDef
    assert (function.lineno, function.end_lineno, function.end_col_offset) == places
    assert function.__dict__["answer"] == 42


def test_what_no_function_has_is_missing() -> None:
    (function,) = functions(late(LATE_TEXTS["docstring"]).tree)
    assert getattr(function, "elements", None) is None
    assert isinstance(function, LATE)


def test_a_copy_has_a_body_of_its_own() -> None:
    (function,) = functions(late(LATE_TEXTS["docstring"]).tree)
    other = copy.copy(function)
    assert dumped(other) == dumped(function)
    assert other.body is not function.body


def test_a_visitor_meets_a_function() -> None:
    (function,) = functions(late(LATE_TEXTS["docstring"]).tree)
    assert ast.unparse(function) == 'def f(x):\n    """What."""\n    return x'


def test_imports_within_bodies_are_found() -> None:
    text = "def f():\n    x = 1\n    import torch\n    return torch.ones(x)\n"
    assert [item.module for item in find_imports(late(text).tree)] == ["torch"]


def test_a_source_that_is_changed_has_bodies_of_its_own() -> None:
    source = late(LATE_TEXTS["docstring"])
    changed = source.with_text(f"x = 1\n{source.text}")
    assert dumped(changed.tree) == dumped(Source("a.py", changed.text).tree)
