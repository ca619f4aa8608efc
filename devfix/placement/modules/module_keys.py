"""Module keys: dicts of modules whose keys are no texts, which no ``ModuleDict`` takes, are registered beside themselves."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.syntax import in_rows
from devfix.findings import InsertAfter, Mismatch
from devfix.placement.modules.registration import Attribute

_ENUMERATIONS = frozenset({"Enum", "IntEnum", "Flag", "IntFlag"})
_CHANGING = frozenset("update pop popitem setdefault clear append extend insert remove".split())
_DICTS = (ast.Dict, ast.DictComp)
_LISTS = (ast.List, ast.Tuple, ast.ListComp)
#: What goes through the modules of a dict, by what it holds them in.
_THROUGH = {
    "": "{kept}.values()",
    "list": "module for row in {kept}.values() for module in row",
    "dict": "module for row in {kept}.values() for module in row.values()",
}
#: The same of a list.
_THROUGH_LIST = {"dict": "module for row in {kept} for module in row.values()"}


def are_others(facts: Facts, mismatch: Mismatch, value: ast.expr | None) -> bool:
    """Whether some keys of a dict, or of dicts in a list, are known to be no texts; members of an enumeration are none."""
    if not isinstance(value, _DICTS):
        return isinstance(value, _LISTS) and mismatch.get("keys") == "others"
    named = {each.id for each in _classes(value) if isinstance(each, ast.Name)}
    return mismatch.get("keys") == "others" or any(
        isinstance(node, ast.ClassDef) and node.name in named and _is_enumeration(node)
        for source in (facts.program.sources.values() if named else ())
        for node in source.tree.body
    )


def _classes(value: ast.Dict | ast.DictComp) -> Iterator[ast.expr]:
    """What may be the class of the keys: ``Stage`` of ``Stage.FIRST: ...`` and of ``... for stage in Stage``."""
    if isinstance(value, ast.Dict):
        yield from (key.value for key in value.keys if isinstance(key, ast.Attribute))
        return
    for generator in value.generators:
        if isinstance(value.key, ast.Name) and ast.unparse(generator.target) == value.key.id:
            yield generator.iter


def _is_enumeration(node: ast.ClassDef) -> bool:
    bases = {ast.unparse(base).rpartition(".")[2] for base in node.bases}
    return bool(bases & _ENUMERATIONS) and "str" not in bases


def beside(attribute: Attribute, statement: ast.stmt, rows: str, name: str) -> InsertAfter | None:
    """A ``ModuleList``, which is called ``name``, of what a dict or a list of dicts holds behind the statement that makes it; None where more may be put in."""
    outline, kept = attribute.outline, ast.unparse(attribute.target)
    new = f"{attribute.name}_modules"
    if not isinstance(statement, ast.Assign) or statement.targets != [attribute.target]:
        return None
    through = (_THROUGH if isinstance(statement.value, _DICTS) else _THROUGH_LIST).get(rows)
    if through is None or new in outline.source.text or _is_changed(attribute):
        return None
    through = through.format(kept=kept)
    return InsertAfter(outline.source.span(statement), f"{kept}_modules = {name}({through})")


def _is_changed(attribute: Attribute) -> bool:
    """Whether something else than the statement that makes it puts something into a dict or list, or takes something out."""
    outline = attribute.outline
    for node in in_rows(outline.source.tree):
        if isinstance(node, ast.Attribute) and node.attr == attribute.name:
            above = outline.parents.get(node)
            while isinstance(above, ast.Subscript):
                if not isinstance(above.ctx, ast.Load):
                    return True
                above = outline.parents.get(above)
            if isinstance(above, ast.Attribute) and above.attr in _CHANGING:
                return True
            if not isinstance(node.ctx, ast.Load) and node is not attribute.target:
                return True
    return False
