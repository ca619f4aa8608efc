"""Module classes: whether a class of the program is an ``nn.Module``, as far as its bases tell."""

from __future__ import annotations

import ast

from devfix.analysis.record.facts import Facts
from devfix.observation.pointing import Pointer

#: Names of base classes outside of a program that are modules.
_ENDINGS = ("Module", "ModuleList", "ModuleDict", "Sequential", "PreTrainedModel")


def is_module_class(
    pointer: Pointer, path: str, cls: ast.ClassDef, seen: frozenset[str] = frozenset()
) -> bool:
    """Whether a class derives from ``nn.Module``; classes of the program are known by their names."""
    for base in cls.bases:
        name = ast.unparse(base).rpartition(".")[2].partition("[")[0]
        if name.endswith(_ENDINGS) or ast.unparse(base).startswith(("nn.", "torch.nn.")):
            return True
        if name in seen:
            continue
        for spot in pointer.index.classes(name):
            if isinstance(spot.node, ast.ClassDef) and is_module_class(
                pointer, spot.path, spot.node, seen | {name}
            ):
                return True
    return _is_seen_as_module(pointer.facts, path, cls)


def _is_seen_as_module(facts: Facts, path: str, cls: ast.ClassDef) -> bool:
    """Whether the analysis met an object of the class that is a module."""
    outline = facts.outline(path)
    around = outline.scope(cls)
    scope = f"{around}.{cls.name}" if around else cls.name
    methods = [part for part in cls.body if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef))]
    for method in methods:
        receiver = outline.receiver_name(method) or ""
        bindings = facts.bindings(path, f"{scope}.{method.name}").get(receiver, [])
        if any(binding.kind == "module" for binding in bindings):
            return True
    return False
