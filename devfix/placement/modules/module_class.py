"""Module classes: whether what a file calls is a class of modules, as its imports and the classes of the program tell.

It is asked of code that nobody saw run, of which the analysis knows nothing.
"""

from __future__ import annotations

import ast

from devfix.analysis.nn.modules import is_module_name
from devfix.analysis.record.facts import Facts
from devfix.analysis.torch_model.names import canonical
from devfix.placement.text.dependence import dotted

#: How many names and classes lead from what is called to ``nn.Module``.
_MAX_STEPS = 8


def is_named(facts: Facts, path: str, node: ast.expr, steps: int = _MAX_STEPS) -> bool:
    """Whether an expression names a class that is derived from ``nn.Module``, by names that stand for one thing."""
    name = dotted(node)
    outline = facts.outline(path)
    if name is None or not steps:
        return False
    root, _, rest = name.partition(".")
    if any(not isinstance(each.ctx, ast.Load) for each in outline.occurrences(outline.source.tree, root)):
        return False
    defined = [each for each in outline.source.tree.body if getattr(each, "name", None) == root]
    if defined:
        return len(defined) == 1 and not rest and _is_derived(facts, path, defined[0], steps)
    whole = outline.imported.get(root)
    return whole is not None and _is_imported(facts, path, f"{whole}.{rest}" if rest else whole, steps)


def _is_derived(facts: Facts, path: str, node: ast.stmt, steps: int) -> bool:
    bases = node.bases if isinstance(node, ast.ClassDef) else []
    return any(is_named(facts, path, base, steps - 1) for base in bases)


def _is_imported(facts: Facts, path: str, whole: str, steps: int) -> bool:
    """The same of the full name of what a file imports: ``.nets.Net`` or ``torch.nn.Linear``."""
    inner = whole.lstrip(".")
    module, _, name = inner.rpartition(".")
    found = facts.program.resolve(path, module, len(whole) - len(inner)) if name else None
    if found is None or found not in facts.program.sources:
        return whole == inner and is_module_name(canonical(inner))
    return is_named(facts, found, ast.Name(name, ast.Load()), steps - 1)
