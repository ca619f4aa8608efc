"""Common devices: what fixes put beside several tensors of a function that come of one is put beside that one.

``a = torch.zeros(n, device=h.device)`` and ``b = torch.ones(n, device=x.device)`` say ``x.device`` both, where ``h``
is computed from ``x``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from devfix.analysis.text.syntax import in_rows
from devfix.tidying.devices import asked_of_tensors
from devfix.tidying.functions import Function, arguments_of, bound_names, functions, holds_functions, stores
from devfix.tidying.written import Written

#: What may bring a tensor somewhere else, or make something else of it.
_AWAY = frozenset({"to", "cuda", "cpu", "numpy", "type", "item", "tolist", "to_empty", "xpu"})
#: Their functions, and an object's own modules, compute where their arguments are.
_COMPUTING = frozenset({"torch", "F", "nn", "self"})
#: What speaks of a second accelerator.
_SECOND = re.compile(r"\bcuda:[1-9]|\bcuda\([1-9]|\bdevice\(.cuda., *[1-9]")
_VARIABLE = re.compile(r"(?:device=|\.to\()device\b(?![.(])")


def has_second(text: str) -> bool:
    """Whether a text speaks of a second accelerator: what is computed from a tensor may be there."""
    return _SECOND.search(text) is not None


def named_alike(written: Written) -> str:
    """The text in which new code of a function names the device of one tensor, or a variable, for all that come of it."""
    lines = list(written.after.lines)
    for function in functions(written.after.tree):
        asked: dict[str, list[int]] = {}
        for number, name in asked_of_tensors(written, function):
            asked.setdefault(name, []).append(number)
        if not asked or holds_functions(function):
            continue
        for device, followers in _leaders(written, function, asked):
            for name in followers:
                for number in asked[name]:
                    lines[number - 1] = re.sub(
                        rf"(?<![\w.]){name}\.device\b(?!\()", device, lines[number - 1]
                    )
            break
    return "".join(lines)


def _leaders(
    written: Written, function: Function, asked: dict[str, list[int]]
) -> Iterator[tuple[str, list[str]]]:
    """A device, and the tensors that are there as well: of a variable, an argument, or a tensor that others come of."""
    bound = bound_names(function)
    span = range(function.lineno, (function.end_lineno or function.lineno) + 1)
    new = (written.after.lines[number - 1] for number in span if written.is_new_line(number))
    if "device" not in bound and any(_VARIABLE.search(line) for line in new):
        yield from _followed("device", _Kinship(function, "device", frozenset()), asked)
    arguments = [name for name in asked if name in arguments_of(function) - bound]
    local = sorted(
        (name for name in asked if name in bound - arguments_of(function)), key=lambda name: min(asked[name])
    )
    for name in arguments:
        yield from _followed(f"{name}.device", _Kinship(function, f"{name}.device", frozenset({name})), asked)
    for name in local:
        kin = _Kinship(function, f"{name}.device", frozenset({name}))
        later = {
            other: numbers for other, numbers in asked.items() if _is_bound_before(function, name, numbers)
        }
        yield from _followed(f"{name}.device", kin, later)


def _followed(device: str, kin: _Kinship, asked: dict[str, list[int]]) -> Iterator[tuple[str, list[str]]]:
    family = kin.family
    followers = [name for name in asked if name in family and f"{name}.device" != device]
    if followers:
        yield device, followers


def _is_bound_before(function: Function, name: str, numbers: list[int]) -> bool:
    """Whether one statement, and nothing else, has bound a name in the block to which lines belong, above these."""
    nodes = list(in_rows(function))
    stored = stores(nodes, name)
    bodies = [body for node in nodes if isinstance(body := getattr(node, "body", None), list)]
    for body in bodies:
        for statement in body if len(stored) == 1 else ():
            if isinstance(statement, ast.Assign) and stored[0] in in_rows(statement):
                return (
                    (statement.end_lineno or 0) < min(numbers) <= max(numbers) <= (body[-1].end_lineno or 0)
                )
    return False


@dataclass(frozen=True)
class _Kinship:
    """Which names of a function are of tensors that are on one device, since they come of one that is."""

    function: Function
    device: str
    first: frozenset[str]

    @property
    def family(self) -> frozenset[str]:
        """The names that nothing but what comes of the first ones is bound to."""
        values: dict[str, list[ast.expr]] = {}
        strange: set[str] = set()
        for node in in_rows(self.function):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    for name in bound_names(target):
                        values.setdefault(name, []).append(node.value)
            elif isinstance(node, (ast.For, ast.AsyncFor)):
                for name in bound_names(node.target):
                    values.setdefault(name, []).append(node.iter)
            elif isinstance(node, (ast.NamedExpr, ast.AnnAssign)):
                strange.update(bound_names(node.target))
            elif isinstance(node, ast.withitem) and node.optional_vars is not None:
                strange.update(bound_names(node.optional_vars))
        known = self.first | values.keys() - strange - arguments_of(self.function)
        while True:
            less = {
                name
                for name in known - self.first
                if not all(self._comes_of(known, value) for value in values[name])
            }
            if not less:
                return known
            known -= less

    def _comes_of(self, known: frozenset[str], value: ast.expr) -> bool:
        """Whether a value is computed from what is known to be there, or was brought there."""
        match value:
            case ast.Name(id=name):
                return name in known
            case ast.Attribute(value=inner) | ast.Subscript(value=inner) | ast.UnaryOp(operand=inner):
                return self._comes_of(known, inner)
            case ast.BinOp(left=left, right=right):
                return self._comes_of(known, left) or self._comes_of(known, right)
            case ast.Compare(left=left, comparators=others):
                return any(self._comes_of(known, each) for each in (left, *others))
            case ast.IfExp(body=one, orelse=other):
                return self._comes_of(known, one) and self._comes_of(known, other)
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                return bool(parts) and all(self._comes_of(known, part) for part in parts)
            case ast.GeneratorExp(elt=part, generators=[each]) | ast.ListComp(elt=part, generators=[each]):
                inside = known | bound_names(each.target) if self._comes_of(known, each.iter) else known
                return self._comes_of(inside, part)
            case ast.Call():
                return self._is_made_there(known, value)
        return False

    def _is_made_there(self, known: frozenset[str], call: ast.Call) -> bool:
        """Whether a call gives what is there: a method of what is, or PyTorch's or a module's computing with what is."""
        told = [each.value for each in call.keywords if each.arg == "device"]
        func = call.func
        if isinstance(func, ast.Attribute) and func.attr in _AWAY:
            told += call.args[:1] if func.attr == "to" else []
            return len(told) == 1 and ast.unparse(told[0]) == self.device
        if told:
            return ast.unparse(told[0]) == self.device
        if isinstance(func, ast.Attribute) and self._comes_of(known, func.value):
            return True
        root: ast.expr = func
        while isinstance(root, ast.Attribute):
            root = root.value
        computes = isinstance(root, ast.Name) and root.id in _COMPUTING and func is not root
        given = [*call.args, *(each.value for each in call.keywords)]
        return computes and any(self._comes_of(known, each) for each in given)
