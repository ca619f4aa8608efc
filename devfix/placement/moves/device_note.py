"""Device notes: what the constructor of a module writes down of its device, ``self.device = next(self.parameters()).device``."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.scope_names import binds, own_nodes, parameters_of
from devfix.analysis.text.syntax import in_rows
from devfix.placement.devices.device_expression import Place
from devfix.placement.moves.computed_argument import bound
from devfix.placement.text.dependence import dotted
from devfix.placement.text.whole_name import whole_name
from devfix.records import frozen

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_HOST = re.compile(r"torch\.device\('cpu'\)|'cpu'")
_OWN = "next(self.parameters()).device"
_MODULE = "torch.nn.Module"


@frozen
class DeviceNote:
    """The one statement that sets an attribute of a class: in the constructor of one derived from nothing but ``nn.Module``.

    ``told`` says where the module is now, ``asks`` that so did the note, when it was made.
    """

    name: str
    outline: Outline
    cls: ast.ClassDef
    maker: ast.FunctionDef
    statement: ast.Assign
    told: str
    asks: bool

    def uses(self, facts: Facts) -> Iterator[tuple[Outline, ast.AST]]:
        """All else of the name that may be the attribute of such an object, what deletes or defines it in a class included."""
        for outline, node in _named(facts, self.name):
            if outline.statement_of(node) is not self.statement and not _is_of_other(outline, node, self.cls):
                yield outline, node


def found(facts: Facts, name: str, readers: set[ast.ClassDef | None]) -> DeviceNote | None:
    """The note that is read by an attribute of a name, in methods of these classes if not of one object or another."""
    notes = [note for note in _all(facts, name) if note is not None]
    own = [note for note in notes if {note.cls} == readers] or notes
    if len(own) != 1 or any(_is_stored(node) for _, node in own[0].uses(facts)):
        return None
    return own[0]


def _all(facts: Facts, name: str) -> Iterator[DeviceNote | None]:
    for outline, node in _named(facts, name):
        if _is_stored(node) and isinstance(node, ast.Attribute):
            yield _note(facts, outline, node)


def _note(facts: Facts, outline: Outline, target: ast.Attribute) -> DeviceNote | None:
    statement, maker = outline.statement_of(target), outline.function_of(target)
    cls = outline.class_of(maker) if maker is not None else None
    if not isinstance(maker, ast.FunctionDef) or maker.name != "__init__" or cls is None:
        return None
    if not isinstance(statement, ast.Assign) or statement.targets != [target] or statement not in maker.body:
        return None
    if outline.receiver_name(maker) != "self" or _bases(outline, cls) != {_MODULE}:
        return None
    place = Place(outline.source.path, outline, statement.value)
    asks = _asks_parameter(facts, place)
    if not asks and not _HOST.fullmatch(ast.unparse(statement.value)):
        return None
    told = _elsewhere(outline, maker, statement.value) if asks else _OWN
    return DeviceNote(target.attr, outline, cls, maker, statement, told, asks) if told is not None else None


def _elsewhere(outline: Outline, maker: ast.FunctionDef, asked: ast.expr) -> str | None:
    """What an expression of a constructor is in another method: with the attribute that keeps a name of its own, if one does."""
    bound = Counter(part.arg for part in parameters_of(maker))
    bound.update(name for node in own_nodes(maker.body) for name in binds(node))
    own = {node.id for node in in_rows(asked) if isinstance(node, ast.Name) and node.id in bound} - {"self"}
    text = outline.source.segment(outline.source.span(asked))
    for name in own:
        keeping = [part for part in maker.body if isinstance(part, ast.Assign) and dotted(part.value) == name]
        kept = [target for part in keeping for target in map(dotted, part.targets) if target is not None]
        if bound[name] > 1 or len(kept) != 1 or not kept[0].startswith("self."):
            return None
        text = re.sub(rf"\b{name}\b", kept[0], text, count=1)
    return text


def _asks_parameter(facts: Facts, place: Place) -> bool:
    """Whether an expression is the device of a parameter of the module, or of one that it holds."""
    node = place.node
    if not isinstance(node, ast.Attribute) or node.attr != "device":
        return False
    parameter = node.value
    if isinstance(parameter, ast.Call) and dotted(parameter.func) == "next" and len(parameter.args) == 1:
        [parameter] = parameter.args
        if isinstance(parameter, ast.Call) and dotted(parameter.func) == "iter" and len(parameter.args) == 1:
            [parameter] = parameter.args
        called = parameter.func if isinstance(parameter, ast.Call) and not parameter.args else None
        if not isinstance(called, ast.Attribute) or called.attr != "parameters":
            return False
        return dotted(called.value) == "self" or _kinds(facts, place, called.value) == {"module"}
    if not isinstance(parameter, ast.Attribute):
        return False
    own = bound(facts, Place(place.path, place.outline, parameter))
    of_layer = parameter.attr == "weight" and _kinds(facts, place, parameter.value) == {"module"}
    return of_layer or (bool(own) and all(each.registered for each in own))


def _kinds(facts: Facts, place: Place, node: ast.expr) -> set[str]:
    return {each.kind for each in bound(facts, Place(place.path, place.outline, node))}


def _named(facts: Facts, name: str) -> Iterator[tuple[Outline, ast.AST]]:
    for path in facts.program.sources:
        outline = facts.outline(path)
        for node in outline.mentions(name):
            stored = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            in_class = stored and isinstance(outline.parents[outline.statement_of(node)], ast.ClassDef)
            if isinstance(node, (ast.Attribute, *_FUNCTIONS)) or in_class:
                yield outline, node


def _is_stored(node: ast.AST) -> bool:
    return not isinstance(node, ast.Attribute) or not isinstance(node.ctx, ast.Load)


def _is_of_other(outline: Outline, node: ast.AST, cls: ast.ClassDef) -> bool:
    """Whether an attribute is that of an object whose class has nothing to do with another one: of ``self`` in its methods."""
    function = outline.function_of(node)
    around = outline.class_of(function) if function is not None else None
    if around is None or around is cls or not isinstance(node, ast.Attribute):
        return False
    own = dotted(node.value) == outline.receiver_name(function)
    return own and _bases(outline, around) <= {_MODULE, "object"}


def _bases(outline: Outline, cls: ast.ClassDef) -> set[str]:
    """The names of a class's bases, whatever a file calls their packages."""
    return {whole_name(outline, base) for base in cls.bases}
