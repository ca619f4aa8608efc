"""Declared parts: whether each object of a class has a part, and the method by which those move that have more of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.analysis.record.facts import Facts
from devfix.analysis.text import own_attributes
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.scope_names import defaults_of
from devfix.analysis.text.syntax import in_rows, spelt
from devfix.analysis.text.targets import targets
from devfix.analysis.text.vocabulary import vocabulary
from devfix.placement.devices import constructed
from devfix.placement.devices.device_expression import Place

_METHODS = (ast.FunctionDef, ast.AsyncFunctionDef)


def has(facts: Facts, place: Place, receiver: str, name: str) -> bool:
    """Whether a method that calls its object ``receiver`` finds the part ``name`` in whichever object it has.

    A class that is derived from its own may have given that to its objects alone, or have made its objects without it. Of what is
    no such method nothing is said.
    """
    cls = _class_of(place.outline, place.node, receiver)
    return cls is None or _is_given_always(facts, cls, name)


def after_base(facts: Facts, place: Place, name: str) -> Place | None:
    """``super().to(device)`` in the one class that has more parts, ``name`` among them, than that of the method at a place."""
    function = place.outline.function_of(place.node)
    cls = place.outline.class_of(function) if function is not None else None
    if not isinstance(function, ast.FunctionDef) or cls is None:
        return None
    found = [
        Place(outline.source.path, outline, method)
        for outline, heir in heirs(facts, cls)
        if declares(heir, name)
        for method in heir.body
        if isinstance(method, ast.FunctionDef) and method.name == function.name
    ]
    if len(found) != 1 or not _is_told_all(function, place.outline.statement_of(place.node)):
        return None
    return _call_of_base(found[0], function)


def may_be_missing(cls: ast.ClassDef | None, name: str) -> bool:
    """Whether a class says of a part that it may be None: by the type of a field, or by what its constructor need not be given."""
    body = cls.body if cls is not None else []
    fields = (part for part in body if isinstance(part, ast.AnnAssign) and ast.unparse(part.target) == name)
    if any(map(_is_optional, fields)):
        return True
    maker = _constructor(cls) if cls is not None else None
    return maker is not None and _is_given_at_times(maker, name)


def each_has(facts: Facts, cls: ast.ClassDef, name: str) -> bool:
    """Whether a part is there from the start in each object of a class, and of those derived from it, and is never missing."""
    known = (cls, *constructed.bases(facts, cls))
    return not any(may_be_missing(each, name) for each in known) and _is_given_always(facts, cls, name)


def _is_given_always(facts: Facts, cls: ast.ClassDef, name: str) -> bool:
    """Whether a class, or a base of it, gives its objects a part in any case, and so does each class that is derived from it."""
    if not any(_gives(each, name) for each in (cls, *constructed.bases(facts, cls))):
        return False
    return all(_gives(heir, name) or _begins_as_base(heir) for _, heir in heirs(facts, cls))


def _gives(cls: ast.ClassDef, name: str) -> bool:
    """Whether a class has a field of that name, or its constructor gives it to the object in any case."""
    fields = (target for part in cls.body for target in targets(part))
    if any(isinstance(target, ast.Name) and target.id == name for target in fields):
        return True
    maker = _constructor(cls)
    given = (target for part in maker.body for target in targets(part)) if maker is not None else ()
    own = maker.args.args[0].arg if maker is not None and maker.args.args else ""
    stored = (target for target in given if isinstance(getattr(target, "ctx", None), ast.Store))
    return any(spelt(target) == f"{own}.{name}" for target in stored)


def _begins_as_base(cls: ast.ClassDef) -> bool:
    """Whether an object of a class is made by the constructor of a base, or that is called by its own."""
    maker = _constructor(cls)
    return maker is None or "__init__" in vocabulary(maker).attributes


def _constructor(cls: ast.ClassDef) -> ast.FunctionDef | None:
    makers = (part for part in cls.body if isinstance(part, ast.FunctionDef) and part.name == "__init__")
    return next(makers, None)


def _is_optional(field: ast.AnnAssign) -> bool:
    text = ast.unparse(field.annotation)
    return (
        "None" in text
        or "Optional" in text
        or (field.value is not None and "None" in ast.unparse(field.value))
    )


def _is_given_at_times(maker: ast.FunctionDef, name: str) -> bool:
    """Whether a constructor keeps under a name what it is given for a parameter that is None unless it is given."""
    nothing = {
        parameter.arg
        for parameter, default in defaults_of(maker.args)
        if getattr(default, "value", 0) is None
    }
    return any(
        isinstance(part, ast.Assign)
        and getattr(part.value, "id", "") in nothing
        and any(getattr(target, "attr", "") == name for target in part.targets)
        for part in in_rows(maker)
    )


def _is_told_all(function: ast.FunctionDef, statement: ast.stmt) -> bool:
    """Whether a statement of a method names nothing but what the method is given: another file may have nothing else."""
    given = {part.arg for part in in_rows(function.args) if isinstance(part, ast.arg)}
    return all(node.id in given for node in in_rows(statement) if isinstance(node, ast.Name))


def _call_of_base(found: Place, function: ast.FunctionDef) -> Place | None:
    """Where a method calls that of its base, which takes what it takes, by the same names."""
    method = found.node
    if not isinstance(method, ast.FunctionDef) or ast.dump(method.args) != ast.dump(function.args):
        return None
    calls = (part for part in method.body if isinstance(part, ast.Expr) and _is_of_base(part, method.name))
    call = next(calls, None)
    return Place(found.path, found.outline, call) if call is not None else None


def _class_of(outline: Outline, node: ast.AST, receiver: str) -> ast.ClassDef | None:
    function = outline.function_of(node)
    if function is None or outline.receiver_name(function) != receiver:
        return None
    return outline.class_of(function)


def declares(cls: ast.ClassDef, name: str) -> bool:
    """Whether a class has a field of that name, or one of its methods gives it to its object."""
    for part in cls.body:
        targets = part.targets if isinstance(part, ast.Assign) else [getattr(part, "target", None)]
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            return True
        if isinstance(part, _METHODS) and name in own_attributes.assigned_by(part):
            return True
    return False


def heirs(facts: Facts, cls: ast.ClassDef) -> Iterator[tuple[Outline, ast.ClassDef]]:
    """The classes at the top of files that are derived from one."""
    for path, source in facts.program.sources.items():
        if cls.name in source.text:
            for node in source.tree.body:
                if isinstance(node, ast.ClassDef) and cls in constructed.bases(facts, node):
                    yield facts.outline(path), node


def _is_of_base(statement: ast.Expr, name: str) -> bool:
    """Whether a statement is ``super().name(...)``."""
    call = statement.value
    func = call.func if isinstance(call, ast.Call) else None
    return isinstance(func, ast.Attribute) and ast.unparse(func) == f"super().{name}"
