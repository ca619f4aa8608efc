"""Kept: attributes of the object around a place that name the device, or hold something on it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.record.facts import Facts
from devfix.analysis.record.recorder import Binding
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.syntax import in_rows
from devfix.analysis.text.vocabulary import vocabulary
from devfix.placement.devices import constructed, other_accelerator, own_device
from devfix.placement.devices.reaching import begun, is_wanted, lasting
from devfix.placement.devices.switch_names import is_switch
from devfix.placement.text.naming import given

if TYPE_CHECKING:
    from devfix.placement.devices.device_expression import Place

_Function = ast.FunctionDef | ast.AsyncFunctionDef
#: The methods by which an object moves what it keeps.
_MOVES = ("to", "cuda")


def of_kind(facts: Facts, place: Place, kind: str) -> str | None:
    """``self.device``, or like: an attribute of the object that always is the accelerator, or something on it."""
    return next(iter(all_of_kind(facts, place, kind)), None)


def all_of_kind(facts: Facts, place: Place, kind: str) -> list[str]:
    """All attributes of the object that are, the best one first."""
    function = place.outline.function_of(place.node)
    receiver = place.outline.receiver_name(function)
    if function is None or receiver is None:
        return []
    scope = place.outline.scope(function)
    found: list[str] = []
    meant: list[list[Binding]] = []
    for name, known in facts.bindings(place.path, scope).items():
        # A device may be kept by a configuration that the object keeps.
        if not name.startswith("self.") or name.count(".") > (2 if kind == "device" else 1):
            continue
        # An object may have a hundred attributes.
        if not any(each.kind == kind for each in known):
            continue
        bindings = [each for each in known if not _comes_later(place, function, each)]
        here = function.name == "__init__" or any(_maker(place.outline, b) is function for b in bindings)
        seen = given(begun(bindings)) if here else lasting(place, given(begun(bindings)))
        seen = (_moved_above(place, function, bindings) if kind == "module" else []) or seen
        if kind == "device" and not here:
            seen = _chosen_by_then(facts, place, name, seen)
        if not seen or not all(b.kind == kind and is_wanted(b.device) for b in seen):
            continue
        attribute = name.split(".")[1]
        if all(each.statement is None for each in bindings) and constructed.is_of_constructors(
            facts, place.outline, function
        ):
            continue  # a framework moves the object when it is made
        if kind == "device" and is_switch(facts, name):
            continue
        is_set = (
            constructed.has_set(facts, place, attribute, bindings)
            if here
            else _is_made_by_then(place, function, bindings)
        )
        if is_set and constructed.is_set_before(facts, place.outline, function, attribute):
            found.append(name.replace("self", receiver, 1))
            meant.append(bindings)
    if kind == "device" and len(found) > 1 and other_accelerator.is_among(place.outline, meant):
        return []
    return sorted(found, key=lambda name: (*own_device.rank(place, name), len(name), name))


def _moved_above(place: Place, function: _Function, bindings: list[Binding]) -> list[Binding]:
    """What a method makes of an attribute on every way to a place, whatever the constructor gave it."""
    own = [each for each in bindings if _maker(place.outline, each) is function]
    statements = [constructed.statement_of(place.outline, each) for each in own]
    return own if any(at and place.outline.dominates(at, place.node) for at in statements) else []


def _chosen_by_then(facts: Facts, place: Place, name: str, seen: list[Binding]) -> list[Binding]:
    """What a method is seen to find in an attribute that is one device first and another one later.

    Nothing else is bound to it: of other values it is not noted that a method found them.
    """
    if all(is_wanted(each.device) for each in seen) or any(each.kind != "device" for each in seen):
        return seen
    receiver = place.outline.receiver_name(place.outline.function_of(place.node)) or "self"
    known = facts.bindings(place.path, place.outline.scopes(place.node)[0])
    found = known.get(name.replace("self", receiver, 1), [])
    return begun([each for each in found if each.statement is None]) or seen


def _comes_later(place: Place, function: _Function, binding: Binding) -> bool:
    """Whether a method binds an attribute that a constructor calls neither itself nor through others: it sees none of that."""
    maker = _maker(place.outline, binding) if function.name == "__init__" else None
    cls = place.outline.class_of(function)
    if maker is None or maker is function or cls is None or place.outline.class_of(maker) is not cls:
        return False
    return maker.name not in _called(cls, function)


def _called(cls: ast.ClassDef, function: _Function) -> set[str]:
    """All that a method, and the methods of its class that it calls, ask an object for, and its own name."""
    called, pending = {function.name}, [function]
    methods = {part.name: part for part in cls.body if isinstance(part, _Function)}
    while pending:
        read = vocabulary(pending.pop()).attributes.keys()
        pending += [methods[name] for name in read & methods.keys() - called]
        called |= read
    return called


def _is_made_by_then(place: Place, function: _Function, bindings: list[Binding]) -> bool:
    """Whether an object has what its constructor does not give it, as far as a method tells by what it reads.

    Of two methods that both make something, either may be the only one that is called.
    """
    cls = place.outline.class_of(function)
    made = [_maker(place.outline, each) for each in bindings]
    makers = [each for each in made if each is not None]
    constructor = (
        next((part for part in cls.body if isinstance(part, _Function) and part.name == "__init__"), None)
        if cls is not None
        else None
    )
    if cls is None or not makers or len(makers) < len(made):
        return True
    if any(place.outline.class_of(each) is not cls for each in makers):
        return True
    names = {each.name for each in makers}
    if constructor is not None and names & _called(cls, constructor):
        return True
    if any(function.name in _called(cls, each) for each in makers):
        return True
    asked = _asked_to_make(cls, function, names)
    if asked:
        return any((node.lineno, node.col_offset) < _begin(place.node) for node in asked)
    if constructor is None:
        return True
    nodes = [node for each in makers for node in in_rows(each) if isinstance(node, ast.Attribute)]
    stored = {node.attr for node in nodes if isinstance(node.ctx, ast.Store)}
    own = [node for node in in_rows(function) if isinstance(node, ast.Attribute)]
    return any(node.attr in stored for node in own if isinstance(node.ctx, ast.Load))


def _asked_to_make(cls: ast.ClassDef, function: _Function, names: set[str]) -> list[ast.Attribute]:
    """Where a method asks its object for one of the methods ``names``, or for another one that calls them."""
    methods = {part.name: part for part in cls.body if isinstance(part, _Function)}
    making = {name for name, method in methods.items() if names & _called(cls, method)}
    nodes = (node for node in in_rows(function) if isinstance(node, ast.Attribute))
    return [node for node in nodes if node.attr in making]


def _begin(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def tensor(facts: Facts, place: Place) -> str | None:
    """``self.points`` that the constructor makes on the accelerator, or a method moves there, as ``to`` does."""
    function = place.outline.function_of(place.node)
    receiver = place.outline.receiver_name(function)
    if function is None or receiver is None or function.name == "__init__":
        return None
    for name, bindings in sorted(facts.bindings(place.path, place.outline.scope(function)).items()):
        head, _, attribute = name.partition(".")
        if head != "self" or "." in attribute or any(each.kind != "tensor" for each in bindings):
            continue
        placed = _is_placed(place.outline, function, f"{receiver}.{attribute}", bindings)
        if placed and constructed.is_set_before(facts, place.outline, function, attribute):
            return f"{receiver}.{attribute}"
    return None


def _is_placed(outline: Outline, function: ast.AST, name: str, bindings: list[Binding]) -> bool:
    """Whether what the constructor makes is on the accelerator, or was moved there by another method than ``function``."""
    makers = [(each, _maker(outline, each)) for each in bindings]
    later = [(each, maker) for each, maker in makers if maker is not None and maker.name != "__init__"]
    first = [each for each in bindings if each not in dict(later)]
    moved = any(maker is not function and _is_move(outline, each, name) for each, maker in later)
    known = [each for each, _ in later] if moved else bindings
    return bool(first) and all(is_wanted(each.device) for each in known)


def _maker(outline: Outline, binding: Binding) -> _Function | None:
    """The method that binds an attribute."""
    statement = constructed.statement_of(outline, binding)
    return outline.function_of(statement) if statement is not None else None


def _is_move(outline: Outline, binding: Binding, name: str) -> bool:
    """Whether an attribute is bound to itself, moved: ``self.points = self.points.to(device)``."""
    statement = constructed.statement_of(outline, binding)
    value = statement.value if isinstance(statement, ast.Assign) else None
    func = value.func if isinstance(value, ast.Call) else None
    return isinstance(func, ast.Attribute) and func.attr in _MOVES and ast.unparse(func.value) == name
