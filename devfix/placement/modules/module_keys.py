"""Module keys: dicts whose keys a ``ModuleDict`` refuses, or may refuse, stay, and what they hold is registered beside them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.torch_model.modules import part_names
from devfix.findings import InsertAfter, Mismatch
from devfix.placement.modules import beginning, module_rows
from devfix.placement.modules.filled_later import is_filled_later
from devfix.placement.modules.registration import Attribute

_ENUMERATIONS = frozenset({"Enum", "IntEnum", "Flag", "IntFlag"})
_CHANGING = frozenset("update pop popitem setdefault clear append extend insert remove".split())
_DICTS = (ast.Dict, ast.DictComp)
#: What goes through the modules of a dict, by what it holds them in.
_THROUGH = {
    "": "{kept}.values()",
    "list": "module for row in {kept}.values() for module in row",
    "dict": "module for row in {kept}.values() for module in row.values()",
}
#: The same of a list.
_THROUGH_LIST = {"dict": "module for row in {kept} for module in row.values()"}


def are_names(
    facts: Facts, mismatch: Mismatch, attribute: Attribute, value: ast.expr | None, rows: str
) -> bool:
    """Whether all keys of a dict, or of dicts in a list, are known, and a ``ModuleDict`` takes each of them.

    Members of an enumeration are no names. No other object of the class, as far as its parts are seen to stay behind, has keys that it refuses.
    """
    if any(other.get("keys") == "others" and _is_of(other, attribute) for other in facts.mismatches()):
        return False
    if isinstance(value, _DICTS) and _are_members(facts, value):
        return False
    told = mismatch.get("keys")
    if told is not None or any(True for _ in _changes(facts, attribute, rows)):
        return told == "names"
    shown = [each for each in (value, *module_rows.written(value)) if isinstance(each, _DICTS)]
    return bool(shown) and all(map(part_names.is_fit, (key for each in shown for key in _written(each))))


def _is_of(mismatch: Mismatch, attribute: Attribute) -> bool:
    return any(attribute.site in trail for each in mismatch.operands for trail in (each.trail, *each.roots))


def _written(shown: ast.Dict | ast.DictComp) -> Iterator[object]:
    """The keys that are written in a dict, or that a comprehension goes through; None for any that is not."""
    keys: list[ast.expr | None] = []
    if isinstance(shown, ast.Dict):
        keys += shown.keys
    else:
        first = shown.generators[0]
        alike = ast.unparse(shown.key) == ast.unparse(first.target) and len(shown.generators) == 1
        listed = first.iter.elts if isinstance(first.iter, (ast.List, ast.Tuple)) and alike else [None]
        keys += listed
    yield from (key.value if isinstance(key, ast.Constant) else None for key in keys)


def _classes(value: ast.Dict | ast.DictComp) -> Iterator[ast.expr]:
    """What may be the class of the keys: ``Stage`` of ``Stage.FIRST: ...`` and of ``... for stage in Stage``."""
    if isinstance(value, ast.Dict):
        yield from (key.value for key in value.keys if isinstance(key, ast.Attribute))
        return
    for generator in value.generators:
        if isinstance(value.key, ast.Name) and ast.unparse(generator.target) == value.key.id:
            yield generator.iter


def _are_members(facts: Facts, value: ast.Dict | ast.DictComp) -> bool:
    named = {each.id for each in _classes(value) if isinstance(each, ast.Name)}
    return any(
        isinstance(node, ast.ClassDef) and node.name in named and _is_enumeration(node)
        for source in (facts.program.sources.values() if named else ())
        for node in source.tree.body
    )


def _is_enumeration(node: ast.ClassDef) -> bool:
    bases = {ast.unparse(base).rpartition(".")[2] for base in node.bases}
    return bool(bases & _ENUMERATIONS) and "str" not in bases


def beside(
    facts: Facts, attribute: Attribute, value: ast.expr | None, form: str, rows: str, name: str
) -> InsertAfter | None:
    """A ``ModuleList``, called ``name``, of what a dict or a list of dicts holds, behind what fills it; None where more may be put in."""
    outline, kept = attribute.outline, ast.unparse(attribute.target)
    statement, new = outline.statement_of(attribute.target), f"{attribute.name}_modules"
    through = (_THROUGH if form == "Dict" else _THROUGH_LIST).get(rows)
    if getattr(statement, "value", None) is not value or through is None or new in outline.source.text:
        return None
    last = _filled(facts, attribute, statement, rows)
    if last is None or (last is not statement and rows):
        return None  # a row may be filled when it is in the dict
    if beginning.is_ahead(outline, last):
        return None
    if isinstance(value, ast.Name) and is_filled_later(outline, value):
        return None
    through = through.format(kept=kept)
    return InsertAfter(outline.source.span(last), f"{kept}_modules = {name}({through})")


def _filled(facts: Facts, attribute: Attribute, made: ast.stmt, rows: str) -> ast.stmt | None:
    """The last statement that puts something into a dict or list, of those beside the one that makes it; None if others do."""
    outline, block = attribute.outline, attribute.outline.block_of(made)
    last = block.index(made)
    for node in _changes(facts, attribute, rows):
        if node is None or outline.function_of(node) is not attribute.function:
            return None
        found = next((number for number, each in enumerate(block) if each in outline.around(node)), -1)
        if found <= block.index(made):
            return None
        last = max(last, found)
    return block[last]


def _changes(facts: Facts, attribute: Attribute, rows: str) -> Iterator[ast.Attribute | None]:
    """Where something else than the statement that makes it puts something into a dict or list, or takes something out; None for other files."""
    for path, source in facts.program.sources.items():
        if f".{attribute.name}" not in source.text:
            continue
        outline = facts.outline(path)
        for node in outline.mentions(attribute.name):
            if (
                isinstance(node, ast.Attribute)
                and _is_change(outline, node, 1 if rows else 0)
                and node is not attribute.target
            ):
                yield node if path == attribute.site.path else None


def _is_change(outline: Outline, node: ast.Attribute, depth: int) -> bool:
    """Whether a container gets something, or one of those that it holds ``depth`` steps below does; what these hold has methods of its own."""
    if not isinstance(node.ctx, ast.Load):
        return True
    above, steps = outline.parents.get(node), 0
    while isinstance(above, ast.Subscript):
        if not isinstance(above.ctx, ast.Load):
            return True
        above, steps = outline.parents.get(above), steps + 1
    return steps <= depth and isinstance(above, ast.Attribute) and above.attr in _CHANGING
