"""Losses: input and target on one device, class weights too, and targets of the right dtype."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain.lattice import FLOATS, INTEGERS, STORED_INTEGERS
from devfix.analysis.domain.values import UNKNOWN, Const, Tensor, Value
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.reuse import reads
from devfix.analysis.text import autocast_switches
from devfix.analysis.torch_model.devices import autocast
from devfix.analysis.torch_model.loading import strangers
from devfix.analysis.torch_model.tensors import operations, requirements
from devfix.analysis.torch_model.tensors.requirements import Part
from devfix.analysis.torch_model.tensors.specs import Op
from devfix.records import frozen

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


@frozen
class Loss:
    """A loss: its operands in the order of the functional form, and what its target must be.

    ``target``: ``classes`` (int64, or probabilities), ``float`` (0 to 1), or empty for anything.
    ``free``: operands that may live on the CPU beside an accelerator's input.
    """

    operands: tuple[str, ...]
    target: str = ""
    free: tuple[str, ...] = ()
    scalars: bool = True


_PLAIN = Loss(("input", "target"), scalars=False)
LOSSES: dict[str, Loss] = {
    "cross_entropy": Loss(("input", "target", "weight"), "classes", scalars=False),
    "nll_loss": Loss(("input", "target", "weight"), "classes", scalars=False),
    "binary_cross_entropy": Loss(("input", "target", "weight"), "float", scalars=False),
    "binary_cross_entropy_with_logits": Loss(
        ("input", "target", "weight", "#average", "#reduce", "#reduction", "pos_weight"), "float"
    ),
    **dict.fromkeys(
        ("mse_loss", "smooth_l1_loss", "huber_loss", "multilabel_margin_loss"), _PLAIN
    ),
    **dict.fromkeys(
        ("l1_loss", "kl_div", "poisson_nll_loss", "soft_margin_loss", "hinge_embedding_loss"),
        Loss(("input", "target")),
    ),
    "multilabel_soft_margin_loss": Loss(("input", "target", "weight"), scalars=False),
    "multi_margin_loss": Loss(("input", "target", "#p", "#margin", "weight"), scalars=False),
    "gaussian_nll_loss": Loss(("input", "target", "var"), scalars=False),
    "cosine_embedding_loss": Loss(("input1", "input2", "target")),
    "margin_ranking_loss": Loss(("input1", "input2", "target")),
    "triplet_margin_loss": Loss(("anchor", "positive", "negative"), scalars=False),
    "ctc_loss": Loss(
        ("log_probs", "targets", "input_lengths", "target_lengths"),
        free=("targets", "input_lengths", "target_lengths"),
    ),
}  # fmt: skip

#: What these give without a reduction has the target's rank, or one less than the input.
_PER_TARGET = frozenset({"cross_entropy", "nll_loss", "cosine_embedding_loss"})
_PER_ROW = frozenset(
    {"multi_margin_loss", "multilabel_margin_loss", "multilabel_soft_margin_loss", "triplet_margin_loss"}
)

#: Loss modules, and the keyword arguments that are tensors kept as buffers.
CRITERIA: dict[str, tuple[str, tuple[str, ...]]] = {
    "CrossEntropyLoss": ("cross_entropy", ("weight",)),
    "NLLLoss": ("nll_loss", ("weight",)),
    "NLLLoss2d": ("nll_loss", ("weight",)),
    "BCELoss": ("binary_cross_entropy", ("weight",)),
    "BCEWithLogitsLoss": ("binary_cross_entropy_with_logits", ("weight", "pos_weight")),
    "MSELoss": ("mse_loss", ()),
    "L1Loss": ("l1_loss", ()),
    "SmoothL1Loss": ("smooth_l1_loss", ()),
    "HuberLoss": ("huber_loss", ()),
    "KLDivLoss": ("kl_div", ()),
    "PoissonNLLLoss": ("poisson_nll_loss", ()),
    "SoftMarginLoss": ("soft_margin_loss", ()),
    "MultiLabelMarginLoss": ("multilabel_margin_loss", ()),
    "MultiLabelSoftMarginLoss": ("multilabel_soft_margin_loss", ("weight",)),
    "MultiMarginLoss": ("multi_margin_loss", ("weight",)),
    "HingeEmbeddingLoss": ("hinge_embedding_loss", ()),
    "GaussianNLLLoss": ("gaussian_nll_loss", ()),
    "CosineEmbeddingLoss": ("cosine_embedding_loss", ()),
    "MarginRankingLoss": ("margin_ranking_loss", ()),
    "TripletMarginLoss": ("triplet_margin_loss", ()),
    "CTCLoss": ("ctc_loss", ()),
}


def takes(name: str, site: CallSite) -> bool:
    """Whether a call gives a loss module what it compares, no more and no less."""
    function, buffers = CRITERIA[name]
    compared = [role for role in LOSSES[function].operands if role not in buffers and role[0] != "#"]
    return len(site.args) + len(site.keywords) == len(compared)


def apply(interp: Interpreter, name: str, site: CallSite, buffers: dict[str, Arg] | None = None) -> Value:
    """A loss called as a function; ``buffers`` are the tensors a loss module brings along."""
    spec = LOSSES[name]
    op = Op(spec.operands)
    parts, _ = operations.parts_of(interp, op, site)
    parts += strangers.parts(interp, spec.operands[:2], site)
    for role, arg in (buffers or {}).items():
        if isinstance(arg.value, Tensor):
            parts.append(Part(arg.value, role, arg.node))
    if not parts:
        return UNKNOWN
    full = f"torch.nn.functional.{name}"
    bound = [part for part in parts if part.role not in spec.free]
    _check_target(interp, full, spec, parts, site)
    _check_autocast(interp, name, parts, site)
    device = requirements.meet(interp, site.node, full, bound, scalars=spec.scalars)
    tensors = [part.tensor for part in bound]
    rank = _unreduced_rank(name, parts) if _unreduced(site) else 0
    floats = {
        tensor.dtype for tensor in tensors if requirements.is_float(tensor.dtype) or tensor.dtype is None
    }
    dtype = autocast.floated(interp, floats.pop() if len(floats) == 1 else None)
    return operations.derived(interp, tensors, site, dtype, rank, device)


def _unreduced(site: CallSite) -> bool:
    return site.value(None, "reduction") == Const("none")


def _unreduced_rank(name: str, parts: list[Part]) -> int | None:
    """The rank of a loss for each sample."""
    first = parts[0].tensor.rank
    if name in _PER_TARGET:
        target = next((part.tensor for part in parts if part.role in ("target", "targets")), None)
        if target is None or target.dtype is None or requirements.is_float(target.dtype):
            return None
        return target.rank
    if name in _PER_ROW:
        return first - 1 if first is not None and first > 0 else None
    return 1 if name == "ctc_loss" else first


def check_target(interp: Interpreter, name: str, parts: list[Part], site: CallSite) -> None:
    """What a loss asks of the target among its operands, which it is given by somebody else."""
    _check_target(interp, f"torch.nn.functional.{name}", LOSSES[name], parts, site)


def _check_target(interp: Interpreter, name: str, spec: Loss, parts: list[Part], site: CallSite) -> None:
    """Facts: "cross_entropy: int32 target" and "float 1-d target" fail, uint8 runs; "bce: long"."""
    target = next((part for part in parts if part.role == "target"), None)
    source = next((part for part in parts if part.role == "input"), None)
    if _is_turned(name, source, target):
        source, target = target, source
    if target is None or target.tensor.dtype is None:
        return
    dtype = target.tensor.dtype
    if source is not None and _is_of_halves(interp, source, dtype) and _refuses_gradient(name, source):
        requirements.same_dtype(interp, site.node, name, [target, source], decisive=source)
        return
    if dtype == "float64" and source is not None and source.tensor.dtype == "float32":
        if _refuses_gradient(name, source):
            requirements.same_dtype(interp, site.node, name, [target, source], decisive=source)
        elif not spec.target:
            requirements.record(interp, site.node, name, "target-width", [target], wanted="float32")
    if spec.target == "classes" and source is not None:
        _check_class_weights(interp, name, source, target, parts, site)
    _check_kind(interp, name, spec, source, target, site)


def _check_kind(
    interp: Interpreter, name: str, spec: Loss, source: Part | None, target: Part, site: CallSite
) -> None:
    """Whether a target is of the kind of numbers that the loss takes: classes, or floats."""
    dtype = target.tensor.dtype or ""
    if spec.target == "classes":
        floating = dtype.startswith(("float", "bfloat"))
        bad = dtype in ("int32", "int16", "int8", "bool", *STORED_INTEGERS) or (
            floating and _is_class_list(source, target)
        )
        if bad:
            requirements.record(interp, site.node, name, "target-dtype", [target], wanted="int64")
        elif _is_table(name, source, target):
            requirements.record(interp, site.node, name, "target-dtype", [target], wanted="float32")
    elif spec.target == "float" and not dtype.startswith(("float", "bfloat")):
        wanted = source.tensor.dtype if source is not None else None
        if wanted is None or wanted.startswith(("float", "bfloat")):
            requirements.record(interp, site.node, name, "target-dtype", [target], wanted=wanted or "float32")
    elif source is not None and source.tensor.dtype == "float32" and dtype in (*INTEGERS, "bool"):
        if _refuses_gradient(name, source) or name.endswith(".kl_div"):
            requirements.record(interp, site.node, name, "target-dtype", [target], wanted="float32")


def _check_autocast(interp: Interpreter, name: str, parts: list[Part], site: CallSite) -> None:
    """Autocast refuses the loss of probabilities on an accelerator, whatever they are.

    Where an option turns it on, and the program asks that option, it may take another loss then.
    """
    floats = [part for part in parts if part.role == "input" and part.tensor.dtype in FLOATS]
    if name in _REFUSED and floats and interp.autocast in autocast.HALVES:
        if floats[0].tensor.device.is_accelerator and not autocast_switches.are_asked(reads.tree(interp)):
            operation = f"torch.nn.functional.{name}"
            requirements.record(
                interp, site.node, operation, "narrow-float", floats, wanted="float32", refused="autocast"
            )


#: What CUDA's autocast has for no dtype: "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast".
_REFUSED = ("binary_cross_entropy",)
#: Losses of which either operand has the gradient that the other has.
_EITHER_WAY = ("mse_loss", "huber_loss")


def _is_turned(name: str, source: Part | None, target: Part | None) -> bool:
    """Whether ``mse_loss(y, net(x))`` has the prediction where the target belongs: it is what a gradient is for."""
    if source is None or target is None or name.rpartition(".")[2] not in _EITHER_WAY:
        return False
    return target.tensor.grad is True and source.tensor.grad is False


#: Losses whose backward pass promotes nothing; that of the first one does on the CPU.
_UNPROMOTED = ("mse_loss", "huber_loss", "binary_cross_entropy")
#: What promotes nothing in the first place: "Found dtype Double but expected Float", "Integral inputs not supported".
_UNPROMOTED_FORWARD = ("binary_cross_entropy",)


def _check_class_weights(
    interp: Interpreter, name: str, source: Part, target: Part, parts: list[Part], site: CallSite
) -> None:
    """The weights of classes have the dtype of the predictions, unless autocast widens both."""
    weight = next((part for part in parts if part.role == "weight"), None)
    if weight is None or requirements.is_float(target.tensor.dtype):
        return
    if not (interp.autocast and {weight.tensor.dtype, source.tensor.dtype} <= autocast.CAST):
        requirements.same_dtype(interp, site.node, name, [weight, source], decisive=source)


def _is_of_halves(interp: Interpreter, source: Part, dtype: str) -> bool:
    """Whether predictions and targets are floats of two dtypes, one of which has 16 bits or the predictions have 64."""
    own = source.tensor.dtype
    odd = own != "float32" or dtype != "float64"
    return interp.autocast is None and odd and own != dtype and own in FLOATS and dtype in FLOATS


def _refuses_gradient(name: str, source: Part) -> bool:
    """Whether the gradient of predictions that require one is refused beside a target of float64 or of integers.

    Facts: "mse: double target then backward" says "Found dtype Double but expected Float", and so "mse: long target".
    """
    last = name.rpartition(".")[2]
    if last in _UNPROMOTED_FORWARD:
        return True
    there = last in _UNPROMOTED[1:] or (last in _UNPROMOTED and source.tensor.device.is_accelerator)
    return there and source.tensor.grad is True


#: What whole numbers are that tell of each class whether it is the one, as ``Tensor.cast_of`` says.
TABLE = "one-hot"


def _is_table(name: str, source: Part | None, target: Part) -> bool:
    """Whether a target has a number for each class, which only ``cross_entropy`` takes, as floats: it reads them as probabilities."""
    rank = target.tensor.rank
    whole = target.tensor.dtype in INTEGERS and target.tensor.cast_of == TABLE
    alike = source is not None and rank is not None and rank > 0 and source.tensor.rank == rank
    return whole and alike and name.endswith(".cross_entropy")


def _is_class_list(source: Part | None, target: Part) -> bool:
    """A float target with one dimension less than the logits can be no table of probabilities."""
    if source is None or target.tensor.rank is None or target.tensor.rank < 1:
        return False
    rank = source.tensor.rank
    if target.tensor.rank == 1:
        # What is taken out of unknown logits by its number may be those of one sample.
        return not isinstance(source.node, ast.Subscript) if rank is None else rank != 1
    return rank == target.tensor.rank + 1
