"""Roles: what a tensor or module is there for, as far as its name and its place tell."""

from __future__ import annotations

import ast
import re

from repair.script import Script
from repair.shapes import is_move, receiver

_NAMES = (
    ("mask", r"mask"),
    ("hidden state", r"hidden|\bh0\b|\bc0\b|\bhx\b|\bcx\b|state|memory"),
    ("noise", r"noise|latent|\bz\b|eps"),
    ("second model", r"teacher|discriminator|critic|target_net|ema|net_?d\b|decoder|policy_old|momentum"),
    ("criterion", r"criterion|loss_fn|loss_func|\bloss\b|weight"),
    ("target", r"target|label|\by\b|\b[xy]b?_?y\b|\byb\b|truth|\bgt\b|answers?|grade|class"),
    ("model", r"model|\bnet|encoder|generator|actor|backbone|network|module"),
)


def role(script: Script, node: ast.expr) -> str:
    """What the expression is there for; ``input`` where nothing tells."""
    text = _named(script, node)
    found = next((name for name, pattern in _NAMES if re.search(pattern, text, re.IGNORECASE)), "")
    if found:
        return _ordinal(script, node) if found == "model" else found
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id[:1].isupper():
        return _ordinal(script, node)
    function = script.function_of(node)
    return "made in forward" if function is not None and function.name == "forward" else "input"


def _named(script: Script, node: ast.expr) -> str:
    """The name the expression is known by: its own, or the one it is bound to."""
    statement = script.statement_of(node)
    if isinstance(node, ast.Name | ast.Attribute | ast.Subscript):
        return ast.unparse(node)
    if isinstance(statement, ast.Assign):
        return ast.unparse(statement.targets[0])
    return ""


def _ordinal(script: Script, node: ast.expr) -> str:
    """Whether this is the first model that the file moves, or a further one."""
    moved = [
        ast.unparse(receiver(call))
        for call in script.calls()
        if is_move(call)
        and (_looks_built(receiver(call)) or re.search("model|net", ast.unparse(receiver(call))))
    ]
    text = ast.unparse(node)
    return "second model" if text in moved[1:] and text != moved[0] else "model"


def _looks_built(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id[:1].isupper()
