"""Function modes: a class of the project through which all calls of torch go where it is entered.

Such a mode may put what is made wherever it likes, and move what does not fit. One that hands everything on as it
is, as those do that count and log, changes nothing.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, TypeGuard

from devfix.analysis.domain import classes
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import CPU, UNKNOWN_DEVICE
from devfix.analysis.domain.values import UNKNOWN, Class, External, Function, Tensor, Unknown, Value
from devfix.analysis.language.frames import CallSite
from devfix.analysis.language.leaving import NOTHING, Leaving
from devfix.analysis.text.syntax import first_name, remembered, walk

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: Which method of a mode gets the calls, by the name of the class that it descends from.
_HANDLERS = {
    "torch.overrides.TorchFunctionMode": "__torch_function__",
    "torch.utils._python_dispatch.TorchDispatchMode": "__torch_dispatch__",
}


def enter(interp: Interpreter, cls: Class) -> Leaving:
    """What an entered object does as a mode: where a mode decides, what is made is anywhere and nothing fails for sure."""
    if not _decides(interp, cls):
        return NOTHING
    before = interp.state.default_device
    interp.state.default_device = UNKNOWN
    interp.recorder.muted += 1

    def in_state() -> None:
        interp.state.default_device = before

    def of_run() -> None:
        interp.recorder.muted -= 1

    return Leaving(in_state, of_run)


def _decides(interp: Interpreter, cls: Class) -> bool:
    for base in (base for each in classes.linearise(cls) for base in each.bases):
        handler = _HANDLERS.get(base.name) if isinstance(base, External) else None
        if handler is not None:
            found = classes.find(interp, cls, handler)
            return not (isinstance(found, Function) and _hands_on(found.node))
    return False


def made(interp: Interpreter, name: str, site: CallSite, result: Value) -> Value:
    """What a function of torch makes that nobody told where: where a mode decides, nobody knows."""
    if not isinstance(interp.state.default_device, Unknown) or not name.startswith("torch."):
        return result
    if isinstance(result, Tensor) and result.device == CPU and "device" not in site.keywords:
        return replace(result, device=UNKNOWN_DEVICE)
    return result


@remembered
def _hands_on(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> bool:
    """Whether a handler calls the function it is given with what it is given, and returns what comes of that.

    ``out = func(*args, **(kwargs or {}))`` and ``return out``, with nothing that changes ``args``, ``kwargs`` or ``out``, or an
    attribute of what is in them.
    """
    names = [each.arg for each in node.args.args]
    if isinstance(node, ast.Lambda) or len(names) != 5:
        return False
    own, func, _, args, kwargs = names
    parts = list(walk(node))
    calls = [part for part in parts if isinstance(part, ast.Call) and _is_name(part.func, func)]
    assigned = [(part.targets, part.value) for part in parts if isinstance(part, ast.Assign)]
    kept = [target for targets, value in assigned if value in calls for target in targets]
    results = {target.id for target in kept if _is_name(target)}
    kept += [
        target
        for targets, value in assigned
        if _is_same(value, kwargs)
        for target in targets
        if _is_name(target, kwargs)
    ]
    returned = [part.value for part in parts if isinstance(part, ast.Return)]
    return (
        all(_is_as_given(call, args, kwargs) for call in calls)
        and bool(returned)
        and all(value in calls or getattr(value, "id", None) in results for value in returned)
        and not any(_stores(part, {func, args, kwargs, *results}) and part not in kept for part in parts)
        and not any(_changes(part, kwargs) or _sets_of_other(part, own) for part in parts)
    )


def _is_name(node: ast.expr, name: str = "") -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and name in ("", node.id)


def _is_as_given(call: ast.Call, args: str, kwargs: str) -> bool:
    """Whether a call is ``func(*args, **kwargs)``."""
    given = [part.value for part in call.args if isinstance(part, ast.Starred)]
    named = [each.value for each in call.keywords if each.arg is None]
    return (
        len(call.args) == len(given) == 1 == len(named) == len(call.keywords)
        and _is_name(given[0], args)
        and _is_same(named[0], kwargs)
    )


def _is_same(node: ast.expr, name: str) -> bool:
    """Whether an expression is a name, or ``{}`` where there is none."""
    ways = node.values if isinstance(node, ast.BoolOp) else [node]
    ways = [node.body, node.orelse] if isinstance(node, ast.IfExp) else ways
    return all(_is_name(way, name) or (isinstance(way, ast.Dict) and not way.keys) for way in ways)


def _stores(part: ast.AST, names: set[str]) -> bool:
    return isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load) and part.id in names


#: What is asked of the keywords of a call without changing them.
_ASKING = frozenset({"get", "keys", "values", "items"})


def _changes(part: ast.AST, kwargs: str) -> bool:
    """Whether a part of a handler changes the keywords that it is given."""
    if isinstance(part, ast.Subscript):
        return _is_name(part.value, kwargs) and not isinstance(part.ctx, ast.Load)
    return isinstance(part, ast.Attribute) and _is_name(part.value, kwargs) and part.attr not in _ASKING


def _sets_of_other(part: ast.AST, own: str) -> bool:
    """Whether a part of a handler sets an attribute of anything but the mode itself, as of a tensor that it is given."""
    return isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store) and first_name(part) != own
