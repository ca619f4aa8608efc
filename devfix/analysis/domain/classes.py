"""Classes of the project: linearisation and lookup of attributes along it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from devfix.analysis.domain.values import Class, External, Function, Value, members
from devfix.analysis.text.syntax import remembered

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def linearise(cls: Class) -> list[Class]:
    """The class and the project classes it descends from, in lookup order.

    Left to right and depth first, a class after its subclasses: C3 where it matters, and never an
    error where Python would refuse.
    """
    if not cls.above and len(cls.bases) == 1 and isinstance(cls.bases[0], Class):
        # A long line of classes is not walked anew from each of them.
        cls.above.append(tuple(takewhile(lambda above: above.node is not cls.node, linearise(cls.bases[0]))))
    elif not cls.above:
        backwards: dict[int, Class] = {}
        _collect(cls, backwards, set())
        cls.above.append(tuple(backwards.values())[-2::-1])
    return [cls, *cls.above[0]]


def _collect(cls: Class, found: dict[int, Class], active: set[ast.ClassDef]) -> None:
    """The class after all that it descends from, each once: the order of lookup from its end."""
    if cls.node in active or cls.frame in found:
        return
    active.add(cls.node)
    bases = [member for base in cls.bases for member in members(base) if isinstance(member, Class)]
    for base in reversed(bases):
        _collect(base, found, active)
    active.remove(cls.node)
    found[cls.frame] = cls


def find(interp: Interpreter, cls: Class, name: str) -> Value | None:
    """A class attribute or method by name, or None."""
    for current in linearise(cls):
        value = interp.state.get(current.frame, name)
        if value is not None:
            return value
    return None


#: Under which name the namespace of a class keeps its metaclass.
METACLASS = "metaclass:"


def setter_of(name: str) -> str:
    """Under which name the namespace of a class keeps what sets a property."""
    return f"setter:{name}"


def attribute_of(function: Function, name: str) -> str:
    """Under which name the frame around a function keeps an attribute that it was given."""
    return f"attribute:{function.scope}.{name}"


def after(start: Class, owner: Class) -> list[Class]:
    """Where ``super()`` in a method of ``owner`` looks, for an object of ``start``."""
    order = linearise(start)
    nodes = [current.node for current in order]
    return order[nodes.index(owner.node) + 1 :] if owner.node in nodes else linearise(owner)[1:]


def find_after(interp: Interpreter, start: Class, owner: Class, name: str) -> Value | None:
    """What ``super()`` finds: the attribute after ``owner`` in the order of ``start``."""
    for current in after(start, owner):
        value = interp.state.get(current.frame, name)
        if value is not None:
            return value
    return None


def with_generated_init(interp: Interpreter, order: list[Class]) -> Class | None:
    """The class whose generated ``__init__`` is the first along an order of lookup; None where another one is."""
    before = set[str]()
    for current in order:
        if interp.state.get(current.frame, "__init__") is not None:
            return None
        if is_dataclass(current) and not _has_none_generated(current.node):
            # A class outside of the project comes after all that descend from it.
            shared = {name for each in linearise(current) for name in _outer_bases(each)}
            return current if before <= shared | _WITHOUT_INIT else None
        before.update(_outer_bases(current))
    return None


#: Classes outside of the project that leave ``__init__`` to others.
_WITHOUT_INIT = frozenset(
    "abc.ABC builtins.object torch.utils.data.Dataset torch.utils.data.IterableDataset typing.Generic typing.Protocol "
    "typing_extensions.Protocol".split()
)


def _outer_bases(cls: Class) -> Iterator[str]:
    """The bases of a class itself that are outside of the project."""
    bases = (member for base in cls.bases for member in members(base))
    return (base.name for base in bases if isinstance(base, External))


@remembered
def _has_none_generated(node: ast.ClassDef) -> bool:
    """Whether a decorator of a class is told ``init=False``."""
    told = (word for call in node.decorator_list if isinstance(call, ast.Call) for word in call.keywords)
    return any(word.arg == "init" and getattr(word.value, "value", None) is False for word in told)


def directly_below(interp: Interpreter, cls: Class) -> tuple[Class, ...]:
    """``cls.__subclasses__()``: the classes made so far that name it as a base, in order."""
    interp.library.entangled = True
    return tuple(each for each in interp.library.classes if cls in each.bases)


#: Under which name a dataclass has its fields by their names.
FIELDS = "__dataclass_fields__"


def is_dataclass(cls: Class) -> bool:
    """Whether the class is decorated as a dataclass (``attrs`` classes count)."""
    return _is_decorated(cls.node, ("dataclass", *_ATTRS))


def is_of_attrs(cls: Class) -> bool:
    """Whether the class is one of ``attrs``, of which ``dataclasses`` knows nothing."""
    return _is_decorated(cls.node, _ATTRS)


def _is_decorated(cls: ast.ClassDef, names: tuple[str, ...]) -> bool:
    """Whether one of the class's decorators goes by one of the names, or is ``attr.s``."""
    for decorator in cls.decorator_list:
        target = decorator.func if isinstance(decorator, ast.Call) else decorator
        name = _last_name(target)
        module = target.value if isinstance(target, ast.Attribute) else None
        if name in names or (name == "s" and getattr(module, "id", "") == "attr"):
            return True
    return False


