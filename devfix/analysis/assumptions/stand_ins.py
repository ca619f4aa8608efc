"""Files of tests: pytest calls what begins with ``test``, and whatever else such a file defines is there for that alone."""

from __future__ import annotations

import ast
import re

from devfix.analysis.text.syntax import is_main_guard, remembered

#: The files that pytest looks into, and those in which it finds what tests share.
_COLLECTED = re.compile(r"(^|/)(test_[^/]*|[^/]*_test)\.py$")
_SHARED = re.compile(r"(^|/)conftest\.py$")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def leave_alone(path: str, tree: ast.Module, cls: ast.ClassDef) -> bool:
    """Whether a class stands in for something in tests: where no test brings its objects, they are not brought to a device."""
    if _is_test(cls):
        return False
    return _SHARED.search(path) is not None or (_COLLECTED.search(path) is not None and _has_tests(tree))


@remembered
def _has_tests(tree: ast.Module) -> bool:
    """Whether a file is there for its tests, and not to be run."""
    return any(map(_is_test, tree.body)) and not any(map(is_main_guard, tree.body))


def _is_test(node: ast.AST) -> bool:
    if isinstance(node, ast.ClassDef):
        return any(map(_is_test, node.body))
    return isinstance(node, _FUNCTIONS) and node.name.startswith("test")
