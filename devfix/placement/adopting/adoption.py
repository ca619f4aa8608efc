"""Adoption: where a program that chooses no device does so, and where its models move there.

A model moves where it is made, or where the script that runs has it from whoever made it. The device is
an attribute of the object that makes the model, else a variable at the top of the file.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.syntax import in_rows
from devfix.findings import Edit, FileEdit, InsertAfter, Origin, ReplaceExpression, WrapExpression
from devfix.placement.adopting import one_choice
from devfix.placement.devices import device_expression, introduction, own_device
from devfix.placement.devices.device_expression import DeviceExpression, Place
from devfix.placement.modules import filled_module, module_choice, module_class
from devfix.placement.moves import leafhood
from devfix.placement.telling import giving, told_class, told_function

Trail = tuple[Origin, ...]
Edits = tuple[FileEdit, ...]
#: The edits that move something, once it is known what the device is called.
Move = Callable[[str], Sequence[Edit]]


def edits(facts: Facts, lives: Iterable[Trail], parameters: Iterable[Origin] = ()) -> Edits:
    """What gives the program one device and moves its models there; nothing when that cannot be done.

    ``parameters`` are tensors that are trained and belong to no model.
    """
    if not facts.is_followed():
        return ()
    places = _places(facts, [life for life in lives if not _is_taken_apart(facts, life)])
    if any(facts.makes_things(place.path, place.node) for place in places):
        return ()  # what else is made there may have no ``to``
    moves = list(_moves(places))
    homes = {place.path for place in places}
    alone = [
        place for place in _alone(facts, parameters) if place.path in homes or not _follows(facts, place)
    ]
    moves += [(place, leafhood.adopted(place)) for place in alone]
    by_file: dict[str, list[tuple[Place, Move]]] = {}
    for place, move in moves:
        by_file.setdefault(place.path, []).append((place, move))
    devices = _devices(facts, {path: [place for place, _ in here] for path, here in by_file.items()})
    if devices is None:
        return ()
    found = dict.fromkeys(edit for device in devices.values() for edit in device.edits)
    for path, here in by_file.items():
        for _, move in here:
            found.update((FileEdit(path, edit), None) for edit in move(devices[path].code))
    return tuple(found)


def _devices(facts: Facts, places: Mapping[str, list[Place]]) -> dict[str, DeviceExpression] | None:
    """What the device is called in each file where something moves; None where one of them cannot have it."""
    chosen, found = one_choice.Chosen(), dict[str, DeviceExpression]()
    objects = {path: _constructor(facts, here) for path, here in places.items()}
    at_top: dict[str, DeviceExpression] = {}
    # Scripts choose first, then objects: what these call may be told.
    turns = sorted(places, key=lambda path: (not facts.is_script(path), objects[path] is None, path))
    for path in turns:
        device = _of_object(facts, places[path], objects[path], chosen) or _of_functions(
            facts, places[path], chosen
        )
        if device is None:
            device = introduction.at_top(facts, path)
            if device is None:
                return None
            at_top[path] = device
            if facts.is_script(path):
                chosen.scripts[path] = device.code
        found[path] = device
    return {**found, **one_choice.imported(facts, at_top)}


def _of_object(
    facts: Facts, places: list[Place], made: tuple[ast.FunctionDef, str] | None, chosen: one_choice.Chosen
) -> DeviceExpression | None:
    """``self.device`` of the objects that make all the models of a file."""
    if made is None:
        return None
    constructor, receiver = made
    outline, path = places[0].outline, places[0].path
    told = one_choice.of_object(facts, outline, constructor, receiver, chosen.scripts)
    if told is None:
        cls = outline.class_of(constructor)
        chosen.classes.update([cls] if cls is not None else [])
        return introduction.in_constructor(facts, path, constructor, receiver)
    return told


def _of_functions(facts: Facts, places: list[Place], chosen: one_choice.Chosen) -> DeviceExpression | None:
    """``device`` in the functions that make the models of a file, where the scripts that call them know one."""
    functions = dict.fromkeys(place.outline.function_of(place.node) for place in places)
    found: list[FileEdit] = []
    for function in functions:
        if not isinstance(function, ast.FunctionDef) or places[0].outline.class_of(function) is not None:
            return None
        given = told_function.by_scripts(facts, places[0].outline, function, chosen.known_to)
        if not given:
            return None
        found += given
    return DeviceExpression(told_class.NAME, tuple(found))


def _moves(places: list[Place]) -> Iterator[tuple[Place, Move]]:
    """How each model moves: with all its parts, if it gets some of them once it is made."""
    nodes: dict[str, set[ast.AST]] = {}
    for place in places:
        nodes.setdefault(place.path, set()).add(place.node)
    found = [(place, filled_module.found(place, nodes[place.path] - {place.node})) for place in places]
    parts = {part for _, filled in found if filled is not None for part in filled.parts}
    for place, filled in found:
        if place.node not in parts:
            yield place, _moved(place) if filled is None else filled.moved


def _moved(place: Place) -> Move:
    span = place.outline.source.span(place.node)
    if isinstance(place.node, ast.Name) and isinstance(place.node.ctx, ast.Store):
        name, whole = place.node.id, place.outline.source.span(place.outline.statement_of(place.node))
        return lambda device: [InsertAfter(whole, f"{name} = {name}.to({device})")]
    if (kept := _kept_on_host(place)) is not None:
        source = place.outline.source
        return lambda device: [ReplaceExpression(source.span(kept), f"{source.segment(span)}.to({device})")]
    return lambda device: [WrapExpression(span, "", f".to({device})")]


def _kept_on_host(place: Place) -> ast.Call | None:
    """``Net().cpu()`` around ``Net()``, which moved nothing so far."""
    method = place.outline.parents.get(place.node)
    call = place.outline.parents.get(method) if isinstance(method, ast.Attribute) else None
    bare = isinstance(call, ast.Call) and call.func is method and not call.args and not call.keywords
    return call if bare and isinstance(call, ast.Call) and getattr(method, "attr", "") == "cpu" else None


def _alone(facts: Facts, parameters: Iterable[Origin]) -> Iterator[Place]:
    """Where parameters are made that no module takes along when it moves; of a ``Parameter`` not what it is made of."""
    calls = {(made.path, made.span) for made in parameters}
    for made in parameters:
        place = _place(facts, made)
        if place is None or not isinstance(place.node, (ast.Call, ast.BinOp)) or _is_unread(facts, place):
            continue
        place = replace(place, node=_unscaled(place.node))
        around = place.outline.parents.get(place.node)
        if isinstance(around, ast.Call) and (made.path, place.outline.source.span(around)) in calls:
            continue
        function = place.outline.function_of(place.node)
        builds = getattr(function, "name", "") == "__init__" and made.kind != "other"
        if builds or not device_expression.is_in_module(facts, place):
            yield place


def _is_unread(facts: Facts, place: Place) -> bool:
    """Whether what is made gets a name that nothing asks for."""
    statement, outline = place.outline.parents.get(place.node), place.outline
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    function = outline.function_of(place.node)
    if not isinstance(target, ast.Name) or (function is None and not facts.is_script(place.path)):
        return False
    tree = outline.source.tree
    if any(outline.occurrences(tree, name) for name in ("globals", "locals", "vars", "eval", "exec")):
        return False
    names = outline.occurrences(tree if function is None else function, target.id)
    return all(isinstance(each.ctx, ast.Store) for each in names)


def _unscaled(node: ast.expr) -> ast.expr:
    """The tensor that a number multiplies, divides or is added to: ``torch.randn(3)`` of ``torch.randn(3) / 10``."""
    while isinstance(node, ast.BinOp) and isinstance(node.left, ast.Constant) != isinstance(
        node.right, ast.Constant
    ):
        node = node.right if isinstance(node.left, ast.Constant) else node.left
    return node


def _follows(facts: Facts, place: Place) -> bool:
    """Whether a tensor is made in a function that is given a module, which says where it is."""
    function = place.outline.function_of(place.node)
    if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    names = facts.bindings(place.path, place.outline.scopes(place.node)[0])
    given = (names.get(part.arg) for part in in_rows(function.args) if isinstance(part, ast.arg))
    return any(bound and all(each.kind == "module" for each in bound) for bound in given)


def _is_taken_apart(facts: Facts, life: Trail) -> bool:
    """Whether a module's constructor makes the model and keeps no more than parts of it, which move with the module."""
    place = _place(facts, life[0])
    function = place.outline.function_of(place.node) if place is not None else None
    if place is None or getattr(function, "name", "") != "__init__":
        return False
    leaves_it = any(
        site.kind in ("attribute", "argument") or site.scope != life[0].scope for site in life[1:]
    )
    return not leaves_it and device_expression.is_in_module(facts, place)