#: The decorators of ``attrs``, and what makes a field of a class that has one.
_ATTRS = ("define", "frozen", "mutable", "attrs")
_FIELD_MAKERS = ("attrib", "ib", "field")


class Field(NamedTuple):
    """A field of a class: its name, its default expression, and the class whose body that stands in."""

    name: str
    default: ast.expr | None
    annotation: ast.expr | None
    #: Whether it is an ``InitVar``: what it is given goes to ``__post_init__`` and is not kept.
    is_passed_on: bool
    #: Whether the generated ``__init__`` has it as a parameter.
    is_given: bool
    #: The name of the method that ``attrs`` calls for the default: that below ``@name.default``.
    maker: str | None
    owner: Class


#: A field without the class: what the text of that says of it.
_Declared = tuple[str, ast.expr | None, ast.expr | None, bool, bool, str | None]


def _is_given(default: ast.expr | None) -> bool:
    told = default.keywords if isinstance(default, ast.Call) else []
    return not any(
        each.arg == "init" and isinstance(each.value, ast.Constant) and each.value.value is False
        for each in told
    )


def _makers(node: ast.ClassDef) -> dict[str, str]:
    """The methods of a class's body below ``@name.default``, by that name; of several the first."""
    told = (
        (decorator.value, statement.name)
        for statement in reversed(node.body)
        if isinstance(statement, ast.FunctionDef)
        for decorator in statement.decorator_list
        if isinstance(decorator, ast.Attribute) and decorator.attr == "default"
    )
    return {field.id: name for field, name in told if isinstance(field, ast.Name)}


#: Makes one without a call of Python: of a class of settings there may be objects by the thousand.
_field = tuple.__new__


def fields(cls: Class) -> list[Field]:
    """The fields of a dataclass, an ``attrs`` class or a NamedTuple in order, inherited ones first."""
    found: dict[str, Field] = {}
    for current in reversed(linearise(cls)):
        found.update({each[0]: _field(Field, (*each, current)) for each in _own_fields(current.node)})
    return list(found.values())


@remembered
def _own_fields(node: ast.ClassDef) -> tuple[_Declared, ...]:
    """The fields that the body of a class names."""
    makers = _makers(node)
    return tuple(
        (name, default, annotation, _type_name(annotation) == "InitVar", _is_given(default), makers.get(name))
        for name, default, annotation in _annotated(node)
    )


def _annotated(node: ast.ClassDef) -> list[tuple[str, ast.expr | None, ast.expr | None]]:
    """The fields, their defaults and annotations."""
    by_call = _is_decorated(node, _ATTRS)
    found: list[tuple[str, ast.expr | None, ast.expr | None]] = []
    for statement in node.body:
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            if _type_name(statement.annotation) != "ClassVar":
                found.append((statement.target.id, statement.value, statement.annotation))
        elif by_call and isinstance(statement, ast.Assign) and _makes_field(statement):
            found.append((ast.unparse(statement.targets[0]), statement.value, None))
    return found


def _type_name(annotation: ast.expr | None) -> str:
    """What the type of an annotation is called, without what stands in its brackets."""
    named = annotation.value if isinstance(annotation, ast.Subscript) else annotation
    return _last_name(named)


def _last_name(node: ast.expr | None) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _makes_field(statement: ast.Assign) -> bool:
    """Whether a statement of a class's body is ``name = attrib(...)``."""
    func = statement.value.func if isinstance(statement.value, ast.Call) else None
    return (
        _last_name(func) in _FIELD_MAKERS
        and len(statement.targets) == 1
        and isinstance(statement.targets[0], ast.Name)
    )
