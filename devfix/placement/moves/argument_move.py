"""Argument moves: what a function is handed moves beside its other arguments, or where it is handed over."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.scope_names import positional_of
from devfix.findings import FileEdit, InsertAfter, Origin
from devfix.placement.batches import batch_move
from devfix.placement.devices import device_expression
from devfix.placement.devices.boundness import decides
from devfix.placement.devices.device_expression import Place, place_at
from devfix.placement.moves import left_out_argument, suffixes
from devfix.placement.text import chains
from devfix.placement.text.dependence import dotted
from devfix.placement.to_host.shared_memory import is_written_later

Edits = tuple[FileEdit, ...]

_MOVES = ("to", "cuda")
_KEPT = ("attribute", "module-attribute")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def beside_arguments(facts: Facts, trail: tuple[Origin, ...]) -> Edits:
    """``y = y.to(device)`` beside ``x = x.to(device)``, where both are arguments of one function."""
    for site in reversed(trail):
        if site.kind != "argument" or site.path not in facts.program.sources:
            continue
        found = parameter_at(facts, site)
        if found is not None and (edits := _moved_with_others(facts, facts.outline(site.path), *found)):
            return edits
    return ()


def parameter_at(facts: Facts, site: Origin) -> tuple[ast.FunctionDef | ast.AsyncFunctionDef, str] | None:
    """The function that was handed something as an argument, and the name of its parameter."""
    outline = facts.outline(site.path)
    parameter = next((node for node in outline.nodes_at(site.span) if isinstance(node, ast.arg)), None)
    function = outline.function_of(parameter) if parameter is not None else None
    return (function, parameter.arg) if parameter is not None and isinstance(function, _FUNCTIONS) else None


def is_given_elsewhere(facts: Facts, life: tuple[Origin, ...]) -> bool:
    """Whether a value was made as an argument, where other calls give what is on the accelerator, and no object keeps it.

    In a program that has just been given its device, any other call may be yet to.
    """
    site = next((each for each in life[1:] if each.kind != "given"), None)
    if site is None or site.kind != "argument" or any(each.kind in _KEPT for each in life):
        return False
    found = parameter_at(facts, site) if site.path in facts.program.sources else None
    if found is None:
        return False
    scope = facts.outline(site.path).scope(found[0].body[0])
    known = facts.bindings(site.path, scope).get(found[1], [])
    given = (each.device for each in known if each.statement is None and each.kind == "tensor")
    return facts.program.adopts or any(device is not None and device.is_accelerator for device in given)


def _moved_with_others(
    facts: Facts, outline: Outline, function: ast.FunctionDef | ast.AsyncFunctionDef, name: str
) -> Edits:
    names = [parameter.arg for parameter in (*positional_of(function), *function.args.kwonlyargs)]
    if name not in names:
        return ()  # but what takes all that is left, which is a tuple or a dict
    others = [
        (statement, other)
        for statement, other in _renewed(function, {*names} - {name})
        if _last_move(statement.value)
    ]
    if not others:
        return ()
    suffix = _last_move(others[0][0].value)
    own = [statement for statement, _ in _renewed(function, {name})]
    path = outline.source.path
    if any(_last_move(statement.value) for statement in own) or name in suffix:
        return ()
    if own:
        return suffixes.as_beside(facts, outline, own[-1].value, suffix, others[0][0])
    before = [statement for statement, other in others if names.index(other) < names.index(name)]
    span = outline.source.span(before[-1] if before else others[0][0])
    code = left_out_argument.mover(outline, function, name, suffix)
    return (FileEdit(path, InsertAfter(span, code, names.index(name))),) if code else ()


def _renewed(
    function: ast.FunctionDef | ast.AsyncFunctionDef, names: set[str]
) -> Iterator[tuple[ast.Assign, str]]:
    """The statements of a function's body that give a name what a chain of methods makes of it."""
    for statement in function.body:
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            continue
        target = statement.targets[0]
        if isinstance(target, ast.Name) and target.id in names and _is_renewed(target.id, statement.value):
            yield statement, target.id


def _is_renewed(name: str, value: ast.expr) -> bool:
    """Whether a value is what methods make of a name: ``name.a().b()``."""
    return isinstance(value, ast.Call) and chains.name_of(value, ast.Call) == name


def _last_move(value: ast.expr) -> str:
    """``.to(device)``, when that is the last call of a chain and names nothing but a device; "" otherwise."""
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute):
        return ""
    given = value.args
    if value.func.attr not in _MOVES or len(given) > 1 or any(dotted(arg) is None for arg in given):
        return ""
    return ast.unparse(value)[len(ast.unparse(value.func.value)) :]


