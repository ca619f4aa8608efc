"""Choices of a module: where each branch of an ``if`` makes one, whichever it is moves once, after the ``if``.

Of a module that is given and one that is made else, too, whichever it is moves.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import takewhile

from devfix.analysis.text.outline import Outline
from devfix.analysis.text.syntax import in_rows

#: Statements after which comes the next one, as long as nothing is raised.
_SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr)


def after(outline: Outline, made: ast.expr) -> tuple[ast.If, str] | None:
    """The ``if`` of which each branch gives a new module to one name, and the name; None for any other call."""
    statement = outline.parents.get(made)
    target = _target(statement)
    if target is None or not isinstance(statement, ast.Assign) or statement.value is not made:
        return None
    name = ast.unparse(target)
    around, found = outline.parents.get(statement), None
    while isinstance(around, ast.If):
        choice = _whole(outline, around)
        if not _chooses(outline, choice, name) or _is_called(choice, name):
            break
        found, around = (choice, name), outline.parents.get(choice)
    return found


def _whole(outline: Outline, choice: ast.If) -> ast.If:
    """The ``if`` with which a chain of ``elif`` begins."""
    while isinstance(around := outline.parents.get(choice), ast.If) and choice in around.orelse:
        choice = around
    return choice


def _chooses(outline: Outline, choice: ast.If, name: str) -> bool:
    """Whether each branch of an ``if`` makes something for the name, or leaves it to one of its own to do so."""
    branches = list(_branches(choice))
    taken = [branch for branch in branches if branch and not isinstance(branch[-1], ast.Raise)]
    if len(taken) < 2 or not all(_makes(outline, branch, name) for branch in taken):
        return False
    return bool(branches[-1]) or _is_needed(outline, choice, name)


def with_given(outline: Outline, made: ast.expr) -> ast.expr:
    """The choice between a module that a caller may give and one that is made else: ``model or Net()``.

    What is given moves as well, since what it is called with does. Any other expression is given back as it is.
    """
    choice = outline.parents.get(made)
    if isinstance(choice, ast.BoolOp) and isinstance(choice.op, ast.Or) and choice.values[1:] == [made]:
        given = choice.values[0]
    elif isinstance(choice, ast.IfExp) and made in (choice.body, choice.orelse):
        given = choice.orelse if made is choice.body else choice.body
        if not any(isinstance(part, ast.Name) and _same(part, given) for part in in_rows(choice.test)):
            return made
    else:
        return made
    return choice if isinstance(given, ast.Name) and _is_parameter(outline, given) else made


def others(outline: Outline, made: ast.expr) -> list[ast.Call]:
    """What is called instead of an expression: in the other branches of an ``if``, or to be returned by the same function.

    Which branch is taken may be decided by what this run of the program says, and another run says otherwise.
    """
    statement = outline.parents.get(made)
    if isinstance(statement, ast.Return):
        function = outline.function_of(statement)
        nodes = in_rows(function) if function is not None else ()
        returns = (node for node in nodes if isinstance(node, ast.Return) and node is not statement)
        own = (node.value for node in returns if outline.function_of(node) is function)
        return [value for value in own if isinstance(value, ast.Call)]
    if isinstance(statement, ast.IfExp):
        value = statement.orelse if made is statement.body else statement.body
        return [value] if isinstance(value, ast.Call) and made is not statement.test else []
    return [*_in_branches(outline, made), *_in_kin(outline, made)]


def _in_branches(outline: Outline, made: ast.expr) -> list[ast.Call]:
    statement = outline.parents.get(made)
    target, choice = _target(statement), outline.parents.get(statement) if statement is not None else None
    if target is None or not isinstance(choice, ast.If):
        return []
    choice, name = _whole(outline, choice), ast.unparse(target)
    alike = (
        part.value
        for branch in _branches(choice)
        for part in branch
        if isinstance(part, ast.Assign) and _names(part, name)
    )
    return [value for value in alike if value is not made and isinstance(value, ast.Call)]


def _in_kin(outline: Outline, made: ast.expr) -> Iterator[ast.Call]:
    """What the constructors of other classes give the same attribute that share a base, and all else, with the one around."""
    statement = outline.parents.get(made)
    cls = outline.class_of(outline.function_of(made) or made)
    target = _target(statement)
    if cls is None or not isinstance(target, ast.Attribute) or not _only_constructs(cls):
        return
    bases = [ast.dump(base) for base in cls.bases]
    for other in outline.source.tree.body:
        if not isinstance(other, ast.ClassDef) or other is cls or not _only_constructs(other):
            continue
        if not bases or [ast.dump(base) for base in other.bases] != bases:
            continue
        for part in in_rows(other):
            if isinstance(part, ast.Assign) and _names(part, ast.unparse(target)):
                yield from [part.value] if isinstance(part.value, ast.Call) else []


def _only_constructs(cls: ast.ClassDef) -> bool:
    """Whether a class has nothing of its own but a constructor, and perhaps a docstring."""
    parts = [part for part in cls.body if not isinstance(part, ast.Expr)]
    return [getattr(part, "name", "") for part in parts] == ["__init__"]


def _same(name: ast.Name, other: ast.expr) -> bool:
    return isinstance(other, ast.Name) and name.id == other.id


def _is_parameter(outline: Outline, name: ast.Name) -> bool:
    function = outline.function_of(name)
    return isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)) and any(
        part.arg == name.id for part in in_rows(function.args) if isinstance(part, ast.arg)
    )


def _branches(choice: ast.If) -> Iterator[list[ast.stmt]]:
    """The bodies of a chain of ``elif``, that of the last ``else`` included, empty or not."""
    while True:
        yield choice.body
        if len(choice.orelse) != 1 or not isinstance(choice.orelse[0], ast.If):
            break
        choice = choice.orelse[0]
    yield choice.orelse


def _target(statement: ast.AST | None) -> ast.expr | None:
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return targets[0] if len(targets) == 1 and isinstance(targets[0], (ast.Name, ast.Attribute)) else None


def _makes(outline: Outline, branch: list[ast.stmt], name: str) -> bool:
    """Whether a branch calls something for the name, or each branch of an ``if`` in it does, and it moves nothing itself."""
    values = [part.value for part in branch if isinstance(part, ast.Assign) and _names(part, name)]
    if not values:
        inner = [part for part in branch if isinstance(part, ast.If)]
        return len(inner) == 1 and _chooses(outline, inner[0], name) and not _moves(branch)
    return len(values) == 1 and isinstance(values[0], ast.Call) and not _moves(branch)


def _names(statement: ast.Assign, name: str) -> bool:
    target = _target(statement)
    return target is not None and ast.unparse(target) == name


def _moves(branch: list[ast.stmt]) -> bool:
    methods = (node for part in branch for node in in_rows(part) if isinstance(node, ast.Attribute))
    return any(method.attr in ("to", "cuda", "cpu") for method in methods)


def _is_needed(outline: Outline, choice: ast.If, name: str) -> bool:
    """Whether what follows, one simple statement after the other, asks the name for something.

    It must have got it by then.
    """
    block = outline.block_of(choice)
    simple = takewhile(lambda part: isinstance(part, _SIMPLE), block[block.index(choice) + 1 :])
    first = block[block.index(choice) + 1 :][:1]
    attributes = (
        node for part in (*first, *simple) for node in in_rows(part) if isinstance(node, ast.Attribute)
    )
    return any(ast.unparse(node.value) == name for node in attributes)


def _is_called(choice: ast.If, name: str) -> bool:
    calls = (node for node in in_rows(choice) if isinstance(node, ast.Call))
    return any(ast.unparse(call.func) == name for call in calls)
