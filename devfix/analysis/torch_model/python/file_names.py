"""File names: whether two expressions name one file for certain."""

from __future__ import annotations

import ast
import posixpath
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from devfix.analysis.domain.values import Const, Ref, Unknown, Value
from devfix.analysis.reuse import reads
from devfix.analysis.text.scope_names import LOOPS, binds, own_nodes, parameters_of
from devfix.analysis.text.syntax import in_rows, remembered

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter
    from devfix.analysis.language.frames import Arg

#: The fact of an opened file that tells its name.
NAMED = "named"
_JOINS = frozenset(("os.path.join", "osp.join", "path.join", "join"))
#: What gives a file the name of another.
_CHANGES = frozenset(
    "os.chdir os.rename os.replace os.link os.symlink shutil.move shutil.copy shutil.copy2 shutil.copyfile shutil.copytree".split()
)
_AS_GIVEN = frozenset(("str", "Path", "pathlib.Path", "os.fspath"))


def of(interp: Interpreter, arg: Arg | None) -> str | None:
    """The name of the file that an argument is, or names; None where another one may be called the same.

    A name is made of texts that are known, of attributes of known objects, and of variables, which are the running
    function's own as long as it runs.
    """
    if arg is None:
        return None
    opened = interp.obj_of(arg.value)
    if opened is not None:
        told = opened.facts.get(NAMED)
        return told.value if isinstance(told, Const) and isinstance(told.value, str) else None
    if isinstance(arg.value, Const) and isinstance(arg.value.value, str):
        return posixpath.normpath(arg.value.value)
    text = _text(interp, arg.node) if arg.node is not None else None
    return posixpath.normpath(text) if text else None


@remembered
def may_change(tree: ast.Module) -> bool:
    """Whether a program has files take the place of others, or looks for them in another folder."""
    calls = (node.func for node in in_rows(tree) if isinstance(node, ast.Call))
    return any(
        isinstance(called, (ast.Attribute, ast.Name)) and ast.unparse(called) in _CHANGES for called in calls
    )


def with_suffix(name: str, suffix: str) -> str:
    """The name NumPy writes to, which adds the suffix where a text lacks it."""
    return name if name.endswith((suffix, ">")) else name + suffix


def _text(interp: Interpreter, node: ast.expr) -> str | None:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, (ast.Name, ast.Attribute)):
        return _named(interp, node)
    if isinstance(node, ast.FormattedValue):
        return _text(interp, node.value) if node.format_spec is None else None
    if isinstance(node, ast.JoinedStr):
        return _joined(interp, node.values, "")
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Div)):
        return _joined(interp, [node.left, node.right], "/" if isinstance(node.op, ast.Div) else "")
    if not isinstance(node, ast.Call) or node.keywords:
        return None
    function = ast.unparse(node.func)
    if function in _JOINS:
        return _joined(interp, node.args, "/")
    return _text(interp, node.args[0]) if function in _AS_GIVEN and len(node.args) == 1 else None


def _joined(interp: Interpreter, parts: list[ast.expr], between: str) -> str | None:
    texts = [_text(interp, part) for part in parts]
    return between.join(text for text in texts if text is not None) if None not in texts else None


def _named(interp: Interpreter, node: ast.Name | ast.Attribute) -> str | None:
    """The text that a variable or attribute is; one that is not known goes by where it is kept."""
    value = interp.eval(node)
    if isinstance(value, Const):
        return str(value.value) if isinstance(value.value, (str, int)) else None
    if isinstance(node, ast.Name):
        frame = _keeper(interp, node.id)
        return f"<{frame} {node.id}>" if frame is not None else None
    owner = _identity(interp.eval(node.value))
    return f"<{owner} {node.attr}>" if owner else None


def _identity(owner: Value) -> str:
    if isinstance(owner, Ref):
        return f"@{owner.address}"
    return f"?{owner.token}" if isinstance(owner, Unknown) and owner.token else ""


def _keeper(interp: Interpreter, name: str) -> int | None:
    """The frame of a variable that has one value as long as that lives: the running function's, or its module's."""
    frame = interp.frame
    if frame.function is not None:
        node = frame.function.node
        if any(each.arg == name for each in parameters_of(node)):
            return frame.id if isinstance(node, ast.Lambda) or not _stores(node).get(name) else None
        if isinstance(node, ast.Lambda):
            return None
        stores = _stores(node).get(name)
        if stores is not None:
            return frame.id if stores == 1 else None
    return frame.module if _stores(reads.tree(interp)).get(name) == 1 else None


@remembered
def _stores(scope: ast.FunctionDef | ast.AsyncFunctionDef | ast.Module) -> Mapping[str, int]:
    """How often the statements of a scope may bind each name; one in a loop, where a value follows another, counts twice."""
    nodes = list(own_nodes(scope.body))
    looped: set[ast.AST] = set()
    for node in nodes:
        if isinstance(node, (*LOOPS, ast.While)) and node not in looped:
            looped.update(in_rows(node))
    found = Counter[str]()
    for node in nodes:
        found.update(dict.fromkeys(binds(node), 2 if node in looped else 1))
    return found
