"""Transfer functions of expressions: the abstract value of each form."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from devfix.analysis.deciding import (
    answers,
    callers_choices,
    emptiness,
    read_values,
)
from devfix.analysis.domain import classes
from devfix.analysis.domain.join import join_all, scalar_type, usually
from devfix.analysis.domain.number_types import computed, exact_type
from devfix.analysis.domain.values import (
    ARGUMENT,
    COMMAND_LINE,
    NONE,
    UNKNOWN,
    Array,
    Class,
    Const,
    External,
    Function,
    Ref,
    Scalar,
    Sequence,
    Tensor,
    TupleValue,
    Union,
    Value,
    option,
    usual_value,
    without_none,
)
from devfix.analysis.language import (
    binding,
    branches,
    calls,
    comprehensions,
    conditional_expressions,
    definitions,
    displays,
    enumerations,
    iteration,
    just_put,
    speaking,
    suspended,
    template_strings,
)
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.nn.modules import external_bases
from devfix.analysis.torch_model import names
from devfix.analysis.torch_model.arrays import grids, table_types
from devfix.analysis.torch_model.concurrency import coroutines
from devfix.analysis.torch_model.devices import device_settings
from devfix.analysis.torch_model.loading import batch_mates, file_parts, part_movers
from devfix.analysis.torch_model.python import environment, reflection
from devfix.analysis.torch_model.python.folding import known
from devfix.analysis.torch_model.python.text_methods import assembled, shown, sliced
from devfix.analysis.torch_model.tensors import comparisons, indexing, operators

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def constant(interp: Interpreter, node: ast.Constant) -> Value:
    """The constant itself; a node keeps the value that was made of it."""
    made: Value | None = node.__dict__.get("const")
    if made is None:
        made = node.__dict__["const"] = known(node.value)  # a node never changes
    return made


def name(interp: Interpreter, node: ast.Name) -> Value:
    """What a name is bound to in the frames around it, or the builtin of that name.

    An unbound name is unknown and is counted: a later round of a loop may bind it.
    """
    value = interp.lookup(node.id)
    if value is not None:
        return callers_choices.of_script(interp, node, value) if interp.stack[0].choices else value
    builtin = names.builtin(node.id)
    if builtin is not None:
        return builtin
    interp.unbound += 1
    return UNKNOWN


def attribute(interp: Interpreter, node: ast.Attribute) -> Value:
    """An attribute of a value. Of a tensor it may be its device, its dtype or a view of it."""
    value = interp.eval(node.value)
    return interp.attribute(value, node.attr, node)


def bin_op(interp: Interpreter, node: ast.BinOp) -> Value:
    """The result of a binary operator, after its left operand and then its right one.

    Operands on two devices, or of dtypes that do not go together, are recorded.
    """
    left, right = interp.eval(node.left), interp.eval(node.right)
    return operators.binary(interp, node, left, right)


def unary_op(interp: Interpreter, node: ast.UnaryOp) -> Value:
    """``not`` gives a bool where the truth is known; a sign keeps a tensor's or array's device.

    Of a number ``-`` gives the number, and ``~`` an int of unknown value.
    """
    value = without_none(interp.eval(node.operand))
    if isinstance(node.op, ast.Not):
        known = answers.truth(interp, value)
        usual = usual_value(value) if known is None else None
        return answers.boolean(not known) if known is not None else Scalar("bool", usual and not usual.value)
    if isinstance(value, Const) and isinstance(value.value, (int, float, complex)):
        if isinstance(node.op, ast.USub):
            return Const(-value.value)
        return value if isinstance(node.op, ast.UAdd) else Scalar("int")
    if isinstance(value, (Tensor, Array)):
        return operators.unary(interp, node, value)
    if isinstance(value, Scalar) and not isinstance(node.op, ast.UAdd):
        return computed({exact_type(value)})  # and no option any more
    return value if isinstance(value, Scalar) else table_types.signed(interp, value) or UNKNOWN


def bool_op(interp: Interpreter, node: ast.BoolOp) -> Value:
    """``and`` and ``or`` return an operand; the last one evaluated decides."""
    stops_at = isinstance(node.op, ast.Or)
    possible: list[Value] = []
    asked = False
    ends: list[branches.End] = []
    for place, part in enumerate(node.values):
        before = node.values[place - 1]
        tried = branches.go_on(interp, before, part, ends, stops_at) if possible else interp.eval(part)
        if tried is None:
            break
        value = tried
        known = answers.truth(interp, value)
        if known is stops_at:
            possible.append(value)
            break
        if known is None:
            asked = asked or (stops_at and part is not node.values[-1] and environment.is_asked(interp, part))
            possible.append(without_none(value) if stops_at else value)
    else:
        if known is not None:
            possible.append(value)
    branches.meet(interp, ends)
    if stops_at and isinstance(possible[0], Ref) and (made := read_values.made_instead(interp, possible)):
        return made
    if asked and len(possible) == 2:
        return environment.instead(possible[-1])
    if len(possible) > 1 and all(scalar_type(value) == "bool" for value in possible):
        if known is stops_at:
            return Const(stops_at)  # whichever of them it was that said so
        usual = [each and bool(each.value) for each in map(usual_value, possible)]
        return Scalar("bool", stops_at if stops_at in usual else None if None in usual else not stops_at)
    joined = join_all(possible)
    first = usual_value(possible[0]) if stops_at and len(possible) > 1 else None
    return usually(joined, first) if first is not None and first.value else joined


def compare(interp: Interpreter, node: ast.Compare) -> Value:
    """A comparison, also a chained one: a bool, or a bool tensor where one of the operands is a tensor.

    Operands on two devices are recorded for each pair. A chain is false as soon as one answer is.
    """
    left = interp.eval(node.left)
    outcomes: list[Value] = []
    for op, comparator in zip(node.ops, node.comparators, strict=True):
        right = interp.eval(comparator)
        outcomes.append(comparisons.compare(interp, node, op, left, right, comparator))
        left = right
    if len(outcomes) == 1:
        return emptiness.answer(interp, node, outcomes[0])
    known = [answers.truth(interp, outcome) for outcome in outcomes]
    if False in known:
        return Const(False)
    return Const(True) if all(known) else Scalar("bool")


def subscript(interp: Interpreter, node: ast.Subscript) -> Value:
    """An item, a slice or an index of a value; a generic alias such as ``list[int]`` is the class itself.

    A tensor stays on its device; an index on another one is recorded.
    """
    value = without_none(interp.eval(node.value))
    if isinstance(value, External):
        if value.name in grids.HANDLERS:
            return grids.HANDLERS[value.name](interp, node.slice)
        if value.name.endswith(".__dict__"):
            return reflection.chosen(interp, value, node)
        if value.name == "sys.modules" and getattr(node.slice, "id", "") == "__name__":
            return reflection.own_module(interp)
        if value == COMMAND_LINE:
            if isinstance(node.slice, ast.Slice):
                return Sequence(option(ARGUMENT))
            return option(_name_given(interp.frame.statement, node))
        return value  # a generic alias such as list[int]
    if isinstance(node.slice, ast.Slice) and isinstance(value, Const) and isinstance(value.value, str):
        return sliced(interp, value.value, node.slice)
    key = interp.eval(node.slice)
    found = item(interp, node, value, key)
    if found != UNKNOWN:
        return found
    name = key.value if isinstance(key, Const) else None
    of_batch = batch_mates.part(interp, value, name, node) or batch_mates.item(value, key, node)
    return device_settings.entry(key) or of_batch or UNKNOWN


def _name_given(statement: ast.stmt | None, node: ast.expr) -> str:
    """What a statement calls the value of an expression, or of one call with it, which says what a user is asked for: ``device = sys.argv[1]``."""
    value = statement.value if isinstance(statement, ast.Assign) else None
    value = value.args[0] if isinstance(value, ast.Call) and len(value.args) == 1 else value
    named = statement.targets[0] if isinstance(statement, ast.Assign) and value is node else None
    return named.id if isinstance(named, ast.Name) else ARGUMENT


def item(interp: Interpreter, node: ast.Subscript, value: Value, key: Value) -> Value:
    """``value[key]``."""
    if isinstance(value, Union):
        long = tuple(member for member in value.members if iteration.may_have_item(interp, member, key))
        return interp.either(
            long or value.members, lambda member: item(interp, node, member, key), usual=value.usual
        )
    if isinstance(value, (Tensor, Array)):
        return indexing.get(interp, node, value, key)
    if isinstance(value, TupleValue):
        return _tuple_item(interp, value, key, node)
    if isinstance(value, Sequence):
        return value if key == iteration.SLICE else value.element
    if isinstance(value, Ref):
        put = just_put.found(interp, value, node) if interp.stack[-1].put else None
        return indexing.object_item(interp, node, value, key) if put is None else put
    if isinstance(value, (Const, Scalar)) and scalar_type(value) == "str":
        return Scalar("str")
    if isinstance(value, Class) and "typing.Generic" in external_bases(interp, value):
        return value  # a generic class with its parameters
    made = classes.find(interp, value, "__class_getitem__") if isinstance(value, Class) else None
    if isinstance(made, Function):
        return interp.call_function(made, [value], node, CallSite(node, (Arg(key),)))
    if isinstance(value, Class) and enumerations.is_one(interp, value):
        return enumerations.member(interp, value, key, by_name=True)
    return file_parts.item(interp, value) or UNKNOWN


def _tuple_item(interp: Interpreter, value: TupleValue, key: Value, node: ast.Subscript) -> Value:
    if isinstance(node.slice, ast.Slice):
        bounds = iteration.known_slice(interp, node.slice)
        return (
            TupleValue(value.items[bounds]) if bounds is not None else Sequence(join_all(list(value.items)))
        )
    if isinstance(key, Const) and isinstance(key.value, int):
        if -len(value.items) <= key.value < len(value.items):
            return value.items[key.value]
        return UNKNOWN
    if key == iteration.SLICE:
        return Sequence(join_all(list(value.items)))
    # Nothing but a number takes an item out: ``pair[:, 0]`` is what a tensor is asked for, on another path.
    return UNKNOWN if isinstance(key, TupleValue) else join_all(list(value.items))


def slice_(interp: Interpreter, node: ast.Slice) -> Value:
    """A slice object; its bounds are evaluated and not kept."""
    for part in (node.lower, node.upper, node.step):
        if part is not None:
            interp.eval(part)
    return iteration.SLICE


def starred(interp: Interpreter, node: ast.Starred) -> Value:
    """What stands behind the star; whoever holds it unpacks it."""
    return interp.eval(node.value)


def lambda_(interp: Interpreter, node: ast.Lambda) -> Value:
    """A function of the current frame; its body waits for a call."""
    return definitions.make_function(interp, node)


def yield_(interp: Interpreter, node: ast.Yield) -> Value:
    """Nothing is known of what is sent in; what is given out becomes an element of the generator."""
    value = part_movers.yielded(interp, node, interp.eval(node.value)) if node.value is not None else NONE
    suspended.give(interp, interp.frame, (value,))
    suspended.note(interp, interp.frame)
    return UNKNOWN


def yield_from(interp: Interpreter, node: ast.YieldFrom) -> Value:
    """The elements of the iterable become those of the generator; it is what the iterable returns."""
    iterable = interp.eval(node.value)
    items = iteration.fresh_items(interp, iterable, node.value)
    if items is None:
        interp.frame.unsure = True
        items = (iteration.element(interp, iterable, node.value),)
    suspended.give(interp, interp.frame, items)
    returned = iterable.result if isinstance(iterable, Sequence) else None
    return UNKNOWN if returned is None else returned


def await_(interp: Interpreter, node: ast.Await) -> Value:
    """What is awaited: a coroutine stands for its result."""
    return coroutines.awaited(interp, interp.eval(node.value))


def named(interp: Interpreter, node: ast.NamedExpr) -> Value:
    """The value of ``:=``, after its name is bound in the frame that holds it: that around a comprehension."""
    value = interp.eval(node.value)
    with binding.outside_comprehensions(interp):
        binding.bind_name(interp, node.target, value, None)
    return value


def formatted(interp: Interpreter, node: ast.JoinedStr) -> Value:
    """A string: known where all its parts are. The ``__str__`` or ``__repr__`` of what is shown is run."""
    parts: list[Value] = []
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            value = interp.eval(part.value)
            speaking.speak(interp, value, part.value, as_shown=part.conversion == ord("r"))
            form = interp.eval(part.format_spec) if part.format_spec is not None else Const("")
            parts.append(shown(value, part.conversion, form))
        else:
            parts.append(interp.eval(part))
    return assembled(parts)


EVALUATORS: dict[type[ast.expr], Callable[[Interpreter, Any], Value]] = {
    ast.Constant: constant,
    ast.Name: name,
    ast.Attribute: attribute,
    ast.BinOp: bin_op,
    ast.UnaryOp: unary_op,
    ast.BoolOp: bool_op,
    ast.Compare: compare,
    ast.IfExp: conditional_expressions.evaluate,
    ast.Subscript: subscript,
    ast.Slice: slice_,
    ast.Tuple: displays.tuple_,
    ast.List: displays.list_,
    ast.Set: displays.set_,
    ast.Dict: displays.dict_,
    ast.Starred: starred,
    ast.Lambda: lambda_,
    ast.Yield: yield_,
    ast.YieldFrom: yield_from,
    ast.Await: await_,
    ast.NamedExpr: named,
    ast.JoinedStr: formatted,
    **template_strings.EVALUATORS,
    ast.Call: calls.evaluate,
    ast.ListComp: comprehensions.evaluate,
    ast.GeneratorExp: comprehensions.evaluate,
    ast.SetComp: comprehensions.evaluate,
    ast.DictComp: comprehensions.evaluate_dict,
}
