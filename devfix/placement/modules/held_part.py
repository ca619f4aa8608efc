"""Held parts: from which statement on an object that was given a name has the module that one of its methods makes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.syntax import in_rows
from devfix.findings import Origin
from devfix.placement.blaming.causes import Trail
from devfix.placement.devices import constructed
from devfix.placement.modules import late_parts

_Method = ast.FunctionDef | ast.AsyncFunctionDef
#: The kinds of places in a life at which an object keeps what is given to it.
_STORED = ("attribute", "module-attribute")


def had_from(facts: Facts, sites: Trail, holder: Origin) -> ast.stmt | None:
    """The statement behind which ``model.head`` is there, of a life that tells where it was stored; None if nobody knows.

    That is where ``model`` got its name, if making it makes the part, or else the statement ``model.build()``.
    """
    outline = facts.outline(holder.path)
    node = outline.expression_at(holder.span)
    if node is None or not _have_all(facts, holder):
        return None
    named = outline.statement_of(node)
    stored = [site for site in sites if site.kind in _STORED and _name(site) == _name(holder)]
    if not stored:
        return None if late_parts.has_moved(facts, holder) else named
    method = _method(facts, stored[-1])
    if method is None:
        return None if stored[-1].scope == holder.scope and stored[-1].path == holder.path else named
    where, cls = method
    if where.name in constructed.run_as_made(facts, cls):
        return named
    calls = list(_calls(outline, holder, where.name))
    return calls[0] if len(calls) == 1 and outline.dominates(named, calls[0]) else None


def _have_all(facts: Facts, holder: Origin) -> bool:
    """Whether whatever gets the name of a holder has the part: objects of several classes may get it."""
    named, _, part = holder.text.rpartition(".")
    known = facts.classes_of(holder.path, holder.scope, named)
    if "." in named:
        cls = holder.scope.rpartition(".")[0]
        known = facts.classes_of(holder.path, cls, f"self.{named.rpartition('.')[2]}")
    trees = [source.tree for source in facts.program.sources.values()] if len(known) > 1 else []
    found = (node for tree in trees for node in in_rows(tree) if isinstance(node, ast.ClassDef))
    return all(constructed.is_always_set(facts, each, part) for each in found if each.name in known)


def _name(site: Origin) -> str:
    return site.text.rpartition(".")[2]


def _method(facts: Facts, stored: Origin) -> tuple[_Method, ast.ClassDef] | None:
    """The method that stores an attribute of its own object, and its class."""
    outline = facts.outline(stored.path)
    node = outline.expression_at(stored.span)
    function = outline.function_of(node) if node is not None else None
    cls = outline.class_of(function) if function is not None else None
    if function is None or cls is None or not stored.text.startswith(f"{outline.receiver_name(function)}."):
        return None
    return function, cls


def _calls(outline: Outline, holder: Origin, name: str) -> Iterator[ast.stmt]:
    """The statements of the function in which an object got its name that are a call of its method and nothing else."""
    called = f"{holder.text.rpartition('.')[0]}.{name}"
    node = outline.expression_at(holder.span)
    function = outline.function_of(node) if node is not None else None
    for part in in_rows(function if function is not None else outline.source.tree):
        call = part.value if isinstance(part, ast.Expr) else None
        is_meant = isinstance(call, ast.Call) and ast.unparse(call.func) == called
        if is_meant and isinstance(part, ast.Expr) and outline.function_of(part) is function:
            yield part
