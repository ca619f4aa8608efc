"""Ancestry: which statements a value is computed by, told from names in one scope, and what began as an array."""

from __future__ import annotations

import ast
from collections import defaultdict

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.syntax import in_rows
from devfix.findings import Operand, Origin
from devfix.placement.blaming.causes import is_only_given
from devfix.placement.devices.device_expression import place_at
from devfix.placement.text.provenance import MADE


def movable(facts: Facts, operand: Operand) -> list[tuple[Origin, ...]]:
    """The lives of the values that would have to move for an operand to: its own, or those it is made of.

    An array has no device: the tensor that was made of it is what can move.
    """
    own = operand.trail
    roots = [root for root in operand.roots if root and not is_array(facts, root)]
    roots = of_casts([root for root in roots if not is_only_given(root)])
    if not roots or (own and own[0].kind in (*MADE, "loader")):
        return [own] if own else []
    return roots


def serves_others(facts: Facts, trail: tuple[Origin, ...], operand: Operand) -> bool:
    """Whether the value that an operand is computed from is read for something else as well, where that may stay."""
    named = next((site for site in trail if site.kind == "name"), None)
    place = place_at(facts, named.path, named.span) if named is not None else None
    if place is None or not isinstance(place.node, ast.Name):
        return False
    ends = [operand, *(each for each in _misplaced(facts, trail[0]) if each.path == operand.path)]
    used = [found.node for each in ends if (found := place_at(facts, each.path, each.span)) is not None]
    return bool(used) and _is_read_otherwise(place.outline, place.node, used)


def _misplaced(facts: Facts, origin: Origin) -> list[Operand]:
    """All that stayed on the CPU and meets the accelerator of what was made at a place."""
    operands = (
        each for found in facts.mismatches("device") for each in found.operands if each.device == "cpu"
    )
    return [each for each in operands if any(life[:1] == (origin,) for life in (each.trail, *each.roots))]


def _is_read_otherwise(outline: Outline, name: ast.Name, used: list[ast.AST]) -> bool:
    """Whether a name is read for something else than what each of ``used`` is computed from.

    ``name`` is where the value gets its name, ``used`` are expressions of the same scope. A value that
    serves others too, labels that are counted and then make a dataset, say, is not theirs to move.
    """
    scope = outline.scopes(name)[0]
    readers: defaultdict[str, set[ast.stmt]] = defaultdict(set)
    writers: defaultdict[str, set[ast.stmt]] = defaultdict(set)
    function = outline.function_of(name)
    for node in in_rows(function if function is not None else outline.source.tree):
        if isinstance(node, ast.Name) and outline.scopes(node)[0] == scope:
            statement = outline.statement_of(node)
            if not _is_filled(statement, node):
                (readers if isinstance(node.ctx, ast.Load) else writers)[node.id].add(statement)
    if len(writers[name.id]) > 1:
        return False  # a name for several values in turn does not tell who reads which
    line = set().union(*(_slice(outline, each, writers) for each in used))
    return not readers[name.id] <= line


def _is_filled(statement: ast.stmt, name: ast.Name) -> bool:
    """Whether a statement puts something into what a name stands for: ``targets[i] = label``."""
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return any(isinstance(target, ast.Subscript) and target.value is name for target in targets)


def _slice(outline: Outline, used: ast.AST, writers: dict[str, set[ast.stmt]]) -> set[ast.stmt]:
    """The statement of ``used``, and those that bind what it reads, what these read, and so on."""
    found = {outline.statement_of(used)}
    names = [node.id for node in in_rows(used) if isinstance(node, ast.Name)]
    seen = set(names)
    while names:
        for statement in writers.get(names.pop(), set()) - found:
            found.add(statement)
            if (
                isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign))
                and statement.value is not None
            ):
                read = {node.id for node in in_rows(statement.value) if isinstance(node, ast.Name)}
                names.extend(read - seen)
                seen |= read
    return found


