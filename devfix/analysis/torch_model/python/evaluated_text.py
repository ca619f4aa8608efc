"""``eval(f"{name}()")``: expressions put together as text, and names looked up in ``globals()``."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.values import (
    UNKNOWN,
    Class,
    Function,
    Obj,
    Tensor,
    Union,
    Value,
    usual_value,
)
from devfix.analysis.language.frames import CallSite
from devfix.analysis.nn import modules
from devfix.analysis.reuse import reads
from devfix.analysis.text.syntax import in_rows
from devfix.analysis.torch_model.python import text_methods

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: What stands for a part of the text that nobody knows.
_HOLE = "some_name_that_is_not_known"
_LONGEST = 200
#: What is evaluated: names, calls and data. Whatever else such a text does is not followed.
_FOLLOWED = (
    ast.Name, ast.Attribute, ast.Call, ast.keyword, ast.Constant, ast.List, ast.Tuple, ast.Dict,
    ast.UnaryOp, ast.unaryop, ast.expr_context,
)  # fmt: skip


def evaluate(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``eval(text)``: what the text says, as far as it is known."""
    given = site.args[0].node if site.args else None
    pattern = _HOLE
    if given is not None and len(site.args) == 1:
        pattern = text_methods.pattern(given, _HOLE, lambda part: _known(interp, part))
    if pattern == _HOLE:
        return _called(interp, site.node)
    if len(pattern) > _LONGEST:
        return UNKNOWN
    tree = _parsed(site.node, pattern)
    if tree is None or _reads_tensors(interp, tree):
        return UNKNOWN
    if _HOLE not in pattern:
        return interp.eval(tree)
    frame = interp.frame.id
    interp.state.set(frame, _HOLE, _anything(interp))
    made = interp.eval(tree)
    interp.state.set(frame, _HOLE, UNKNOWN)
    return made


def _known(interp: Interpreter, node: ast.expr) -> str | None:
    """A text that is known, or what it usually is."""
    known = usual_value(interp.eval(node))
    return known.value if known is not None and isinstance(known.value, str) else None


def _parsed(node: ast.expr, text: str) -> ast.expr | None:
    """The expression of a text, standing where ``node`` does, which keeps it: it is one and the same each time."""
    trees: dict[str, ast.expr | None] = node.__dict__.setdefault(f"{__name__}.trees", {})
    if text not in trees:
        trees[text] = _tree(node, text)
    return trees[text]


def _tree(node: ast.expr, text: str) -> ast.expr | None:
    try:
        tree: ast.expr = _ByName().visit(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError):
        return None
    for part in in_rows(tree):
        if not isinstance(part, _FOLLOWED):
            return None
        ast.copy_location(part, node)
    return tree


class _ByName(ast.NodeTransformer):
    """An attribute whose name is not known is asked for as by ``getattr``."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.generic_visit(node)
        if node.attr != _HOLE:
            return node
        asked = ast.Name("getattr", ast.Load())
        return ast.Call(asked, [node.value, ast.Name(_HOLE, ast.Load())], [])


def _reads_tensors(interp: Interpreter, tree: ast.expr) -> bool:
    """Whether a text computes with tensors, which no repair could reach there."""
    names = [part.id for part in in_rows(tree) if isinstance(part, ast.Name)]
    return any(isinstance(interp.lookup(name), Tensor) for name in names)


def _called(interp: Interpreter, node: ast.expr) -> Value:
    """``eval(name)(...)``: any class of those that the file knows, or of its functions when there are none.

    Unpacked arguments fit any of them, and are mostly those of a model.
    """
    statement = interp.frame.statement
    parts = in_rows(statement) if statement is not None else ()
    call = next((part for part in parts if isinstance(part, ast.Call) and part.func is node), None)
    if call is None:
        return UNKNOWN
    functions, found = _held(interp)
    spread = any(keyword.arg is None for keyword in call.keywords)
    spread = spread or any(isinstance(arg, ast.Starred) for arg in call.args)
    models = tuple(cls for cls in found if modules.is_module_class(interp, cls)) if spread else ()
    return _any(models or tuple(cls for cls in found if not _is_builtin(interp, cls)) or functions)


def _is_builtin(interp: Interpreter, cls: Value) -> bool:
    """Whether a class is a kind of dict, of exception or of other things that take whatever they are given."""
    bases = {*modules.external_bases(interp, cls)} - {"builtins.object"}
    return any(base.startswith("builtins.") for base in bases)


def _anything(interp: Interpreter) -> Value:
    """What the file calls by names: one of its functions, except those that are running, or else its classes."""
    functions, found = _held(interp)
    return _any(functions or found)


def _held(interp: Interpreter) -> tuple[tuple[Value, ...], tuple[Value, ...]]:
    """The functions that the file knows, without those that are running, and the classes."""
    running = [frame.function for frame in interp.stack if frame.function is not None]
    held = tuple(dict.fromkeys(reads.all_of(interp, interp.frame.module).values()))
    functions = tuple(value for value in held if isinstance(value, Function) and value not in running)
    return functions, tuple(value for value in held if isinstance(value, Class))


def _any(found: tuple[Value, ...]) -> Value:
    return found[0] if len(found) == 1 else Union(found) if found else UNKNOWN


def names_of(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``globals()`` and ``locals()``: the variables there are, as a dict."""
    if name.endswith("globals"):
        held = reads.all_of(interp, interp.frame.module)
    else:  # what a comprehension loops over is none of its own
        frame = next(each for each in reversed(interp.stack) if each.kind != "comprehension")
        held = interp.state.variables(frame.id)
    return interp.new(Obj("dict", attrs=dict(held)))


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    "builtins.eval": evaluate,
    "builtins.globals": names_of,
    "builtins.locals": names_of,
}
