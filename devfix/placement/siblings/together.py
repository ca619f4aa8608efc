"""Together: values that many factory calls of one statement make move as what the statement makes of them."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable

from devfix.analysis.record.facts import Facts
from devfix.findings import Origin
from devfix.placement.devices.device_expression import Place

#: So many calls of a statement get the device one by one; of more the result moves.
_FEW = 2


def places(facts: Facts, made: Iterable[Origin]) -> dict[Origin, Place]:
    """For calls of which many stand in one ``name = value``, that value."""
    groups: defaultdict[tuple[str, ast.stmt], list[Origin]] = defaultdict(list)
    for site in dict.fromkeys(made):
        outline = facts.outline(site.path)
        node = outline.expression_at(site.span)
        if node is not None:
            groups[site.path, outline.statement_of(node)].append(site)
    found: dict[Origin, Place] = {}
    for (path, statement), sites in groups.items():
        value = _value(statement)
        if len(sites) > _FEW and value is not None:
            found.update(dict.fromkeys(sites, Place(path, facts.outline(path), value)))
    return found


def _value(statement: ast.stmt) -> ast.expr | None:
    """What is called to give a statement's one name its value."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) > 1:
        return None
    single = isinstance(statement.targets[0], ast.Name) and isinstance(statement.value, ast.Call)
    return statement.value if single else None
