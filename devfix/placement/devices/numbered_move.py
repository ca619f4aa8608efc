"""Numbered moves: by what words a tensor or module came to the accelerator where it is, and where else they can be said."""

from __future__ import annotations

import ast

from devfix.analysis.record.facts import Facts
from devfix.analysis.record.recorder import Binding
from devfix.findings import FileEdit, Operand, Origin, ReplaceExpression
from devfix.placement.devices import other_accelerator
from devfix.placement.devices.boundness import is_bound
from devfix.placement.devices.current_accelerator import CURRENT
from devfix.placement.devices.device_expression import Place, place_at
from devfix.placement.text.naming import is_path

Edits = tuple[FileEdit, ...]
#: What brings a tensor to a device, or makes it there.
_PLACING = ("move", "factory", "random-factory")


def is_bare(facts: Facts, operand: Operand) -> bool:
    """Whether all that an operand is computed of was moved, or made, without saying to which accelerator."""
    calls = [_call(facts, origin) for origin in _origins(operand)]
    return bool(calls) and all(call is not None and _says_no_number(call) for call in calls)


def is_chosen(facts: Facts, operand: Operand) -> bool:
    """Whether somebody chose where an operand is for more than itself: by a name, or for a module."""
    return _is_named(facts, operand) or (operand.role == "weight" and bool(_asked_for(facts, operand)))


def _is_named(facts: Facts, operand: Operand) -> bool:
    asked = _asked_for(facts, operand)
    return bool(asked) and all(each is not None and not isinstance(each, ast.Constant) for each in asked)


def _asked_for(facts: Facts, operand: Operand) -> list[ast.expr | None]:
    """What the moves of an operand name as the device."""
    calls = [_call(facts, origin) for origin in _chosen(facts, operand)]
    return [_asked(call) for call in calls if call is not None]


def says_where(node: ast.AST) -> bool:
    """Whether an expression is a move to an accelerator that somebody chose."""
    return isinstance(node, ast.Call) and _method(node) in ("to", CURRENT) and not _says_no_number(node)


def edits(facts: Facts, operand: Operand, peer: Operand) -> Edits:
    """Each move of an operand that names no number goes where the peer's went.

    Nothing where one cannot say that, or where something else that the operand meets may be on the first accelerator to stay.
    """
    if not _is_named(facts, peer) or not other_accelerator.is_only(facts, peer.device):
        return ()
    found = [_renamed(facts, origin, peer) for origin in _origins(operand)]
    return tuple(dict.fromkeys(edit for edit in found if edit is not None)) if all(found) else ()


def device_at(facts: Facts, place: Place, peer: Operand) -> str | None:
    """What the moves of a peer name, where the same words name the same at a place; None where they do not."""
    told = {_told(facts, place, origin, peer.device) for origin in _chosen(facts, peer)}
    return told.pop() if len(told) == 1 else None


def _origins(operand: Operand) -> list[Origin]:
    """What brought an operand where it is, or all that it is computed of; nothing where one of it came by other ways."""
    begun = [trail[0] for trail in (operand.trail, *operand.roots) if trail]
    found = begun[:1] if begun and begun[0].kind in _PLACING else begun[1:]
    return found if all(origin.kind in _PLACING for origin in found) else []


def _chosen(facts: Facts, operand: Operand) -> list[Origin]:
    """The same without what went where another tensor is, by ``x.type_as(y)``."""
    calls = ((origin, _call(facts, origin)) for origin in _origins(operand))
    return [origin for origin, call in calls if not (call and _method(call) == "type_as")]


def _method(call: ast.Call) -> str | None:
    return call.func.attr if isinstance(call.func, ast.Attribute) else None


def _call(facts: Facts, origin: Origin) -> ast.Call | None:
    place = place_at(facts, origin.path, origin.span)
    return place.node if place is not None and isinstance(place.node, ast.Call) else None


def _says_no_number(call: ast.Call) -> bool:
    """``x.cuda()``, ``x.to("cuda")``, or a tensor made by a type of the accelerator's."""
    given = _asked(call)
    if given is not None:
        return isinstance(given, ast.Constant) and given.value == CURRENT
    return _method(call) == CURRENT or ast.unparse(call.func).startswith("torch.cuda.")


def _renamed(facts: Facts, origin: Origin, peer: Operand) -> FileEdit | None:
    place = place_at(facts, origin.path, origin.span)
    device = device_at(facts, place, peer) if place is not None else None
    if place is None or device is None or not isinstance(place.node, ast.Call):
        return None
    if (given := _asked(place.node)) is None:
        return _with_device(place, place.node, device)
    return FileEdit(place.path, ReplaceExpression(place.outline.source.span(given), device))


def _with_device(place: Place, call: ast.Call, device: str) -> FileEdit | None:
    """``x.cuda()`` becomes ``x.to(device)``; nothing of what has a comment within, which would be lost."""
    source = place.outline.source
    if not isinstance(call.func, ast.Attribute) or call.func.attr != CURRENT:
        return None
    if "#" in source.segment(source.span(call)).removeprefix(source.segment(source.span(call.func.value))):
        return None
    kept = [f"{each.arg}={source.segment(source.span(each.value))}" for each in call.keywords]
    receiver = source.segment(source.span(call.func.value))
    code = f"{receiver}.to({', '.join([device, *kept])})"
    return FileEdit(place.path, ReplaceExpression(source.span(call), code))


def _asked(call: ast.Call) -> ast.expr | None:
    """What a move or a factory names as the device."""
    moves = _method(call) in ("to", CURRENT)
    named = [keyword.value for keyword in call.keywords if keyword.arg == "device"]
    return next(iter([*(call.args[:1] if moves else ()), *named]), None)


def _told(facts: Facts, place: Place, origin: Origin, device: str | None) -> str | None:
    """What a move names: a number within one function or class, or a name that is bound to nothing else at the place."""
    asked = place_at(facts, origin.path, origin.span)
    given = _asked(asked.node) if asked is not None and isinstance(asked.node, ast.Call) else None
    if asked is None or given is None or asked.outline is not place.outline:
        return None
    text = place.outline.source.segment(place.outline.source.span(given))
    if isinstance(given, ast.Constant):
        near = _around(asked) is _around(place)
        return (text if isinstance(given.value, str) else f'"cuda:{text}"') if near else None
    if not is_path(given, ast.Constant):
        return None
    known = bindings_of(facts, place, text)
    same = bool(known) and all(each.kind == "device" and str(each.device) == device for each in known)
    root = text.partition(".")[0]
    alike = root != _receiver(place) or _around(asked) is _around(place)
    return text if same and alike and is_bound(place.outline, place.node, root) else None


def bindings_of(facts: Facts, place: Place, path: str) -> list[Binding]:
    """What a name, or an attribute of the object around a place, is bound to in the innermost scope that has it."""
    outline = place.outline
    root, _, rest = path.partition(".")
    scopes = outline.scopes(place.node)
    if rest and root == _receiver(place):
        path, scopes = f"self.{rest}", [scopes[0].rpartition(".")[0]]
    return next(filter(None, (facts.bindings(place.path, scope).get(path) for scope in scopes)), [])


def _receiver(place: Place) -> str | None:
    return place.outline.receiver_name(place.outline.function_of(place.node))


def _around(place: Place) -> ast.AST | None:
    """The class around a place, or else its function."""
    function = place.outline.function_of(place.node)
    return function and (place.outline.class_of(function) or function)
