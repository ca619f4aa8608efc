"""Python's operators on tensors, arrays and plain objects."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.assumptions import unsure_entries
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import join_all, scalar_type, usual_of_all
from devfix.analysis.domain.lattice import (
    AT_LEAST_1,
    CPU,
    INTEGERS,
    UNKNOWN_DEVICE,
    promote,
    rank_of_broadcast,
)
from devfix.analysis.domain.number_types import MIXED, computed, exact_type
from devfix.analysis.domain.values import (
    UNKNOWN,
    Array,
    Const,
    Ref,
    Scalar,
    Sequence,
    Tensor,
    TupleValue,
    Union,
    Unknown,
    Value,
    without_none,
)
from devfix.analysis.language import containers, iteration
from devfix.analysis.language.frames import Arg
from devfix.analysis.record.trails import (
    common_dtype_trails,
    divided,
    dtype_trails,
    inverted,
    keep_split,
    note_fractions,
    note_widened,
    roots_of,
)
from devfix.analysis.torch_model.arrays import numpy_types, sparse_matrices, table_types
from devfix.analysis.torch_model.devices import autocast, grad_mode
from devfix.analysis.torch_model.loading import file_parts
from devfix.analysis.torch_model.python import class_unions, dates, overloads
from devfix.analysis.torch_model.python.folding import folded, is_inverted
from devfix.analysis.torch_model.python.text_methods import assembled, percent
from devfix.analysis.torch_model.tensors import (
    float_operations,
    host_memory,
    in_place_results,
    number_places,
    number_range,
    operand_types,
    requirements,
)
from devfix.analysis.torch_model.tensors.requirements import Part

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

_NAMES: dict[type[ast.operator], str] = {
    ast.Add: "torch.add",
    ast.Sub: "torch.sub",
    ast.Mult: "torch.mul",
    ast.Div: "torch.div",
    ast.FloorDiv: "torch.floor_divide",
    ast.Mod: "torch.remainder",
    ast.Pow: "torch.pow",
    ast.MatMult: "torch.matmul",
    ast.BitAnd: "torch.bitwise_and",
    ast.BitOr: "torch.bitwise_or",
    ast.BitXor: "torch.bitwise_xor",
    ast.LShift: "torch.bitwise_left_shift",
    ast.RShift: "torch.bitwise_right_shift",
}


def binary(interp: Interpreter, node: ast.BinOp, left: Value, right: Value) -> Value:
    """``left op right``."""
    left, right = operand_types.operands(interp, left, right)
    if isinstance(left, Union):
        left, usual = _with_usual(interp, left, node.left)
        return interp.either(
            left.members,
            lambda member: binary(interp, node, member, operand_types.beside(member, right)),
            usual=usual,
        )
    if isinstance(right, Union):
        right, usual = _with_usual(interp, right, node.right)
        return interp.either(right.members, lambda member: binary(interp, node, left, member), usual=usual)
    if isinstance(left, Const) and isinstance(left.value, str) and isinstance(node.op, ast.Mod):
        return percent(left.value, right)
    if isinstance(left, Ref) or isinstance(right, Ref):
        own = overloads.binary(interp, node, node.op, left, right)
        for library in (table_types, sparse_matrices, dates):
            own = library.arithmetic(interp, node.op, left, right) if own is None else own
        if own is not None:
            return own
    if isinstance(node.op, ast.Mult) and isinstance(right, Tensor) and iteration.is_row(interp, left):
        return _python_result(interp, node.op, left, Scalar("int"))  # so often as the tensor says
    if isinstance(left, Tensor) or isinstance(right, Tensor):
        return tensor_result(interp, node, node.op, (left, node.left), (right, node.right))
    if isinstance(left, Array) or isinstance(right, Array):
        for arg in (Arg(left, node.left), Arg(right, node.right)):
            if isinstance(arg.value, (Ref, TupleValue)):
                host_memory.check_argument(interp, "numpy.asarray", node, arg)
        is_open = numpy_types.leaves_kind_open(left, right)
        return UNKNOWN if is_open else numpy_types.arithmetic(node.op, left, right)
    if isinstance(node.op, ast.Pow) and is_inverted(node.right, right) and scalar_type(left) == "int":
        made = _python_result(interp, node.op, Scalar("float"), right)
        return replace(made, mixed=scalar_type(right) != "float") if isinstance(made, Scalar) else made
    return _python_result(interp, node.op, left, right)


def _with_usual(interp: Interpreter, value: Union, node: ast.expr) -> tuple[Union, Value | None]:
    """The union and what a run without options has of it, which knows whether others have a number there."""
    usual = value.usual
    if usual_of_all(value) is not None or not isinstance(usual, Tensor):
        return value, usual_of_all(value)
    told = usual.at(interp.site("sometimes", node))
    return replace(value, members=tuple(told if each == usual else each for each in value.members)), told


def tensor_result(
    interp: Interpreter,
    node: ast.AST,
    op: ast.operator,
    left: tuple[Value, ast.expr],
    right: tuple[Value, ast.expr],
) -> Value:
    """The tensor that comes out of an operator with a tensor on at least one side."""
    for value, where in (left, right):
        number_places.note(interp, value, where)
    left = (numpy_types.as_number(left[0]), left[1])
    right = (numpy_types.as_number(right[0]), right[1])
    if interp.program.adopts:
        left, right = (
            (file_parts.as_tensor(interp, left[0]), left[1]),
            (file_parts.as_tensor(interp, right[0]), right[1]),
        )
    roles = ("input", "other")
    parts = [
        Part(value, role, where)
        for (value, where), role in zip((left, right), roles, strict=True)
        if isinstance(value, Tensor)
    ]
    unknown = any(isinstance(value, (Unknown, Ref)) for value, _ in (left, right))
    if isinstance(left[0], Array) or isinstance(right[0], Array):
        return _with_array(interp, node, left[0], right[0], parts)
    name = _NAMES[type(op)]
    strict = isinstance(op, ast.MatMult)
    if strict:
        requirements.same_dtype(interp, node, name, parts)
    operand_types.check_logical(interp, node, name, parts, [left[0], right[0]])
    float_operations.check_difference(interp, node, name, parts, (left[0], right[0]))
    if isinstance(op, ast.Pow):
        number_range.check_exponent(interp, node, Arg(*left), Arg(*right))
    device = requirements.meet(interp, node, name, parts, scalars=not strict)
    if strict:
        float_operations.check_together(interp, node, name, parts, device)
    tensors = [part.tensor for part in parts]
    if unknown and not device.is_accelerator:
        # The other operand may be a tensor that lives anywhere.
        if _stays(tensors[0], left[0], right[0]):
            device = tensors[0].device
        elif device.kind == "cpu":
            device = UNKNOWN_DEVICE
    dtype = None if unknown else _result_dtype(op, left[0], right[0])
    if operand_types.is_logical(name) and requirements.is_float(dtype):
        dtype = None  # there is no such result
    grad = grad_mode.recorded(interp, _needs_grad(tensors))
    result = Tensor(
        device,
        autocast.lowered(interp, dtype, operands=tensors) if strict else dtype,
        _rank_beside_unknown(tensors, product=strict)
        if unknown
        else _result_rank(left[0], right[0], product=strict),
        grad=grad,
        leaf=grad_mode.is_leaf(grad),
        trail=(interp.site("result", node),),
        roots=roots_of(tensors, named=interp.program.adopts),
    )
    result = replace(result, typed=common_dtype_trails(tensors, result.dtype))
    note_widened(interp, tensors, result.dtype)
    if isinstance(op, ast.Div):
        result = divided(interp, node, [typed(value)[0] for value, _ in (left, right)], result)
    note_fractions(
        interp, tensors, beside_float=any(exact_type(value) == "float" for value, _ in (left, right))
    )
    if isinstance(op, ast.Pow) or (isinstance(op, ast.Div) and not isinstance(left[0], Tensor)):
        result = autocast.widened(interp, "pow", result)  # ``2 / x`` is the reciprocal, times 2
    return keep_split(result, tensors, elementwise=not strict)


def _result_rank(left: Value, right: Value, *, product: bool) -> int | None:
    """The rank of a pointwise result, or of a matrix product (a scalar only for two vectors)."""
    ranks = [known_rank(left), known_rank(right)]
    if not product:
        return rank_of_broadcast(ranks)
    if None in ranks or ranks == [1, 1]:
        return None
    return 2 if ranks == [2, 2] else AT_LEAST_1


def _rank_beside_unknown(tensors: list[Tensor], *, product: bool) -> int | None:
    """A pointwise result has no fewer dimensions than its operands."""
    return None if product or all(tensor.rank in (0, None) for tensor in tensors) else AT_LEAST_1


def _stays(tensor: Tensor, left: Value, right: Value) -> bool:
    """A known CPU tensor of more than 0 dimensions meets something unknown: it must be on the CPU."""
    return tensor.device.kind == "cpu" and tensor.rank not in (0, None)


def _with_array(interp: Interpreter, node: ast.AST, left: Value, right: Value, parts: list[Part]) -> Value:
    """A tensor and an array: NumPy takes a CPU tensor in, an accelerator's fails to convert.

    A scalar of NumPy leaves the operation to the tensor, as any number does.
    """
    ranks = [value.rank for value in (left, right) if isinstance(value, Array)]
    interp.recorder.converted |= any(rank != 0 for rank in ranks)
    # An operator that writes to the tensor is PyTorch's own affair.
    converts = isinstance(left, Array) or isinstance(node, ast.BinOp)
    for part in parts:
        if part.tensor.device.kind == "accelerator" and converts and ranks[0] not in (0, None):
            requirements.record(interp, node, "numpy.asarray", "numpy", [part])
    return (
        _beside_array(interp, node, left, right, parts[0].tensor) if isinstance(node, ast.BinOp) else UNKNOWN
    )


def _beside_array(interp: Interpreter, node: ast.BinOp, left: Value, right: Value, tensor: Tensor) -> Value:
    """NumPy computes with a CPU tensor as with an array, and PyTorch makes a tensor of the outcome."""
    if tensor.device.kind != "cpu" or tensor.grad:
        return UNKNOWN
    own = Array(tensor.dtype, tensor.rank)
    array = left if isinstance(left, Array) else right
    made = numpy_types.arithmetic(node.op, *((left, own) if array is left else (own, right)))
    known = isinstance(array, Array) and array.rank is not None  # a scalar has no say about the dtype
    dtype = numpy_types.settled(made.dtype) if known else None
    trail = (interp.site("result", node),)
    return Tensor(CPU, dtype, made.rank, grad=False, leaf=True, trail=trail, roots=roots_of([tensor]))


def _needs_grad(tensors: list[Tensor]) -> bool | None:
    if any(tensor.grad for tensor in tensors):
        return True
    return False if all(tensor.grad is False for tensor in tensors) else None


def known_rank(value: Value) -> int | None:
    """The number of dimensions of a tensor or an array, None where it is unknown; 0 for what is neither."""
    if isinstance(value, (Tensor, Array)):
        return value.rank
    return 0


def typed(value: Value) -> tuple[str | None, int | None]:
    """``(dtype, rank)`` of an operand as type promotion sees it; a number is 0-dim."""
    if isinstance(value, (Tensor, Array)):
        return numpy_types.settled(value.dtype), value.rank
    kinds = {"bool": "bool", "int": "int64", "float": "float32", MIXED: MIXED}
    return kinds.get(exact_type(value) or ""), 0


def _result_dtype(op: ast.operator, left: Value, right: Value) -> str | None:
    """The dtype of a pointwise result; a Python number never widens within its category."""
    a, b = typed(left), typed(right)
    if not isinstance(left, Tensor):
        a, b = b, a
        left, right = right, left
    # A wrapped number is like a 0-dim tensor, but of no width of its own.
    dtype = promote(a, b) if isinstance(right, (Tensor, Array)) else _with_number(a[0], b[0])
    if isinstance(op, ast.Div) and dtype is not None and not dtype.startswith(("float", "bf", "complex")):
        return "float32"
    return dtype


def _with_number(dtype: str | None, number: str | None) -> str | None:
    if dtype is None or number is None:
        return None
    if dtype.startswith(("float", "bfloat", "complex")) or number == "bool":
        return dtype
    if number != "int64":
        return "float32" if number == "float32" else None
    return "int64" if dtype == "bool" else dtype


def _python_result(interp: Interpreter, op: ast.operator, left: Value, right: Value) -> Value:
    if isinstance(op, ast.Add):
        joined = containers.concatenated(interp, left, right)
        if joined is not None:
            return joined
    if isinstance(op, ast.Mult):
        repeated = _repeated(interp, left, right)
        if repeated is not None:
            return repeated
    if isinstance(op, ast.BitOr):
        for merged in (_merged_dicts(interp, left, right), class_unions.of(left, right)):
            if merged is not None:
                return merged
    if isinstance(left, Const) and isinstance(right, Const):
        return folded(op, left, right)
    kinds = (exact_type(left), exact_type(right))
    if "str" in kinds:
        together = isinstance(op, ast.Add) and set(kinds) <= {"str", None}
        return assembled([left, right]) if together else Scalar("str")
    if None in kinds:
        return UNKNOWN
    if isinstance(op, (ast.BitAnd, ast.BitOr, ast.BitXor)) and kinds == ("bool", "bool"):
        return Scalar("bool")
    return Scalar("float") if isinstance(op, ast.Div) else computed({*kinds})


def _repeated(interp: Interpreter, left: Value, right: Value) -> Value | None:
    """``[x] * n``."""
    for part, times in ((left, right), (right, left)):
        obj = interp.obj_of(part)
        if obj is not None and obj.kind == "list":
            if isinstance(times, Const) and isinstance(times.value, int) and 0 < times.value <= 8:
                if obj.items is not None and len(obj.items) <= containers.MOST_ITEMS:
                    return interp.new(replace(obj, items=obj.items * times.value))
            values = containers.everything(obj)
            made = replace(obj, items=None, element=join_all(values) if values else None)
            return interp.new(containers.repeated(made))
        if isinstance(part, TupleValue):
            return Sequence(join_all(list(part.items)))
    return None


def _merged_dicts(interp: Interpreter, left: Value, right: Value) -> Value | None:
    a, b = interp.obj_of(left), interp.obj_of(right)
    if a is None or b is None or a.kind != "dict" or b.kind != "dict":
        return None
    element = a.element if a.element is not None else b.element
    at_times = unsure_entries.of(b)
    both = replace(a, attrs=containers.merged(a.attrs, b.attrs, at_times), element=element)
    return interp.new(unsure_entries.marked(both, at_times - a.attrs.keys()))


def unary(interp: Interpreter, node: ast.UnaryOp, value: Tensor | Array) -> Value:
    """``-x``, ``+x`` and ``~x``."""
    if isinstance(value, Array):
        return value
    operand_types.check_inverted(interp, node, value)
    trail = (interp.site("result", node),)
    refused = isinstance(node.op, ast.Invert) and requirements.is_float(value.dtype)
    turned = isinstance(node.op, ast.Invert) and value.dtype in INTEGERS
    return replace(
        value,
        dtype=None if refused else value.dtype,
        parameter=False,
        cast_of=None,
        leaf=grad_mode.is_leaf(value.grad),
        trail=trail,
        roots=() if turned else roots_of([value], named=interp.program.adopts),
        typed=inverted(interp, node) if turned else dtype_trails(value),
    )


def in_place(interp: Interpreter, node: ast.AugAssign, left: Value, right: Value) -> Value:
    """``left op= right``: a tensor keeps its device and dtype, anything else is rebound."""
    left, right = without_none(left), without_none(right)
    if isinstance(left, Union):
        usual = usual_of_all(left)
        return interp.either(left.members, lambda member: in_place(interp, node, member, right), usual=usual)
    if isinstance(left, Tensor) and isinstance(right, Tensor):
        parts = [Part(left, "input", node.target), Part(right, "other", node.value)]
        name = _NAMES[type(node.op)]
        requirements.meet(interp, node, name, parts, detail={"in_place": "input"})
        in_place_results.check(interp, node, name, parts, [right])
        operand_types.check_logical(interp, node, name, parts, [])
        float_operations.check_difference(interp, node, name, parts, (left, right))
        return replace(left, cast_of=None)
    if isinstance(left, Tensor) and scalar_type(right) is not None:
        in_place_results.check(
            interp, node, _NAMES[type(node.op)], [Part(left, "input", node.target)], [right]
        )
        return replace(left, cast_of=None)
    if isinstance(left, Array) and left.rank != 0:
        return left  # written to: the dtype stays
    obj = interp.obj_of(left)
    grows = obj is not None and (obj.kind == "list" or (obj.kind == "module" and obj.items is not None))
    if isinstance(left, Ref) and grows and isinstance(node.op, ast.Add):
        containers.extend(interp, left, right, node.value)
        return left
    fake = ast.BinOp(node.target, node.op, node.value)
    ast.copy_location(fake, node)
    if isinstance(left, Ref):
        own = overloads.binary(interp, fake, node.op, left, right, changed=True)
        if own is not None:
            return own
    return binary(interp, fake, left, right)
