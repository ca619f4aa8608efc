"""Bare moves: where no device has a name, a module moves by ``.cuda()`` under the guard that its inputs' moves have."""

from __future__ import annotations

import ast

from devfix.analysis.facts import Facts
from devfix.analysis.outline import Outline
from devfix.findings import Edit, FileEdit, InsertAfter, InsertAtBodyStart, Operand, Origin
from devfix.placement.boundness import is_bound

Edits = tuple[FileEdit, ...]
#: What asks whether there is an accelerator, and means the same in every file.
_AVAILABLE = "torch.cuda.is_available()"
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def like_inputs(facts: Facts, site: Origin, inputs: list[Operand]) -> Edits:
    """``if args.cuda: net.cuda()`` after ``net`` got its name at ``site``, where each input has such a move.

    A device of the file's own would be chosen where the option says otherwise.
    """
    outline = facts.outline(site.path)
    named = outline.expression_at(site.span) if site.kind == "name" else None
    made = outline.statement_of(named) if isinstance(named, ast.Name) else None
    if (
        facts.program.device_policy != "cuda"
        or not isinstance(named, ast.Name)
        or not isinstance(made, ast.Assign)
    ):
        return ()
    moves = [trail[0] for operand in inputs for trail in (operand.trail, *operand.roots) if trail]
    calls = [_bare(facts, move) for move in moves if move.kind == "move"]
    if None in calls or made.targets != [named]:
        return ()
    told = (_guard(facts, move, site) for move in moves if move.kind == "move")
    guards = {guard for guard in told if guard is not None}
    if len(guards) != 1:
        return ()
    guard = guards.pop()
    return (FileEdit(site.path, _guarded(outline, made, named.id, guard)),) if guard else ()


def _guarded(outline: Outline, made: ast.Assign, name: str, guard: str) -> Edit:
    """The move in a block with that guard below, where nothing needs the module before, or in one of its own."""
    block = outline.block_of(made)
    for statement in block[block.index(made) + 1 :]:
        if isinstance(statement, ast.If) and ast.unparse(statement.test) == guard:
            return InsertAtBodyStart(outline.source.span(statement), f"{name}.cuda()")
        if any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(statement)):
            break
    return InsertAfter(outline.source.span(made), f"if {guard}:\n    {name}.cuda()")


def _bare(facts: Facts, move: Origin) -> ast.Call | None:
    """The call ``x.cuda()`` of a move; None where it says more."""
    call = facts.outline(move.path).expression_at(move.span) if move.path in facts.program.sources else None
    return call if isinstance(call, ast.Call) and ast.unparse(call).endswith(".cuda()") else None


def _guard(facts: Facts, move: Origin, site: Origin) -> str | None:
    """The test that a bare move stands under, as it reads at ``site``: "" for none, None where it cannot be told."""
    call = _bare(facts, move)
    if call is None:
        return None
    outline = facts.outline(move.path)
    around: ast.AST = outline.statement_of(call)
    choices: list[ast.If] = []
    while not isinstance(around, (ast.Module, *_FUNCTIONS)):
        above = outline.parents[around]
        if isinstance(above, (ast.If, ast.Try, ast.IfExp)) and not (
            isinstance(above, ast.If) and _moves_only(above)
        ):
            return None
        choices += [above] if isinstance(above, ast.If) else []
        around = above
    if len(choices) != 1:
        return None if choices else ""
    test = ast.unparse(choices[0].test)
    return test if test == _AVAILABLE or _reads_the_same(facts, choices[0].test, move, site) else None


def _moves_only(choice: ast.If) -> bool:
    """Whether a choice is about nothing but where things are; of one move alone nobody knows."""
    if choice.orelse:
        body, other = (ast.unparse(ast.Module(part, [])) for part in (choice.body, choice.orelse))
        return body.replace(".cuda()", "") == other
    several = len(choice.body) > 1 or ast.unparse(choice.test) == _AVAILABLE
    return several and all(
        isinstance(part, (ast.Assign, ast.Expr))
        and isinstance(part.value, ast.Call)
        and isinstance(part.value.func, ast.Attribute)
        and part.value.func.attr == "cuda"
        for part in choice.body
    )


def _reads_the_same(facts: Facts, test: ast.expr, move: Origin, site: Origin) -> bool:
    """Whether a test of variables of the file means at ``site`` what it means at the move."""
    outline = facts.outline(site.path)
    there = outline.expression_at(site.span)
    if move.path != site.path or there is None or any(isinstance(node, ast.Call) for node in ast.walk(test)):
        return False
    names = {node.id for node in ast.walk(test) if isinstance(node, ast.Name)}
    inside = [outline.function_of(outline.expression_at(place.span) or there) for place in (move, site)]
    local = {name for function in inside if function is not None for name in _bound(function)}
    return bool(names) and names.isdisjoint(local) and all(is_bound(outline, there, name) for name in names)


def _bound(function: ast.AST) -> set[str]:
    """All names that a function binds, its parameters among them."""
    nodes = list(ast.walk(function))
    stored = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return stored | {node.arg for node in nodes if isinstance(node, ast.arg)}