def where_given(facts: Facts, trail: tuple[Origin, ...]) -> Edits:
    """``model(torch.from_numpy(x).to(device))``: where code that knows the device hands a value to a module.

    What was given a name before moves where it gets the name.
    """
    if not trail:
        return ()
    born, *later = trail
    later = [site for site in later if site.kind != "given"]
    given = next((number for number, site in enumerate(later) if site.kind == "argument"), None)
    if born.kind in _MOVED_ELSEWHERE or given is None or given > 1 or not _is_of_module(facts, later[given]):
        return ()
    named = later[0] if given else None
    place = place_at(facts, born.path, (named or born).span)
    moved = _handed(place) if place is not None and named is None else named_value(place)
    found = device_expression.chosen(facts, moved) if moved is not None else None
    if moved is None or found is None:
        return ()
    wrap = suffixes.added(facts, moved.outline, moved.node, f".to({found.code})")
    return wrap and (*found.edits, *wrap)


def before_loop(facts: Facts, trail: tuple[Origin, ...]) -> Edits:
    """What a module's method takes out of something, where code that knows the device gave that a name: once for all calls.

    That may be a method of another module, which got it from elsewhere.
    """
    names = [site for site in trail if site.kind == "name"]
    if len(names) < 2 or trail[0].kind == "loader" or not _is_taken_apart_in_module(facts, names[-1]):
        return ()
    for site in reversed(names[:-1]):
        place = place_at(facts, site.path, site.span)
        if place is None:
            continue
        if device_expression.is_in_module(facts, place):
            if site is names[0] and site.scope not in (trail[0].scope, names[-1].scope):
                return _taken_in(facts, place)
            continue
        moved = named_value(place)
        found = device_expression.chosen(facts, moved or place)
        if found is None:
            continue
        if moved is not None:
            return (*found.edits, *suffixes.added(facts, moved.outline, moved.node, f".to({found.code})"))
        if edits := batch_move.after(facts, place, []):
            return edits
    return ()


def _taken_in(facts: Facts, place: Place) -> Edits:
    """What a module gives a name moves there."""
    value = named_value(place)
    found = device_expression.find(facts, value, []) if value is not None else None
    if value is not None and found is not None:
        return (*found.edits, *suffixes.added(facts, value.outline, value.node, f".to({found.code})"))
    return batch_move.after(facts, place, [])


def _is_taken_apart_in_module(facts: Facts, site: Origin) -> bool:
    """Whether a name is what a loop in a module's method goes through, or what one takes apart there."""
    place = place_at(facts, site.path, site.span)
    statement = place.outline.statement_of(place.node) if place is not None else None
    if place is None or not device_expression.is_in_module(facts, place):
        return False
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return isinstance(statement, ast.For) or any(isinstance(each, (ast.Tuple, ast.List)) for each in targets)


#: What a factory makes is made on the device, and what comes out of a loader moves where it comes out.
_MOVED_ELSEWHERE = frozenset({"factory", "random-factory", "loader", "host-checkpoint", "checkpoint"})


def _handed(place: Place) -> Place | None:
    """A place that is an argument of a call as it stands."""
    call = place.outline.parents[place.node]
    return place if isinstance(call, ast.Call) and place.node in call.args else None


def named_value(place: Place | None) -> Place | None:
    """What an assignment gives to the one name at a place, and nothing writes to later."""
    statement = place.outline.statement_of(place.node) if place is not None else None
    if place is None or not isinstance(statement, ast.Assign) or statement.targets != [place.node]:
        return None
    value = Place(place.path, place.outline, statement.value)
    if is_written_later(value) or not decides(place.outline, statement, statement.targets[0]):
        return None
    return value


def _is_of_module(facts: Facts, site: Origin) -> bool:
    """Whether an argument is one of a module's method."""
    found = parameter_at(facts, site)
    if found is None:
        return False
    return device_expression.is_in_module(facts, Place(site.path, facts.outline(site.path), found[0].body[0]))


def taken_from_dataset(place: Place) -> Place | None:
    """The part of a dataset that is taken out at a place to be an argument, as ``data.tensors[0]`` is."""
    node: ast.AST = place.node
    parents = place.outline.parents
    while isinstance(parents[node], (ast.Subscript, ast.Attribute)):
        node = parents[node]
    call = parents[node]
    given = isinstance(node, ast.Subscript) and isinstance(call, ast.Call) and node in call.args
    return Place(place.path, place.outline, node) if given else None


#: How what a function is handed moves, best first.
WAYS = (beside_arguments, where_given, before_loop)