def _places(facts: Facts, lives: list[Trail]) -> list[Place]:
    """Where each model moves; models that are made in one place move in one kind of place."""
    found: dict[ast.AST, Place] = {}
    together = _returned_together(facts, lives)
    for made in dict.fromkeys(life[0] for life in lives):
        own = [_where_had(facts, life) for life in lives if life[0] == made]
        places = own if None not in own else [together.get(made) or _made(facts, made)]
        found.update((place.node, place) for place in places if place is not None)
    for place in list(found.values()):
        found.update((other.node, other) for other in _instead(facts, place))
    return list(found.values())


def _instead(facts: Facts, place: Place) -> Iterator[Place]:
    """Where other modules are made instead of one, which move like that one when they are."""
    calls = module_choice.others(place.outline, place.node) if isinstance(place.node, ast.expr) else []
    for call in calls:
        if module_class.is_named(facts, place.path, call.func):
            yield replace(place, node=call)


def _returned_together(facts: Facts, lives: list[Trail]) -> dict[Origin, Place]:
    """Where one of several models arrives that a function returns as it makes them, by where each is made."""
    found: dict[Origin, list[Place | None]] = {}
    for life in lives:
        found.setdefault(life[0], []).append(_arrival(facts, life))
    arrivals = {made: places[0] for made, places in found.items() if len({p and p.node for p in places}) == 1}
    nodes = [place.node for place in arrivals.values() if place is not None]
    return {
        made: place for made, place in arrivals.items() if place is not None and nodes.count(place.node) > 1
    }


