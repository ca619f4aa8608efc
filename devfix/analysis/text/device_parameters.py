"""Device parameters: those of a function that its text uses as devices, and as nothing else.

Where nobody says which device that is, it is the accelerator, as it is everywhere that a program leaves the choice open.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from enum import Flag, auto

from devfix.analysis.domain.values import Function
from devfix.analysis.text.nodes_below import below
from devfix.analysis.text.syntax import remembered, walk

_Definition = ast.FunctionDef | ast.AsyncFunctionDef


class _Use(Flag):
    """What is done with a name."""

    NOTHING = 0
    #: ``device=name``, ``torch.device(name)``: it names a device.
    NAMES = auto()
    #: ``x.to(name)``: a device, a dtype, or a tensor.
    MOVES = auto()
    #: ``f(name)``: what ``f`` does with it is not known here.
    PASSED = auto()
    #: ``name + 1``, ``name.shape``, ``dtype=name``: no device.
    OTHER = auto()


#: How devices are called. Others are not looked for: to go through every function would take an eighth of a check's time.
CALLED = re.compile("dev|gpu|cuda", re.IGNORECASE)
#: A name that says which device that is: not the accelerator.
_OF_HOST = re.compile("(^|_)(cpu|host)(_|$)", re.IGNORECASE)


def is_device(function: Function, name: str) -> bool:
    """Whether a parameter is used as a device, by the function or by the other methods of what it makes."""
    node = function.node
    if CALLED.search(name) is None or _OF_HOST.search(name) is not None:
        return False
    return not isinstance(node, ast.Lambda) and name in _of(node, function)


def _of(node: _Definition, function: Function) -> frozenset[str]:
    own = _parameters(node)
    kept = _kept_by(node) if function.owner is not None else {}
    if function.owner is None or not kept:
        return own
    here, later = _uses(node), _uses(function.owner.node)
    told = (
        name for name, attribute in kept.items() if _tells(attribute, _of_both(name, attribute, here, later))
    )
    return own.union(told)


def _of_both(name: str, attribute: str, here: dict[str, _Use], later: dict[str, _Use]) -> _Use:
    """What is done with an argument, and with the attribute under which it is kept."""
    return here.get(name, _Use.NOTHING) | later.get(attribute, _Use.NOTHING)


@remembered
def _parameters(node: _Definition) -> frozenset[str]:
    """The parameters that a function uses as devices."""
    uses = _uses(node)
    told = {each.arg for each in _arguments(node) if _says_device(each.annotation)}
    return frozenset(
        each.arg
        for each in _arguments(node)
        if _tells(
            each.arg, uses.get(each.arg, _Use.NOTHING) | (_Use.NAMES if each.arg in told else _Use.NOTHING)
        )
    )


@remembered
def _kept_by(node: _Definition) -> dict[str, str]:
    """Under which attribute ``self.name`` a method keeps an argument as it is."""
    return {
        part.value.id: target
        for part in walk(node)
        if isinstance(part, ast.Assign) and isinstance(part.value, ast.Name)
        for target in map(_spelt, part.targets)
        if target is not None and "." in target
    }


def _tells(name: str, use: _Use) -> bool:
    if use & _Use.OTHER:
        return False
    # What is handed on, too, may be a tensor or a dtype, unless it is called a device.
    alone = not use & _Use.PASSED or name.endswith("device")
    return bool(use & _Use.NAMES) or (bool(use & _Use.MOVES) and alone)


def _arguments(node: _Definition) -> Iterator[ast.arg]:
    spec = node.args
    yield from (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)


def _says_device(annotation: ast.expr | None) -> bool:
    """``torch.device``, and what may be one: ``torch.device | str``."""
    return annotation is not None and any(
        isinstance(part, ast.Attribute) and part.attr == "device" and _spelt(part.value) == "torch"
        for part in walk(annotation)
    )


@remembered
def _uses(root: ast.AST) -> dict[str, _Use]:
    """What is done with each name and each attribute of ``self`` below a node."""
    found: dict[str, _Use] = {}
    pending = [root]
    while pending:
        node = pending.pop()
        for part, use in _parts(node):
            name = _spelt(part)
            if name is None:
                pending.append(part)
            else:
                found[name] = found.get(name, _Use.NOTHING) | use
    return found


#: What may be done with a device: it is kept, compared, put into a text or a list, and given back.
_HARMLESS = (
    ast.Assign,
    ast.AnnAssign,
    ast.Compare,
    ast.BoolOp,
    ast.IfExp,
    ast.If,
    ast.Return,
    ast.Tuple,
    ast.List,
    ast.Dict,
    ast.FormattedValue,
    ast.Expr,
    ast.NamedExpr,
    ast.arguments,
)


def _parts(node: ast.AST) -> Iterator[tuple[ast.AST, _Use]]:
    """The nodes right below a node, with what it does with them."""
    if isinstance(node, ast.Call):
        yield from _parts_of_call(node)
        return
    if isinstance(node, ast.Attribute):
        yield node.value, _Use.NOTHING if node.attr in ("type", "index") else _Use.OTHER
        return
    use = _Use.NOTHING if isinstance(node, _HARMLESS) else _Use.OTHER
    for part in below(node):
        yield part, use


def _parts_of_call(node: ast.Call) -> Iterator[tuple[ast.AST, _Use]]:
    yield node.func, _Use.OTHER
    first = _use_of_first(node)
    for index, arg in enumerate(node.args):
        yield arg, first if index == 0 else _Use.PASSED
    for keyword in node.keywords:
        yield keyword.value, _KEYWORDS.get(keyword.arg or "", _Use.PASSED)


_KEYWORDS = {"device": _Use.NAMES, "map_location": _Use.NAMES, "dtype": _Use.OTHER}


def _use_of_first(node: ast.Call) -> _Use:
    func = node.func
    if not isinstance(func, ast.Attribute):
        return _Use.PASSED
    if func.attr == "device" and _spelt(func.value) == "torch":
        return _Use.NAMES
    return _Use.MOVES if func.attr == "to" and len(node.args) == 1 else _Use.PASSED


def _spelt(node: ast.AST) -> str | None:
    """``name`` or ``self.name``; None for all else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
        return f"self.{node.attr}"
    return None
