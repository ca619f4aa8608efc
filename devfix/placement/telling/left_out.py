"""Left out: a device that a function can be told, and that the one call of it (or decorator) leaves out."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from devfix.analysis.record.facts import Facts
from devfix.analysis.record.recorder import OptionalCall
from devfix.analysis.text.device_parameters import CALLED
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.scope_names import parameters_of
from devfix.analysis.text.vocabulary import vocabulary
from devfix.findings import Edit, FileEdit, Origin, ReplaceExpression, SetKeyword
from devfix.placement.devices import device_expression, parameter_uses
from devfix.placement.devices.device_expression import Place, place_at
from devfix.placement.telling import kept_beside

Edits = tuple[FileEdit, ...]
_Function = ast.FunctionDef | ast.AsyncFunctionDef

#: Functions that are called by other names.
_IMPLIED = frozenset({"__init__", "__call__", "forward"})
#: How many calls a device is handed on through.
_MAX_DEPTH = 4


class _Parameter(NamedTuple):
    """A parameter of a function of the program."""

    outline: Outline
    function: _Function
    name: str


def all_handed_on(facts: Facts, trails: Iterable[tuple[Origin, ...]]) -> Edits:
    """Functions that can be told the device, and make the values on the CPU by default, are told it."""
    ways, results = [], []
    for trail in trails:
        if trail[0].kind == "result":
            results.append(_by_whoever_computes(facts, trail[0]))
        else:
            ways.append(handed_on(facts, trail[0]) or _handed_on_later(facts, trail))
    ways += filter(None, results)
    return tuple(dict.fromkeys(edit for way in ways for edit in way)) if all(ways) else ()


def _by_whoever_computes(facts: Facts, origin: Origin) -> Edits:
    """``grid(8, 8, device=device)`` where ``def grid(h, w, device=None)`` makes all that it computes a result of there."""
    place = place_at(facts, origin.path, origin.span)
    function = place.outline.function_of(place.node) if place is not None else None
    if place is None or not isinstance(function, ast.FunctionDef):
        return ()
    names = [each.arg for each in parameters_of(function) if CALLED.search(each.arg)]
    named = [name for name in names if parameter_uses.is_optional(function, name)]
    if len(named) != 1 or not parameter_uses.only_hands_on(place.outline, function, named[0]):
        return ()
    return _at_call(facts, _Parameter(place.outline, function, named[0]), _MAX_DEPTH)


def handed_on(facts: Facts, origin: Origin) -> Edits:
    """``Anchors(scales, device=device)`` where the caller knows the device and ``Anchors`` takes one.

    Only where what was made or moved at ``origin`` names a parameter as its device, where one call alone
    leaves that to its default, and where the function does nothing else with the device but to hand it on.
    """
    place = place_at(facts, origin.path, origin.span)
    named = device_named(place) if place is not None else None
    if place is None or named is None:
        return ()
    parameter = _parameter(place.outline, named)
    return _at_call(facts, parameter, _MAX_DEPTH) if parameter is not None else ()


def _handed_on_later(facts: Facts, trail: tuple[Origin, ...]) -> Edits:
    """``self.steps = steps.to(device)`` and ``return mask.to(device)`` behind what made the value and gave it that name."""
    born = trail[0]
    own = [origin for origin in trail[1:] if (origin.path, origin.scope) == (born.path, born.scope)]
    place = place_at(facts, born.path, born.span)
    if place is None or not own or own[0].kind != "name":
        return ()
    named = [_device_of(call) for call in _later_moves(place, own[0].text, own)]
    device = named[0] if len(named) == 1 else None
    parameter = _parameter(place.outline, device) if device is not None and _is_called_so(device) else None
    return _at_call(facts, parameter, _MAX_DEPTH) if parameter is not None else ()


def _later_moves(place: Place, name: str, life: list[Origin]) -> Iterator[ast.Call]:
    """The moves of a name whose result is returned, as nothing else is, or stored where the value was stored next."""
    outline, spans = place.outline, {origin.span for origin in life}
    function = outline.function_of(place.node)
    named = vocabulary(function).attributes.get("to", ()) if function is not None else ()
    for method in named:
        node = outline.parents[method]
        if not isinstance(node, ast.Call) or node.func is not method or ast.unparse(method.value) != name:
            continue
        if outline.function_of(node) is not function:
            continue
        statement = outline.parents[node]
        returned = isinstance(statement, ast.Return) and len(life) == 1
        targets = statement.targets if isinstance(statement, ast.Assign) else ()
        if returned or any(outline.source.span(target) in spans for target in targets):
            yield node


def device_named(place: Place) -> ast.expr | None:
    """The device that a call is given, or the next one on its result: ``torch.from_numpy(x).float().to(device)``."""
    outline, node = place.outline, place.node
    while (named := _device_of(node)) is None:
        method = outline.parents.get(node)
        call = outline.parents.get(method) if isinstance(method, ast.Attribute) else None
        if not isinstance(call, ast.Call) or call.func is not method:
            return None
        node = call
    # What nobody gives may be a dtype as well.
    return named if node is place.node or _is_called_so(named) else None


def _is_called_so(named: ast.expr) -> bool:
    return CALLED.search(ast.unparse(named)) is not None


def _device_of(node: ast.AST) -> ast.expr | None:
    """The device that a factory call or a move is given."""
    if not isinstance(node, ast.Call):
        return None
    for keyword in node.keywords:
        if keyword.arg == "device":
            return keyword.value
    moves = isinstance(node.func, ast.Attribute) and node.func.attr == "to"
    return node.args[0] if moves and node.args else None


def _parameter(outline: Outline, named: ast.expr) -> _Parameter | None:
    """The parameter that a name, or an attribute of the object, always stands for."""
    function = outline.function_of(named)
    if isinstance(named, ast.Attribute) and isinstance(named.value, ast.Name):
        if named.value.id != outline.receiver_name(function) or function is None:
            return None
        found = parameter_uses.kept_as(outline, outline.class_of(function), named.attr)
        if found is None:
            return None
        function, named = found
    elif isinstance(named, ast.Name):
        function = _binder(outline, named)
    if function is None or not isinstance(named, ast.Name):
        return None
    if not parameter_uses.is_optional(function, named.id) or not parameter_uses.only_hands_on(
        outline, function, named.id
    ):
        return None
    return _Parameter(outline, function, named.id)


def _binder(outline: Outline, named: ast.Name) -> _Function | None:
    """The function whose name it is: the innermost one, or the one around it, as of a decorator, that binds it."""
    function = outline.function_of(named)
    while function is not None and not (
        parameter_uses.has(function, named.id) or named.id in outline.names_in(function).bound
    ):
        function = outline.function_of(function)
    return function


def _at_call(facts: Facts, parameter: _Parameter, depth: int) -> Edits:
    """The one call that leaves the parameter out names the device there, or each of several decorators."""
    calls = facts.calls_of(parameter.function)
    missing = {(call.path, call.node): call for call in calls if not _gives(call, parameter)}
    if depth == 0 or parameter.outline.function_of(parameter.function) is not None:
        return ()
    if len(missing) != 1 and not all(_decorates(facts, call) for call in missing.values()):
        return ()
    ways = [_at_one(facts, parameter, call, calls, depth) for call in missing.values()]
    return tuple(dict.fromkeys(edit for way in ways for edit in way)) if all(ways) else ()


def _decorates(facts: Facts, call: OptionalCall) -> bool:
    """Whether what is called decorates a definition: of several each is told, as they all make the same of theirs."""
    outline = facts.outline(call.path) if call.path in facts.program.sources else None
    definition = outline.parents.get(call.node) if outline is not None else None
    return isinstance(definition, ast.FunctionDef | ast.ClassDef) and call.node in definition.decorator_list


def _at_one(
    facts: Facts, parameter: _Parameter, call: OptionalCall, calls: list[OptionalCall], depth: int
) -> Edits:
    """One call names the device, or hands on the one that its caller is told."""
    if call.is_open or not isinstance(call.node, ast.Call) or call.path not in facts.program.sources:
        return ()
    if not _is_of(call.node, parameter.function, call.positional):
        return ()
    place = Place(call.path, facts.outline(call.path), call.node)
    if not all(
        parameter_uses.takes(each, parameter.name) for each in _called_at(facts, call.node, parameter)
    ):
        return ()
    passed, own = _passed_through(place, call.node), _own_parameter(place, call.node, parameter.name)
    if passed is not None and own is None:
        return _at_call(facts, passed._replace(name=parameter.name), depth - 1)
    if passed is None and any(keyword.arg is None for keyword in call.node.keywords):
        return ()  # which keywords are spread there is decided elsewhere
    if own is not None:  # and what a function names itself is not among its ``**kwargs``
        return _through(facts, place, call.node, own, depth)
    around = _where_evaluated(place)
    chosen = device_expression.chosen(facts, around)
    found = chosen or device_expression.find(facts, around, []) or kept_beside.device(facts, around)
    if found is None or (chosen is None and found.edits):
        return ()
    return (*found.edits, FileEdit(place.path, _naming(place, call.node, found.code, parameter, calls)))


def _naming(
    place: Place, call: ast.Call, code: str, parameter: _Parameter, calls: list[OptionalCall]
) -> Edit:
    """The call names the device as others do: by its position where it has no other arguments, else as a keyword."""
    source = place.outline.source
    spec = parameter.function.args
    first = [each.arg for each in (*spec.posonlyargs, *spec.args)][:1] == [parameter.name]
    others = [each for each in calls if each.node is not call and _gives(each, parameter)]
    alike = bool(others) and all(parameter.name not in each.given for each in others)
    if first and alike and not call.args and not call.keywords:
        return ReplaceExpression(source.span(call), f"{source.segment(source.span(call.func))}({code})")
    return SetKeyword(source.span(call), parameter.name, code)


def _called_at(facts: Facts, call: ast.Call, parameter: _Parameter) -> list[ast.AST]:
    """All functions that a call may be of; what decorates is called itself in the same place, and is none of them."""
    found = [each.function for each in facts.calls_at(call)]
    return [each for each in found if parameter.outline.function_of(each) is not parameter.function]


def _where_evaluated(place: Place) -> Place:
    """What decorates a definition is evaluated where that stands, and not within it."""
    definition = place.outline.definition_of(place.node)
    decorates = definition is not None and place.node in definition.decorator_list
    return Place(place.path, place.outline, definition) if definition is not None and decorates else place


def _is_of(call: ast.Call, function: _Function, positional: int) -> bool:
    """Whether what is written is the call of the function, and not of what calls it: ``map``, a hooked module."""
    named = function.name in (getattr(call.func, "id", ""), getattr(call.func, "attr", ""))
    if not (named or function.name in _IMPLIED or isinstance(call.func, ast.Subscript)):
        return False
    spread = any(isinstance(arg, ast.Starred) for arg in call.args)
    return spread or positional - len(call.args) in (0, 1)


def _own_parameter(place: Place, call: ast.Call, name: str) -> _Parameter | None:
    """The parameter of the same name that the caller itself has."""
    function = place.outline.function_of(call)
    if function is None or not parameter_uses.has(function, name):
        return None
    return _Parameter(place.outline, function, name)


def _through(facts: Facts, place: Place, call: ast.Call, own: _Parameter, depth: int) -> Edits:
    """The caller hands on what it is told, and is told it where it is not."""
    if not parameter_uses.only_hands_on(own.outline, own.function, own.name):
        return ()
    edit = FileEdit(place.path, SetKeyword(place.outline.source.span(call), own.name, own.name))
    told = [_gives(each, own) for each in facts.calls_of(own.function)]
    if not parameter_uses.is_optional(own.function, own.name) or all(told):
        return (edit,)
    edits = _at_call(facts, own, depth - 1)
    return (*edits, edit) if edits else ()


def _gives(call: OptionalCall, parameter: _Parameter) -> bool | None:
    """Whether a call gives the parameter a value; None where that is not known."""
    spec = parameter.function.args
    names = [each.arg for each in (*spec.posonlyargs, *spec.args)]
    if parameter.name in call.given or parameter.name in names[: call.positional]:
        return True
    return None if call.is_open else False


def _passed_through(place: Place, call: ast.Call) -> _Parameter | None:
    """The function whose own ``*args, **kwargs`` a call hands on, if that is all that it does with them."""
    function = place.outline.function_of(call)
    if function is None or function.args.kwarg is None:
        return None
    spread = [keyword.value for keyword in call.keywords if keyword.arg is None]
    if len(spread) != 1 or getattr(spread[0], "id", "") != function.args.kwarg.arg:
        return None
    if not parameter_uses.is_read_once(function, function.args.kwarg.arg):
        return None
    return _Parameter(place.outline, function, "")
