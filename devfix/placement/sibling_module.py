"""Sibling modules: a module moves beside another one that the same function moves."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.analysis.facts import Facts
from devfix.analysis.lattice import ACCELERATOR
from devfix.analysis.outline import Outline
from devfix.findings import FileEdit, InsertAfter, Origin
from devfix.placement.sibling_move import move_of, names

Edits = tuple[FileEdit, ...]


def beside(facts: Facts, site: Origin) -> Edits:
    """``net.cuda()`` after ``other.cuda()``, where ``net`` got its name at ``site``, above.

    For programs that name no device: what their author wrote for one model does for the other.
    """
    outline = facts.outline(site.path)
    named = outline.expression_at(site.span) if site.kind == "name" else None
    if not isinstance(named, ast.Name) or not isinstance(outline.statement_of(named), ast.Assign):
        return ()
    found = None
    for statement, other, suffix in _moves(outline, outline.statement_of(named)):
        if other == named.id:
            return ()  # it is moved there already: something else is wrong
        if (
            found is None
            and not names(suffix, named.id)
            and _is_placed(facts, site.path, outline, statement, other)
        ):
            found = statement, suffix
    if found is None:
        return ()
    statement, suffix = found
    bound = f"{named.id} = " if isinstance(statement, ast.Assign) else ""
    code = f"{bound}{named.id}{suffix}"
    return (FileEdit(site.path, InsertAfter(outline.source.span(statement), code)),)


def _moves(outline: Outline, naming: ast.stmt) -> Iterator[tuple[ast.stmt, str, str]]:
    """The statements that move something by name after ``naming``, under a guard or not."""
    block = outline.block_of(naming)
    for following in block[block.index(naming) + 1 :]:
        for statement in (following, *(following.body if isinstance(following, ast.If) else ())):
            value = statement.value if isinstance(statement, (ast.Expr, ast.Assign)) else None
            suffix = move_of(value) if value is not None else ""
            other = ast.unparse(value)[: -len(suffix)] if value is not None and suffix else ""
            target = ast.unparse(statement.targets[0]) if isinstance(statement, ast.Assign) else other
            if suffix and target == other:
                yield statement, other, suffix


def _is_placed(facts: Facts, path: str, outline: Outline, statement: ast.stmt, name: str) -> bool:
    """Whether a name was seen to be a module on the accelerator after a statement, or one without parameters."""
    span = outline.source.span(statement)
    bindings = facts.bindings(path, outline.scopes(statement)[0]).get(name, [])
    found = [binding for binding in bindings if binding.statement == span]
    return bool(found) and all(b.kind == "module" and (b.device or ACCELERATOR).is_accelerator for b in found)
