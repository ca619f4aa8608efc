"""Naming: a name for a tensor that is where the value of an expression is."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from devfix.analysis.record.facts import Facts
from devfix.analysis.record.recorder import Binding
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.syntax import first_name
from devfix.analysis.text.vocabulary import vocabulary
from devfix.placement.batches import batch_forms

#: What has neither device nor methods, and what may be that.
_NUMBERS = frozenset({"number", "strange"})
#: Whatever these are, they have no ``to`` that could be called in passing.
_NO_TENSORS = frozenset({"number", "none", "other"}) | batch_forms.COLLECTIONS | batch_forms.RECORDS
#: Methods that nothing but a tensor has; NumPy's arrays have a ``size`` that cannot be called.
_OF_TENSORS = frozenset("size dim numel unsqueeze permute expand expand_as contiguous detach".split())
#: Builtins that give a number of numbers, and a tensor of tensors; and those that give a number of anything.
_OF_NUMBERS = frozenset("abs max min pow round sum".split())
_TO_NUMBER = frozenset("float int len bool".split())
#: What does not evaluate all its parts, or not here.
_SOMETIMES = (ast.IfExp, ast.BoolOp, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
#: What selects of tensors alone, or gives a list of a list.
_OF_TENSOR = (ast.Tuple, ast.Slice, ast.Compare)
#: Methods whose receiver may be elsewhere than what they return.
_MOVES = ("to", "cpu", "cuda", "type", "type_as")


def named_tensor(outline: Outline, facts: Facts, node: ast.expr) -> str | None:
    """A name in the operand's expression for a tensor that is where the operand is."""
    while not isinstance(node, ast.Name):
        if isinstance(node, ast.BinOp):
            return _of_two(outline, facts, node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in _MOVES:
                return None
            root = import_of(outline, node.func)
            if root is None:
                node = node.func.value
            elif root.partition(".")[0] == "torch" and _is_of_one(node):
                node = node.args[0]  # a function of torch's leaves what it makes where its operands are
            else:
                return None
        elif isinstance(node, ast.Subscript) and (_is_entry(node) or _is_part(outline, facts, node)):
            return outline.source.segment(outline.source.span(node))
        elif isinstance(node, ast.Subscript) and _may_be_of_list(node):
            return ast.unparse(node) if is_path(node, ast.Constant, ast.Name) else None
        elif isinstance(node, ast.Subscript) or (
            isinstance(node, ast.Attribute) and node.attr in ("data", "grad", "T")
        ):
            node = node.value
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            named = import_of(outline, node) is None and _may_be_tensor(outline, facts, node)
            return ast.unparse(node) if named else None
        else:
            return None
    bindings = facts.bindings(outline.source.path, outline.scopes(node)[0]).get(node.id, [])
    return node.id if bindings and all(each.kind == "tensor" for each in given(bindings)) else None


def named_at_use(outline: Outline, facts: Facts, node: ast.expr) -> str | None:
    """The same where the expression is just evaluated: what a method of tensors is called on is one, whatever it is in other runs."""
    called = node.func if isinstance(node, ast.Call) else None
    if not isinstance(called, ast.Attribute) or not isinstance(called.value, ast.Name):
        return named_tensor(outline, facts, node)
    bindings = facts.bindings(outline.source.path, outline.scopes(node)[0]).get(called.value.id, [])
    kinds = {each.kind for each in given(bindings)}
    if kinds != {"tensor", "other"} or called.attr in _MOVES or not _is_of_tensors(called.attr, node):
        return named_tensor(outline, facts, node)
    return called.value.id


def _is_of_tensors(method: str, node: ast.expr) -> bool:
    """Whether nothing but a tensor has a method with these arguments: arrays have an ``axis``."""
    keywords = {keyword.arg for keyword in node.keywords} if isinstance(node, ast.Call) else set[str | None]()
    return method in _OF_TENSORS or not keywords.isdisjoint({"dim", "keepdim"})


def given(bindings: list[Binding]) -> list[Binding]:
    """What a name or an attribute is bound to; a statement that some script ran is told by that run alone."""
    run = {binding.statement for binding in bindings if binding.kind != "ungiven"}
    return [each for each in bindings if each.kind != "ungiven" or each.statement not in run]


def import_of(outline: Outline, node: ast.AST) -> str | None:
    """What dotted names begin with that stand for something in an imported module: ``nn.functional.softplus``."""
    return outline.imported.get(first_name(node))


def _is_of_one(call: ast.Call) -> bool:
    """Whether a function is given its operand first, and no device."""
    return bool(call.args) and not any(keyword.arg == "device" for keyword in call.keywords)


def _of_two(outline: Outline, facts: Facts, node: ast.BinOp) -> str | None:
    """A name of one side; an attribute may be the number that scales what is beside it, unless a tensor was stored there."""
    for side in (node.left, node.right):
        name = named_tensor(outline, facts, side)
        if name is not None and ("." not in name or _stored(outline, facts, node, name)):
            return name
    return None


def may_be_number(outline: Outline, facts: Facts, node: ast.AST) -> bool:
    """Whether an expression gives a number in some calls or objects, which has neither device nor methods, where it gives a tensor in others.

    The array of NumPy has none of these either. What is reckoned gives a number where all that it is reckoned of may be one.
    """
    if facts.was_number(outline.source.path, outline.source.span(node)):
        return True
    if isinstance(node, ast.Name):
        return _given_number(outline, facts, node) or _differs_by_call(outline, facts, node)
    if isinstance(node, ast.Attribute):
        return differs_by_object(outline, facts, node)
    parts = _reckoned_of(node)
    return any(may_be_number(outline, facts, part) for part in parts) and all(
        may_be_number(outline, facts, part) or _is_number(outline, facts, part) for part in parts
    )


def _reckoned_of(node: ast.AST) -> list[ast.expr]:
    """What an expression is a number for, where all of these are: the sides of an operator, what a builtin is given, what has a method."""
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.UnaryOp):
        return [node.operand]
    if not isinstance(node, ast.Call):
        return []
    if isinstance(node.func, ast.Attribute):
        return [node.func.value] if node.func.attr not in _OF_TENSORS else []
    return node.args if isinstance(node.func, ast.Name) and node.func.id in _OF_NUMBERS else []


