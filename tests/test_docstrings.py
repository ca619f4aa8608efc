"""Every public function says what it does, and what it raises."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FILES = sorted(path for folder in ("devfix", "codemods") for path in (ROOT / folder).rglob("*.py"))

_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
#: What a command of the command line ends with instead; its docstring is what ``--help`` shows.
_EXITS = frozenset({"Exit", "BadParameter"})
#: What the docstring of a function may say that raises what another function makes, as the simulator's rules do.
_REFUSES = re.compile(r"rais|refus", re.IGNORECASE)
#: Methods that the class explains whose methods they override.
_INHERITED = frozenset({"check"})


def public(body: list[ast.stmt], prefix: str = "") -> Iterator[tuple[str, _Definition]]:
    """The public definitions of a module or class, by qualified name; constructors and magic methods are none."""
    for node in body:
        if isinstance(node, (ast.If, ast.Try)):
            yield from public([*node.body, *node.orelse], prefix)
        if not isinstance(node, _Definition) or node.name.startswith("_") or is_setter(node):
            continue
        yield prefix + node.name, node
        if isinstance(node, ast.ClassDef):
            yield from public(node.body, f"{prefix}{node.name}.")


def is_setter(node: _Definition) -> bool:
    """Whether a definition is the second half of a property, which the first one explains."""
    return any(isinstance(each, ast.Attribute) and each.attr == "setter" for each in node.decorator_list)


def raised(node: ast.AST) -> Iterator[str]:
    """The names of what a function raises itself: of classes, or of functions that make the exception."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            continue
        if isinstance(child, ast.Raise) and child.exc is not None:
            error = child.exc.func if isinstance(child.exc, ast.Call) else child.exc
            yield ast.unparse(error).rpartition(".")[2]
        yield from raised(child)


def unsaid(path: Path, text: str) -> Iterator[str]:
    """What the docstrings of a file leave out."""
    tree = ast.parse(text)
    if not ast.get_docstring(tree):
        yield f"{path}: the module has no docstring"
    for name, node in public(tree.body):
        said = ast.get_docstring(node) or ""
        if not said and not (name.count(".") and node.name in _INHERITED):
            yield f"{path}:{node.lineno}: {name} has no docstring"
        if not isinstance(node, ast.ClassDef):
            missing = [error for error in dict.fromkeys(raised(node)) if not is_said(error, said)]
            yield from (
                f"{path}:{node.lineno}: {name} does not say that it raises {each}" for each in missing
            )


def is_said(error: str, said: str) -> bool:
    """Whether a docstring tells of an error."""
    if error in _EXITS:
        return "exit code" in said.lower()
    return error in said if error[:1].isupper() else bool(_REFUSES.search(said))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_public_names_are_explained_with_what_they_raise(path: Path) -> None:
    assert list(unsaid(path.relative_to(ROOT), path.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ('"""M."""\ndef f():\n    """Give."""\n', 0),
        ('"""M."""\ndef f():\n    pass\n', 1),
        (
            '"""M."""\nclass C:\n    """C."""\n    def m(self):\n        pass\n    def _p(self):\n        pass\n',
            1,
        ),
        ('"""M."""\nif x:\n    def f():\n        pass\n', 1),
        ('"""M."""\ndef f():\n    """Give."""\n    raise ValueError("no")\n', 1),
        ('"""M."""\ndef f():\n    """Give; raises ValueError."""\n    raise ValueError("no")\n', 0),
        ('"""M."""\ndef f():\n    """Give; raises ValueError."""\n    raise KeyError("no")\n', 1),
        ('"""M."""\ndef f():\n    """Give."""\n    raise refuse("no")\n', 1),
        ('"""M."""\ndef f():\n    """Refuse."""\n    raise refuse("no")\n', 0),
        ('"""M."""\ndef f():\n    """Go on."""\n    raise typer.Exit(2)\n', 1),
        ('"""M."""\ndef f():\n    """Give."""\n    def g():\n        raise ValueError\n    raise\n', 0),
        ("def f():\n    '''Give.'''\n", 1),
    ],
)
def test_what_is_left_out_is_seen(text: str, count: int) -> None:
    assert len(list(unsaid(Path("m.py"), text))) == count
