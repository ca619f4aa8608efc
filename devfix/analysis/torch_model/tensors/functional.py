"""``torch.nn.functional`` and the torch functions that need more than the table of operations."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import (
    AT_LEAST_1,
    INTEGERS,
    UNKNOWN_DEVICE,
    rank_of_broadcast,
    rank_of_stack,
)
from devfix.analysis.domain.number_types import exact_type
from devfix.analysis.domain.values import (
    FALSE,
    TRUE,
    UNKNOWN,
    Obj,
    Sequence,
    Tensor,
    TupleValue,
    Value,
    without_none,
)
from devfix.analysis.language import iteration
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.torch_model.devices import autocast
from devfix.analysis.torch_model.modules import functional_calls, norms
from devfix.analysis.torch_model.tensors import (
    float_operations,
    generators,
    host_memory,
    index_types,
    losses,
    narrow_floats,
    number_range,
    operand_types,
    operations,
    ranks,
    requirements,
    results,
    sequences,
)
from devfix.analysis.torch_model.tensors.requirements import Part
from devfix.analysis.torch_model.tensors.specs import OPS, Op
from devfix.records import frozen

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


@frozen
class Layer:
    """A function with weights: operands in order (``#`` marks what is no tensor), one device.

    ``dtype``: ``first`` or ``weight`` decides the result's; ``index``: the first operand is an
    index and must be an integer. ``alike``: operands that share a dtype, which the last of them decides.
    """

    operands: tuple[str, ...]
    same_dtype: bool = True
    dtype: str = "first"
    index: bool = False
    alike: str = ""


_CONV = Layer(("input", "weight", "bias"))
LAYERS: dict[str, Layer] = {
    "linear": Layer(("input", "weight", "bias")),
    "bilinear": Layer(("input1", "input2", "weight", "bias")),
    **dict.fromkeys(
        ("conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d"), _CONV
    ),
    "embedding": Layer(("input", "weight"), same_dtype=False, dtype="weight", index=True),
    "embedding_bag": Layer(
        (
            "input",
            "weight",
            "offsets",
            "#max_norm",
            "#norm_type",
            "#scale",
            "#mode",
            "#sparse",
            "per_sample_weights",
        ),
        same_dtype=False,
        dtype="weight",
        index=True,
    ),
    "layer_norm": Layer(("input", "#shape", "weight", "bias"), same_dtype=False),
    "group_norm": Layer(("input", "#groups", "weight", "bias"), same_dtype=False),
    "batch_norm": Layer(("input", "running_mean", "running_var", "weight", "bias"), same_dtype=False),
    "instance_norm": Layer(("input", "running_mean", "running_var", "weight", "bias"), same_dtype=False),
    "rms_norm": Layer(("input", "#shape", "weight"), same_dtype=False),
    "prelu": Layer(("input", "weight"), same_dtype=True),
    "scaled_dot_product_attention": Layer(
        ("query", "key", "value", "attn_mask"), same_dtype=False, alike="query key value"
    ),
    "grid_sample": Layer(("input", "grid")),
}


def call(interp: Interpreter, name: str, site: CallSite) -> Value | None:
    """``F.name(...)``; None when devfix does not know the function."""
    handler = HANDLERS.get(f"torch.nn.functional.{name}")
    if handler is not None:
        return handler(interp, name, site)
    if name in results.NAMES:
        narrow_floats.check(interp, name, site)
        return _of_one(interp, name, site)
    if name in LAYERS:
        return layer(interp, name, LAYERS[name], site)
    float_operations.check_columns(interp, name, site)
    if name in losses.LOSSES:
        return losses.apply(interp, name, site)
    return operations.apply(interp, name, site)


def _of_one(interp: Interpreter, name: str, site: CallSite) -> Value:
    """A function of one tensor with results of its own."""
    value = _operand(interp, site)
    if value is None:
        return UNKNOWN
    float_operations.check(interp, name, value, site)
    return results.of(interp, name, value, site)


def _operand(interp: Interpreter, site: CallSite) -> Tensor | None:
    """The tensor that a function of one tensor is given."""
    value = site.value(0, "input", "self")
    value = operand_types.tensor_of(interp, value) if value is not None else None
    return value if isinstance(value, Tensor) else None


def nonzero(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``torch.nonzero``: one row for each place, or a tuple of index tensors."""
    value = _operand(interp, site)
    if value is None:
        return UNKNOWN
    split = site.value(None, "as_tuple")
    if split in (None, FALSE):
        return operations.places(interp, value, site, 2)
    return Sequence(operations.places(interp, value, site, 1)) if split == TRUE else UNKNOWN


def layer(interp: Interpreter, name: str, spec: Layer, site: CallSite) -> Value:
    """A function from :data:`LAYERS`."""
    op = Op(spec.operands, scalars=False)
    parts, unclear = operations.parts_of(interp, op, site)
    if not parts:
        return UNKNOWN
    full = f"torch.nn.functional.{name}"
    if spec.index:
        parts = index_types.check(interp, site.node, full, parts, ("input",))
        table = [part for part in parts if part.role == "weight"]
        if table:
            operand_types.check_bag_weights(interp, site.node, full, parts, table[0])
    if spec.same_dtype:
        requirements.same_dtype(interp, site.node, full, parts)
    alike = [part for part in parts if part.role in spec.alike.split()]
    if alike and not interp.autocast:
        requirements.same_dtype(interp, site.node, full, alike, decisive=alike[-1])
    operand_types.check_attention_masks(interp, site.node, full, parts)
    device = requirements.meet(interp, site.node, full, parts, scalars=False)
    float_operations.check_together(interp, site.node, full, parts, device, unclear=unclear)
    tensors = [part.tensor for part in parts]
    first = parts[0]
    dtype = (alike or parts)[-1 if alike else 0].tensor.dtype
    if spec.dtype == "weight":
        dtype = next((p.tensor.dtype for p in parts if p.role == "weight"), None)
    elif spec.same_dtype or alike:
        dtype = autocast.lowered(interp, dtype, name)
    elif name in norms.FUNCTIONS and first.role == "input":
        weight = next((part for part in parts if part.role == "weight"), None)
        dtype = norms.met(interp, site.node, full, norms.FUNCTIONS[name], first, weight)
    rank = ranks.of_lookup(name, first.tensor.rank) if spec.index else first.tensor.rank
    return autocast.widened(interp, name, operations.derived(interp, tensors, site, dtype, rank, device))


def one_hot(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``F.one_hot`` wants int64 and gives int64 with one more dimension."""
    arg = site.get(0, "tensor", "input")
    value = without_none(arg.value) if arg is not None else None
    if arg is None or not isinstance(value, Tensor):
        return UNKNOWN
    part = Part(value, "tensor", arg.node)
    index_types.check(interp, site.node, "torch.nn.functional.one_hot", [part], ("tensor",))
    rank = rank_of_stack(value.rank)
    return replace(operations.places(interp, value, site, rank), cast_of=losses.TABLE)


def one_operand(dtype: str | None) -> Callable[..., Value]:
    """A handler for a function of one tensor with a result of its shape (dtype None: the operand's)."""

    def handle(interp: Interpreter, name: str, site: CallSite) -> Value:
        value = _operand(interp, site)
        if value is None:
            return UNKNOWN
        if dtype == "int64":
            return operations.places(interp, value, site, value.rank)
        return operations.derived(interp, [value], site, dtype or value.dtype, value.rank)

    return handle


def drawn(dtype: str | None) -> Callable[..., Value]:
    """A handler for a draw from a tensor of probabilities, which a generator may feed."""
    plain = one_operand(dtype)

    def handle(interp: Interpreter, name: str, site: CallSite) -> Value:
        result = plain(interp, name, site)
        if isinstance(result, Tensor):
            generators.check(interp, site, result.device)
        return result

    return handle


def where(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``torch.where``: with the condition alone a tuple of index tensors."""
    if len(site.args) == 1 and not site.keywords:
        value = without_none(site.args[0].value)
        if isinstance(value, Tensor):
            return Sequence(operations.places(interp, value, site, 1))
        return UNKNOWN
    result = operations.apply(interp, "where", site)
    if not isinstance(result, Tensor):
        return UNKNOWN
    branches = [without_none(arg.value) for arg in site.args[1:]]
    if all(isinstance(branch, Tensor) for branch in branches):
        return result
    number_range.check_chosen(interp, site, result)
    numbers = {exact_type(branch) for branch in branches}
    if numbers <= {"int", "float"}:
        return replace(result, dtype="float32" if "float" in numbers else "int64")
    dtypes = {_chosen_dtype(branch, result.dtype) for branch in branches}
    return replace(result, dtype=dtypes.pop() if len(dtypes) == 1 else None)


def _chosen_dtype(branch: Value, beside: str | None) -> str | None:
    """The dtype of one of the tensors that ``where`` chooses from; a number takes that of the other."""
    if isinstance(branch, Tensor):
        return branch.dtype
    kind = exact_type(branch)
    fits = requirements.is_float(beside) or (kind in ("int", "bool") and beside in INTEGERS)
    return beside if kind is not None and fits else None


def pack_padded(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``pack_padded_sequence``: lengths on the CPU, whatever the input (facts)."""
    _on_host(interp, "torch.nn.utils.rnn.pack_padded_sequence", "lengths", site)
    data = site.value(0, "input")
    return _packed(data) if data is not None else UNKNOWN


def _packed(data: Value, *, packed: bool = True) -> Value:
    data = without_none(data)
    return replace(data, packed=packed) if isinstance(data, Tensor) else data


def _on_host(interp: Interpreter, name: str, role: str, site: CallSite) -> None:
    """The second argument is read on the CPU, wherever the data is."""
    arg = site.get(1, role)
    value = without_none(arg.value) if arg is not None else None
    if arg is None or not isinstance(value, Tensor):
        return
    if requirements.leaves_host(interp, value):
        requirements.record(interp, site.node, name, "host-only", [Part(value, role, arg.node)])
    else:
        host_memory.note_read(interp, value)


def tensor_split(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``tensor_split``: "expected tensor_indices_or_sections to be on cpu"."""
    _on_host(interp, "torch.tensor_split", "tensor_indices_or_sections", site)
    data = site.value(0, "input")
    data = without_none(data) if data is not None else None
    if not isinstance(data, Tensor):
        return UNKNOWN
    return Sequence(operations.derived(interp, [data], site, data.dtype, data.rank))


def pad_packed(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``pad_packed_sequence``: the data, and lengths that are always on the CPU."""
    data = site.value(0, "sequence")
    lengths = Tensor(dtype="int64", rank=1, trail=(interp.site("other", site.node),))
    return TupleValue((_packed(data, packed=False) if data is not None else UNKNOWN, lengths))


def pad_sequence(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``pad_sequence``, ``pack_sequence``: the items are copied into one tensor, which is like the first of them."""
    with interp.recorder.mute():
        made = operations.joined(interp, "torch.stack", OPS["stack"], site)
    if isinstance(made, Tensor) and site.args:
        made = _like_the_first(interp, made, site.args[0])
    number_range.check_made(interp, f"torch.nn.utils.rnn.{name}", site, made, (2, "padding_value"))
    return _packed(made, packed=name.endswith("pack_sequence"))


def _like_the_first(interp: Interpreter, made: Tensor, given: Arg) -> Tensor:
    """A tensor that the items of a list are copied into, where they are not all alike."""
    tensors = [part.tensor for part in sequences.members(interp, given)[0]]
    if len({(tensor.device, tensor.dtype) for tensor in tensors}) < 2:
        return made
    items = iteration.exact_items(interp, given.value)
    first = without_none(items[0]) if items else None
    if not isinstance(first, Tensor):
        return replace(made, device=UNKNOWN_DEVICE, dtype=None)
    return replace(made, device=first.device, dtype=first.dtype)


def unpadded(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``unpad_sequence``, ``unpack_sequence``: a list of what one tensor was made of."""
    data = site.value(0, "padded_sequences", "packed_sequences")
    data = without_none(data) if data is not None else None
    if not isinstance(data, Tensor):
        return UNKNOWN
    one = operations.derived(interp, [data], site, data.dtype, AT_LEAST_1)
    return interp.new(Obj("list", element=one))


def broadcast(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``broadcast_tensors(a, b)``: views of them of one shape, each where it was."""
    if site.open:
        return UNKNOWN
    found = [without_none(arg.value) for arg in site.args]
    tensors = [value for value in found if isinstance(value, Tensor)]
    exact = len(tensors) == len(found)
    rank = rank_of_broadcast([tensor.rank for tensor in tensors]) if exact else AT_LEAST_1
    views = (
        operations.derived(interp, [value], site, value.dtype, rank) if isinstance(value, Tensor) else UNKNOWN
        for value in found
    )
    return TupleValue(tuple(views))


def of_parameters(rank: int) -> Callable[[Interpreter, str, CallSite], Value]:
    """What is computed from the parameters that are handed over: one tensor of this rank where they are."""

    def call(interp: Interpreter, name: str, site: CallSite) -> Value:
        given = site.value(0, "parameters")
        element = iteration.element(interp, given, None) if given is not None else UNKNOWN
        if not isinstance(element, Tensor):
            return UNKNOWN
        return operations.derived(interp, [element], site, element.dtype, rank)

    return call


def init(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``torch.nn.init.*_``: fills in place and returns the tensor."""
    value = without_none(site.value(0, "tensor") or UNKNOWN)
    if isinstance(value, Tensor) and "generator" in site.keywords:
        generators.check(interp, site, value.device)
    return value


def embedding(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``torch.embedding(weight, indices)``, which has them the other way round."""
    given = zip(("weight", "input"), (site.get(0, "weight"), site.get(1, "indices")), strict=True)
    keywords = {role: arg for role, arg in given if arg is not None}
    found = call(interp, "embedding", replace(site, args=(), keywords=keywords))
    return found if found is not None else UNKNOWN


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    "torch.embedding": embedding,
    "torch.where": where,
    "torch.func.functional_call": functional_calls.functional_call,
    "torch.nn.utils.stateless.functional_call": functional_calls.functional_call,
    "torch.nn.functional.one_hot": one_hot,
    "torch.nn.utils.rnn.pack_padded_sequence": pack_padded,
    "torch.tensor_split": tensor_split,
    "torch.nn.utils.rnn.pad_packed_sequence": pad_packed,
    "torch.nn.utils.rnn.pad_sequence": pad_sequence,
    "torch.nn.utils.rnn.pack_sequence": pad_sequence,
    **dict.fromkeys(("torch.nn.utils.rnn.unpad_sequence", "torch.nn.utils.rnn.unpack_sequence"), unpadded),
    "torch.broadcast_tensors": broadcast,
    "torch.nn.utils.parameters_to_vector": of_parameters(1),
    "torch.nn.utils.convert_parameters.parameters_to_vector": of_parameters(1),
    **dict.fromkeys(("torch.nn.utils.clip_grad_norm_", "torch.nn.utils.clip_grad_norm"), of_parameters(0)),
    **{
        f"torch.nn.init.{name}": init
        for name in (
            "xavier_uniform_ xavier_normal_ kaiming_uniform_ kaiming_normal_ uniform_ normal_ constant_ "
            "zeros_ ones_ orthogonal_ trunc_normal_ eye_ dirac_ sparse_"
        ).split()
    },
    "torch.argsort": one_operand("int64"),
    "torch.nonzero": nonzero,
    "torch.multinomial": drawn("int64"),
    **dict.fromkeys(("torch.bernoulli", "torch.poisson"), drawn(None)),
    "torch.nn.functional.gumbel_softmax": one_operand(None),
}
