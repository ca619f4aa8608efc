"""Filled modules: a model that gets parts behind the statement that makes it moves when it has them all."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from devfix.analysis.text.outline import Outline
from devfix.analysis.text.syntax import in_rows
from devfix.findings import Edit, InsertAfter, WrapExpression
from devfix.placement.devices.device_expression import Place

#: Methods that give a model one more part.
_FILLING = frozenset({"add_module", "register_module", "append", "insert", "extend"})
#: What layers say of their sizes, which are numbers wherever they are.
_SIZES = frozenset(
    "in_features out_features num_features in_channels out_channels embedding_dim input_size hidden_size".split()
)


@dataclass(frozen=True)
class FilledModule:
    """A model behind a name, where its parts are made, and the statement behind which it has them all."""

    outline: Outline
    name: str
    parts: frozenset[ast.AST]
    last: ast.stmt
    #: The name of the model where the next statement that speaks of it returns it.
    returned: ast.Name | None

    def moved(self, device: str) -> list[Edit]:
        """``return net.to(device)``, or ``net.to(device)`` as a statement."""
        if self.returned is not None:
            return [WrapExpression(self.outline.source.span(self.returned), "", f".to({device})")]
        return [InsertAfter(self.outline.source.span(self.last), f"{self.name}.to({device})")]


def found(place: Place, others: Collection[ast.AST]) -> FilledModule | None:
    """The model that a place makes, if others are made to become parts of it; None where it is used before it has them."""
    outline, statement = place.outline, place.outline.statement_of(place.node)
    name = _name_of(statement, place.node)
    if not name:
        return None
    block = outline.block_of(statement)
    fillings: dict[ast.stmt, ast.stmt] = {}
    following: ast.stmt | None = None
    for each in block[block.index(statement) + 1 :]:
        named = [node for node in in_rows(each) if isinstance(node, ast.Name) and node.id == name]
        if any(not _is_asked(outline, node) and not _is_filled(outline, node) for node in named):
            following = each
            break
        fillings.update((outline.statement_of(node), each) for node in named if _is_filled(outline, node))
    taken = dict(_taken(outline, others, fillings))
    if not taken:
        return None
    ends = [fillings[filling] for filling in taken.values()]
    returned = following.value if isinstance(following, ast.Return) else None
    again = returned if isinstance(returned, ast.Name) and returned.id == name else None
    last = max(ends, key=lambda end: end.lineno)
    return FilledModule(outline, name, frozenset(taken), last, again)


def _name_of(statement: ast.stmt, value: ast.AST) -> str:
    """The one name that a statement gives to a value; "" where it does anything else."""
    if not isinstance(statement, ast.Assign) or statement.value is not value or len(statement.targets) != 1:
        return ""
    [target] = statement.targets
    return target.id if isinstance(target, ast.Name) else ""


def _taken(
    outline: Outline, parts: Collection[ast.AST], fillings: Collection[ast.stmt]
) -> Iterator[tuple[ast.AST, ast.stmt]]:
    """What is made in a statement that fills a model, or gets a name that is read there, and that statement."""
    for part in parts:
        statement = outline.statement_of(part)
        name = _name_of(statement, part)
        for filling in fillings:
            read = {node.id for node in in_rows(filling) if isinstance(node, ast.Name)}
            behind = filling.lineno > statement.lineno
            together = outline.function_of(filling) is outline.function_of(statement)
            if filling is statement or (name in read and behind and together):
                yield part, filling


def _is_filled(outline: Outline, name: ast.Name) -> bool:
    """Whether what has a name gets a part: ``net.add_module("out", out)`` as a statement, or ``net.out = out``."""
    method = outline.parents[name]
    around = outline.parents.get(method)
    if not isinstance(method, ast.Attribute):
        return False
    if isinstance(around, ast.Assign):
        return isinstance(method.ctx, ast.Store)
    is_statement = around is not None and isinstance(outline.parents.get(around), ast.Expr)
    return isinstance(around, ast.Call) and around.func is method and method.attr in _FILLING and is_statement


def _is_asked(outline: Outline, name: ast.Name) -> bool:
    """Whether no more is asked than how large a part is: ``net.out.in_features``."""
    node: ast.AST = name
    while (
        isinstance(around := outline.parents[node], (ast.Attribute, ast.Subscript)) and around.value is node
    ):
        node = around
    return isinstance(node, ast.Attribute) and node.attr in _SIZES
