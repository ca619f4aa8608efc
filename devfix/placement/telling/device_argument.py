"""The device that a call is given: taking it away, or naming another one."""

from __future__ import annotations

import ast

from devfix.analysis.text.outline import Outline
from devfix.analysis.text.scope_names import parameters_of
from devfix.analysis.text.syntax import called
from devfix.findings import DropCall, FileEdit, RemoveKeyword, ReplaceExpression, SetKeyword
from devfix.placement.devices.device_expression import Place
from devfix.placement.moves import rebuilt_alike
from devfix.placement.text.naming import is_path

#: What makes a tensor of the size of another one, with numbers that do not depend on where.
_ALIKE = frozenset({"zeros_like", "ones_like", "empty_like", "full_like"})
_MOVES = ("to", "cuda", "xpu")
#: Keywords of ``to`` that say how it moves and mean nothing without a move.
_MANNERS = frozenset({"non_blocking", "memory_format"})


def without_device(place: Place, *, mover: bool = False) -> tuple[FileEdit, ...]:
    """The call at a place leaves its result where it is; nothing when it is no call one can undo.

    A ``mover`` is a function that hands back its first argument, moved.
    """
    call = place.node
    if not isinstance(call, ast.Call):
        return ()
    span = place.outline.source.span(call)
    if isinstance(call.func, ast.Attribute) and call.func.attr in _MOVES:
        return _without_move(place, call, call.func)
    if any(keyword.arg == "device" for keyword in call.keywords) and not mover:
        return (FileEdit(place.path, RemoveKeyword(span, "device")),)
    if mover and call.args and not isinstance(call.args[0], ast.Starred):
        return (FileEdit(place.path, ReplaceExpression(span, _text(place, call.args[0]))),)
    return ()


def without_mover_of_all(place: Place) -> tuple[FileEdit, ...]:
    """``return to_gpu(x, y)`` becomes ``return x, y``: the function hands back all that it is given, moved."""
    call = place.node
    if not isinstance(call, ast.Call) or any(isinstance(each, ast.Starred) for each in call.args):
        return ()
    given = ", ".join(_text(place, each) for each in call.args)
    bare = isinstance(place.outline.parents.get(call), (ast.Return, ast.Assign))
    edit = ReplaceExpression(place.outline.source.span(call), given if bare else f"({given})")
    return (FileEdit(place.path, edit),)


def _without_move(place: Place, call: ast.Call, method: ast.Attribute) -> tuple[FileEdit, ...]:
    """``x.to(device, torch.float32)`` still casts."""
    span = place.outline.source.span(call)
    named = {keyword.arg for keyword in call.keywords}
    cast = _text(place, call.args[1]) if len(call.args) > 1 and not _is_flag(call.args[1]) else ""
    for keyword in call.keywords:
        if keyword.arg == "dtype":
            cast = f"dtype={_text(place, keyword.value)}"
    if not named <= {"device", "dtype", "copy", *_MANNERS} or len(call.args) > 2:
        return ()
    if not cast:
        alike = rebuilt_alike.without_move(place.outline, call)
        if alike is not None:
            return (FileEdit(place.path, alike),)
        return (FileEdit(place.path, DropCall(span)),)
    return (FileEdit(place.path, ReplaceExpression(span, f"{_text(place, method)}({cast})")),)


def _is_flag(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, bool)


def generator_without_device(place: Place) -> tuple[FileEdit, ...]:
    """``torch.Generator(device)`` becomes ``torch.Generator()``, which is on the CPU."""
    call = place.node
    if not isinstance(call, ast.Call) or not (call.args or call.keywords):
        return ()
    span = place.outline.source.span(call)
    return (FileEdit(place.path, ReplaceExpression(span, f"{_text(place, call.func)}()")),)


def generator_with_device(place: Place, device: str) -> tuple[FileEdit, ...]:
    """``torch.Generator()`` becomes ``torch.Generator(device=...)``."""
    call = place.node
    if not isinstance(call, ast.Call) or any(keyword.arg is None for keyword in call.keywords):
        return ()
    source = place.outline.source
    if call.args:
        return (FileEdit(place.path, ReplaceExpression(source.span(call.args[0]), device)),)
    return (FileEdit(place.path, SetKeyword(source.span(call), "device", device)),)


def _text(place: Place, node: ast.AST) -> str:
    source = place.outline.source
    return source.segment(source.span(node))


def made_alike(place: Place, device: str) -> tuple[FileEdit, ...]:
    """``torch.zeros_like(x)`` is told the device; nothing for any other expression."""
    call = place.node
    if not isinstance(call, ast.Call) or takes_no_device(place.outline, call):
        return ()
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in _ALIKE:
        return ()
    return (FileEdit(place.path, SetKeyword(place.outline.source.span(call), "device", device)),)


def takes_no_device(outline: Outline, call: ast.Call) -> bool:
    """``torch.FloatTensor(...)`` takes no device but its own, and some calls have been given one, or may have: ``**options``.

    A variable may stand for such a constructor: ``kind = type(x); y = kind(2, 3)``, and a table may hold functions of all kinds.
    """
    name = called(call)
    own = outline.aliases.get(name, name).endswith("Tensor")
    return (
        own or _is_variable(outline, call.func) or any(key.arg in ("device", None) for key in call.keywords)
    )


def _is_variable(outline: Outline, called: ast.expr) -> bool:
    """Whether what is called is computed or handed in: another time it may be something that takes no device."""
    if isinstance(called, ast.Subscript):
        return not isinstance(called.slice, ast.Constant)
    if not isinstance(called, ast.Name):
        return False
    function = outline.function_of(called)
    if function is not None and any(each.arg == called.id for each in parameters_of(function)):
        return True
    named = outline.occurrences(function or outline.source.tree, called.id)
    stored = [node for node in named if isinstance(node.ctx, ast.Store)]
    if function is None:
        stored = [node for node in stored if outline.function_of(node) is None]
    return bool(stored) and not (function is None and len(stored) == 1 and _is_alias(outline, stored[0]))


def _is_alias(outline: Outline, target: ast.Name) -> bool:
    """Whether a name is another one for something: ``zeros = torch.zeros``."""
    around = outline.parents.get(target)
    return isinstance(around, ast.Assign) and is_path(around.value, ast.Name)
