"""Boundness: whether a name is bound for certain where a fix would read it, by Python's scoping alone."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from devfix.analysis.text.outline import Outline
from devfix.analysis.text.scope_names import (
    COMPREHENSIONS,
    DEFINITIONS,
    FUNCTIONS,
    binds,
    parameters_of,
    targets,
)
from devfix.analysis.text.syntax import in_rows, is_main_guard
from devfix.analysis.text.vocabulary import vocabulary

#: What finds a function whose name is written nowhere.
_ANY_NAME = {"globals", "locals", "eval", "exec"}

Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.Module


def is_bound(outline: Outline, node: ast.AST, name: str) -> bool:
    """Whether whoever reaches ``node`` finds ``name`` bound, in the scope that decides.

    What stands after a loop does not count on the loop's target, and a function that may be
    called while the names around it are still being bound does not count on them.
    """
    child, current = node, outline.parents.get(node)
    outer_of: ast.AST = node
    while current is not None:
        if isinstance(current, COMPREHENSIONS):
            found = _in_comprehension(outline, current, node, name)
            if found is not None:
                return found
        elif isinstance(current, (ast.Lambda, *FUNCTIONS, ast.Module)) and _is_inside(current, child):
            if _is_local(outline, current, name):
                return _bound_in(outline, current, outer_of, node, name)
            outer_of = current
        child, current = current, outline.parents.get(current)
    return outline.imports_all


def is_defined_at_top(outline: Outline, node: ast.AST, name: str) -> bool:
    """Whether a name means at ``node`` what one import or class at the top of the file binds, and nothing else does."""
    scopes = (each for each in outline.around(node) if isinstance(each, (ast.Lambda, *FUNCTIONS)))
    if any(_is_local(outline, scope, name) for scope in scopes):
        return False
    tree = outline.source.tree
    names = outline.names_in(tree)
    found = names.binders(name)
    sure = len(found) == 1 and not names.headers(name)
    return sure and isinstance(found[0], (ast.Import, ast.ImportFrom, ast.ClassDef)) and found[0] in tree.body


def _is_inside(scope: Scope, child: ast.AST) -> bool:
    """Whether a child of a function is evaluated within it (its decorators and defaults are not)."""
    if isinstance(scope, ast.Module):
        return True
    body = [scope.body] if isinstance(scope, ast.Lambda) else scope.body
    return child in body


def _in_comprehension(outline: Outline, node: ast.AST, inner: ast.AST, name: str) -> bool | None:
    """Whether a comprehension binds the name for ``inner``; None when it does not know the name."""
    generators: list[ast.comprehension] = getattr(node, "generators", [])
    binding = [k for k, generator in enumerate(generators) if name in targets(generator.target)]
    source = next((k for k, g in enumerate(generators) if contains(outline, g.iter, inner)), None)
    if not binding or source == 0:
        return None
    if source is not None:
        return binding[0] < source
    test = next((k for k, g in enumerate(generators) if contains(outline, g, inner)), len(generators))
    return binding[0] <= test


def contains(outline: Outline, part: ast.AST, inner: ast.AST) -> bool:
    """Whether a node is a part of the code, or within it."""
    return inner is part or part in outline.around(inner)


def _is_local(outline: Outline, scope: Scope, name: str) -> bool:
    if name in parameters(scope):
        return True
    return not isinstance(scope, ast.Lambda) and name in outline.names_in(scope).bound


def parameters(scope: ast.AST) -> frozenset[str]:
    """The names of a function's parameters."""
    return frozenset(part.arg for part in parameters_of(scope))


