"""Cast apart: of values that one comprehension makes for several names, each is cast where the function casts the others."""

from __future__ import annotations

import ast
from collections.abc import Collection

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.syntax import in_rows
from devfix.findings import FileEdit, Operand, Origin
from devfix.placement.devices.device_expression import Place, place_at
from devfix.placement.moves import suffixes

Edits = tuple[FileEdit, ...]


def where_returned(facts: Facts, operand: Operand, suffix: str, casts: Collection[str]) -> Edits | None:
    """``return x.float(), n, y.float()`` behind ``x, n, y = (torch.from_numpy(c) for c in columns)``.

    None where no comprehension makes the operand beside others one of which is cast by itself; no edits where it is not
    returned at once.
    """
    for site in operand.trail:
        place = place_at(facts, site.path, site.span) if site.kind == "name" else None
        if (
            place is not None
            and isinstance(place.node, ast.Name)
            and _is_apart(place, operand.trail[0], casts)
        ):
            return _at_return(facts, place, place.node.id, suffix)
    return None


def _is_apart(named: Place, made: Origin, casts: Collection[str]) -> bool:
    """Whether a name is one of several that a comprehension gives values, and the function casts another one of them."""
    outline, statement = named.outline, named.outline.statement_of(named.node)
    if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Tuple):
        return False
    if not isinstance(statement.value, (ast.ListComp, ast.GeneratorExp)) or made.path != named.path:
        return False
    function, value = outline.function_of(statement), outline.expression_at(made.span)
    if function is None or value is None or outline.statement_of(value) is not statement:
        return False
    others = {getattr(each, "id", "") for each in statement.targets[0].elts} - {getattr(named.node, "id", "")}
    return any(
        isinstance(node, ast.Attribute) and node.attr in casts and getattr(node.value, "id", "") in others
        for node in in_rows(function)
    )


def _at_return(facts: Facts, named: Place, name: str, suffix: str) -> Edits:
    """The one use of a name is cast, if that is to return it among others."""
    outline = named.outline
    function = outline.function_of(named.node)
    loads = [
        each for each in outline.occurrences(function or named.node, name) if isinstance(each.ctx, ast.Load)
    ]
    around = outline.parents[loads[0]] if len(loads) == 1 else None
    if not isinstance(around, ast.Tuple) or not isinstance(outline.parents[around], ast.Return) or not suffix:
        return ()
    return suffixes.added(facts, outline, loads[0], suffix)
