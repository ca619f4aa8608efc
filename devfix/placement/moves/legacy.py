"""Legacy constructors: ``torch.FloatTensor`` and the like, and what should stand in their place."""

from __future__ import annotations

import ast
import re

from devfix.analysis.record.facts import Facts
from devfix.findings import (
    Applicability,
    FileEdit,
    Fix,
    Mismatch,
    Operand,
    Origin,
    ReplaceExpression,
    WrapExpression,
)
from devfix.placement.devices import device_expression
from devfix.placement.devices.device_expression import Place
from devfix.placement.moves import suffixes
from devfix.placement.moves.drawing import filled_at_random
from devfix.placement.siblings import sibling_move
from devfix.placement.telling.shared_maker import hands_out

_DTYPES = {
    "FloatTensor": "float32", "DoubleTensor": "float64", "HalfTensor": "float16", "LongTensor": "int64",
    "IntTensor": "int32", "ShortTensor": "int16", "ByteTensor": "uint8", "CharTensor": "int8",
    "BoolTensor": "bool", "BFloat16Tensor": "bfloat16", "Tensor": "float32",
}  # fmt: skip
_CASTS = {"FloatTensor": "float", "DoubleTensor": "double", "HalfTensor": "half", "LongTensor": "long"}
_CONSTRUCTED = re.compile(r"(\w+\.)?[A-Z]?\w*Tensor\(")
_TYPED = re.compile(r".*\.type\([\w.]*Tensor\)$")


def is_legacy(origin: Origin) -> bool:
    """Whether a value was made by a legacy constructor, or put on the CPU by ``.type(...)`` of one."""
    if origin.kind == "factory":
        return _CONSTRUCTED.match(origin.text) is not None
    return origin.kind == "move" and _TYPED.match(origin.text) is not None


def origins(operand: Operand) -> list[Origin]:
    """The legacy constructors that an operand goes back to."""
    trails = (operand.trail, *operand.roots)
    return list(dict.fromkeys(trail[0] for trail in trails if trail and is_legacy(trail[0])))


def modern_call(facts: Facts, mismatch: Mismatch) -> list[Fix]:
    """``torch.FloatTensor(data, device=d)`` as ``torch.tensor(data, dtype=torch.float32, device=d)``."""
    outline = facts.outline(mismatch.path)
    call = outline.expression_at(mismatch.sink)
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or len(call.keywords) != 1:
        return []
    source = outline.source
    package = source.segment(source.span(call.func.value))
    dtype = _DTYPES.get(call.func.attr)
    if dtype is None or not call.args:
        return []
    function = "empty" if mismatch.get("form") == "sizes" else "tensor"
    data = ", ".join(source.segment(source.span(arg)) for arg in call.args)
    device = source.segment(source.span(call.keywords[0].value))
    code = f"{package}.{function}({data}, dtype={package}.{dtype}, device={device})"
    edit = FileEdit(mismatch.path, ReplaceExpression(mismatch.sink, code))
    title = f"make the tensor with `{package}.{function}`"
    return [Fix(title, (edit,), Applicability.SAFE)]


def without_type(facts: Facts, origin: Origin) -> list[Fix]:
    """``x.type(torch.FloatTensor)``, which also moves to the CPU, as ``x.float()``."""
    outline = facts.outline(origin.path)
    call = outline.expression_at(origin.span)
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or len(call.args) != 1:
        return []
    argument = call.args[0]
    method = _CASTS.get(argument.attr) if isinstance(argument, ast.Attribute) else None
    if method is None:
        return []
    receiver = outline.receiver_text(call)
    if receiver is None:
        return []
    edit = FileEdit(origin.path, ReplaceExpression(origin.span, f"{receiver}.{method}()"))
    return [Fix(f"cast with `.{method}()`, which moves nothing", (edit,), Applicability.SAFE)]


def at_constructors(facts: Facts, operand: Operand) -> list[Fix]:
    """``torch.LongTensor(ids).to(device)``, where the program's own device can be named.

    What a loader gives moves where it is unpacked, with all that comes with it; so does, in a program that has
    just been given its device, what a function returns. What got its name with others moves as those do.
    """
    lives = [life for life in (operand.trail, *operand.roots) if life]
    typed = [life for life in lives if is_legacy(life[0])]
    if typed and all(sibling_move.is_one_of(facts, life) for life in typed):
        return []
    returned = facts.program.adopts and any(hands_out(facts, life, operand.trail) for life in lives)
    if returned or any(life[0].kind == "loader" for life in lives):
        return []
    found: dict[FileEdit, None] = {}
    for origin in origins(operand):
        outline = facts.outline(origin.path)
        node = outline.expression_at(origin.span)
        device = (
            device_expression.chosen(facts, Place(origin.path, outline, node)) if node is not None else None
        )
        if device is None or origin.kind != "factory":
            return []
        filled = filled_at_random(outline, node) if isinstance(node, ast.Call) else None
        span = outline.source.span(filled) if filled is not None else origin.span
        edit = WrapExpression(span, "", f".to({device.code})")
        found.update(dict.fromkeys((*device.edits, FileEdit(origin.path, edit))))
    title = f"move `{operand.text}` to the device where it is made"
    return [Fix(title, tuple(found), Applicability.SAFE)] if found else []