def _bound_in(outline: Outline, scope: Scope, seen_from: ast.AST, node: ast.AST, name: str) -> bool:
    """Whether the scope that owns the name has bound it when ``node`` runs."""
    is_given = name in parameters(scope)
    if isinstance(scope, ast.Lambda):
        return is_given
    names = outline.names_in(scope)
    if name in names.deleted:
        return is_given and seen_from is node and _is_still_there(outline, scope, node, name)
    if is_given:
        return True
    statements = names.binders(name)
    if any(outline.dominates(statement, seen_from) for statement in statements):
        return True
    if any(_is_around(outline, header, seen_from) for header in names.headers(name)):
        return True
    if seen_from is node:
        return False
    return any(
        statement in scope.body and not _runs_before(scope.body, statement, seen_from, outline)
        for statement in statements
    ) or (
        isinstance(scope, ast.Module)
        and _is_read_anyway(outline, seen_from, node, name)
        and any(_begins_script(outline, scope, statement, seen_from) for statement in statements)
    )


def _is_still_there(outline: Outline, scope: ast.AST, node: ast.AST, name: str) -> bool:
    """Whether whatever deletes a name stands behind ``node``, with no loop around both."""
    start = (getattr(node, "lineno", 0), getattr(node, "col_offset", 0))
    loops = {each for each in outline.around(node) if isinstance(each, (ast.For, ast.AsyncFor, ast.While))}
    return not any(
        (use.lineno, use.col_offset) < start or not loops.isdisjoint(outline.around(use))
        for use in outline.occurrences(scope, name)
        if isinstance(use.ctx, ast.Del)
    )


def _is_read_anyway(outline: Outline, function: ast.AST, node: ast.AST, name: str) -> bool:
    """Whether a function that reaches ``node`` reads a name of the file around it in any case, before or later."""
    body = getattr(function, "body", None)
    plain = [part for part in body if not hasattr(part, "body")] if isinstance(body, list) else []
    own = outline.function_of(node) is function
    return own and any(mentions([part], {name}) for part in plain if not isinstance(part, DEFINITIONS))


def _begins_script(outline: Outline, module: ast.Module, binding: ast.stmt, inner: ast.AST) -> bool:
    """Whether a binding stands in the main guard of a file, which asks for nothing of what is around a place before that."""
    guard = outline.parents[binding]
    if guard not in module.body or not is_main_guard(guard) or binding not in guard.body:
        return False
    above = [*module.body[: module.body.index(guard)], *guard.body[: guard.body.index(binding) + 1]]
    return not _ask_for(above, module.body, inner, outline)


def _is_around(outline: Outline, header: ast.stmt, node: ast.AST) -> bool:
    """Whether ``node`` is in the body of a loop or block."""
    return any(contains(outline, part, node) for part in getattr(header, "body", ()))


def _runs_before(body: list[ast.stmt], binding: ast.stmt, inner: ast.AST, outline: Outline) -> bool:
    """Whether code up to the binding mentions the function around a place, or one that mentions it."""
    return _ask_for(body[: body.index(binding) + 1], body, inner, outline)  # what is bound may come out of it


def _ask_for(above: list[ast.stmt], body: list[ast.stmt], inner: ast.AST, outline: Outline) -> bool:
    """Whether statements that run mention the definition of ``body`` around a place, or one that mentions it."""
    top = inner
    while not any(top is statement for statement in body):
        top = outline.parents[top]
    names = _mentioning(body, top)
    return any(mentions(_run_at_once(statement), names | _ANY_NAME) for statement in above)


def _run_at_once(statement: ast.stmt) -> list[ast.AST]:
    """What of a statement runs when it is reached: of a definition what stands around its body, and a class's own."""
    if not isinstance(statement, DEFINITIONS):
        return [statement]
    around: list[ast.AST] = [*statement.decorator_list]
    if isinstance(statement, ast.ClassDef):
        inner = [part for each in statement.body for part in _run_at_once(each)]
        return [*around, *statement.bases, *statement.keywords, *inner]
    spec = statement.args
    return [*around, *spec.defaults, *(default for default in spec.kw_defaults if default is not None)]


