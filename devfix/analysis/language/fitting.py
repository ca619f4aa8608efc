"""Fitting: whether a callable takes the arguments of a call."""

from __future__ import annotations

import ast
from collections.abc import Callable
from types import GeneratorType
from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.join import join_all
from devfix.analysis.domain.values import (
    UNKNOWN,
    Array,
    BoundMethod,
    Class,
    Const,
    External,
    ExternalMethod,
    Function,
    Namespace,
    Partial,
    Ref,
    Scalar,
    Sequence,
    TupleValue,
    Value,
)
from devfix.analysis.language.frames import CallSite
from devfix.analysis.nn.modules import external_bases, first_parameter, is_module
from devfix.analysis.reuse import reads
from devfix.analysis.text.syntax import remembered
from devfix.analysis.torch_model.modules import module_methods, wrapper_attributes
from devfix.analysis.torch_model.tensors import losses

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: Of more functions than this not each is called, but some are tried until there are as many models.
_MANY, _TRIED, _REPRESENTATIVES = 4, 40, 2
_MANY_PLAIN = 12


def fits(spec: ast.arguments, site: CallSite) -> bool:
    """Whether a function takes these arguments; where not, a metaclass (say) sees to it that it does."""
    if len(site.args) > len(spec.posonlyargs) + len(spec.args) and spec.vararg is None and not site.open:
        return False
    return spec.kwarg is not None or not site.keywords or site.keywords.keys() <= _names_of(spec)


@remembered
def _names_of(spec: ast.arguments) -> frozenset[str]:
    """What the parameters are called that may be given by name."""
    return frozenset(parameter.arg for parameter in (*spec.args, *spec.kwonlyargs))


def possible(interp: Interpreter, callees: tuple[Value, ...], site: CallSite) -> tuple[Value, ...]:
    """Of the callables that a value may be, those that the call can be meant for.

    Which of two models an option chose shows in what each is called with.
    """
    callees = tuple(c for c in callees if not isinstance(c, (Const, Scalar))) or callees
    if site.open or site.spread:
        return callees
    own = any(isinstance(callee, BoundMethod) for callee in callees)
    found = tuple(c for c in callees if _takes(interp, c, site) and not (own and _is_missing(interp, c)))
    return found or callees


def is_refused(interp: Interpreter, ref: Ref, site: CallSite) -> bool:
    """Whether a call of a module lacks arguments that its ``forward`` asks for, or has others: nothing of it is run."""
    return not (site.open or site.spread) and not _takes(interp, ref, site)


def are_many(interp: Interpreter, callees: tuple[Value, ...]) -> bool:
    """Whether a name stands for one of very many functions or classes; of classes that are no models few are too many."""
    if not all(isinstance(callee, (Function, Class)) for callee in callees):
        return False
    plain = all(isinstance(callee, Class) and not _bases(interp, callee) for callee in callees)
    return len(callees) > (_MANY_PLAIN if plain else _MANY)


def _bases(interp: Interpreter, cls: Class) -> set[str]:
    return {*external_bases(interp, cls)} - {"builtins.object"}


def one_of_many(interp: Interpreter, callees: tuple[Value, ...], outcome: Callable[[Value], Value]) -> Value:
    """What one of very many functions makes, of which nobody knows which: a few models stand for all of them."""
    found: list[Value] = []
    before = interp.state.dead
    for callee in callees[:_TRIED]:
        with interp.recorder.apart():
            made = outcome(callee)
        interp.state.dead = before
        if isinstance(made, Ref) and is_module(interp, made) and first_parameter(interp, made) is not None:
            found.append(made)  # where the arguments do not fit, nothing is in it
        if len(found) == _REPRESENTATIVES:
            break
    return join_all(found) if found else UNKNOWN


def _is_missing(interp: Interpreter, callee: Value) -> bool:
    """Whether it is a method that an object of the project does not have, as far as is known."""
    if not isinstance(callee, ExternalMethod) or module_methods.is_known(callee.name):
        return False
    obj = interp.obj_of(callee.receiver)
    return obj is not None and obj.kind == "instance" and _is_plain(interp, obj.cls)


def _is_plain(interp: Interpreter, cls: Value) -> bool:
    """Whether a class descends from nothing but layers of torch and classes of the project."""
    return all(
        base.startswith("torch.nn.") or base == "builtins.object" for base in external_bases(interp, cls)
    )


def with_attribute(interp: Interpreter, values: tuple[Value, ...], name: str) -> tuple[Value, ...]:
    """Of the values that an expression may be, those that have an attribute: no list has a ``to``.

    Where one is seen to have it, modules that are not do not: ``model.module`` is what was wrapped.
    """
    found = tuple(value for value in values if _may_have(interp, value, name))
    if any(_keeps(interp, value, name) for value in found):
        found = tuple(value for value in found if not _is_without(interp, value, name))
    return found or values


def _keeps(interp: Interpreter, value: Value, name: str) -> bool:
    obj = interp.obj_of(value)
    return obj is not None and name in obj.attrs and is_module(interp, value)


def _is_without(interp: Interpreter, value: Value, name: str) -> bool:
    """Whether a value is a module that nobody gave such an attribute, and whose classes have none, as far as is known."""
    obj = interp.obj_of(value)
    if obj is None or obj.kind != "instance" or name in obj.attrs or not isinstance(obj.cls, Class):
        return False
    known = wrapper_attributes.is_of_modules(name)
    found = (classes.find(interp, obj.cls, each) for each in (name, "__getattr__"))
    return not known and _is_plain(interp, obj.cls) and is_module(interp, value) and not any(found)


