"""MPS: Apple's accelerator, which a program may choose, and which has no float64."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain.lattice import parse_device
from devfix.analysis.domain.values import Tensor
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.text.syntax import first_name, in_rows, remembered, spelt, walk
from devfix.analysis.torch_model.tensors import requirements
from devfix.analysis.torch_model.tensors.requirements import Part

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


#: What processes do together, which no backend of ``torch.distributed`` does on MPS.
_COLLECTIVES = "torch.distributed."
#: The float that MPS does not have, and the one in its place.
_FLOATS = frozenset({"float64", "double", "float32", "float"})


@remembered
def _names_it(tree: ast.Module) -> bool:
    """Whether a file names MPS as a device, other than to ask whether it has it."""
    asked = {id(part) for node in in_rows(tree) if isinstance(node, ast.Compare) for part in in_rows(node)}
    return any(
        isinstance(node, ast.Constant) and node.value in ("mps", "mps:0") and id(node) not in asked
        for node in in_rows(tree)
    )


def is_asked_for_dtypes(interp: Interpreter) -> bool:
    """Whether the program somewhere chooses a dtype by whether the device is MPS."""
    sources = interp.program.sources.values()
    return any("mps" in source.text and _asks_for_dtypes(source.tree) for source in sources)


@remembered
def _asks_for_dtypes(tree: ast.Module) -> bool:
    return any(
        isinstance(node, (ast.If, ast.IfExp)) and _names_mps(node.test) and _names_a_float(node)
        for node in in_rows(tree)
    )


def _names_mps(test: ast.expr) -> bool:
    return any(isinstance(part, ast.Constant) and part.value == "mps" for part in in_rows(test))


def _names_a_float(node: ast.AST) -> bool:
    return any(isinstance(part, ast.Attribute) and part.attr in _FLOATS for part in in_rows(node))


@remembered
def _questions(tree: ast.AST) -> tuple[ast.If | ast.IfExp, ...]:
    """What asks, within a function or a file, whether a device is MPS, or is another one."""
    return tuple(
        node
        for node in walk(tree)
        if isinstance(node, (ast.If, ast.IfExp))
        and any(_rules_out(node.test, truth) for truth in (True, False))
    )


def _rules_out(test: ast.expr, truth: bool) -> bool:
    """Whether the device is not MPS where a test came out so."""
    if isinstance(test, ast.UnaryOp):
        return _rules_out(test.operand, not truth)
    if isinstance(test, ast.BoolOp):
        found = [_rules_out(part, truth) for part in test.values]
        return any(found) if isinstance(test.op, ast.And) == truth else all(found)
    if isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.Eq, ast.In, ast.NotEq, ast.NotIn)):
        texts = [part.value for part in in_rows(test) if isinstance(part, ast.Constant)]
        if isinstance(test.ops[0], (ast.Eq, ast.In)) == truth:
            return bool(texts) and all(isinstance(each, str) and _is_of_another(each) for each in texts)
        return "mps" in texts
    return not truth and _names_mps(test)


def _is_of_another(text: str) -> bool:
    """Whether a text names a device that is not MPS."""
    return parse_device(text).is_known and text.partition(":")[0] != "mps"


def _is_for_others(interp: Interpreter, node: ast.expr) -> bool:
    """Whether an expression is reached only where the device is not MPS: what is around it, or before it, has asked."""
    frame = interp.frame
    source = interp.program.sources.get(frame.path)
    around = (
        frame.function.node if frame.function is not None else source.tree if source is not None else None
    )
    return around is not None and any(_leaves_others(asked, node) for asked in _questions(around))


def _leaves_others(asked: ast.If | ast.IfExp, node: ast.expr) -> bool:
    """Whether only other devices get to an expression, by a test around it, or by a statement before it."""
    branches = [(asked.body, True), (asked.orelse, False)]
    for branch, truth in branches:
        if _holds(branch, node):
            return _rules_out(asked.test, truth)
    if isinstance(asked, ast.IfExp) or _holds(asked, node) or node.lineno < asked.lineno:
        return False
    return any(_is_left(branch) and _rules_out(asked.test, not truth) for branch, truth in branches)


def _is_left(branch: list[ast.stmt] | ast.expr) -> bool:
    return (
        isinstance(branch, list)
        and bool(branch)
        and isinstance(branch[-1], (ast.Return, ast.Raise, ast.Continue))
    )


def _holds(part: ast.AST | list[ast.stmt], node: ast.expr) -> bool:
    """Whether an expression stands within another one, or in one of the statements of a branch."""
    parts = part if isinstance(part, list) else [part]
    return any(node is inner for each in parts for inner in walk(each))


def _may_be(interp: Interpreter, device: Arg | None) -> bool:
    """Whether a device argument may be MPS: the program chooses it somewhere, and this is no other by name."""
    if device is None or isinstance(device.node, ast.Constant):
        return False
    if device.node is not None and _is_for_others(interp, device.node):
        return False
    interp.reads.add(("mps",))
    return is_chosen_in(interp) and (not interp.is_script or _is_chosen_by(interp, interp.stack[0].path))


def _is_chosen_by(interp: Interpreter, script: str) -> bool:
    """Whether a script, or a file that it gets to by imports, chooses MPS; other scripts may do so for themselves."""
    program = interp.program
    return any(_names_it(program.sources[path].tree) for path in program.reached([script]))


def is_chosen_in(interp: Interpreter) -> bool:
    """Whether the program under analysis chooses MPS somewhere."""
    recorder = interp.recorder
    if recorder.mps is None:
        recorder.mps = any(_names_it(source.tree) for source in interp.program.sources.values())
    return recorder.mps


def _is_shared(interp: Interpreter) -> bool:
    """Whether the name to which a statement gives a tensor is handed to the other processes: ``dist.all_reduce(total)``."""
    frame = interp.frame
    statement = frame.statement
    if frame.function is None or not isinstance(statement, ast.Assign):
        return False
    names = {target.id for target in statement.targets if isinstance(target, ast.Name)}
    return any(
        any(isinstance(arg, ast.Name) and arg.id in names for arg in call.args)
        and getattr(interp.eval(call.func), "name", "").startswith(_COLLECTIVES)
        for call in _calls_by_attribute(frame.function.node)
    )


@remembered
def _calls_by_attribute(node: ast.AST) -> tuple[ast.Call, ...]:
    """The calls within a function of what names alone tell: ``f(x)``, ``dist.f(x)``."""
    return tuple(
        part
        for part in walk(node)
        if isinstance(part, ast.Call) and spelt(part.func).replace(".", "").isidentifier()
    )


def check_move(
    interp: Interpreter, value: Tensor, moved: Tensor, where: ast.expr | None, site: CallSite
) -> None:
    """``x.to(device)`` of a float64 tensor: "Cannot convert a MPS Tensor to float64 dtype"."""
    device = site.get(0, "device")
    wide = value.dtype == moved.dtype == "float64" and moved.device.is_accelerator
    if wide and _may_be(interp, device) and not _is_shared(interp):
        requirements.record(
            interp, site.node, "torch.Tensor.to", "float64-on-mps", [Part(value, "self", where)], form="move"
        )


def _is_given(dtype: Arg | None) -> bool:
    """Whether a dtype is not spelt out where it is used."""
    node = dtype.node if dtype is not None else None
    return node is not None and not (isinstance(node, ast.Attribute) and node.attr in _FLOATS)


def _are_callers(interp: Interpreter, *chosen: Arg | None) -> bool:
    """Whether each of these arguments is what a function is given that no script calls, so that one may be chosen for the other."""
    function = interp.frame.function
    if interp.is_script or function is None:
        return False
    spec = function.node.args
    names = {each.arg for each in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)} - {"self", "cls"}
    nodes = [each.node for each in chosen if each is not None and each.node is not None]
    return len(nodes) == len(chosen) and all(first_name(node) in names for node in nodes)


def check_factory(interp: Interpreter, made: Tensor, site: CallSite) -> None:
    """A factory call that makes a float64 tensor on such a device, unless it is given a dtype that may be chosen for it."""
    if (
        made.dtype == "float64"
        and made.device.is_accelerator
        and _may_be(interp, site.keywords.get("device"))
        and not (_is_given(site.keywords.get("dtype")) and is_asked_for_dtypes(interp))
        and not _are_callers(interp, site.keywords.get("dtype"), site.keywords.get("device"))
        and not _is_shared(interp)
    ):
        part = Part(made, "result", None)
        requirements.record(interp, site.node, "torch.tensor", "float64-on-mps", [part], form="factory")
