"""Needless defaults: a default device on which nothing is made but samples of data sets, which go to the device by themselves."""

from __future__ import annotations

import ast
import re

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.findings import DeleteStatement, FileEdit, Origin
from devfix.placement.moves.emptied import is_elif

#: What a default is chosen by that says nothing of a dtype but the usual one, where the accelerator is there and where not.
_CHOICE = re.compile(
    r"torch\.set_default_device\(.*\)|torch\.set_default_tensor_type\((['\"]?)torch\.cuda\.FloatTensor\1\)"
)
_USUAL = re.compile(
    r"torch\.set_default_device\((torch\.device\()?['\"]cpu['\"]\)*|torch\.set_default_tensor_type\((['\"]?)torch\.FloatTensor\2\)"
)
#: What asks whether the accelerator is there, and does nothing else.
_QUIET = re.compile(r"torch\.cuda\.is_available\(\)|[\w.]+")
#: What tells which device is the default one, and what chooses a dtype that a default type replaces.
_MEANT = ("get_default_device", "set_default_dtype")


def removed(facts: Facts) -> tuple[FileEdit, ...]:
    """The program without its default device, or nothing where that has a use or is chosen in several places."""
    chosen = [site for site in facts.default_devices if not _is_otherwise(facts, site)]
    if len(chosen) != 1 or facts.made_by_default:
        return ()
    if any(name in source.text for source in facts.program.sources.values() for name in _MEANT):
        return ()
    (site,) = chosen
    outline = facts.outline(site.path)
    statement = outline.statement_at(site.span)
    if not isinstance(statement, ast.Expr) or not _CHOICE.fullmatch(ast.unparse(statement)):
        return ()
    whole = _with_guard(outline, statement)
    return (FileEdit(site.path, DeleteStatement(outline.source.span(whole))),) if whole is not None else ()


def _is_otherwise(facts: Facts, site: Origin) -> bool:
    """Whether a call chooses the CPU where there is no accelerator, in the other branch of a test."""
    outline = facts.outline(site.path)
    statement = outline.statement_at(site.span)
    if statement is None:
        return False
    around = outline.parents.get(statement)
    return isinstance(around, ast.If) and around.orelse == [statement] and _is_usual(statement)


def _is_usual(statement: ast.stmt) -> bool:
    return _USUAL.fullmatch(ast.unparse(statement)) is not None


def _with_guard(outline: Outline, statement: ast.stmt) -> ast.stmt | None:
    """The statement, or the ``if`` that guards nothing else; None where nothing would be left of what is around it."""
    around = outline.parents.get(statement)
    if not isinstance(around, ast.If) or around.body != [statement]:
        return statement if len(outline.block_of(statement)) > 1 else None
    others = all(_is_usual(other) for other in around.orelse) and len(around.orelse) < 2
    quiet = _QUIET.fullmatch(ast.unparse(around.test)) and "#" not in outline.source.segment(
        outline.source.span(around)
    )
    return around if others and quiet and not is_elif(outline, around) else None
