"""Own handling: what a method does with its own object as a whole, which tells where that is when the method is called."""

from __future__ import annotations

import ast

from devfix.analysis.text import fetches
from devfix.analysis.text.parts_within import calls_in
from devfix.analysis.text.syntax import remembered, speaks, spelt
from devfix.source import Source

_Method = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

#: Methods of a module that give it parts, and those that move all of it.
_REGISTERING = ("register_buffer", "register_parameter", "register_module", "add_module")
_MOVING = ("to", "cuda", "cpu")


def exports(source: Source, node: _Method) -> bool:
    """Whether a method hands its object to ``torch.onnx.export``, with inputs of its own: it is called where these are."""
    return speaks(source, "onnx.export", node) and _exports(node)


def hands_over(source: Source, node: _Method) -> bool:
    """Whether a method calls its object and hands to NumPy, from wherever that is, what comes of it: a check on the CPU."""
    return speaks(source, ".numpy()", node) and _hands_over(node)


def registers(source: Source, node: _Method) -> bool:
    """Whether a method registers what its module is made of: ``self.register_buffer("scale", torch.ones(1))``."""
    speaking = speaks(source, "register_", node) or speaks(source, "add_module", node)
    return speaking and _registers(node)


def moves(source: Source, node: _Method) -> bool:
    """Whether a method moves its object as a whole: ``self.to(device)``."""
    return any(speaks(source, f".{name}(", node) for name in _MOVING) and _moves(node)


@remembered
def _exports(node: ast.AST) -> bool:
    receiver = _receiver(node)
    return any(
        spelt(call.func).endswith("onnx.export") and spelt(call.args[0]).partition(".")[0] == receiver
        for call in calls_in(node)
        if call.args
    )


@remembered
def _hands_over(node: ast.AST) -> bool:
    receiver = _receiver(node)
    calling = bool(receiver) and any(spelt(call.func) == receiver for call in calls_in(node))
    return calling and fetches.copies(node) == {False}


@remembered
def _registers(node: ast.AST) -> bool:
    return _calls_own(node, _REGISTERING)


@remembered
def _moves(node: ast.AST) -> bool:
    return _calls_own(node, _MOVING)


def _calls_own(node: ast.AST, names: tuple[str, ...]) -> bool:
    owned = [f"{_receiver(node)}.{name}" for name in names]
    return any(spelt(call.func) in owned for call in calls_in(node))


def _receiver(node: ast.AST) -> str:
    return node.args.args[0].arg if isinstance(node, ast.FunctionDef) and node.args.args else ""
