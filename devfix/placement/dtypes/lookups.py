"""Lookups: floats that serve as indices, and as nothing else, become whole numbers where they enter torch.

Edges that ``np.genfromtxt`` read are looked up in every layer; they are cast once, and move as what they are.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.scope_names import parameters_of
from devfix.analysis.text.syntax import in_rows
from devfix.findings import Mismatch, Operand, Origin, Span
from devfix.placement.devices.device_expression import place_at

_KIND = "index-dtype"
_ENTRIES = ("numpy", "factory")
#: What may be asked of a tensor whatever its dtype.
_PLAIN = frozenset("to cuda cpu shape size device dim ndim numel contiguous pin_memory".split())
_HANDED = (ast.Tuple, ast.List, ast.keyword, ast.Return)
#: Where others may have it as well.
_KEPT = ("loader", "attribute", "module-attribute")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def entries(facts: Facts, operand: Operand, wanted: str) -> dict[Origin, None]:
    """Where a value enters torch that several lookups refuse, and that nothing reckons with on its way to them."""
    made = _entry(operand) if wanted == "int64" else None
    alike = [each.operands[0] for each in _of_one(facts, made)] if made is not None else []
    refused = {(each.path, each.span) for each in alike}
    if made is None or made.kind not in _ENTRIES or len(refused) < 2 or not is_index(facts, operand):
        return {}
    lives = dict.fromkeys(site for each in alike for life in (*each.roots, each.trail) for site in life)
    if any(site.kind in _KEPT for site in lives):
        return {}
    return {made: None} if _Lives(facts, list(lives), refused).are_of_indices() else {}


def is_index(facts: Facts, operand: Operand) -> bool:
    """Whether a lookup that takes no mask refuses something of what the operand is part of."""
    made = _entry(operand)
    return made is not None and any(each.get("either") is None for each in _of_one(facts, made))


def _entry(operand: Operand) -> Origin | None:
    found = {life[0] for life in operand.roots if life}
    return found.pop() if len(found) == 1 else None


def _of_one(facts: Facts, made: Origin) -> Iterator[Mismatch]:
    return (each for each in facts.mismatches(_KIND) if _entry(each.operands[0]) == made)


class _Lives:
    """The functions that a value comes through, by the names that they have for it."""

    def __init__(self, facts: Facts, sites: list[Origin], refused: set[tuple[str, Span]]) -> None:
        self.facts = facts
        self.sites = sites
        self.refused = refused
        self._asked: set[tuple[ast.AST, str]] = set()
        self.called = {site.scope.rpartition(".")[2] for site in sites if site.kind == "argument"}

    def are_of_indices(self) -> bool:
        """Whether all that is done with the value is to look something up by it, or to hand it on as it is."""
        named = [self._named(site) for site in self.sites if site.kind == "name"]
        return None not in named and all(
            self._is_handed_on(*each) for each in (*filter(None, named), *self._parameters())
        )

    def _named(self, site: Origin) -> tuple[Outline, ast.AST, str] | None:
        place = place_at(self.facts, site.path, site.span)
        if place is None or not isinstance(place.node, ast.Name):
            return None
        outline = place.outline
        return outline, outline.function_of(place.node) or outline.source.tree, place.node.id

    def _parameters(self) -> Iterator[tuple[Outline, ast.AST, str]]:
        """Whatever takes something of the name by which a function takes the value: it may be the same."""
        names = {site.text for site in self.sites if site.kind == "argument"}
        for path, source in self.facts.program.sources.items():
            for node in in_rows(source.tree) if any(name in source.text for name in names) else ():
                if isinstance(node, _FUNCTIONS):
                    taken = (each.arg for each in parameters_of(node) if each.arg in names)
                    yield from ((self.facts.outline(path), node, name) for name in taken)

    def _is_handed_on(self, outline: Outline, around: ast.AST, name: str) -> bool:
        if (around, name) in self._asked:
            return True
        self._asked.add((around, name))
        uses = [use for use in outline.occurrences(around, name) if isinstance(use.ctx, ast.Load)]
        return all(self._is_looked_up(outline, use) or self._is_plain(outline, around, use) for use in uses)

    def _is_looked_up(self, outline: Outline, use: ast.expr) -> bool:
        """Whether a name, or a row of it, stands where a lookup refuses it."""
        node: ast.AST = use
        while (outline.source.path, outline.source.span(node)) not in self.refused:
            above = outline.parents[node]
            if not isinstance(above, ast.Subscript) or above.value is not node:
                return False
            node = above
        return True

    def _is_plain(self, outline: Outline, around: ast.AST, use: ast.Name) -> bool:
        above = outline.parents[use]
        if isinstance(above, ast.Attribute):
            return above.attr in _PLAIN
        if isinstance(above, ast.Call):
            return use is not above.func and self._leads_on(above)
        whole = _chosen_or_cut(outline, use)
        given = outline.parents[whole]
        if isinstance(given, ast.Assign) and given.value is whole:
            return all(self._is_renamed(outline, around, use, target) for target in given.targets)
        return isinstance(above, _HANDED)

    def _leads_on(self, call: ast.Call) -> bool:
        """Whether what is called is a module, or a function in which the value was seen, and none besides."""
        name = ast.unparse(call.func).rpartition(".")[2]
        sources = self.facts.program.sources.values()
        return name in self.called or not any(f"def {name}(" in source.text for source in sources)

    def _is_renamed(self, outline: Outline, around: ast.AST, use: ast.Name, target: ast.expr) -> bool:
        """Whether what is taken apart, or gets another name, is but looked up by as well."""
        parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
        return all(
            isinstance(part, ast.Name) and (part.id == use.id or self._is_handed_on(outline, around, part.id))
            for part in parts
        )


def _chosen_or_cut(outline: Outline, use: ast.Name) -> ast.AST:
    """The choice that a name is part of, or what is cut out of it: ``ids if short else ids[:, -size:]``."""
    node: ast.AST = use
    while True:
        above = outline.parents[node]
        chosen = isinstance(above, ast.IfExp) and above.test is not node
        if not chosen and not (isinstance(above, ast.Subscript) and above.value is node):
            return node
        node = above