def joined(facts: Facts, operand: Operand) -> list[Fix]:
    """What a function makes of several such tensors, and of nothing else, moves as a whole."""
    made = origins(operand)
    whole = operand.trail[0] if operand.trail else None
    if whole is None or whole in made or whole.kind not in ("result", "factory"):
        return []
    if not len(made) == len(operand.roots) > 1:
        return []
    if any((site.path, site.scope) != (whole.path, whole.scope) for site in made):
        return []
    place = device_expression.place_at(facts, whole.path, whole.span)
    device = device_expression.chosen(facts, place) if place is not None else None
    if place is None or device is None or not isinstance(place.node, ast.Call):
        return []
    if any(_is_read_later(place, site) for root in operand.roots for site in root if site.kind == "name"):
        return []
    moved = suffixes.added(facts, place.outline, place.node, f".to({device.code})")
    title = f"move `{operand.text}` to the device where it is made"
    return [Fix(title, (*device.edits, *moved), Applicability.SAFE)] if moved else []


def _is_read_later(place: Place, named: Origin) -> bool:
    """Whether what got a name there is read behind the statement of a place, too."""
    name = place.outline.expression_at(named.span)
    function = place.outline.function_of(place.node) or place.outline.source.tree
    if not isinstance(name, ast.Name):
        return True
    end = place.outline.statement_of(place.node).end_lineno or 0
    reads = place.outline.occurrences(function, name.id)
    return any(isinstance(node.ctx, ast.Load) and node.lineno > end for node in reads)


def alias_that_follows(facts: Facts, origin: Origin) -> list[Fix]:
    """``Tensor = torch.FloatTensor`` chooses the accelerator's type where the program's flag is set."""
    outline = facts.outline(origin.path)
    node = outline.expression_at(origin.span)
    name = _alias_in(node)
    if name is None:
        return []
    bound = [s for s in outline.source.tree.body if isinstance(s, ast.Assign) and _binds(s, name)]
    if len(bound) != 1 or not isinstance(bound[0].value, ast.Attribute):
        return []
    value = bound[0].value
    source = outline.source
    package, old = source.segment(source.span(value.value)), source.segment(source.span(value))
    flag = _flag(Place(origin.path, outline, value))
    if value.attr not in _DTYPES or flag is None:
        return []
    new = f"{package}.cuda.{value.attr if value.attr != 'Tensor' else 'FloatTensor'} if {flag} else {old}"
    edit = FileEdit(origin.path, ReplaceExpression(source.span(value), new))
    return [Fix(f"let `{name}` follow `{flag}`", (edit,), Applicability.SAFE)]


def _alias_in(node: ast.expr | None) -> str | None:
    """The name in ``Tensor(...)`` or ``x.type(Tensor)``."""
    if not isinstance(node, ast.Call):
        return None
    if isinstance(node.func, ast.Name):
        return node.func.id
    argument = node.args[0] if node.args else None
    return argument.id if isinstance(argument, ast.Name) else None


def _binds(statement: ast.stmt, name: str) -> bool:
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return False
    target = statement.targets[0]
    return isinstance(target, ast.Name) and target.id == name


def _flag(place: Place) -> str | None:
    """The module's variable for "an accelerator is there", bound before the place."""
    for statement in place.outline.source.tree.body:
        if statement is place.outline.statement_of(place.node):
            return None
        if isinstance(statement, ast.Assign) and _asks_for_cuda(statement.value):
            target = statement.targets[0]
            if len(statement.targets) == 1 and isinstance(target, ast.Name):
                return target.id
    return None


def _asks_for_cuda(value: ast.expr) -> bool:
    """``torch.cuda.is_available()`` or ``True if torch.cuda.is_available() else False``."""
    if isinstance(value, ast.IfExp):
        results = (value.body, value.orelse)
        constant = [r.value if isinstance(r, ast.Constant) else None for r in results]
        return constant == [True, False] and _asks_for_cuda(value.test)
    return ast.unparse(value).endswith("cuda.is_available()") if isinstance(value, ast.Call) else False
