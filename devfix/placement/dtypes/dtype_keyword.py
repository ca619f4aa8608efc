"""Dtype keywords: the dtype that a call is told to make a tensor in."""

from __future__ import annotations

import ast

from devfix.findings import FileEdit, SetKeyword
from devfix.placement.devices.device_expression import Place

#: Calls that take the dtype as a keyword.
_WITH_KEYWORD = frozenset(
    "tensor as_tensor asarray zeros ones empty full arange linspace eye zeros_like ones_like full_like".split()
)


def told(place: Place, dtype: str) -> tuple[FileEdit, ...]:
    """The call of a package at a place makes its result in a dtype; nothing where that may be told by what it unpacks."""
    call = place.node
    if not isinstance(call, ast.Call) or any(keyword.arg is None for keyword in call.keywords):
        return ()
    package = call.func.value if isinstance(call.func, ast.Attribute) else None
    if not isinstance(package, ast.Name):
        return ()
    return (
        FileEdit(place.path, SetKeyword(place.outline.source.span(call), "dtype", f"{package.id}.{dtype}")),
    )


def told_factory(place: Place, dtype: str) -> tuple[FileEdit, ...]:
    """The same where the call is known to take a dtype."""
    name = getattr(getattr(place.node, "func", None), "attr", "")
    return told(place, dtype) if name in _WITH_KEYWORD else ()


def told_another(place: Place, dtype: str) -> tuple[FileEdit, ...]:
    """The same where the call names one already."""
    named = any(keyword.arg == "dtype" for keyword in getattr(place.node, "keywords", ()))
    return told_factory(place, dtype) if named else ()
