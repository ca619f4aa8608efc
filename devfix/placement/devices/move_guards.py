"""Move guards: the tests under which a program moves things to the accelerator, and what is known to mean the same elsewhere."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.analysis.text.outline import Outline
from devfix.analysis.text.syntax import first_name, in_rows
from devfix.placement.devices.boundness import is_bound, parameters
from devfix.placement.devices.type_aliases import names_accelerator
from devfix.placement.text import chains

#: What asks whether there is an accelerator, and means the same in every file.
AVAILABLE = "torch.cuda.is_available()"
_SEEDS = frozenset({"torch.cuda.manual_seed", "torch.cuda.manual_seed_all"})
_MOVES = ("to", "cuda")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def is_guard(choice: ast.AST) -> bool:
    """Whether an ``if`` is about nothing but where things are.

    With an ``else`` that does the same without the moves it is; of one move alone that tells nobody but where the
    test is a flag.
    """
    if not isinstance(choice, ast.If):
        return False
    if choice.orelse:
        body, other = (ast.unparse(ast.Module(part, [])) for part in (choice.body, choice.orelse))
        return body.replace(".cuda()", "") == other
    silent = [part for part in choice.body if not _says(part)]
    bound = [part.value for part in silent if isinstance(part, (ast.Assign, ast.Expr))]
    placed = [_moves(value) or _types(value) for value in bound]
    several = sum(map(len, placed)) > 1 or is_flag(choice.test)
    return bool(placed) and all(placed) and several and len(bound) == len(silent)


def is_choice(value: ast.expr) -> bool:
    """Whether a value is ``x.cuda() if use_cuda else x``."""
    move = value.body if isinstance(value, ast.IfExp) and is_flag(value.test) else None
    if (
        not isinstance(value, ast.IfExp)
        or not isinstance(move, ast.Call)
        or not isinstance(move.func, ast.Attribute)
    ):
        return False
    return move.func.attr in _MOVES and ast.unparse(move.func.value) == ast.unparse(value.orelse)


def _says(statement: ast.stmt) -> bool:
    """Whether a statement does nothing but print a text."""
    called = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(called, ast.Call) or ast.unparse(called.func) != "print":
        return False
    return all(isinstance(arg, ast.Constant) for arg in called.args)


def _moves(value: ast.expr) -> list[ast.expr]:
    """What an assigned value moves: all of it, or nothing."""
    parts = value.elts if isinstance(value, (ast.Tuple, ast.List)) else [value]
    return parts if parts and all(map(_is_move, parts)) else []


def _is_move(value: ast.expr) -> bool:
    """Whether a value is ``x.cuda()``, or ``[x.cuda() for x in xs]``, or ``list(map(lambda x: x.cuda(), xs))``."""
    if isinstance(value, (ast.ListComp, ast.GeneratorExp)):
        return _is_move(value.elt)
    if not isinstance(value, ast.Call):
        return False
    if isinstance(value.func, ast.Attribute):
        return value.func.attr in _MOVES
    called, first = ast.unparse(value.func), value.args[0] if value.args else None
    if called in ("list", "tuple"):
        return first is not None and _is_move(first)
    return called == "map" and isinstance(first, ast.Lambda) and _is_move(first.body)


def _types(value: ast.expr) -> list[ast.expr]:
    return [value] if names_accelerator(value) else []


def is_flag(test: ast.expr) -> bool:
    """Whether a test asks an option, a variable, or whether there is an accelerator: nothing that is computed."""
    if isinstance(test, ast.BoolOp):
        return all(map(is_flag, test.values))
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return is_flag(test.operand)
    if isinstance(test, ast.Compare):
        (against, *others) = test.comparators
        return not others and _is_plain(against) and is_flag(test.left)
    if isinstance(test, ast.Subscript):
        return isinstance(test.slice, ast.Constant) and is_flag(test.value)
    if isinstance(test, ast.Attribute):
        return is_flag(test.value)
    return isinstance(test, ast.Name) or ast.unparse(test) == AVAILABLE


def _is_plain(against: ast.expr) -> bool:
    """Whether an option is compared with truth or with a number, as in ``args.gpu >= 0``."""
    if isinstance(against, ast.UnaryOp):
        return isinstance(against.op, ast.USub) and _is_plain(against.operand)
    return isinstance(against, ast.Constant) and (against.value is True or type(against.value) is int)


def tests_around(outline: Outline, move: ast.expr, place: ast.AST) -> list[ast.expr] | None:
    """The tests of the guards around a move and not around ``place``; None where other choices are made, too."""
    shared = set(outline.around(place))
    around: ast.AST = move
    tests: list[ast.expr] = []
    while not isinstance(around, (ast.Module, *_FUNCTIONS)):
        around, inner = outline.parents[around], around
        if around in shared:
            break
        chooses = isinstance(around, ast.If) and not is_guard(around)
        if (
            isinstance(around, ast.Try)
            or chooses
            or (isinstance(around, ast.IfExp) and not is_choice(around))
        ):
            return None
        tests += [around.test] if isinstance(around, (ast.If, ast.IfExp)) and inner is not around.test else []
    return tests


def nearest(outline: Outline, move: ast.expr) -> ast.expr | None:
    """The test of the guard right around a move, whatever other choices are made around that; None where there is none."""
    around: ast.AST = move
    while not isinstance(around, (ast.Module, *_FUNCTIONS)):
        around, inner = outline.parents[around], around
        if isinstance(around, ast.If):
            return around.test if inner in around.body and is_guard(around) else None
    return None


def reads_the_same(outline: Outline, test: ast.expr, place: ast.AST) -> bool:
    """Whether a test of flags of a file, somewhere in it, means the same at ``place``: its names are the file's own."""
    if ast.unparse(test) == AVAILABLE:
        return is_bound(outline, place, "torch")
    names = {node.id for node in in_rows(test) if isinstance(node, ast.Name)}
    inside = [outline.function_of(node) for node in (test, place)]
    if inside[0] is inside[1] and _are_given(inside[0], names):
        return is_flag(test)
    local = {name for function in inside if function is not None for name in _bound(function)}
    whole = outline.names_in(outline.source.tree)
    settled = all(len(whole.binders(name)) == 1 and is_bound(outline, place, name) for name in names)
    return is_flag(test) and settled and names.isdisjoint(local) and not _is_set_later(outline, test, place)