def _arrival(facts: Facts, life: Trail) -> Place | None:
    """``build(name)`` in ``model = build(name)``, where ``return Net()`` of the same file made the model."""
    made = _place(facts, life[0])
    site = next((each for each in life[1:] if each.scope != life[0].scope), None)
    if made is None or site is None or site.kind != "name" or site.path != life[0].path:
        return None
    statement = made.outline.statement_of(made.node)
    if not isinstance(statement, ast.Return) or statement.value is not made.node:
        return None
    name, had = _place(facts, site), _assigned(facts, site)
    alone = had is not None and isinstance(had.node, ast.Call)
    return had if alone and name is not None and _is_module(facts, name) else None


def _where_had(facts: Facts, life: Trail) -> Place | None:
    """Where a script or an object has the model from a function of another file; None if it makes it itself."""
    if facts.is_script(life[0].path) or _is_trained_by_maker(facts, life):
        return None
    given = giving.place(facts, life[1]) if len(life) > 1 else None
    if given is not None:
        return given
    for site in life[1:]:
        if site.kind == "name" and facts.is_script(site.path):
            return _assigned(facts, site)
        if site.kind == "attribute" and site.scope != life[0].scope:
            return _assigned(facts, site)
    return None


def _is_trained_by_maker(facts: Facts, life: Trail) -> bool:
    """Whether the function that makes a model and gives it a name trains it: it has to have moved by then."""
    named = _place(facts, life[1]) if len(life) > 1 and life[1].kind == "name" else None
    if named is None or life[1].scope != life[0].scope or not isinstance(named.node, ast.Name):
        return False
    function = named.outline.function_of(named.node)
    if function is None:
        return False
    around = [(use, named.outline.parents[use]) for use in named.outline.occurrences(function, named.node.id)]
    if any(_is_given_to_training(facts, use, each) for use, each in around):
        return True
    return _goes_back(function) and any(
        getattr(each, "func", None) is use or _is_own_method(facts, each) for use, each in around
    )


