"""Option defaults: a device option that is left alone follows what the program asks for by itself."""

from __future__ import annotations

import ast

from devfix.analysis.record.facts import Facts
from devfix.findings import Applicability, FileEdit, Fix, Mismatch, SetKeyword
from devfix.placement.devices import introduction


def option_fix(facts: Facts, mismatch: Mismatch) -> Fix | None:
    """The option's default becomes the accelerator where there is one."""
    call = facts.outline(mismatch.path).expression_at(mismatch.sink)
    torch = introduction.torch_name(facts, mismatch.path)
    if not isinstance(call, ast.Call) or torch is None:
        return None
    name, edits = torch
    code = f'"cuda" if {name}.cuda.is_available() else "cpu"'
    change = FileEdit(mismatch.path, SetKeyword(mismatch.sink, "default", code))
    return Fix("let the option follow what there is", (*edits, change), Applicability.SAFE)