def is_set_before(outline: Outline, method: ast.AST, attribute: str) -> bool:
    """Whether no constructor calls ``method`` before it sets ``attribute`` (or without setting it).

    Of methods that are called by others while the object is built the same is asked.
    """
    cls = outline.class_of(method)
    return cls is None or constructor_sets_before(outline, cls, cls, method, attribute)


def constructor_sets_before(
    outline: Outline, cls: ast.ClassDef, of: ast.ClassDef, method: ast.AST, attribute: str
) -> bool:
    """The same of the constructor of ``cls``, a class in the file of ``outline``, where ``method`` is one of ``of``, derived from it."""
    constructor = _methods(cls).get("__init__")
    if constructor is None or method is constructor:
        return True
    uses, setters = early_uses(cls, of, method), _setters(constructor, attribute)
    return not setters or all(any(outline.dominates(s, use) for s in setters) for use in uses)


def early_uses(cls: ast.ClassDef, of: ast.ClassDef, method: ast.AST) -> list[ast.Attribute]:
    """Where the constructor of ``cls`` names ``method``, one of ``of``, or a method that names it."""
    methods = _methods(cls) | _methods(of)
    constructor = _methods(cls).get("__init__")
    early = {getattr(method, "name", "")}
    grown = True
    while grown:
        callers = {n for n, m in methods.items() if n not in early and n != "__init__" and _uses(m, early)}
        grown = bool(callers)
        early |= callers
    named = vocabulary(constructor).attributes if constructor is not None else {}
    return [node for name in early for node in named.get(name, ())]


def sets_before_base(outline: Outline, cls: ast.ClassDef, attribute: str) -> bool:
    """Whether a class's constructor, if it sets an attribute, does so before it calls that of a base."""
    constructor = _methods(cls).get("__init__")
    if constructor is None:
        return True
    calls = [n for n in in_rows(constructor) if isinstance(n, ast.Attribute) and n.attr == "__init__"]
    setters = _setters(constructor, attribute)
    return not setters or all(any(outline.dominates(s, call) for s in setters) for call in calls)


def _setters(constructor: ast.AST, attribute: str) -> list[ast.Assign]:
    return [
        n for n in in_rows(constructor)
        if isinstance(n, ast.Assign) and any(_sets(target, attribute) for target in n.targets)
    ]  # fmt: skip


def _methods(cls: ast.ClassDef) -> dict[str, ast.AST]:
    return {part.name: part for part in cls.body if isinstance(part, FUNCTIONS)}


def _uses(method: ast.AST, names: set[str]) -> bool:
    return not names.isdisjoint(vocabulary(method).attributes)


def _sets(target: ast.expr, attribute: str) -> bool:
    return any(
        isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store) and n.attr == attribute
        for n in in_rows(target)
    )


def _mentioning(body: list[ast.stmt], top: ast.AST) -> set[str]:
    """The name of a definition, and those of the definitions that mention it."""
    names = set(binds(top)) or {n for part in in_rows(top) for n in binds(part)}
    definitions = [statement for statement in body if isinstance(statement, DEFINITIONS)]
    grown = True
    while grown:
        found = {d.name for d in definitions if d.name not in names and mentions([d], names)}
        grown = bool(found)
        names |= found
    return names


def mentions(parts: Iterable[ast.AST], names: set[str]) -> bool:
    """Whether some of the code asks for what is behind one of the names."""
    return any(not names.isdisjoint(vocabulary(part).loaded) for part in parts)


def binds_always(choice: ast.stmt, name: str) -> bool:
    """Whether a statement gives a value to a name, plain or dotted; an ``if`` does that with all its branches."""
    if isinstance(choice, (ast.With, ast.AsyncWith)):
        return any(binds_always(part, name) for part in choice.body)
    if isinstance(choice, ast.If):
        branches = (choice.body, choice.orelse)
        return all(any(binds_always(part, name) for part in branch) for branch in branches)
    bound = choice.targets if isinstance(choice, ast.Assign) else []
    parts = (node for target in bound for node in in_rows(target))
    return any(
        isinstance(node, (ast.Name, ast.Attribute))
        and isinstance(node.ctx, ast.Store)
        and ast.unparse(node) == name
        for node in parts
    )


