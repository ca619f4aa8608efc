"""Parts: which sub-expression of an operation holds which of the tensors that met there."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from devfix.analysis.language.template_strings import WITH_EXPRESSIONS
from devfix.analysis.text.outline import Outline
from devfix.observation.record import ObservedOperand
from devfix.observation.spots import Spot

#: What speaks for a pair: the run saw the tensor under this very expression, or saw the expression make it.
_SEEN, _MADE, _HOLDS, _MADE_WITHIN, _COMPUTED, _FITS, _CONTRADICTED = 20, 18, 14, 10, 6, 4, -100
#: Attributes that are no tensors, and calls that make numbers.
_SIZES, _VIEWS = (
    frozenset({"shape", "dtype", "device", "ndim"}),
    frozenset({"grad", "data", "T", "mT", "real"}),
)
_METHODS, _FUNCTIONS = (
    frozenset("size dim item numel tolist".split()),
    frozenset("len int float bool range".split()),
)
_ITEMS = re.compile(r"(\[[^\[\]]*\])+")
#: Less than this is a guess.
_ENOUGH = 4


@dataclass(frozen=True, slots=True)
class Candidate:
    """A tensor of the mismatch, and the node that made it, where that is in the program."""

    operand: ObservedOperand
    made: Spot | None


@dataclass(frozen=True, slots=True)
class Part:
    """A sub-expression that may be an operand; ``is_callee`` marks what is called.

    ``is_many``: it stands for several operands, as the element of a comprehension does, or a module that is made
    where it is called.
    """

    node: ast.expr
    is_callee: bool = False
    is_many: bool = False


def parts_of(sink: ast.AST, outline: Outline) -> list[Part]:
    """The sub-expressions of an operation that its operands can be, in the order they are evaluated."""
    return [part for part in _parts(sink, outline) if not _is_constant(part.node)]


def _is_constant(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) or (isinstance(node, ast.UnaryOp) and _is_constant(node.operand))


def _parts(sink: ast.AST, outline: Outline) -> Iterator[Part]:
    if isinstance(sink, ast.Call):
        if isinstance(sink.func, ast.Attribute):
            yield Part(sink.func.value)
        yield Part(sink.func, is_callee=True, is_many=isinstance(sink.func, ast.Call))
        for argument in (*sink.args, *(keyword.value for keyword in sink.keywords)):
            yield from _flat(argument)
    elif isinstance(sink, ast.BinOp):
        yield from (Part(sink.left), Part(sink.right))
    elif isinstance(sink, ast.Compare):
        yield from map(Part, (sink.left, *sink.comparators))
    elif isinstance(sink, ast.Subscript):
        yield Part(sink.value)
        yield from _flat(sink.slice)
        statement = outline.statement_of(sink)
        if isinstance(statement, ast.Assign) and sink in statement.targets:
            yield Part(statement.value)
    elif isinstance(sink, ast.AugAssign):
        yield from (Part(sink.target), Part(sink.value))
    elif isinstance(sink, (ast.For, ast.AsyncFor)):
        yield Part(sink.iter)
    else:
        yield from (Part(child) for child in ast.iter_child_nodes(sink) if isinstance(child, ast.expr))


def _flat(node: ast.expr) -> Iterator[Part]:
    """An argument, and what it is a display of."""
    if isinstance(node, ast.Starred):
        yield from _flat(node.value)
        return
    yield Part(node)
    if isinstance(node, (ast.Tuple, ast.List)):
        for item in node.elts:
            yield from _flat(item)
    elif isinstance(node, ast.IfExp):
        yield from (*_flat(node.body), *_flat(node.orelse))
    elif isinstance(node, (ast.ListComp, ast.GeneratorExp)):
        yield Part(node.elt, is_many=True)


def matched(
    parts: Sequence[Part],
    operands: Sequence[Candidate],
    names: Mapping[str, str],
    sink: Spot,
) -> dict[int, ast.expr]:
    """The expression of each operand (by its number) that can be told."""
    # Operands come in the order of the arguments, more or less.
    order = [
        place
        for place, part in enumerate(parts)
        if part.is_callee
        or _may_be_tensor(part.node, names)
        or any(_is_or_holds(ast.unparse(part.node), each.operand) for each in operands)
    ]
    pairs = sorted(
        (-_score(parts[place], operand, names, sink), abs(number - position), number, place)
        for number, operand in enumerate(operands)
        for position, place in enumerate(order)
    )
    found: dict[int, ast.expr] = {}
    taken: set[int] = set()
    for score, _, number, place in pairs:
        if -score >= _ENOUGH and number not in found and place not in taken:
            found[number] = parts[place].node
            if not parts[place].is_many:
                taken.add(place)
    _fill(found, taken, parts, operands, names)
    return found


def _fill(
    found: dict[int, ast.expr],
    taken: set[int],
    parts: Sequence[Part],
    operands: Sequence[Candidate],
    names: Mapping[str, str],
) -> None:
    """What is left over on both sides belongs together, in order, when it is the same number."""
    layer = any(
        part.is_callee and names.get(ast.unparse(part.node), "").startswith("module") for part in parts
    )
    rest = [
        number
        for number, operand in enumerate(operands)
        if number not in found and not (layer and operand.operand.owners)
    ]
    free = [
        part.node
        for place, part in enumerate(parts)
        if place not in taken and not part.is_callee and _may_be_tensor(part.node, names)
    ]
    free = [node for node in free if not any(_is_inside(held, node) for held in found.values())]
    if rest and len(free) >= len(rest):
        outer = [node for node in free if not any(_is_inside(node, other) for other in free)]
        chosen = free if len(free) == len(rest) else outer
        if len(chosen) == len(rest):
            found.update(zip(rest, chosen, strict=True))
    elif free:
        # What an operator adds for itself stands nowhere.
        blamed = [number for number in rest if operands[number].operand.blamed]
        if len(blamed) == len(free):
            found.update(zip(blamed, free, strict=True))


def holds(text: str, operand: ObservedOperand) -> bool:
    """Whether the tensor was seen as an item of what an expression stands for, or as an item of an item."""
    found = (normal(path) for path in operand.paths)
    return any(path.startswith(text) and _ITEMS.fullmatch(path, len(text)) for path in found)


def _is_or_holds(text: str, operand: ObservedOperand) -> bool:
    return text in map(normal, operand.paths) or holds(text, operand)


def _is_inside(node: ast.AST, other: ast.AST) -> bool:
    return node is not other and any(node is part for part in ast.walk(other))


def _may_be_tensor(node: ast.expr, names: Mapping[str, str]) -> bool:
    if isinstance(node, (ast.Slice, ast.Lambda, *WITH_EXPRESSIONS)):
        return False
    if _is_number(node, names):
        return False
    if isinstance(node, (ast.Name, ast.Attribute)):
        text = ast.unparse(node)
        # What lies deeper than an attribute of a name was not looked at.
        unknown = "tensor" if text.count(".") > 1 or getattr(node, "attr", "") in _VIEWS else ""
        return names.get(text, unknown).startswith("tensor")
    return True


def _is_number(node: ast.expr, names: Mapping[str, str]) -> bool:
    """Whether an expression is one of Python's numbers or sizes: ``len(x)``, ``x.size(0)``, ``1 - beta``."""
    if isinstance(node, ast.BinOp):
        return all(_is_scalar(part, names) for part in (node.left, node.right))
    if isinstance(node, ast.Subscript):
        return _is_number(node.value, names)
    if isinstance(node, ast.Attribute):
        return node.attr in _SIZES
    if isinstance(node, ast.Call):
        return getattr(node.func, "attr", "") in _METHODS or getattr(node.func, "id", "") in _FUNCTIONS
    return False