def _is_number(outline: Outline, facts: Facts, node: ast.AST) -> bool:
    """Whether nothing but numbers, or arrays, was ever seen where an expression stands."""
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _TO_NUMBER:
        return True
    if isinstance(node, ast.Name):
        found = facts.bindings(outline.source.path, outline.scopes(node)[0]).get(node.id, [])
    elif isinstance(node, ast.Attribute):
        found = _stored(outline, facts, node, ast.unparse(node))
    else:
        parts = _reckoned_of(node)
        return bool(parts) and all(_is_number(outline, facts, part) for part in parts)
    return bool(found) and all(binding.kind == "number" for binding in found)


def _given_number(outline: Outline, facts: Facts, node: ast.Name) -> bool:
    """Whether some calls give a parameter a number, and it is that still: no statement on each way has given its name to another value."""
    bindings = facts.bindings(outline.source.path, outline.scopes(node)[0]).get(node.id, [])
    if any(each.statement is None for each in bindings) and _is_bound_anew(outline, node):
        return False
    given_as = {each.kind for each in bindings if each.statement is None} & _NUMBERS
    return bool(given_as) and (given_as != {"strange"} or not is_used_as_tensor(outline, node, node.id))


def _is_bound_anew(outline: Outline, node: ast.Name) -> bool:
    """Whether every way to a name passes an assignment that gives it another value."""
    function, here = outline.function_of(node), outline.statement_of(node)
    names = outline.occurrences(function, node.id) if function is not None else []
    stores = (outline.statement_of(each) for each in names if isinstance(each.ctx, ast.Store))
    return any(
        isinstance(each, ast.Assign) and each is not here and outline.dominates(each, here) for each in stores
    )


def _differs_by_call(outline: Outline, facts: Facts, node: ast.Name) -> bool:
    """Whether one statement gives a name a tensor in some calls, and a number in others."""
    kinds = _kinds_by_statement(facts, outline, outline.scopes(node)[0], node.id)
    return any("tensor" in found and "number" in found for found in kinds)


def is_used_as_tensor(outline: Outline, node: ast.AST, name: str) -> bool:
    """Whether whoever reaches a place has called on a parameter what nothing but a tensor has: ``x.size(0)``."""
    function = outline.function_of(node)
    if function is None or name in vocabulary(function).bound:
        return False
    here = outline.statement_of(node)
    calls = _calls_of_tensor(outline, function, name)
    statements = (outline.statement_of(call) for call in calls if _is_always_run(outline, call))
    return any(each is not here and outline.dominates(each, node) for each in statements)


