"""What is right below a node of syntax: asked for each node of each walk."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

#: Fields that hold no nodes, or such as tell nothing but what is done: contexts and operators.
_LEAVES = frozenset({"ctx", "op", "ops", "id", "attr", "arg", "module", "level", "kind", "type_comment"})
#: Lists that may hold something else beside nodes, or nothing in the place of one.
_MIXED = frozenset({"keys", "kw_defaults", "names", "kwd_attrs"})
#: The other fields of each class of nodes.
_BRANCHES: dict[type[ast.AST], tuple[str, ...]] = {ast.Constant: (), ast.Name: ()}


def _branches(kind: type[ast.AST]) -> tuple[str, ...]:
    found = _BRANCHES[kind] = tuple(name for name in kind._fields if name not in _LEAVES)
    return found


#: What is below those that most of a program is made of, told without a look at each of their fields.
_BELOW: dict[type[ast.AST], Callable[[Any], list[ast.AST]]] = {
    ast.Attribute: lambda node: [node.value],
    ast.Call: lambda node: [node.func, *node.args, *node.keywords],
    ast.keyword: lambda node: [node.value],
    ast.Expr: lambda node: [node.value],
    ast.Assign: lambda node: [*node.targets, node.value],
    ast.BinOp: lambda node: [node.left, node.right],
    ast.Compare: lambda node: [node.left, *node.comparators],
    ast.Subscript: lambda node: [node.value, node.slice],
    ast.Tuple: lambda node: node.elts,
    ast.List: lambda node: node.elts,
    ast.If: lambda node: [node.test, *node.body, *node.orelse],
}


def below(node: ast.AST) -> list[ast.AST]:
    """The nodes right below a node, in order, but contexts and operators; nobody changes the list."""
    kind = type(node)
    told = _BELOW.get(kind)
    if told is not None:
        return told(node)
    found: list[ast.AST] = []
    names = _BRANCHES.get(kind)
    for name in names if names is not None else _branches(kind):
        part = getattr(node, name, None)
        if type(part) is not list:
            if isinstance(part, ast.AST):
                found.append(part)
        elif name in _MIXED:
            found += [item for item in part if isinstance(item, ast.AST)]
        else:
            found += part
    return found
