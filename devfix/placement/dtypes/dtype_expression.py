"""Dtype expressions: what names the dtype of an operand where another one meets it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.syntax import called, first_name
from devfix.analysis.torch_model.devices.autocast import HALVES
from devfix.findings import Mismatch, Operand, Origin
from devfix.placement.devices.device_expression import place_at

#: Layers whose parameter is called ``weight``.
_WEIGHTED = ("Linear", "Bilinear", "Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d")
#: Methods of a model of transformers that return a part of it, and what a part is called whose class nobody knows.
_GETTERS, _UNNAMED = frozenset({"get_encoder", "get_decoder"}), "torch.nn.Module"
#: What modules are called that have no ``dtype``, unlike models of transformers.
_MODULES = ("torch.nn.", "torchvision.models.", "timm.")
#: Methods of a module that return it.
_ITSELF = frozenset("to cuda cpu half bfloat16 float double eval train requires_grad_".split())
#: What gives an object an attribute, or a module a part, by a name that is told.
_SETTING = frozenset({"setattr", "add_module", "register_module", "set_submodule"})

#: The roles of what is written into another tensor, by indices.
_WRITTEN = ("values", "source", "src")


def dtype_expression(facts: Facts, mismatch: Mismatch) -> str | None:
    """An expression for the dtype of what the operand meets, in every context the sink runs in.

    A model that is float32 in training and bfloat16 afterwards runs the same lines in both.
    """
    decisive = mismatch.operands[1] if mismatch.kind == "dtype" and len(mismatch.operands) > 1 else None
    if decisive is None or decisive.path != mismatch.path or decisive.path not in facts.program.sources:
        return None
    outline = facts.outline(decisive.path)
    node = outline.expression_at(decisive.span)
    if node is not None and (whole := _model_of_part(mismatch, node)) is not None:
        return f"{outline.source.segment(outline.source.span(whole))}.dtype"
    if node is None or not _is_plain(node):
        return None
    text = outline.source.segment(decisive.span)
    if not _is_module(mismatch, decisive):
        return f"{text}.dtype"
    name = mismatch.operation.rpartition(".")[2]
    if name in _WEIGHTED and _is_made_as(outline, text, name) and not _may_be_set(facts, node):
        return f"{text}.weight.dtype"
    return _own_dtype(outline, node) or f"next({text}.parameters()).dtype"


def is_of_target(facts: Facts, mismatch: Mismatch, operand: Operand) -> bool:
    """Whether floats that autocast made narrow are written into what has the dtype of an input: ``torch.zeros_like(x)``, or a copy of it."""
    if operand.dtype not in HALVES or operand.role not in _WRITTEN or operand != mismatch.operands[0]:
        return False
    made = mismatch.operands[1].trail[:1] if len(mismatch.operands) > 1 else ()
    return any(
        follows(facts, site) or _is_told_that_of_another(facts, site) or _is_given(facts, mismatch, site)
        for site in made
    )


def _is_given(facts: Facts, mismatch: Mismatch, made: Origin) -> bool:
    """Whether the function in which two operands meet was given one of them, which is made elsewhere."""
    place = place_at(facts, mismatch.path, mismatch.sink)
    function = place.outline.function_of(place.node) if place is not None else None
    if place is None or function is None or place.outline.class_of(function) is not None:
        return False
    return made.path != mismatch.path or not place.outline.source.span(function).contains(made.span)


def _is_told_that_of_another(facts: Facts, origin: Origin) -> bool:
    """Whether a value has the dtype of another one by ``x.clone()``, ``x.new_zeros(2)`` or ``torch.zeros(2, dtype=x.dtype)``."""
    place = place_at(facts, origin.path, origin.span)
    if place is None or not isinstance(place.node, ast.Call):
        return False
    told = next((keyword.value for keyword in place.node.keywords if keyword.arg == "dtype"), None)
    if told is None:
        return called(place.node).startswith(("new_", "clone"))
    return isinstance(told, ast.Attribute) and told.attr == "dtype"


def follows(facts: Facts, origin: Origin) -> bool:
    """Whether a value has the dtype of another one, which it is made after: ``torch.randn_like(x)``."""
    place = place_at(facts, origin.path, origin.span) if origin.kind == "result" else None
    call = place.node if place is not None else None
    if not isinstance(call, ast.Call) or any(keyword.arg == "dtype" for keyword in call.keywords):
        return False
    return called(call).endswith("_like")


def _own_dtype(outline: Outline, node: ast.expr) -> str | None:
    """``self.dtype`` in a method of a class that has such a property, by which it casts its own inputs."""
    function = outline.function_of(node)
    cls = outline.parents.get(function) if function is not None else None
    if function is None or not isinstance(cls, ast.ClassDef):
        return None
    properties = [
        part.name
        for part in cls.body
        if isinstance(part, ast.FunctionDef)
        and any(ast.unparse(decorator) == "property" for decorator in part.decorator_list)
    ]
    receiver = outline.receiver_name(function)
    return f"{receiver}.dtype" if receiver and "dtype" in properties else None


def _is_module(mismatch: Mismatch, decisive: Operand) -> bool:
    """Whether the operand is written as the layer that is called, not as a tensor."""
    return decisive.role == "weight" and mismatch.operation.startswith(_MODULES) and (
        not mismatch.operation.startswith("torch.nn.functional.")
    )  # fmt: skip


def _model_of_part(mismatch: Mismatch, node: ast.expr) -> ast.expr | None:
    """The model in ``model.get_encoder()``, where that is called: models of transformers tell their dtype."""
    is_part = mismatch.operation == _UNNAMED and isinstance(node, ast.Call) and called(node) in _GETTERS
    func = node.func if is_part and isinstance(node, ast.Call) else None
    return func.value if isinstance(func, ast.Attribute) and _is_plain(func.value) else None


def _is_plain(node: ast.expr) -> bool:
    """A name or attributes of one: to say it again costs nothing and changes nothing."""
    return first_name(node) != ""


def _is_made_as(outline: Outline, text: str, name: str) -> bool:
    """Whether ``text`` is bound to ``nn.Name(...)`` in this file, and to nothing else."""
    made = [
        value
        for statement in outline.parents
        if isinstance(statement, ast.Assign)
        for target, value in _bound(statement)
        if isinstance(target, (ast.Name, ast.Attribute)) and ast.unparse(target) == text
    ]
    return bool(made) and all(_is_call_of(value, name) for value in made)


def _may_be_set(facts: Facts, node: ast.expr) -> bool:
    """Whether an attribute may become another layer by a name that is computed: ``setattr(net, name, adapted)``."""
    outlines = map(facts.outline, facts.program.sources)
    return isinstance(node, ast.Attribute) and any(
        isinstance(call, ast.Call)
        and called(call) in _SETTING
        and not any(isinstance(given, ast.Constant) and isinstance(given.value, str) for given in call.args)
        for outline in outlines
        for call in outline.parents
    )


def _bound(statement: ast.Assign) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What an assignment binds, and to what: each of several names to its own part of a display."""
    value = statement.value
    for target in statement.targets:
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            yield from zip(target.elts, value.elts, strict=False)
        elif isinstance(target, ast.Tuple):
            yield from ((part, value) for part in target.elts)
        else:
            yield target, value


def _is_call_of(value: ast.expr, name: str) -> bool:
    """``nn.Name(...)``, perhaps moved or cast on the spot."""
    if not isinstance(value, ast.Call):
        return False
    func = value.func
    if isinstance(func, ast.Attribute) and func.attr in _ITSELF:
        return _is_call_of(func.value, name)
    return called(value) == name
