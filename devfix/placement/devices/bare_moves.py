"""Bare moves: where no device has a name, a module moves by ``.cuda()`` as its inputs do, under the guard that they have."""

from __future__ import annotations

import ast
import itertools
from typing import TypeGuard

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.noting import noted
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.syntax import in_rows
from devfix.findings import Edit, FileEdit, InsertAfter, InsertAtBodyStart, Operand, Origin
from devfix.placement.devices import handed_guard, held_guard, move_guards, type_aliases
from devfix.placement.devices.following import follows_tensor
from devfix.placement.modules import module_choice

Edits = tuple[FileEdit, ...]
#: What need not compute its parts, and what ends a program.
_AT_TIMES = (ast.Lambda, ast.IfExp, ast.BoolOp, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_ENDING = frozenset({"exit", "_exit", "quit", "abort", "error"})
#: What is in the text of a program that may run without an accelerator.
_OTHER_PLACES = ("is_available", "device_count", '"cpu', "'cpu")


def like_inputs(facts: Facts, site: Origin, inputs: list[Operand]) -> Edits:
    """``if args.cuda: net.cuda()`` after ``net`` got its name at ``site``, where each input has such a move.

    A device of the file's own would be chosen where the option says otherwise. Where nobody can tell at ``site`` what
    guards the inputs, the file may have a guard of its own.
    """
    outline = facts.outline(site.path)
    named = outline.expression_at(site.span) if site.kind in ("name", "attribute") else None
    given = outline.statement_of(named) if isinstance(named, (ast.Name, ast.Attribute)) else None
    if facts.program.device_policy != "cuda" or named is None or not isinstance(given, ast.Assign):
        return ()
    trails = [trail[0] for operand in inputs for trail in (operand.trail, *operand.roots) if trail]
    moves = [each for each in dict.fromkeys(trails) if each.kind == "move" or _has_alias(facts, each)]
    moves = [each for each in moves if not _follows(facts, each)]
    if given.targets != [named] or not moves or not all(_call(facts, move) for move in moves):
        return ()
    several = module_choice.after(outline, given.value)
    made = given if several is None else several[0]  # whichever it is moves once
    guards = {_guard(facts, move, outline, made) for move in moves}
    always = [move for move in moves if _tests(facts, move, made) == []]
    beside = any(_is_beside(facts, move, outline, made) for move in always) or _is_among_moves(outline, made)
    knows_none = _knows_no_other_place(facts) and _reaches_moves(outline, made)
    hard_coded = bool(always) and (knows_none or (facts.was_run and len(always) == len(moves)))
    guard = guards.pop() if len(guards) == 1 else None
    if always:
        guard = "" if hard_coded or (beside and len(always) == len(moves)) else None
    elif guard is None:
        guard = _own_guard(outline, made, ast.unparse(named))
    if guard is None:
        return ()
    return (FileEdit(site.path, _guarded(outline, made, ast.unparse(named), guard)),)


def _guarded(outline: Outline, made: ast.stmt, name: str, guard: str) -> Edit:
    """The move in a block with that guard below, where nothing needs the module before, or in one of its own."""
    if not guard:
        return InsertAfter(outline.source.span(made), f"{name}.cuda()")
    for choice in _choices_below(outline, made, name):
        if ast.unparse(choice.test) == guard:
            return InsertAtBodyStart(outline.source.span(choice), f"{name}.cuda()")
    return InsertAfter(outline.source.span(made), f"if {guard}:\n    {name}.cuda()")


def _choices_below(outline: Outline, made: ast.stmt, name: str) -> list[ast.If]:
    """Each ``if`` of the block that makes a module, down to where the module is needed."""
    block = outline.block_of(made)
    found: list[ast.If] = []
    for statement in block[block.index(made) + 1 :]:
        if isinstance(statement, ast.If):
            found.append(statement)
        if any(ast.unparse(node) == name for node in in_rows(statement) if isinstance(node, ast.expr)):
            break
    return found


def _own_guard(outline: Outline, made: ast.stmt, name: str) -> str | None:
    """The one flag under which the file moves other things, if it can be read where the module is made."""
    flags = {ast.unparse(flag): flag for flag in move_guards.of_file(outline)}
    tests = [ast.unparse(choice.test) for choice in _choices_below(outline, made, name)]
    read = [test for test in tests if test in flags] or [
        test for test, flag in flags.items() if move_guards.reads_the_same(outline, flag, made)
    ]
    return read[0] if len(set(read)) == 1 else None


def _call(facts: Facts, move: Origin) -> ast.Call | None:
    """The call ``x.cuda()`` of a move, or one that gives it a type that the file has a name for; None where it says more."""
    outline = facts.outline(move.path) if move.path in facts.program.sources else None
    call = outline.expression_at(move.span) if outline is not None else None
    if outline is None or not isinstance(call, ast.Call):
        return None
    return call if _is_bare(call) or type_aliases.tests(outline, call) is not None else None


def _follows(facts: Facts, move: Origin) -> bool:
    """Whether a move is to where another tensor is, which says nothing of where that is."""
    outline = facts.outline(move.path) if move.path in facts.program.sources else None
    return outline is not None and follows_tensor(facts, outline, outline.expression_at(move.span))


def _has_alias(facts: Facts, made: Origin) -> bool:
    """Whether a tensor is made by a type that the file has a name for."""
    call = _call(facts, made) if made.kind == "factory" else None
    return call is not None and not _is_bare(call)


def _is_bare(node: ast.AST) -> TypeGuard[ast.Call]:
    """Whether a node is ``x.cuda()``; whether the host waits for it says nothing of the place."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "cuda"
        and not node.args
        and all(keyword.arg == "non_blocking" for keyword in node.keywords)
    )


@noted
def _bare_calls(tree: ast.Module) -> list[ast.Call]:
    return list(filter(_is_bare, in_rows(tree)))


def _is_among_moves(outline: Outline, made: ast.stmt) -> bool:
    """Whether a run that makes the module moves something else by ``.cuda()`` in the same block, in any case."""
    block = outline.block_of(made)
    place = block.index(made)
    below = itertools.takewhile(lambda statement: not _may_end(statement), block[place + 1 :])
    return any(_always_moves(statement) for statement in (*block[:place], *below))


def _knows_no_other_place(facts: Facts) -> bool:
    """Whether a program nowhere asks for an accelerator, nor names another place."""
    texts = [facts.source(path).text for path in facts.program.sources]
    return not any(word in text for text in texts for word in _OTHER_PLACES)


def _reaches_moves(outline: Outline, made: ast.stmt) -> bool:
    """Whether a run that makes the module calls one of the functions of the file that move by ``.cuda()`` in any case.

    One of them alone does not tell what the file is like.
    """
    moving = {
        function.name
        for call in _bare_calls(outline.source.tree)
        if isinstance(function := outline.function_of(call), ast.FunctionDef)
        and function in outline.source.tree.body
        and move_guards.tests_around(outline, call, function) == []
        and not any(isinstance(each, ast.Lambda) for each in outline.around(call))
    }
    block = outline.block_of(made)
    below = itertools.takewhile(lambda each: not _may_end(each), block[block.index(made) + 1 :])
    return len(moving) > 1 and any(_calls_one(statement, moving) for statement in below)


def _calls_one(statement: ast.stmt, functions: set[str]) -> bool:
    """Whether a statement calls one of the functions, whatever branches it takes."""
    if isinstance(statement, ast.If):
        branches = (statement.body, statement.orelse)
        return all(any(_calls_one(each, functions) for each in branch) for branch in branches)
    if not isinstance(statement, (ast.Assign, ast.Expr)):
        return False
    parts = list(in_rows(statement))
    named = {part.func.id for part in parts if isinstance(part, ast.Call) and isinstance(part.func, ast.Name)}
    return not any(isinstance(part, _AT_TIMES) for part in parts) and not named.isdisjoint(functions)


def _always_moves(statement: ast.stmt) -> bool:
    if not isinstance(statement, (ast.Assign, ast.Expr)):
        return False
    parts = list(in_rows(statement))
    return not any(isinstance(part, _AT_TIMES) for part in parts) and any(map(_is_bare, parts))


def _may_end(statement: ast.stmt) -> bool:
    """Whether a run may go no further than a statement without failing."""
    return any(
        isinstance(part, (ast.Return, ast.Break, ast.Continue, ast.Raise))
        or (isinstance(part, ast.Call) and ast.unparse(part.func).rpartition(".")[2] in _ENDING)
        for part in in_rows(statement)
    )


def _guard(facts: Facts, move: Origin, outline: Outline, made: ast.stmt) -> str | None:
    """The test of the one guard of a bare move, as it reads where the module is made; None where that is not known."""
    tests, asking = _tests(facts, move, made), facts.outline(move.path)
    call = _call(facts, move)
    if tests is None and call is not None and (found := move_guards.nearest(asking, call)) is not None:
        tests = [found]
    if not tests or len(tests) > 1:
        return None
    (test,) = tests
    own = asking is outline or ast.unparse(test) == move_guards.AVAILABLE
    same = own and move_guards.reads_the_same(outline, test, made)
    if not same and not handed_guard.reads_the_same(facts, asking, test, outline, made):
        told = held_guard.as_told(facts, asking, test, outline, made)
        return ast.unparse(told) if told is not None else None
    return ast.unparse(test)


def _tests(facts: Facts, move: Origin, made: ast.stmt) -> list[ast.expr] | None:
    """What is asked in its function before a bare move is made; None where nobody knows."""
    call, outline = _call(facts, move), facts.outline(move.path)
    around = move_guards.tests_around(outline, call, made) if call is not None else None
    if call is None or around is None or _is_bare(call):
        return around
    named = type_aliases.tests(outline, call)
    return None if named is None else [*around, *named]


def _is_beside(facts: Facts, move: Origin, outline: Outline, made: ast.stmt) -> bool:
    """Whether a move is made in the function that makes the module."""
    call = _call(facts, move) if facts.outline(move.path) is outline else None
    return call is not None and outline.function_of(call) is outline.function_of(made)