def _is_scalar(node: ast.expr, names: Mapping[str, str]) -> bool:
    # Every name of a frame that holds a tensor is known.
    plain = bool(names) and isinstance(node, ast.Name) and node.id not in names
    return _is_constant(node) or plain or _is_number(node, names)


def _score(part: Part, candidate: Candidate, names: Mapping[str, str], sink: Spot) -> int:
    """How much speaks for an operand being what a part stands for."""
    text = ast.unparse(part.node)
    operand, made = candidate.operand, candidate.made
    within = made is not None and made.path == sink.path and sink.at(part.node).span.contains(made.span)
    if part.is_callee:
        made_there = within and isinstance(part.node, ast.Call)
        return _SEEN if made_there or _belongs_to(operand, text) else _CONTRADICTED
    if text in map(normal, operand.paths):
        return _SEEN
    likeness = _likeness(names.get(text, ""), operand)
    if likeness < 0:
        # A library function may have cast or sorted what it was handed.
        there = names[text].startswith(f"tensor:{operand.device} ")
        return _COMPUTED if there and _is_computed(part.node, operand) else _CONTRADICTED
    if made is not None and made.node is part.node:
        return _MADE
    if isinstance(part.node, (ast.Tuple, ast.List)):
        return likeness
    if holds(text, operand):
        return _HOLDS
    called = made is not None and _calls_its_function(part.node, made)
    return likeness + _MADE_WITHIN * (within or called) + _COMPUTED * _is_computed(part.node, operand)


