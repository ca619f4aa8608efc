"""Following: whether a call puts something where a local tensor is, so that it comes along wherever that goes."""

from __future__ import annotations

import ast

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline


def follows_tensor(facts: Facts, outline: Outline, call: ast.AST | None) -> bool:
    """Whether a call makes or moves something as ``torch.eye(n, device=x.device)`` and ``y.to(x.device)`` do."""
    if not isinstance(call, ast.Call):
        return False
    asked = [keyword.value for keyword in call.keywords if keyword.arg == "device"]
    device = asked[0] if asked else call.args[0] if call.args else None
    if (
        not isinstance(device, ast.Attribute)
        or device.attr != "device"
        or not isinstance(device.value, ast.Name)
    ):
        return False
    found = facts.bindings(outline.source.path, outline.scopes(call)[0]).get(device.value.id, [])
    return bool(found) and all(binding.kind == "tensor" for binding in found)
