"""Scope names: what the statements of one scope bind, read once however often it is asked for."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from devfix.analysis.text.nodes_below import below
from devfix.analysis.text.noting import noted
from devfix.analysis.text.syntax import in_rows

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
DEFINITIONS = (*FUNCTIONS, ast.ClassDef)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
LOOPS = (ast.For, ast.AsyncFor)
#: By what a function gives something back.
GIVING = (ast.Return, ast.Yield, ast.YieldFrom)
_WITHS = (ast.With, ast.AsyncWith)
#: What may end before it has bound anything.
_UNSURE = (*LOOPS, ast.While, ast.Match, ast.Try, *([ast.TryStar] if hasattr(ast, "TryStar") else []))
_INNER_SCOPES = (*DEFINITIONS, ast.Lambda, *COMPREHENSIONS)

_NONE: tuple[ast.stmt, ...] = ()


class ScopeNames:
    """The names that the body of a scope binds, by Python's syntax alone."""

    def __init__(self, body: Sequence[ast.stmt]) -> None:
        self._nodes = list(own_nodes(body))

    @cached_property
    def bound(self) -> frozenset[str]:
        """The names that some statement of the scope binds, but for those it declares to be another scope's."""
        declared = {
            name for n in self._nodes if isinstance(n, (ast.Global, ast.Nonlocal)) for name in n.names
        }
        return frozenset(name for node in self._nodes for name in binds(node)) - declared

    @cached_property
    def deleted(self) -> frozenset[str]:
        """The names that some statement of the scope unbinds."""
        return frozenset(n.id for n in self._nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Del))

    def binders(self, name: str) -> Sequence[ast.stmt]:
        """The statements that have bound the name when they were executed to their end, in order."""
        return self._binders.get(name, _NONE)

    def headers(self, name: str) -> Sequence[ast.stmt]:
        """The loops and blocks whose header binds the name, in order."""
        return self._headers.get(name, _NONE)

    @cached_property
    def _binders(self) -> dict[str, list[ast.stmt]]:
        found: dict[str, list[ast.stmt]] = {}
        known: dict[ast.stmt, frozenset[str]] = {}
        # Those inside first: what a block binds is told by its statements.
        for node in reversed(self._nodes):
            if isinstance(node, ast.stmt):
                known[node] = _always_bound(node, known)
        for node, names in known.items():
            for name in names:
                found.setdefault(name, []).append(node)
        return {name: sorted(nodes, key=_place) for name, nodes in found.items()}

    @cached_property
    def _headers(self) -> dict[str, list[ast.stmt]]:
        found: dict[str, list[ast.stmt]] = {}
        for node in self._nodes:
            if isinstance(node, (*LOOPS, *_WITHS)):
                for name in _of_header(node):
                    found.setdefault(name, []).append(node)
        return {name: sorted(nodes, key=_place) for name, nodes in found.items()}


def own_nodes(body: Iterable[ast.AST], inner: tuple[type[ast.AST], ...] = _INNER_SCOPES) -> Iterator[ast.AST]:
    """The nodes of a scope but contexts and operators, without what is in the ``inner`` scopes; what is around others comes first."""
    stack = list(body)
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, inner):
            stack += below(node)


def is_used_after(loop: ast.For | ast.AsyncFor, statement: ast.stmt, name: str) -> bool:
    """Whether a round of a loop goes on to use a name behind one of its statements."""
    end = (statement.end_lineno or 0, statement.end_col_offset or 0)
    return any(
        isinstance(node, ast.Name) and node.id == name and (node.lineno, node.col_offset) > end
        for part in loop.body
        for node in in_rows(part)
    )


@noted
def only_return(function: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.Return | None:
    """The one statement of a function that gives something back, or nothing, wherever it stands; None for a generator as well."""
    ways = [node for node in own_nodes(function.body) if isinstance(node, GIVING)]
    found = ways[0] if len(ways) == 1 else None
    return found if isinstance(found, ast.Return) else None


def parameters_of(scope: ast.AST) -> tuple[ast.arg, ...]:
    """The parameters of a function, those that take all that is left among them; none of any other scope."""
    spec = getattr(scope, "args", None)
    if not isinstance(spec, ast.arguments):
        return ()
    rest = (part for part in (spec.vararg, spec.kwarg) if part is not None)
    return (*spec.posonlyargs, *spec.args, *spec.kwonlyargs, *rest)


def positional_of(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> list[ast.arg]:
    """The parameters that a call may give by their position, the object of a method among them."""
    return [*function.args.posonlyargs, *function.args.args]


def defaults_of(spec: ast.arguments) -> list[tuple[ast.arg, ast.expr]]:
    """The parameters of a signature that have a default, and that, in the order in which they are evaluated."""
    names = [*spec.posonlyargs, *spec.args]
    ordered = zip(names[len(names) - len(spec.defaults) :], spec.defaults, strict=True)
    named = zip(spec.kwonlyargs, spec.kw_defaults, strict=True)
    return [*ordered, *((parameter, default) for parameter, default in named if default is not None)]


def targets(target: ast.AST) -> frozenset[str]:
    """The names that a target of an assignment or loop binds."""
    return frozenset(
        n.id for n in in_rows(target) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    )


def binds(node: ast.AST) -> frozenset[str]:
    """The names that one node binds by itself."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
        return frozenset({node.id})
    if isinstance(node, DEFINITIONS):
        return frozenset({node.name})
    if isinstance(node, ast.alias):
        return frozenset({(node.asname or node.name).partition(".")[0]})
    if isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
        return frozenset({node.name})
    return frozenset()


def variables_of(
    tree: ast.Module, contexts: tuple[type[ast.expr_context], ...] = (ast.expr_context,)
) -> Iterator[str]:
    """Every name that some scope of a file binds or reads, or that it uses in these contexts alone."""
    for node in in_rows(tree):
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, contexts):
                yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.alias):
            yield (node.asname or node.name).partition(".")[0]
        elif isinstance(node, DEFINITIONS):
            yield node.name


def _always_bound(statement: ast.stmt, known: dict[ast.stmt, frozenset[str]]) -> frozenset[str]:
    """The names that a statement which was executed to its end has bound; ``known`` tells those of what is inside."""
    if isinstance(statement, ast.If):
        return _of_block(statement.body, known) & _of_block(statement.orelse, known)
    if isinstance(statement, _WITHS):
        return _of_header(statement) | _of_block(statement.body, known)
    if isinstance(statement, DEFINITIONS):
        return frozenset({statement.name})
    if isinstance(statement, _UNSURE):
        return frozenset()
    if isinstance(statement, ast.AnnAssign) and statement.value is None:
        return frozenset()
    return frozenset(name for part in own_nodes([statement]) for name in binds(part))


def _of_block(block: list[ast.stmt], known: dict[ast.stmt, frozenset[str]]) -> frozenset[str]:
    return frozenset().union(*(known[statement] for statement in block))


def _of_header(statement: ast.stmt) -> frozenset[str]:
    if isinstance(statement, _WITHS):
        named = [item.optional_vars for item in statement.items if item.optional_vars is not None]
        return frozenset().union(*map(targets, named))
    return targets(statement.target) if isinstance(statement, LOOPS) else frozenset()


def _place(node: ast.stmt) -> tuple[int, int]:
    return node.lineno, node.col_offset
