"""Told functions: a function that makes tensors where it knows no device is told it by whoever calls it and knows one."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from devfix.analysis.record.asked_once import asked_once
from devfix.analysis.record.facts import Facts
from devfix.analysis.text import fetches
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.syntax import in_rows
from devfix.analysis.text.vocabulary import vocabulary
from devfix.findings import AddParameter, FileEdit, Operand, Origin, Span
from devfix.placement.devices import constructed, device_expression
from devfix.placement.devices.device_expression import DeviceExpression, Place, place_at
from devfix.placement.devices.reaching import is_wanted
from devfix.placement.telling import told_class
from devfix.placement.telling.told_class import HOST, NAME
from devfix.placement.text import chains, namesakes, provenance
from devfix.placement.text.provenance import MADE

Edits = tuple[FileEdit, ...]
Trail = tuple[Origin, ...]
#: Says what the device is called where a function is called.
Known = Callable[[Place], str | None]
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
#: Classes of libraries that leave the making of objects to their constructors.
_OPEN_BASES = frozenset({"ABC", "Dataset", "Generic", "IterableDataset", "Protocol", "Sampler", "object"})
#: With fewer uses that fail, what an object keeps moves where it is used.
_MANY = 3
#: How many functions hand the device on.
_MAX_DEPTH = 3


def told(facts: Facts, trails: Iterable[tuple[Origin, ...]]) -> Edits:
    """``def prior(size, device="cpu")``, ``torch.zeros(size, device=device)`` and ``prior(4, device=args.device)``.

    Where one function makes all the values, and is only ever called, by callers that all name a device or can be told it.
    """
    makers = [_maker(facts, life[0]) for life in trails]
    if not makers or None in makers or len({function for _, function in filter(None, makers)}) != 1:
        return ()
    [(outline, function), *_] = filter(None, makers)
    given = _given(facts, outline, function, _MAX_DEPTH)
    if not given:
        return ()
    path = outline.source.path
    made = dict.fromkeys(life[0] for life in trails)
    own = [FileEdit(path, edit) for site in made for edit in told_class.on_device(outline, site)]
    return (*given, *own)


def at(facts: Facts, place: Place) -> DeviceExpression | None:
    """The device at a place in a function that is told it for that: ``def build(size, device="cpu"): return Net(size).to(device)``."""
    return _at_place(facts, place, _OPEN_BASES)


def in_module(facts: Facts, place: Place) -> DeviceExpression | None:
    """The same where the function may also be the constructor of a module, for what the module does not register."""
    return _at_place(facts, place, _OPEN_BASES | {"Module"})


def _at_place(facts: Facts, place: Place, bases: frozenset[str]) -> DeviceExpression | None:
    function = None if facts.program.adopts else _outermost(place)
    if not isinstance(function, ast.FunctionDef) or not can_be_told(facts, place.outline, function, bases):
        return None
    given = _given(facts, place.outline, function, _MAX_DEPTH)
    return DeviceExpression(NAME, given) if given else None


def _outermost(place: Place) -> ast.AST | None:
    """The function around all others that a place is in: they see what it is told."""
    function = found = place.outline.function_of(place.node)
    while function is not None:
        found, function = function, place.outline.function_of(function)
    return found


def of_made(facts: Facts, trails: Iterable[Trail]) -> Edits:
    """The same for what is computed, beside what it is computed from."""
    return told(facts, _made(trails))


def _made(trails: Iterable[Trail]) -> list[Trail]:
    return [life for life in trails if life[0].kind != "result"]


def of_kept(facts: Facts, trails: list[tuple[Origin, ...]]) -> Edits:
    """A device for the functions that make what plain objects keep and fill with what is on the accelerator, such as the buffers of a cache.

    All that one function makes in this way, and was left behind, is told at once. What is used in many places is told as well.
    """
    if facts.program.adopts:
        return ()
    if widely := _used_widely(facts, trails):
        return told(facts, widely)
    if not all(_is_kept_and_filled(facts, life) for life in trails):
        return ()
    scopes = {(life[0].path, life[0].scope) for life in trails}
    made = {life[0] for life in trails}
    for life in provenance.left_behind(facts):
        alike = life[:1] != () and life[0] not in made and (life[0].path, life[0].scope) in scopes
        if alike and life[0].kind in MADE and _is_kept_and_filled(facts, life):
            made.add(life[0])
    return told(facts, [(site,) for site in sorted(made, key=lambda site: site.span)])


def _is_kept_and_filled(facts: Facts, life: tuple[Origin, ...]) -> bool:
    return any(_is_filled(facts, site) for site in life if site.kind in ("attribute", "result"))


def _used_widely(facts: Facts, trails: list[Trail]) -> list[Trail]:
    """The values that an object makes and keeps, or keeps something of, which meet the accelerator in many places."""
    made = _made(trails)
    kept = all(_is_kept(facts, life[0]) and _meets_widely(facts, life[0]) for life in made)
    return made if kept else []


def _meets_widely(facts: Facts, made: Origin) -> bool:
    met = _sinks(facts, made)
    return len(met) >= _MANY and not _is_gathered(met)


def _is_kept(facts: Facts, made: Origin) -> bool:
    """Whether an attribute is what a call makes, or is computed from it: ``self.log = torch.zeros(1).log()``."""
    place = place_at(facts, made.path, made.span)
    statement = place.outline.statement_of(place.node) if place is not None else None
    if place is None or not isinstance(statement, ast.Assign):
        return False
    target = statement.targets[0]
    return isinstance(target, ast.Attribute) and not _is_filled_on_host(place.outline, target)


def _is_filled_on_host(outline: Outline, kept: ast.Attribute) -> bool:
    """Whether the class writes into parts of an attribute what it takes to the CPU for that: ``self.rows[n] = row.cpu()``."""
    function = outline.function_of(kept)
    cls = outline.class_of(function) if function is not None else None
    named = vocabulary(cls).attributes.get(kept.attr, ()) if cls is not None else ()
    return any(
        isinstance(statement, ast.Assign)
        and fetches.is_fetched(statement.value)
        and any(_is_part(target, kept) for target in statement.targets)
        for statement in map(outline.statement_of, named)
    )


def _is_part(target: ast.expr, kept: ast.expr) -> bool:
    """Whether a part of an attribute is assigned."""
    whole = chains.head(target, (ast.Subscript,))
    return whole is not target and ast.unparse(whole) == ast.unparse(kept)


def _sinks(facts: Facts, made: Origin) -> dict[tuple[str, Span], list[Operand]]:
    """Where a value, or what is computed from it, is on the CPU and meets the accelerator, and as what."""
    found: dict[tuple[str, Span], list[Operand]] = {}
    for mismatch in facts.mismatches("device"):
        for operand in mismatch.operands:
            lives = (operand.trail, *operand.roots)
            if operand.device == "cpu" and any(life[:1] == (made,) for life in lives):
                found.setdefault((mismatch.path, mismatch.sink), []).append(operand)
    return found


def _is_gathered(met: Mapping[tuple[str, Span], list[Operand]]) -> bool:
    """Whether all that meets the accelerator was computed in one place, as of a batch of values, and no object keeps that.

    What comes out where they meet moves with it.
    """
    born = set()
    for operand in (each for operands in met.values() for each in operands):
        if not operand.trail or any(site.kind == "attribute" for site in operand.trail):
            return False
        first = operand.trail[0]
        if first.kind != "result":
            return False
        born.add((first.path, first.span))
    return len(born - met.keys()) == 1


def _is_filled(facts: Facts, site: Origin) -> bool:
    """Whether a method writes what it is given on the accelerator into a part of an attribute: ``self.keys[:n] = keys``.

    ``site`` is where the attribute is stored, or where a part of it is read, ``self.keys[:n]``: the fields of a data class are
    stored nowhere.
    """
    place = place_at(facts, site.path, site.span)
    function = place.outline.function_of(place.node) if place is not None else None
    cls = place.outline.class_of(function) if place is not None and function is not None else None
    if place is None or cls is None:
        return False
    kept = place.node.value if isinstance(place.node, ast.Subscript) else place.node
    if not isinstance(kept, ast.Attribute):
        return False
    for statement in (node for node in in_rows(cls) if isinstance(node, ast.Assign)):
        [target, *others], value = statement.targets, statement.value
        if others or not isinstance(target, ast.Subscript) or ast.unparse(target.value) != ast.unparse(kept):
            continue
        names = facts.bindings(site.path, place.outline.scopes(statement)[0])
        found = names.get(value.id, []) if isinstance(value, ast.Name) else []
        if found and all(each.kind == "tensor" and is_wanted(each.device) for each in found):
            return True
    return False


def _maker(facts: Facts, made: Origin) -> tuple[Outline, ast.FunctionDef] | None:
    """The function of a file that makes a value, and has nothing of the name that it is to be told."""
    place = place_at(facts, made.path, made.span) if made.kind in MADE else None
    function = _outermost(place) if place is not None else None
    if place is None or not isinstance(function, ast.FunctionDef):
        return None
    return (place.outline, function) if can_be_told(facts, place.outline, function) else None


def can_be_told(
    facts: Facts, outline: Outline, function: ast.AST | None, bases: frozenset[str] = _OPEN_BASES
) -> bool:
    """Whether it is a function at the top of a file, or a method that is called by the name of its own or its class.

    Of classes of libraries that its class is derived from those of ``bases`` leave that to it.
    """
    if not isinstance(function, ast.FunctionDef) or told_class.knows(function):
        return False
    cls = outline.class_of(function)
    if cls is None:
        return function in outline.source.tree.body and not function.decorator_list
    decorated = [ast.unparse(each) for each in function.decorator_list]
    plain = cls in outline.source.tree.body and not (cls.keywords or any(_replaces(cls)))
    plain = plain and (not cls.bases or (function.name == "__init__" and _leaves_calls(facts, cls, bases)))
    special = function.name.startswith("__") and function.name != "__init__"
    return plain and not special and decorated in ([], ["classmethod"], ["staticmethod"])


def _leaves_calls(facts: Facts, cls: ast.ClassDef, bases: frozenset[str]) -> bool:
    """Whether what a class is derived from takes whatever its constructor takes: classes of the program, or well-known ones."""
    found = list(constructed.bases(facts, cls))
    known = {*bases, *(each.name for each in found)}
    named = {name for each in (cls, *found) for name in constructed.base_names(each)}
    made = (getattr(part, "name", "") for each in found for part in each.body)
    return named <= known and "__new__" not in made and not any(each.keywords for each in found)


def _replaces(cls: ast.ClassDef) -> Iterator[ast.expr]:
    """The decorators that may change what the methods of a class are called by: a data class only adds some."""
    for each in cls.decorator_list:
        name = each.func if isinstance(each, ast.Call) else each
        if ast.unparse(name).rpartition(".")[2] != "dataclass":
            yield each


def _called(outline: Outline, function: ast.FunctionDef) -> str:
    """The name by which a function is called: a constructor by that of its class."""
    cls = outline.class_of(function) if function.name == "__init__" else None
    return cls.name if cls is not None else function.name


def _given(facts: Facts, outline: Outline, function: ast.FunctionDef, depth: int) -> Edits:
    """The parameter, and what each call of the function gives for it; nothing where one of them cannot, or none is seen."""
    found = calls(facts, outline, function)
    if function.name != "__init__":  # which may use what it makes before all of it moves
        found = [each for each in found if each is None or not _moves(facts, each)]
    ways = [_at(facts, place, depth) if place is not None else () for place in found]
    if not found or not all(ways):
        return ()
    edit = AddParameter(outline.source.span(function), NAME, HOST)
    handed = dict.fromkeys(edit for way in ways for edit in way)
    return (FileEdit(outline.source.path, edit), *handed)


def _moves(facts: Facts, place: Place) -> bool:
    """Whether what a call gives moves at once to the device that the call would be told: ``build().to(device)``."""
    method = place.outline.parents[place.node]
    move = place.outline.parents.get(method)
    if not isinstance(move, ast.Call) or move.func is not method or getattr(method, "attr", "") != "to":
        return False
    found = device_expression.chosen(facts, place)
    return found is not None and not move.keywords and [*map(ast.unparse, move.args)] == [found.code]


def by_scripts(facts: Facts, outline: Outline, function: ast.FunctionDef, known_to: Known) -> Edits:
    """A device for a function that only scripts call which are about to get one, by the name that each has for it.

    A class is told by its constructor.
    """
    if not can_be_told(facts, outline, function) or (
        outline.class_of(function) is not None and function.name != "__init__"
    ):
        return ()
    places = calls(facts, outline, function)
    names = [known_to(place) if place is not None else None for place in places]
    ways = [
        told_class.handed(place, DeviceExpression(name)) if place is not None and name is not None else ()
        for place, name in zip(places, names, strict=True)
    ]
    if not places or not all(ways):
        return ()
    edit = AddParameter(outline.source.span(function), NAME, HOST)
    return (FileEdit(outline.source.path, edit), *(edit for way in ways for edit in way))


@asked_once
def calls(facts: Facts, outline: Outline, function: ast.FunctionDef) -> Sequence[Place | None]:
    """The calls of a function by its name; None for another use, or another thing of that name.

    Where classes that have nothing to do with its own have a method of that name, only what its own object calls is one.
    """
    return list(_calls(facts, outline, function))


def _calls(facts: Facts, outline: Outline, function: ast.FunctionDef) -> Iterator[Place | None]:
    owner = outline.class_of(function) if function.name != "__init__" else None
    named = _mentioned(facts, _called(outline, function))
    strange = set[ast.ClassDef]()
    if owner is not None:
        related = namesakes.relatives(facts, owner.name)
        others = (each.cls for each in named if each.is_method and each.cls is not owner)
        strange = {cls for cls in others if cls is not None and cls.name not in related}
    for each in named:
        if each.cls in strange:
            continue
        if each.is_given_meaning:
            if each.node is not function and not _is_class_of(each.node, function):
                yield None
        elif each.is_use:
            yield each.call if not strange or each.cls is owner else None


class _Mention(NamedTuple):
    """What a name stands at, the class whose method that is, if it has one of the name, and the call of it."""

    node: ast.AST
    cls: ast.ClassDef | None
    is_method: bool
    is_given_meaning: bool
    is_use: bool
    call: Place | None


@asked_once
def _mentioned(facts: Facts, name: str) -> Sequence[_Mention]:
    """All that a name stands at, in all files."""
    speaking = [path for path in facts.program.sources if name in facts.source(path).text]
    return [
        _mention(outline, node, name)
        for outline in map(facts.outline, speaking)
        for node in outline.mentions(name)
    ]


def _mention(outline: Outline, node: ast.AST, name: str) -> _Mention:
    cls, is_use = namesakes.class_of(outline, node), told_class.is_use(outline, node)
    call = outline.parents.get(node) if is_use else None
    is_call = isinstance(call, ast.Call) and call.func is node
    place = Place(outline.source.path, outline, call) if is_call and call is not None else None
    return _Mention(node, cls, namesakes.defines(cls, name), _gives_meaning(node), is_use, place)


def _is_class_of(node: ast.AST, function: ast.FunctionDef) -> bool:
    return isinstance(node, ast.ClassDef) and function in node.body


def _gives_meaning(node: ast.AST) -> bool:
    """Whether a name is bound, by anything but an import."""
    stored = isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    return stored or isinstance(node, (ast.arg, *_DEFINITIONS))


def _at(facts: Facts, place: Place, depth: int) -> Edits:
    """One call names the device that its caller knows, or is told for it."""
    found = device_expression.chosen(facts, place) or device_expression.find(facts, place, [])
    if found is not None:
        return told_class.handed(place, found)
    caller, handed = place.outline.function_of(place.node), told_class.handed(place, DeviceExpression(NAME))
    if not handed or not isinstance(caller, ast.FunctionDef) or not can_be_told(facts, place.outline, caller):
        return ()
    given = _given(facts, place.outline, caller, depth - 1) if depth else ()
    return (*given, *handed) if given else ()