def _goes_back(function: ast.AST) -> bool:
    """Whether a function has gradients computed."""
    return any(getattr(part, "attr", "") == "backward" for part in in_rows(function))


def _is_given_to_training(facts: Facts, use: ast.Name, call: ast.AST) -> bool:
    """Whether a call gives a model to a function of the program that has gradients computed: ``train_epoch(net)``."""
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or use not in call.args:
        return False
    named = [each for path in facts.program.sources for each in facts.outline(path).mentions(call.func.id)]
    return any(isinstance(each, ast.FunctionDef) and _goes_back(each) for each in named)


def _is_own_method(facts: Facts, node: ast.AST) -> bool:
    """Whether an attribute is spelt as a function of the program is: ``net.step`` computes, unlike ``net.parameters``."""
    paths = facts.program.sources if isinstance(node, ast.Attribute) else ()
    return any(getattr(node, "attr", "") in facts.outline(path).functions for path in paths)


def _assigned(facts: Facts, site: Origin) -> Place | None:
    """The value that the name at a site is bound to, by itself or beside others: ``a, b = f(), g()``.

    It is the name itself where one call gives several: ``a, b = f()``.
    """
    place = _place(facts, site)
    statement = place.outline.statement_of(place.node) if place is not None else None
    if place is None or not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    [target], value = statement.targets, statement.value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Call) and place.node in target.elts:
        return place if _is_module(facts, place) else None
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and place.node in target.elts:
        starred = any(isinstance(part, ast.Starred) for part in (*target.elts, *value.elts))
        if starred or len(target.elts) != len(value.elts):
            return None
        value = value.elts[target.elts.index(place.node)]
    elif target is not place.node:
        return None
    return Place(place.path, place.outline, value)


def _is_module(facts: Facts, place: Place) -> bool:
    """Whether a name stands for nothing but modules."""
    names = facts.bindings(place.path, place.outline.scopes(place.node)[0])
    bound = names.get(getattr(place.node, "id", ""), [])
    return bool(bound) and all(binding.kind == "module" for binding in bound)


def _made(facts: Facts, site: Origin) -> Place | None:
    """Where a model is made, or chosen instead of one that a caller gave."""
    place = _place(facts, site)
    if place is None or not isinstance(place.node, ast.expr):
        return place
    return replace(place, node=module_choice.with_given(place.outline, place.node))


def _place(facts: Facts, site: Origin) -> Place | None:
    outline = facts.outline(site.path)
    node = outline.expression_at(site.span)
    return Place(site.path, outline, node) if node is not None else None


def _constructor(facts: Facts, places: list[Place]) -> tuple[ast.FunctionDef, str] | None:
    """The constructor, and what it calls its object, where it is one class, itself no module, whose methods make all the models."""
    outline = places[0].outline
    functions = [outline.function_of(place.node) for place in places]
    classes = {outline.class_of(function) if function is not None else None for function in functions}
    receivers = {outline.receiver_name(function) for function in functions}
    if len(classes) != 1 or len(receivers) != 1 or device_expression.is_in_module(facts, places[0]):
        return None
    [cls], [receiver] = classes, receivers
    constructor = (
        next((part for part in cls.body if _is_constructor(part)), None) if cls is not None else None
    )
    if cls is None or receiver is None or constructor is None or not own_device.is_free(facts, cls):
        return None
    if any(_is_static(function) for function in functions):
        return None
    assert isinstance(constructor, ast.FunctionDef)  # noqa: S101 - `_is_constructor` saw to it
    return constructor, receiver


def _is_constructor(part: ast.stmt) -> bool:
    return isinstance(part, ast.FunctionDef) and part.name == "__init__"


def _is_static(function: ast.AST | None) -> bool:
    decorators = getattr(function, "decorator_list", [])
    return any(getattr(each, "id", "") in ("staticmethod", "classmethod", "property") for each in decorators)