def decides(outline: Outline, statement: ast.Assign, target: ast.expr) -> bool:
    """Whether no later use of an assigned name may see what another assignment gave it, but for that of another branch.

    What is used behind an assignment that has given the name away for certain has nothing to do with it.
    """
    function = outline.function_of(statement)
    if not isinstance(target, ast.Name) or function is None:
        return True
    names = outline.occurrences(function, target.id)
    if all(node is target or isinstance(node.ctx, ast.Load) or _is_none(outline, node) for node in names):
        return True
    end = statement.end_lineno or statement.lineno
    later = [node for node in names if isinstance(node.ctx, ast.Load) and node.lineno > end]
    later = [node for node in later if not outline.dominates(statement, node)]
    later = [node for node in later if not _is_given_anew(outline, end, node)]
    if not later:
        return True
    whole, others = _branches(outline, statement, target.id)
    if _renames(others, target.id):
        return False
    elsewhere = {node for part in others for node in outline.occurrences(part, target.id)}
    return all(node in elsewhere or outline.dominates(whole, node) for node in later)


def _is_given_anew(outline: Outline, end: int, use: ast.Name) -> bool:
    """Whether an assignment after a line of its function gives the name of ``use`` another value before any such use."""
    function = next(
        (each for each in outline.around(use) if isinstance(each, (ast.Lambda, *FUNCTIONS))), None
    )
    return isinstance(function, FUNCTIONS) and any(
        isinstance(each, (ast.Assign, ast.AnnAssign)) and each.lineno > end and outline.dominates(each, use)
        for each in outline.names_in(function).binders(use.id)
    )


def _is_none(outline: Outline, target: ast.expr) -> bool:
    """Whether an assignment gives a name None: ``weight = None``, ``count, weight = 0, None``."""
    around = outline.parents[target]
    if not isinstance(around, (ast.Tuple, ast.List)):
        given = around.value if isinstance(around, ast.Assign) else None
    else:
        statement = outline.parents[around]
        whole = statement.value if isinstance(statement, ast.Assign) else None
        parts = whole.elts if isinstance(whole, (ast.Tuple, ast.List)) else []
        given = parts[around.elts.index(target)] if len(parts) == len(around.elts) else None
    return isinstance(given, ast.Constant) and given.value is None


def _branches(outline: Outline, statement: ast.stmt, name: str) -> tuple[ast.stmt, list[ast.stmt]]:
    """The largest statement every path through which assigns ``name``, this one or another, and what is on the others."""
    whole, others = statement, list[ast.stmt]()
    parent = outline.parents[whole]
    while isinstance(parent, ast.If):
        other = parent.orelse if whole in parent.body else parent.body
        if not _assigns(other, name):
            break
        whole, others = parent, [*others, *other]
        parent = outline.parents[whole]
    return whole, others


def _renames(block: list[ast.stmt], name: str) -> bool:
    """Whether a block gives a name to what has one already: that is no place where the value could move too."""
    return any(
        isinstance(node, ast.Assign)
        and isinstance(node.value, (ast.Name, ast.Attribute))
        and any(isinstance(t, ast.Name) and t.id == name for t in node.targets)
        for part in block
        for node in in_rows(part)
    )


def _assigns(block: list[ast.stmt], name: str) -> bool:
    """Whether every path through a block assigns a name, as far as that is plain."""
    for part in block:
        if isinstance(part, ast.Assign) and any(
            isinstance(t, ast.Name) and t.id == name for t in part.targets
        ):
            return True
        if isinstance(part, ast.If) and _assigns(part.body, name) and _assigns(part.orelse, name):
            return True
    return False
