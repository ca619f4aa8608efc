"""Search path: the folders that a file has modules looked for in, as far as its text shows them."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Iterable, Iterator, Mapping

#: How folders are put where modules are looked for, each with the argument that names one or more.
_ADDING: Mapping[str, int] = {
    "sys.path.append": 0,
    "sys.path.insert": 1,
    "sys.path.extend": 0,
    "site.addsitedir": 0,
}
_PATH = "sys.path"
#: What of a path says how it is spelt, and not where it is.
_SPELLING = frozenset(
    {
        "abspath",
        "absolute",
        "as_posix",
        "fspath",
        "normpath",
        "Path",
        "PurePath",
        "realpath",
        "resolve",
        "str",
    }
)
_JOINING = frozenset({"join", "joinpath"})
#: Where the file is seen from its folder. What it is called does not matter.
_FILE = "file"


def added_folders(statements: Iterable[ast.stmt]) -> tuple[str, ...]:
    """The folders that some statements of a file add to ``sys.path``, as seen from the folder it is in.

    What a path begins with that nobody knows is taken to be that folder, as ``ROOT`` in ``os.path.join(ROOT, "nets")`` mostly is.
    """
    bound: dict[str, ast.expr] = {}
    adding: list[ast.expr] = []
    for statement in statements:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            bound.setdefault(statement.targets[0].id, statement.value)
        else:
            adding += _added(statement)
    found = (_Paths(bound).of(node) for node in adding)
    normal = (os.path.normpath(path) for path in found if path)
    return tuple(dict.fromkeys(path for path in normal if path != os.curdir and not os.path.isabs(path)))


def _added(statement: ast.stmt) -> Iterator[ast.expr]:
    if isinstance(statement, ast.AugAssign) and ast.unparse(statement.target) == _PATH:
        yield from _items(statement.value)
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        call = statement.value
        at = _ADDING.get(ast.unparse(call.func)) if isinstance(call.func, ast.Attribute) else None
        if at is not None and len(call.args) > at:
            yield from _items(call.args[at])


def _items(node: ast.expr) -> list[ast.expr]:
    return node.elts if isinstance(node, (ast.List, ast.Tuple)) else [node]


class _Paths:
    """What paths are that expressions stand for, from the folder of the file; None for those that nobody knows."""

    def __init__(self, bound: Mapping[str, ast.expr]) -> None:
        self._bound = dict(bound)

    def of(self, node: ast.expr) -> str | None:
        reader: Callable[..., str | None] | None = getattr(self, f"_of_{type(node).__name__.lower()}", None)
        return None if reader is None else reader(node)

    def _of_constant(self, node: ast.Constant) -> str | None:
        return node.value if isinstance(node.value, str) else None

    def _of_name(self, node: ast.Name) -> str | None:
        if node.id == "__file__":
            return _FILE
        # A name that stands for itself is asked once.
        value = self._bound.pop(node.id, None)
        if value is None:
            return None
        found = self.of(value)
        self._bound[node.id] = value
        return found

    def _of_call(self, node: ast.Call) -> str | None:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        # ``Path(a).resolve()`` says it of what it is called on, ``os.path.abspath(a)`` of what it is given.
        receiver = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        if name in _SPELLING:
            return self.of((node.args or receiver)[0]) if node.args or receiver else None
        if name == "dirname" and node.args:
            return _above(self.of(node.args[0]))
        if name in _JOINING:
            return self._joined([*(receiver if name == "joinpath" else ()), *node.args])
        return None

    def _of_attribute(self, node: ast.Attribute) -> str | None:
        return _above(self.of(node.value)) if node.attr == "parent" else None

    def _of_subscript(self, node: ast.Subscript) -> str | None:
        parents, at = node.value, getattr(node.slice, "value", None)
        if not isinstance(parents, ast.Attribute) or parents.attr != "parents" or not isinstance(at, int):
            return None
        found = self.of(parents.value)
        for _ in range(at + 1):
            found = _above(found)
        return found

    def _of_binop(self, node: ast.BinOp) -> str | None:
        return self._joined([node.left, node.right]) if isinstance(node.op, (ast.Add, ast.Div)) else None

    def _of_joinedstr(self, node: ast.JoinedStr) -> str | None:
        return self._joined(node.values)

    def _of_formattedvalue(self, node: ast.FormattedValue) -> str | None:
        return self.of(node.value)

    def _of_boolop(self, node: ast.BoolOp) -> str | None:
        return self.of(node.values[0])

    def _joined(self, parts: list[ast.expr]) -> str | None:
        found = [self.of(part) for part in parts]
        if all(part is None for part in found) or None in found[1:]:
            return None
        return os.path.join(found[0] or "", *(part.lstrip("/") for part in found[1:] if part is not None))


def _above(path: str | None) -> str | None:
    return None if path is None else os.path.normpath(os.path.join(path, os.pardir))
