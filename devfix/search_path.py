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
        "realpath",
        "resolve",
        "str",
    }
)
_JOINING = frozenset({"join", "joinpath", "Path", "PurePath"})
#: What is in no project.
_ELSEWHERE = frozenset({"expanduser", "gettempdir", "home", "mkdtemp"})
#: Parts of paths that ``os`` has names for.
_PARTS = {"curdir": os.curdir, "pardir": os.pardir, "sep": "/"}
#: Where the file is seen from its folder. What it is called does not matter.
_FILE = "file"


def added_folders(statements: Iterable[ast.stmt]) -> tuple[str, ...]:
    """The folders that some statements of a file add to ``sys.path``, as seen from the folder it is in.

    What a path begins with that nobody knows is taken to be that folder, as ``ROOT`` in ``os.path.join(ROOT, "nets")`` mostly is.
    """
    bound: dict[str, list[ast.expr]] = {}
    adding: list[ast.expr] = []
    for statement in statements:
        target = _target(statement)
        if isinstance(target, ast.Name) and isinstance(statement, (ast.Assign, ast.AnnAssign)):
            bound.setdefault(target.id, []).extend([statement.value] if statement.value else [])
        else:
            adding += _added(statement)
    # Which of its values a name has there is not looked for.
    paths = _Paths({name: values[0] for name, values in bound.items() if len(values) == 1})
    found = map(paths.of, adding)
    normal = (os.path.normpath(path) for path in found if path)
    return tuple(dict.fromkeys(path for path in normal if path != os.curdir and not os.path.isabs(path)))


def _target(statement: ast.stmt) -> ast.expr | None:
    if isinstance(statement, ast.Assign):
        return statement.targets[0]
    return statement.target if isinstance(statement, (ast.AnnAssign, ast.AugAssign)) else None


def _added(statement: ast.stmt) -> Iterator[ast.expr]:
    target = _target(statement)
    if isinstance(statement, (ast.Assign, ast.AugAssign)):
        # ``sys.path[:0] = ["lib"]`` puts them before the others.
        if _is_one_of((_PATH,), target.value if isinstance(target, ast.Subscript) else target):
            yield from _items(statement.value)
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        call = statement.value
        at = _ADDING[ast.unparse(call.func)] if _is_one_of(_ADDING, call.func) else None
        if at is not None and len(call.args) > at:
            yield from _items(call.args[at])


def _is_one_of(names: Iterable[str], node: ast.expr | None) -> bool:
    """Whether an attribute is one of some, told by all that is before it only where its own name is the same."""
    alike = [name for name in names if isinstance(node, ast.Attribute) and name.endswith(f".{node.attr}")]
    return bool(alike) and isinstance(node, ast.Attribute) and ast.unparse(node) in alike


def _items(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        sides = [side for side in (node.left, node.right) if isinstance(side, (ast.List, ast.Tuple))]
        return [item for side in sides for item in side.elts] if sides else [node]
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
        if name in _ELSEWHERE:
            return os.sep
        if name in _JOINING:
            return self._joined([*(receiver if name == "joinpath" else ()), *node.args])
        return None

    def _of_attribute(self, node: ast.Attribute) -> str | None:
        return _above(self.of(node.value)) if node.attr == "parent" else _PARTS.get(node.attr)

    def _of_subscript(self, node: ast.Subscript) -> str | None:
        parents, at = node.value, getattr(node.slice, "value", None)
        if isinstance(parents, ast.Call) and at == 0 and ast.unparse(parents.func).endswith("path.split"):
            return _above(self.of(parents.args[0])) if parents.args else None
        if not isinstance(parents, ast.Attribute) or parents.attr != "parents" or not isinstance(at, int):
            return None
        found = self.of(parents.value)
        for _ in range(at + 1):
            found = _above(found)
        return found

    def _of_binop(self, node: ast.BinOp) -> str | None:
        if isinstance(node.op, ast.Add):
            return self._concatenated([node.left, node.right])
        return self._joined([node.left, node.right]) if isinstance(node.op, ast.Div) else None

    def _of_joinedstr(self, node: ast.JoinedStr) -> str | None:
        return self._concatenated(node.values)

    def _of_formattedvalue(self, node: ast.FormattedValue) -> str | None:
        return self.of(node.value)

    def _of_boolop(self, node: ast.BoolOp) -> str | None:
        return self.of(node.values[0])

    def _joined(self, parts: list[ast.expr]) -> str | None:
        first, rest = self._known(parts)
        return None if rest is None else os.path.join(first or "", *rest)

    def _concatenated(self, parts: list[ast.expr]) -> str | None:
        first, rest = self._known(parts)
        if rest is None:
            return None
        text = "".join(rest)
        return text.lstrip("/") if first is None else f"{first}{text}"

    def _known(self, parts: list[ast.expr]) -> tuple[str | None, list[str] | None]:
        """What a path begins with, if that is known, and the rest of it; None for that where nobody knows."""
        first, *rest = map(self.of, parts) if parts else (None,)
        known = [part for part in rest if part is not None]
        return first, known if len(known) == len(rest) and (rest or first is not None) else None


def _above(path: str | None) -> str | None:
    return None if path is None else os.path.normpath(os.path.join(path, os.pardir))