def is_in_module(interp: Interpreter, owner: Namespace, name: str) -> bool:
    """Whether a module of the project calls something so."""
    frame = interp.module_frame(owner.path)
    return (
        reads.variable_of(interp, frame, name) is not None
        or reads.resolve(interp, owner.path, name, 1) is not None
    )


_COLLECTIONS = (list, tuple, dict, set, map, zip, range, GeneratorType)
#: What every tensor can be asked for, and no array.
_OF_TENSORS_ALONE = frozenset(
    "backward cpu cuda detach double float int long numpy requires_grad requires_grad_ type type_as unsqueeze".split()
)
_TYPES: dict[str, type] = {each.__name__: each for each in (int, float, bool, str)}


def _may_have(interp: Interpreter, value: Value, name: str) -> bool:
    """Whether a value of Python's own types has an attribute, or one of torch's wrappers; of any other nobody can tell."""
    if isinstance(value, Const):
        return hasattr(value.value, name)
    if isinstance(value, Scalar):
        return value.type not in _TYPES or hasattr(_TYPES[value.type], name)
    if isinstance(value, Array):
        return name not in _OF_TENSORS_ALONE
    if isinstance(value, Namespace):
        return is_in_module(interp, value, name)
    if isinstance(value, TupleValue):
        return name in value.names or hasattr(tuple, name)
    if isinstance(value, Sequence):
        return any(hasattr(each, name) for each in _COLLECTIONS)
    obj = interp.obj_of(value)
    if obj is not None and obj.kind == "module":
        return not wrapper_attributes.lacks(interp, obj, name)
    if obj is None or obj.kind != "list" or isinstance(obj.cls, Class):
        return True
    return hasattr(list, name)


def are_alternatives(interp: Interpreter, callees: tuple[Value, ...]) -> bool:
    """Whether each callable is what some run calls: objects of the project, or functions made for one call.

    Those have arguments laid down, or are written where they are chosen: ``lambda real, fake: loss(real, fake)``.
    Beside one of them a function as it is, of the project or of torch, is what another run calls.

    Where a device has just been chosen, a function that nobody calls after all gets a move that does no harm.
    """
    made = [is_of_project(interp, callee) or _is_made_for_calls(callee) for callee in callees]
    if interp.program.adopts:
        return all(known or isinstance(c, (Function, Class)) for known, c in zip(made, callees, strict=True))
    return any(made) and all(
        known or isinstance(callee, Function) or _is_of_torch(callee)
        for known, callee in zip(made, callees, strict=True)
    )


def _is_of_torch(callee: Value) -> bool:
    return isinstance(callee, External) and callee.name.startswith("torch.")


def _is_made_for_calls(callee: Value) -> bool:
    written = isinstance(callee, Function) and isinstance(callee.node, ast.Lambda)
    return written or isinstance(callee, Partial)


def is_of_project(interp: Interpreter, callee: Value) -> bool:
    """Whether the value is a module or an object of the project, or a method of one."""
    obj = interp.obj_of(callee.receiver if isinstance(callee, (BoundMethod, ExternalMethod)) else callee)
    return obj is not None and obj.kind in ("instance", "module", "optimizer")


def _takes(interp: Interpreter, callee: Value, site: CallSite) -> bool:
    function, bound = _function_of(interp, callee)
    if function is None:
        return _takes_compared(interp, callee, site)
    spec = function.node.args
    names = [parameter.arg for parameter in (*spec.posonlyargs, *spec.args)][bound:]
    if len(site.args) > len(names) and spec.vararg is None:
        return False
    required = names[len(site.args) : len(names) - len(spec.defaults)]
    by_name = dict(zip((parameter.arg for parameter in spec.kwonlyargs), spec.kw_defaults, strict=True))
    required += [name for name, default in by_name.items() if default is None]
    known = {*names, *by_name}
    return site.keywords.keys() >= set(required) and (spec.kwarg is not None or site.keywords.keys() <= known)


def _takes_compared(interp: Interpreter, callee: Value, site: CallSite) -> bool:
    """Whether torch's own loss, if that is what is called, takes as many arguments."""
    obj = interp.obj_of(callee)
    name = obj.cls.name.rpartition(".")[2] if obj is not None and isinstance(obj.cls, External) else ""
    return name not in losses.CRITERIA or losses.takes(name, site)


def _function_of(interp: Interpreter, callee: Value) -> tuple[Function | None, int]:
    """The project's function that a call of the value runs, and how many arguments it has already."""
    if isinstance(callee, Function):
        return callee, 0
    if isinstance(callee, BoundMethod):
        return callee.function, 1
    if isinstance(callee, Class):
        made = classes.find(interp, callee, "__init__")
        return (made, 1) if isinstance(made, Function) else (None, 0)
    obj = interp.obj_of(callee)
    cls = obj.cls if obj is not None else None
    if not isinstance(cls, Class) or obj is None or "forward" in obj.attrs:
        return None, 0
    for name in ("__call__", "forward"):
        found = classes.find(interp, cls, name)
        if isinstance(found, Function):
            return found, 1
    return None, 0
