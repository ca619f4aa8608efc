"""Named parts: a tuple says which parts of an object move, and gets the name of one that was forgotten."""

from __future__ import annotations

import ast

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.torch_model.loading import named_movers
from devfix.findings import FileEdit, InsertAfter, ReplaceExpression, Span
from devfix.placement.devices import constructed
from devfix.placement.devices.device_expression import Place
from devfix.placement.moves import declared_parts

Edits = tuple[FileEdit, ...]


def is_names(place: Place) -> bool:
    """Whether a place is where a mover says which names it goes through."""
    around = place.outline.parents[place.node]
    around = place.outline.parents[around] if isinstance(around, ast.comprehension) else around
    named = named_movers.at(around)
    return named is not None and named.names is place.node


def with_one_more(facts: Facts, place: Place, part: str) -> Edits:
    """``FIELDS = ("x", "y", "edges")``, where the program has that name once, and reads it here alone, or the tuple stands here.

    A part that only objects of one derived class have is added there: ``FIELDS = (*Base.FIELDS, "edges")``.
    """
    node = place.node
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    function = place.outline.function_of(node)
    method = place.outline.class_of(function) if function is not None else None
    if isinstance(node, (ast.Tuple, ast.List)):
        said_here = method is not None and _are_texts(node) and declared_parts.each_has(facts, method, part)
        return _added(place.outline, node, part) if said_here else ()
    found = _only_literal(facts, name, node) if method is not None and not name.startswith("__") else None
    if found is None or method is None:
        return ()
    outline, statement, value = found
    around = outline.parents[statement]
    said = around if isinstance(around, ast.ClassDef) else method
    if declared_parts.each_has(facts, said, part):
        return _added(outline, value, part)
    known = (said, *constructed.bases(facts, said))
    if any(declared_parts.declares(each, part) for each in known):
        return ()  # of some objects it is no part, or is not one yet
    own = isinstance(node, ast.Attribute) and ast.unparse(node.value) == place.outline.receiver_name(function)
    return _extended(facts, said, name, part) if own and said is around and not said.bases else ()


def _are_texts(value: ast.Tuple | ast.List) -> bool:
    texts = (isinstance(each, ast.Constant) and isinstance(each.value, str) for each in value.elts)
    return value.elts != [] and all(texts)


_Found = tuple[Outline, ast.Assign | ast.AnnAssign, ast.Tuple | ast.List]


def _only_literal(facts: Facts, name: str, read: ast.AST) -> _Found | None:
    """Where a program says at once what a name stands for, if nothing but one expression reads it."""
    found: list[_Found] = []
    for path, source in facts.program.sources.items():
        outline = facts.outline(path) if name in source.text else None
        for node in outline.mentions(name) if outline is not None else ():
            if node is read:
                continue
            literal = _literal(outline, node) if outline is not None else None
            if literal is None:
                return None
            found.append(literal)
    return found[0] if len(found) == 1 else None


def _literal(outline: Outline, node: ast.AST) -> _Found | None:
    """``("x", "y")`` where a file or a class gives that to a name."""
    statement = outline.parents.get(node)
    if not isinstance(statement, (ast.Assign, ast.AnnAssign)) or not isinstance(node, ast.Name):
        return None
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    value = statement.value
    if targets != [node] or not isinstance(value, (ast.Tuple, ast.List)) or not _are_texts(value):
        return None
    if not isinstance(outline.parents[statement], (ast.Module, ast.ClassDef)):
        return None
    return outline, statement, value


def _added(outline: Outline, value: ast.Tuple | ast.List, part: str) -> Edits:
    """One more text after the last one, in quotes and in a line of its own as that is."""
    source, last = outline.source, value.elts[-1]
    whole, end = source.span(value), source.span(last)
    before = source.segment(Span(*whole.start, *end.end))
    behind = source.segment(Span(*end.end, *whole.end))
    alone = len(value.elts) > 1 and value.elts[-2].lineno < last.lineno
    between = f",\n{' ' * last.col_offset}" if alone else ", "
    if "".join(behind.split()) == ",)" and len(value.elts) == 1:
        behind = ")"  # what made a tuple of one text
    code = f"{before}{between}{before[-1]}{part}{before[-1]}{behind}"
    return (FileEdit(source.path, ReplaceExpression(whole, code)),)


def _extended(facts: Facts, cls: ast.ClassDef, name: str, part: str) -> Edits:
    """The one class that has the part, and is derived from one that says the names, says one more."""
    found = [each for each in declared_parts.heirs(facts, cls) if declared_parts.declares(each[1], part)]
    if len(found) != 1 or declared_parts.may_be_missing(found[0][1], part):
        return ()
    outline, heir = found[0]
    fields = [each for each in heir.body if isinstance(each, ast.AnnAssign)]
    base = next((each for each in heir.bases if ast.unparse(each).rpartition(".")[2] == cls.name), None)
    if not fields or base is None:
        return ()
    code = f'{name} = (*{ast.unparse(base)}.{name}, "{part}")'
    return (FileEdit(outline.source.path, InsertAfter(outline.source.span(fields[-1]), code)),)