def _calls_its_function(node: ast.expr, made: Spot) -> bool:
    """Whether an expression is a call of the function that made the tensor, to go by its name."""
    function = made.outline.function_of(made.node)
    name = getattr(node.func, "attr", getattr(node.func, "id", None)) if isinstance(node, ast.Call) else None
    return name is not None and name == getattr(function, "name", "")


def _is_computed(node: ast.expr, operand: ObservedOperand) -> bool:
    """Whether an expression has the tensor in it, or what the tensor was computed from."""
    known = {normal(path) for path in (*operand.paths, *operand.computed_from)}
    return any(ast.unparse(part) in known for part in ast.walk(node) if isinstance(part, ast.expr))


def _likeness(what: str, operand: ObservedOperand) -> int:
    """How well a tensor that a name stands for fits an operand: device and dtype, then its sizes."""
    device, _, rest = what.removeprefix("tensor:").partition(" ")
    dtype, _, sizes = rest.partition(" ")
    if not what.startswith("tensor:"):
        return 0
    if device != operand.device or dtype != operand.dtype:
        return _CONTRADICTED
    return _FITS + 2 * (sizes == "x".join(map(str, operand.shape)))


def _belongs_to(operand: ObservedOperand, text: str) -> bool:
    """Whether the operand is a parameter or buffer of the module that ``text`` names in the sink's frame."""
    held = [f"{owner.path}.{owner.name}" for owner in operand.owners]
    if operand.module is not None:
        held.append(f"{operand.module.path}.{operand.module.name}")
    return any(normal(path).startswith(f"{text}.") for path in [*held, *operand.paths])


def normal(path: str) -> str:
    """An expression of the run as ``ast.unparse`` would write it."""
    try:
        return ast.unparse(ast.parse(path, mode="eval"))
    except SyntaxError:
        return path


def best_sink(
    nodes: Sequence[ast.AST], operands: Sequence[Candidate], names: Mapping[str, str], at: Spot
) -> ast.AST:
    """The operation of a statement that a mismatch is about, where only its line is known."""

    def fit(node: ast.AST) -> tuple[int, int]:
        found = matched(parts_of(node, at.outline), operands, names, at)
        return len(found), -len(ast.unparse(node))

    operations = (ast.Call, ast.BinOp, ast.Compare, ast.Subscript, ast.AugAssign)
    return max((node for node in nodes if isinstance(node, operations)), key=fit, default=nodes[-1])