def _calls_of_tensor(outline: Outline, function: ast.AST, name: str) -> Iterator[ast.Call]:
    """The calls of methods that only tensors have, on what has a name."""
    attributes = vocabulary(function).attributes
    for node in (each for method in attributes.keys() & _OF_TENSORS for each in attributes[method]):
        call = outline.parents[node]
        if isinstance(call, ast.Call) and call.func is node and getattr(node.value, "id", None) == name:
            yield call


def _is_always_run(outline: Outline, node: ast.AST) -> bool:
    """Whether an expression is evaluated whenever its statement is, which has no parts of its own."""
    while not isinstance(node, ast.stmt):
        node = outline.parents[node]
        if isinstance(node, _SOMETIMES):
            return False
    return isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Assert))


def differs_by_object(outline: Outline, facts: Facts, node: ast.AST) -> bool:
    """Whether one assignment gives an attribute a tensor in some objects, and in others who knows what: a number, say."""
    if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
        return False
    function = outline.function_of(node)
    if function is None or node.value.id != outline.receiver_name(function):
        return False
    kinds = _kinds_by_statement(facts, outline, outline.scope(function), f"self.{node.attr}")
    return any("tensor" in found and not found.isdisjoint(_NUMBERS) for found in kinds)


def differs_by_round(outline: Outline, facts: Facts, statement: ast.stmt, name: str) -> bool:
    """Whether a statement gives a name a tensor in some rounds or calls, and in others what is certainly none."""
    span = outline.source.span(statement)
    found = facts.bindings(outline.source.path, outline.scopes(statement)[0]).get(name, [])
    kinds = {each.kind for each in found if each.statement == span}
    return "tensor" in kinds and not kinds.isdisjoint(_NO_TENSORS)


def _kinds_by_statement(facts: Facts, outline: Outline, scope: str, name: str) -> Iterable[set[str]]:
    """Of what kinds is what each statement gives a name of a scope."""
    kinds: dict[object, set[str]] = {}
    for each in facts.bindings(outline.source.path, scope).get(name, []):
        kinds.setdefault(each.statement, set()).add(each.kind)
    return kinds.values()


def is_path(node: ast.AST, *keys: type[ast.expr]) -> bool:
    """Whether a node is a name, attributes of one, or items of these under ``keys``: to say it again changes nothing."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        if isinstance(node, ast.Subscript) and not isinstance(node.slice, keys):
            return False
        node = node.value
    return isinstance(node, ast.Name)


def _is_entry(node: ast.Subscript) -> bool:
    """Whether an item is that of a dict, or of one in a dict, which is what has a device: ``batch["x"]``."""
    key = node.slice.value if isinstance(node.slice, ast.Constant) else None
    of_entry = isinstance(node.value, ast.Subscript) and _is_entry(node.value)
    return isinstance(key, str) and (of_entry or isinstance(node.value, ast.Name))


def _may_be_of_list(node: ast.Subscript) -> bool:
    """Whether an item may be that of a list which a dict holds, and which has no device: ``groups["x"][0]``."""
    inner = node.value
    return isinstance(inner, ast.Subscript) and _is_entry(inner) and not isinstance(node.slice, _OF_TENSOR)


def _is_part(outline: Outline, facts: Facts, node: ast.Subscript) -> bool:
    """Whether an item is that of a tuple or list of tensors, which has no device itself: ``outputs[0]``."""
    if not isinstance(node.value, ast.Name) or not isinstance(node.slice, ast.Constant):
        return False
    bindings = facts.bindings(outline.source.path, outline.scopes(node)[0]).get(node.value.id, [])
    kinds = {binding.kind for binding in bindings}
    return type(node.slice.value) is int and bool(kinds) and kinds <= {"tensors", "list", "namedtuple"}


def _may_be_tensor(outline: Outline, facts: Facts, attribute: ast.Attribute) -> bool:
    """Whether nothing but tensors was seen to be stored in an attribute of the object itself."""
    stored = _stored(outline, facts, attribute, ast.unparse(attribute))
    return all(binding.kind == "tensor" for binding in stored)


def _stored(outline: Outline, facts: Facts, node: ast.AST, name: str) -> list[Binding]:
    """What is seen to be stored in an attribute, if it is one of the object whose method a node is in."""
    receiver, _, attribute = name.partition(".")
    function = outline.function_of(node)
    while function is not None and receiver != outline.receiver_name(function):
        function = outline.function_of(function)  # a function within a method sees its object, too
    if function is None:
        return []
    return facts.bindings(outline.source.path, outline.scope(function)).get(f"self.{attribute}", [])