def _are_given(function: ast.FunctionDef | ast.AsyncFunctionDef | None, names: set[str]) -> bool:
    """Whether names are all parameters of a function that binds none of them anew, nor sets what they hold."""
    if function is None or not names or not names <= parameters(function):
        return False
    return not any(
        _stores(node) and chains.name_of(node, ast.Attribute, ast.Subscript) in names
        for node in in_rows(function)
        if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript))
    )


def _stores(node: ast.Name | ast.Attribute | ast.Subscript) -> bool:
    return not isinstance(node.ctx, ast.Load)


def _is_set_later(outline: Outline, test: ast.expr, place: ast.AST) -> bool:
    """Whether what a test asks of an object is not there yet where a script comes to ``place``."""
    if outline.function_of(place) is not None:
        return False
    asked = {ast.unparse(node) for node in in_rows(test) if isinstance(node, ast.Attribute)}
    return any(
        ast.unparse(target) in asked
        and not _is_of_own(outline, target)
        and not outline.dominates(part, place)
        for part in in_rows(outline.source.tree)
        if isinstance(part, ast.Assign)
        for target in part.targets
    )


def _is_of_own(outline: Outline, target: ast.expr) -> bool:
    """Whether an attribute is set of what the function around makes itself, before anybody else has it."""
    function, name = outline.function_of(target), first_name(target)
    return function is not None and name not in parameters(function) and name in _bound(function)


def _bound(function: ast.AST) -> set[str]:
    """All names that a function binds, its parameters among them."""
    nodes = list(in_rows(function))
    stored = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return stored | {name for node in nodes for name in parameters(node)}


def of_file(outline: Outline) -> Iterator[ast.expr]:
    """The flags under which a file moves something by ``.cuda()``, names types of the accelerator or seeds it, and no more.

    What it does otherwise may be the same without the moves.
    """
    for choice in in_rows(outline.source.tree):
        if isinstance(choice, ast.If) and is_flag(choice.test) and _is_of_moves_alone(choice):
            yield choice.test


def _is_of_moves_alone(choice: ast.If) -> bool:
    if choice.orelse:
        return is_guard(choice) and ".cuda()" in ast.unparse(ast.Module(choice.body, []))
    values = [part.value for part in choice.body if isinstance(part, (ast.Assign, ast.Expr))]
    return len(values) == len(choice.body) and all(_is_of_accelerator(value) for value in values)


def _is_of_accelerator(value: ast.expr) -> bool:
    if isinstance(value, ast.Call) and ast.unparse(value.func) in _SEEDS:
        return True
    return names_accelerator(value) or any(ast.unparse(move).endswith(".cuda()") for move in _moves(value))
