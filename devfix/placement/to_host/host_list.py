"""Host lists: a list that nobody but the host reads is filled with copies, and not copied wherever it is read."""

from __future__ import annotations

import ast

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.syntax import called, in_rows
from devfix.findings import FileEdit, Span
from devfix.placement.devices.device_expression import Place
from devfix.placement.moves import suffixes
from devfix.placement.text import chains
from devfix.placement.text.dependence import dotted

Edits = tuple[FileEdit, ...]
#: Methods of a tensor that give one tensor.
_GIVING_ONE = frozenset(
    "int long bool float double detach clone squeeze unsqueeze flatten view reshape argmax sigmoid softmax round".split()
)
#: Classes, and the names of those right above each.
_Bases = dict[ast.ClassDef, set[str]]


def filled_with_copies(facts: Facts, place: Place, suffix: str) -> Edits:
    """``losses.append(loss.cpu())``, where all else that is done with ``losses`` is to hand it to NumPy, or to count it.

    Nothing where somebody else may get the list, or where more than one statement adds to it.
    """
    outline = place.outline
    read = {m.operands[0].span for m in facts.mismatches("numpy") if m.path == place.path and m.get("inside")}
    added: list[ast.expr] = []
    is_made = False
    for node in _occurrences(facts, place):
        made = _made(outline, node)
        given = made.elt if isinstance(made, ast.ListComp) else _added(facts, outline, node)
        is_made |= made is not None
        if given is not None:
            added.append(given)
        elif made is None and not _is_on_host(outline, node, read):
            return ()
    return suffixes.added(facts, outline, added[0], suffix) if is_made and len(added) == 1 else ()


def appended(facts: Facts, place: Place) -> list[ast.expr]:
    """What a list is filled with, in the code that may: ``(epoch, loss)`` of ``history.append((epoch, loss))``."""
    outline = place.outline
    given: list[ast.expr | None] = []
    for node in _occurrences(facts, place):
        made = _made(outline, node)
        given.append(made.elt if isinstance(made, ast.ListComp) else _added(facts, outline, node))
    return [each for each in given if each is not None]


def _occurrences(facts: Facts, place: Place) -> list[ast.expr]:
    """Where a list is named: in the code that binds the name, or of an attribute in the class; none where others may, too."""
    node, outline = place.node, place.outline
    function = outline.function_of(node)
    if isinstance(node, ast.Name):
        is_local = function is not None and node.id in outline.names_in(function).bound
        scope = function if function is not None and is_local else outline.source.tree
        return list(outline.occurrences(scope, node.id))
    cls = outline.class_of(function) if function is not None else None
    if not isinstance(node, ast.Attribute) or cls is None:
        return []
    name = dotted(node)
    classes = [each for each in in_rows(outline.source.tree) if isinstance(each, ast.ClassDef)]
    named = {each: _named(each, name or "") for each in classes}
    is_own = name == f"{outline.receiver_name(function)}.{node.attr}"
    everywhere = sum(source.text.count(f".{node.attr}") for source in facts.program.sources.values())
    if not is_own or everywhere != len({part for found in named.values() for part in found}):
        return []
    bases = {each: {ast.unparse(base).rpartition(".")[2] for base in each.bases} for each in classes}
    above = _above({cls.name}, bases)
    replaced = _replaced(cls, above)
    return [
        part
        for each in _sharing(cls, bases)
        for part in named[each]
        if each.name not in above or getattr(outline.function_of(part), "name", "") not in replaced
    ]


def _named(cls: ast.ClassDef, name: str) -> list[ast.expr]:
    return [each for each in in_rows(cls) if isinstance(each, ast.Attribute) and dotted(each) == name]


def _sharing(cls: ast.ClassDef, bases: _Bases) -> list[ast.ClassDef]:
    """The classes of a file that objects may be of which are of this one, too: those below it, and those above these."""
    names = {cls.name}
    while more := {each.name for each, own in bases.items() if own & names} - names:
        names |= more
    names |= _above(names, bases)
    return [each for each in bases if each.name in names]


def _above(names: set[str], bases: _Bases) -> set[str]:
    """The names of the classes that classes are derived from."""
    found: set[str] = set()
    while more := {base for each, own in bases.items() if each.name in names | found for base in own} - found:
        found |= more
    return found - names


def _replaced(cls: ast.ClassDef, above: set[str]) -> set[str]:
    """The methods of which a class has its own, and does not ask for those of the classes above, by ``super()`` or by name."""
    own = {each.name for each in cls.body if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef))}
    asked = {
        each.attr
        for each in in_rows(cls)
        if isinstance(each, ast.Attribute)
        and ((dotted(each.value) or "").rpartition(".")[2] in above or _is_super(each.value))
    }
    return own - asked


def _is_super(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and called(node) == "super"


def _made(outline: Outline, node: ast.expr) -> ast.expr | None:
    """What makes the list where it gets its name: an empty display, or a comprehension; None for any other place."""
    statement = outline.parents[node]
    among = (
        statement.elts.index(node) if isinstance(statement, ast.Tuple) and node in statement.elts else None
    )
    statement = outline.parents[statement] if among is not None else statement
    value = statement.value if isinstance(statement, (ast.Assign, ast.AnnAssign)) else None
    if among is not None:  # ``self.said, self.true = [], []``
        value = value.elts[among] if isinstance(value, ast.Tuple) and len(value.elts) > among else None
    if value is None or value is node:
        return None
    return value if isinstance(value, ast.ListComp) or ast.unparse(value) in ("[]", "list()") else None


def _added(facts: Facts, outline: Outline, node: ast.expr) -> ast.expr | None:
    """``loss`` of ``losses.append(loss)``, and of ``losses.extend(loss)`` and ``losses += loss`` where that is a tensor."""
    around = outline.parents[node]
    if isinstance(around, ast.AugAssign) and isinstance(around.op, ast.Add) and around.target is node:
        return _with_rows(facts, outline, around.value)
    call = outline.parents[around]
    if not isinstance(around, ast.Attribute) or not isinstance(call, ast.Call) or len(call.args) != 1:
        return None
    if around.attr == "extend":
        return _with_rows(facts, outline, call.args[0])
    return call.args[0] if around.attr == "append" else None


def _with_rows(facts: Facts, outline: Outline, given: ast.expr) -> ast.expr | None:
    """The tensor whose rows a list gets: ``x.int()`` of ``x.int()``, and of ``list(x.int())``."""
    if isinstance(given, ast.Call) and called(given) == "list" and len(given.args) == 1:
        given = given.args[0]
    tensor = chains.head(given, (ast.Attribute, ast.Call), _GIVING_ONE)
    name = tensor.id if isinstance(tensor, ast.Name) else ""
    bindings = facts.bindings(outline.source.path, outline.scopes(given)[0]).get(name, [])
    return given if bindings and all(each.kind == "tensor" for each in bindings) else None


def _is_on_host(outline: Outline, node: ast.expr, read: set[Span]) -> bool:
    """Whether NumPy is handed the list, or nothing is asked but how long it is."""
    if outline.source.span(node) in read:
        return True
    asker = outline.parents[node]
    if isinstance(asker, ast.Call):
        return getattr(asker.func, "id", "") == "len"
    return isinstance(asker, (ast.If, ast.While, ast.IfExp)) and asker.test is node
