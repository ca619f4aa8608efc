"""``type`` with three arguments, and ``make_dataclass``: classes that no statement defines."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.values import UNKNOWN, Class, Function, Obj, TupleValue, Value
from devfix.analysis.language import construction, definitions, iteration
from devfix.analysis.language.frames import CallSite
from devfix.analysis.text.syntax import remembered
from devfix.analysis.torch_model.python import value_classes

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: So many arguments it has: a name, bases and a namespace.
_ARGUMENTS = 3


def type_(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``type(x)``: the class. ``type(name, bases, namespace)``: a new one, where all that it is made of is known."""
    if site.open or site.keywords or len(site.args) not in (1, _ARGUMENTS):
        return UNKNOWN
    if len(site.args) == 1:
        return value_classes.class_of(interp, site.args[0].value)
    bases = iteration.exact_items(interp, site.args[1].value)
    held = interp.obj_of(site.args[2].value)
    known = held is not None and held.kind == "dict" and held.element is None
    if bases is None or held is None or not known or not isinstance(site.node, ast.Call):
        return UNKNOWN
    made = _class(interp, site.node, bases)
    _fill(interp, made, held)
    return made


def make_dataclass(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``make_dataclass("Pair", ["first", ("second", int)])``, where the fields are written out in the call."""
    bases = iteration.exact_items(interp, site.value(None, "bases") or TupleValue(()))
    held = interp.obj_of(site.value(None, "namespace"))
    body = _fields(site.node) if isinstance(site.node, ast.Call) else None
    if site.open or bases is None or body is None or not isinstance(site.node, ast.Call):
        return UNKNOWN
    made = definitions.make_class(interp, body, bases)
    _fill(interp, made, held)
    return made


def _fill(interp: Interpreter, made: Class, namespace: Obj | None) -> None:
    """A class has what its namespace holds, and all are told of it that a statement would have told."""
    for key, value in namespace.attrs.items() if namespace is not None else ():
        own = isinstance(value, Function) and value.owner is None
        interp.state.set(made.frame, key, replace(value, owner=made) if own else value)
    interp.library.classes.append(made)
    construction.announce(interp, made, [])
    construction.meet_metaclass(interp, made, [])


def _class(interp: Interpreter, call: ast.Call, bases: tuple[Value, ...]) -> Class:
    """The class, of a scope like that of one that a statement defines."""
    node, outer = _definition(call), interp.frame
    scope = f"{outer.scope}.{node.name}" if outer.scope else node.name
    made = Class(node, outer.path, scope, interp.fresh(), bases)
    interp.parents[made.frame] = (
        outer.parent if outer.kind == "class" and outer.parent is not None else outer.id
    )
    return made


@remembered
def _fields(call: ast.Call) -> ast.ClassDef | None:
    """The statement that a call of ``make_dataclass`` stands for; None where the fields are written elsewhere."""
    given = call.args[1] if len(call.args) == _OF_DATACLASS else None
    if not isinstance(given, (ast.List, ast.Tuple)) or not given.elts:
        return None
    body: list[ast.stmt] = []
    for each in given.elts:
        told = each.elts if isinstance(each, ast.Tuple) else [each]
        name, *rest = told or [each]
        if not isinstance(name, ast.Constant) or not isinstance(name.value, str):
            return None
        kind, default = rest[0] if rest else name, rest[1] if len(rest) > 1 else None
        field = ast.copy_location(ast.Name(name.value, ast.Store()), name)
        body.append(ast.copy_location(ast.AnnAssign(field, kind, default, 1), each))
    made = _definition(call)
    decorator = ast.copy_location(ast.Name("dataclass", ast.Load()), call)
    node = ast.ClassDef(name=made.name, bases=[], keywords=[], body=body, decorator_list=[decorator])
    return ast.copy_location(node, call)


#: The arguments that ``make_dataclass`` has without their names: the name of the class, and its fields.
_OF_DATACLASS = 2


@remembered
def _definition(call: ast.Call) -> ast.ClassDef:
    """What stands for the statement: an empty one, in the place of the call, and always the same."""
    name = call.args[0].value if isinstance(call.args[0], ast.Constant) else ""
    body: list[ast.stmt] = [ast.copy_location(ast.Pass(), call)]
    made = ast.ClassDef(name=str(name), bases=[], keywords=[], body=body, decorator_list=[])
    return ast.copy_location(made, call)
