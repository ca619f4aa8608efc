"""Stale devices: what a module noted of its device before it moved becomes a property, which tells where it is now."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from devfix.analysis.record.facts import Facts
from devfix.analysis.record.recorder import Binding
from devfix.analysis.text.outline import Outline
from devfix.findings import DeleteStatement, FileEdit, InsertAfter, Origin, Span
from devfix.placement.devices.device_expression import Place, place_at
from devfix.placement.moves.computed_argument import bound
from devfix.placement.telling.left_out import device_named
from devfix.placement.text.dependence import dotted
from devfix.placement.text.provenance import left_behind

Edits = tuple[FileEdit, ...]
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_NOTES = re.compile(r"torch\.device\('cpu'\)|'cpu'")
#: Where attributes are set by other ways, or compiled.
_HIDDEN = re.compile(r"\bsetattr\(|\b__dict__\b|\b__slots__\b|\bjit\b")


def told_anew(facts: Facts, trails: list[tuple[Origin, ...]]) -> Edits:
    """``return next(self.parameters()).device`` as a property, where the constructor has ``self.device = torch.device("cpu")``.

    All that would have to move was made or moved where that says, or where something so made is.
    """
    places = [place_at(facts, trail[0].path, trail[0].span) for trail in trails if trail]
    named = {_noted(facts, place, trail[0]) for place, trail in zip(places, trails, strict=False)}
    [name, *more] = sorted(named - {""}, key=str) or [None]
    if facts.program.adopts or name is None or more or len(places) < len(trails):
        return ()
    home = _only_note(facts, name)
    return _as_property(*home, name) if home is not None and _may_follow(facts, name) else ()


def _noted(facts: Facts, place: Place | None, made: Origin) -> str | None:
    """The attribute of a module that tells where something is made; "" where another tensor tells, None for anything else."""
    device = device_named(place) if place is not None else None
    if place is None or not isinstance(device, ast.Attribute):
        return None
    kinds = {each.kind for each in _owners(facts, place, device)}
    if kinds == {"tensor"}:
        return ""
    # What is drawn on another device has other numbers.
    drawn = made.kind == "random-factory" and place.outline.parents[device] not in _moves(place)
    return device.attr if kinds == {"module"} and not drawn else None


def _moves(place: Place) -> list[ast.Call]:
    """The methods called on what is made at a place."""
    around = [each for each in place.outline.around(place.node) if isinstance(each, ast.Call)]
    return [each for each in around if isinstance(each.func, ast.Attribute) and each.func.attr == "to"]


def _owners(facts: Facts, place: Place, attribute: ast.Attribute) -> list[Binding]:
    return bound(facts, Place(place.path, place.outline, attribute.value))


def _only_note(facts: Facts, name: str) -> tuple[Outline, ast.FunctionDef, ast.Assign] | None:
    """The one statement of the program that sets the attribute: in the constructor of a class derived from nothing but ``nn.Module``."""
    stores = [
        (outline, node)
        for outline, node in _all(facts, name)
        if not isinstance(node, ast.Attribute) or not isinstance(node.ctx, ast.Load)
    ]
    if len(stores) != 1 or any(_HIDDEN.search(source.text) for source in facts.program.sources.values()):
        return None
    [(outline, target)] = stores
    statement, maker = outline.statement_of(target), outline.function_of(target)
    cls = outline.class_of(maker) if maker is not None else None
    if not isinstance(maker, ast.FunctionDef) or maker.name != "__init__" or cls is None:
        return None
    if not isinstance(statement, ast.Assign) or statement.targets != [target] or statement not in maker.body:
        return None
    bases = [_whole(outline, base) for base in cls.bases]
    noted = outline.receiver_name(maker) == "self" and _NOTES.fullmatch(ast.unparse(statement.value))
    return (outline, maker, statement) if noted and bases == ["torch.nn.Module"] else None


def _all(facts: Facts, name: str) -> Iterator[tuple[Outline, ast.AST]]:
    """All attributes of a name, what deletes or defines them in a class included."""
    for path in facts.program.sources:
        outline = facts.outline(path)
        for node in outline.mentions(name):
            stored = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            in_class = stored and isinstance(outline.parents[outline.statement_of(node)], ast.ClassDef)
            if isinstance(node, (ast.Attribute, *_FUNCTIONS)) or in_class:
                yield outline, node


def _may_follow(facts: Facts, name: str) -> bool:
    """Whether all that is placed by the attribute is left behind, and no constructor asks for it, be it by a method."""
    left = {(life[0].path, life[0].span): life[0] for life in left_behind(facts) if life}
    readers = set()
    for outline, node in _all(facts, name):
        if not isinstance(node, ast.Attribute) or not isinstance(node.ctx, ast.Load):
            continue
        owners = _owners(facts, Place(outline.source.path, outline, node), node)
        if dotted(node.value) in outline.imported or {each.kind for each in owners} == {"tensor"}:
            continue
        if any(each.device is None for each in owners) or not _is_left(facts, outline, node, left):
            return False  # without parameters, or on the CPU to stay
        function = outline.function_of(node)
        readers.add(function.name if function is not None else "")
    asked = {
        attribute for path in facts.program.sources for attribute in _in_constructors(facts.outline(path))
    }
    return "__init__" not in readers and asked.isdisjoint(readers)


def _is_left(
    facts: Facts, outline: Outline, node: ast.Attribute, left: Mapping[tuple[str, Span], Origin]
) -> bool:
    """Whether what is made or moved where an attribute tells is on the CPU where it meets the accelerator."""
    call = next((each for each in outline.around(node) if isinstance(each, ast.Call)), None)
    made = left.get((outline.source.path, outline.source.span(call))) if call is not None else None
    place = Place(outline.source.path, outline, call) if call is not None else None
    if place is None or made is None or device_named(place) is not node:
        return False
    return _noted(facts, place, made) == node.attr


def _in_constructors(outline: Outline) -> Iterator[str]:
    """The attributes that constructors name."""
    for maker in outline.mentions("__init__"):
        for part in ast.walk(maker) if isinstance(maker, ast.FunctionDef) else ():
            if isinstance(part, ast.Attribute):
                yield part.attr


def _whole(outline: Outline, base: ast.expr) -> str:
    """``torch.nn.Module`` of whatever a file calls it."""
    head, _, rest = (dotted(base) or "").partition(".")
    return f"{outline.imported.get(head, head)}.{rest}".strip(".")


def _as_property(outline: Outline, maker: ast.FunctionDef, statement: ast.Assign, name: str) -> Edits:
    code = f"@property\ndef {name}(self):\n    return next(self.parameters()).device"
    source = outline.source
    edits = (DeleteStatement(source.span(statement)), InsertAfter(source.span(maker), code))
    return tuple(FileEdit(source.path, edit) for edit in edits)