def from_batch(life: tuple[Origin, ...]) -> list[Origin]:
    """The places in a life, the last one first; of what a loader gives those before that are beside the loader.

    Where it is fetched to the CPU and named in one line it is wanted there.
    """
    born = life[0] if life else None
    if born is not None and born.kind == "move":
        line = (born.path, born.span.line)
        life = tuple(site for site in life if site.kind != "name" or (site.path, site.span.line) != line)
    if born is None or born.kind != "loader":
        return list(reversed(life))
    backwards = life[::-1]
    near = [site for site in backwards if (site.path, site.scope) == (born.path, born.scope)]
    return [*near, *(site for site in backwards if site not in near)]


def of_parameters(facts: Facts, trails: list[tuple[Origin, ...]]) -> list[tuple[Origin, ...]]:
    """The trails without those of what a ``Parameter`` is made of where that goes back to another: no leaf moves."""
    return [trail for trail in trails if not any(_is_made_of(facts, trail, other) for other in trails)]


def _is_made_of(facts: Facts, trail: tuple[Origin, ...], other: tuple[Origin, ...]) -> bool:
    result = trail[0] if trail else None
    if result is None or result.kind != "result" or trail is other or not other:
        return False
    if result.path != other[0].path or not result.span.contains(other[0].span):
        return False
    outline = facts.outline(result.path)
    made = outline.expression_at(result.span)
    around = outline.parents.get(made) if made is not None else None
    return isinstance(around, ast.Call) and ast.unparse(around.func).rpartition(".")[2] == "Parameter"


def begun(facts: Facts, trails: list[tuple[Origin, ...]]) -> list[tuple[Origin, ...]]:
    """The trails without those of what an attribute became that one of the others began: ``self.w = self.w - rate * step``."""
    makers = [trail for trail in trails if trail and trail[0].kind in MADE]
    return [
        trail
        for trail in trails
        if trail in makers or not any(_renews(facts, trail, each) for each in makers)
    ]


def _renews(facts: Facts, trail: tuple[Origin, ...], made: tuple[Origin, ...]) -> bool:
    """Whether a result was given to the attribute that it was computed from, by which the other is kept as well."""
    again = _kept_as(facts, trail) if trail and trail[0].kind == "result" else None
    first = _kept_as(facts, made)
    if again is None or first is None or again[0].attr != first[0].attr:
        return False
    target, statement = again
    read = (node for node in in_rows(statement.value) if isinstance(node, ast.Attribute))
    return any(ast.unparse(node) == ast.unparse(target) for node in read)


def _kept_as(facts: Facts, trail: tuple[Origin, ...]) -> tuple[ast.Attribute, ast.Assign] | None:
    """The attribute that a value is given to, and the statement that does so alone."""
    site = next((each for each in trail if each.kind in ("attribute", "module-attribute")), None)
    place = place_at(facts, site.path, site.span) if site is not None else None
    statement = place.outline.statement_of(place.node) if place is not None else None
    if place is None or not isinstance(place.node, ast.Attribute) or not isinstance(statement, ast.Assign):
        return None
    return (place.node, statement) if statement.targets == [place.node] else None


def of_casts(trails: list[tuple[Origin, ...]]) -> list[tuple[Origin, ...]]:
    """The trails without those of what was cast where it was made: ``from_numpy(x)`` of ``from_numpy(x).float()``."""
    casts = [trail[0] for trail in trails if trail[0].kind == "cast"]
    return [trail for trail in trails if not any(_is_within(trail, cast) for cast in casts)]


def _is_within(trail: tuple[Origin, ...], cast: Origin) -> bool:
    made = trail[0]
    return (
        len(trail) == 1 and made.kind == "numpy" and made.path == cast.path and cast.span.contains(made.span)
    )


def is_array(facts: Facts, life: tuple[Origin, ...]) -> bool:
    """Whether a value is an array of NumPy, or what a tensor became; only arrays have ``astype``."""
    made = life[0]
    known = made.kind == "cast" and made.path in facts.program.sources
    node = facts.outline(made.path).expression_at(made.span) if known else None
    func = node.func if isinstance(node, ast.Call) else None
    left = any(site.kind == "numpy" for site in life[1:])
    return left or made.kind == "array" or (isinstance(func, ast.Attribute) and func.attr == "astype")
