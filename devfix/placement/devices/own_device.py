"""Own device: whether an object can have an attribute ``device``, and where one that keeps a module gets it.

A module may have a property that tells where its parameters are.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.docstrings import is_text
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.syntax import in_rows
from devfix.findings import FileEdit, InsertAfter
from devfix.placement.devices import device_property, own_parameter
from devfix.placement.devices.constructed import sets
from devfix.placement.text.dependence import dotted
from devfix.source import Source

if TYPE_CHECKING:
    from devfix.placement.devices.device_expression import Place

#: What may give an object a ``device``, and what gives it to any object there is.
_OWN = re.compile(r"\.device\s*=(?!=)|\bdef device\b|\b__slots__\b|\bsetattr\(")
_OTHERS = re.compile(r"(?<!\bself)\.device\s*=(?!=)|\bsetattr\(")

_MOVES = ("to", "cuda", "cpu", "to_empty")

#: What a property returns that tells where the parameters of its object are.
_OF_PARAMETERS = re.compile(r"(next\(\{0\}(\.\w+)*\.parameters\(\)\)|\{0\}(\.\w+)+\.(weight|bias))\.device")


def told(facts: Facts, place: Place) -> str | None:
    """``self.device`` in a method of a module on the accelerator whose class has such a property."""
    function = place.outline.function_of(place.node)
    receiver = place.outline.receiver_name(function)
    cls = place.outline.class_of(function) if function is not None else None
    if cls is None or receiver is None or getattr(function, "name", "") == "__init__":
        return None
    known = facts.bindings(place.path, place.outline.scopes(place.node)[0]).get(receiver, [])
    placed = (each.device is not None and each.device.is_accelerator for each in known)
    if not known or not all(placed) or any(each.kind != "module" for each in known):
        return None
    names = (part.name for part in cls.body if isinstance(part, ast.FunctionDef) and _tells(part))
    return next((f"{receiver}.{name}" for name in names if name != getattr(function, "name", "")), None)


def of_module(facts: Facts, place: Place, name: str) -> str:
    """The device of a module: ``self.device`` where a property of the class says that of ``self.model``, or where it has one itself, else of its parameters.

    Of these a method rather asks one that it uses: ``self.weight.device``.
    """
    function = place.outline.function_of(place.node)
    receiver, _, attribute = name.partition(".")
    if (
        function is not None
        and attribute.isidentifier()
        and receiver == place.outline.receiver_name(function)
    ):
        cls = place.outline.class_of(function)
        for part in cls.body if cls is not None else ():
            if not isinstance(part, ast.FunctionDef) or part.name == function.name:
                continue
            if _of_attribute(attribute).fullmatch(_returned(part) or ""):
                return f"{receiver}.{part.name}"
    own = own_parameter.used(facts, place) if name == receiver else None
    asked = f"{own}.device" if own is not None else f"next({name}.parameters()).device"
    return device_property.of(place, name) or asked


def _of_attribute(attribute: str) -> re.Pattern[str]:
    """What a property returns that tells where a module is that its object keeps."""
    kept = rf"\{{0\}}\.{attribute}"
    return re.compile(
        rf"({kept}|next\({kept}(\.\w+)*\.parameters\(\)\)|{kept}(\.\w+)*\.(weight|bias))\.device"
    )


def rank(place: Place, name: str) -> tuple[bool, bool]:
    """A device comes first, then what the statement around a place calls: where that is goes what it is called with."""
    calls = (node for node in in_rows(place.outline.statement_of(place.node)) if isinstance(node, ast.Call))
    return not name.endswith(".device"), all(ast.unparse(call.func) != name for call in calls)


def _tells(method: ast.FunctionDef) -> bool:
    """Whether a method is a property that returns the device of a parameter, and nothing else."""
    return _OF_PARAMETERS.fullmatch(_returned(method) or "") is not None


def _returned(method: ast.FunctionDef) -> str | None:
    """What a method returns that is a property and does nothing else, with ``{0}`` for its object."""
    last = method.body[-1]
    alone = all(map(is_text, method.body[:-1]))
    decorators = [ast.unparse(each) for each in method.decorator_list]
    if decorators != ["property"] or not method.args.args or not alone:
        return None
    if not isinstance(last, ast.Return) or last.value is None:
        return None
    return re.sub(rf"\b{re.escape(method.args.args[0].arg)}\b(?=\.)", "{0}", ast.unparse(last.value))


def is_free(facts: Facts, cls: ast.ClassDef) -> bool:
    """Whether nothing else can be called ``device`` in objects of a class, nor of those derived from it."""
    if any(getattr(base, "id", "") != "object" for base in cls.bases):
        return False
    sources = facts.program.sources.values()
    if any(_OTHERS.search(source.text) for source in sources):
        return False
    return not any(
        _OWN.search(source.segment(source.span(each))) for source in sources for each in _family(source, cls)
    )


def _family(source: Source, cls: ast.ClassDef) -> Iterator[ast.ClassDef]:
    """The classes of a file that are the class, or may be derived from it."""
    names = {cls.name}
    for node in in_rows(source.tree):
        if not isinstance(node, ast.ClassDef):
            continue
        if node is cls or any(ast.unparse(base).rpartition(".")[2] in names for base in node.bases):
            names.add(node.name)
            yield node


def beside_module(facts: Facts, outline: Outline, cls: ast.ClassDef, attribute: str) -> FileEdit | None:
    """``self.device = next(model.parameters()).device``, behind ``self.model = model`` in the constructor, and its moves there."""
    setters = [node for node in in_rows(cls) if isinstance(node, ast.Assign) and sets(node, attribute)]
    if len(setters) != 1 or not is_free(facts, cls):
        return None
    [statement] = setters
    function = outline.function_of(statement)
    receiver = outline.receiver_name(function)
    value = statement.value
    if function is None or function.name != "__init__" or statement not in function.body:
        return None
    if isinstance(value, ast.Call) or receiver is None or len(statement.targets) > 1:
        return None
    model = value.id if isinstance(value, ast.Name) else f"{receiver}.{attribute}"
    moves = [*_moves_of(cls, {model, f"{receiver}.{attribute}"})]
    if any(outline.function_of(move) is not function for move in moves):
        return None
    behind = [each for each in function.body if each is statement or any(m in in_rows(each) for m in moves)]
    code = f"{receiver}.device = next({model}.parameters()).device"
    return FileEdit(outline.source.path, InsertAfter(outline.source.span(behind[-1]), code))


def _moves_of(cls: ast.ClassDef, names: set[str]) -> Iterator[ast.Attribute]:
    """The methods in a class that move what goes by one of some names."""
    for node in in_rows(cls):
        if isinstance(node, ast.Attribute) and node.attr in _MOVES and dotted(node.value) in names:
            yield node
