"""Functions that torch composes of others in C++: what they compare of devices before they begin.

The C++ sees true CPU tensors, so its own comparisons pass; these are made in front of it.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from typing import Any

import torch

from .. import device_comparisons as compare
from .. import number_range
from ..claims import CPU, Claim, claim_of, device_of, lay
from ..events import Operand
from ..iterator_rules import iterate
from ..machine import Machine
from ..operands import Operand as Place
from ..operands import RefusedError, tensors_in
from ..patching import Patcher

Tensor = torch.Tensor
_FUNCTIONS: Any = torch._VF

#: Where a function is found, its name, the names of what it takes by position, and its comparison.
_COMPARED: list[tuple[Sequence[Any], str, str, compare.Comparison]] = [
    ([_FUNCTIONS], "meshgrid", "tensors", compare.meshgrid),
    ([_FUNCTIONS], "cartesian_prod", "tensors", compare.meshgrid),
    ([torch, Tensor], "quantile", "input q", compare.quantile),
    ([torch, Tensor], "nanquantile", "input q", compare.quantile),
    ([torch, Tensor], "inner", "input other", compare.inner),
    ([torch], "gradient", "input", compare.gradient),
    ([torch, Tensor], "take_along_dim", "input indices dim", compare.take_along_dim),
    ([torch, Tensor], "tensor_split", "input indices_or_sections dim", compare.tensor_split),
    ([torch.linalg], "matrix_rank", "input tol", compare.matrix_rank),
    ([torch.linalg], "multi_dot", "tensors", compare.multi_dot),
    ([_FUNCTIONS], "chain_matmul", "tensors", compare.multi_dot),
    ([_FUNCTIONS], "stft", "input n_fft hop_length win_length window", compare.stft),
    ([torch, torch.functional], "istft", "input n_fft hop_length win_length window", compare.istft),
    ([torch, _FUNCTIONS], "lstm_cell", "input hx w_ih w_hh b_ih b_hh", compare.lstm_cell),
    ([torch, _FUNCTIONS], "gru_cell", "input hx w_ih w_hh b_ih b_hh", compare.gru_cell),
    ([torch], "rms_norm", "input normalized_shape weight", compare.rms_norm),
    ([torch], "where", "condition input other", compare.chosen_number),
    ([Tensor], "where", "input condition other", compare.chosen_number),
    ([torch.nn.functional], "scaled_dot_product_attention", "query key value attn_mask", compare.attention),
]
_RECURRENT = ("lstm", "gru", "rnn_tanh", "rnn_relu")
#: ``torch.nn._reduction`` for "mean".
_MEAN = 1
#: Other names of the same argument.
_SAME = {"self": "input", "A": "input"}


def install(patcher: Patcher, machine: Machine) -> None:
    """Put a comparison in front of each function."""
    for owners, name, names, comparison in _COMPARED:
        for owner in owners:
            make = functools.partial(_compared, machine, names.split(), comparison)
            patcher.wrap(owner, name, make)
    for name in _RECURRENT:
        for owner in (torch, _FUNCTIONS):
            patcher.wrap(owner, name, functools.partial(_recurrent, machine))
    patcher.wrap(torch, "ctc_loss", functools.partial(_with_plain_lengths, machine))


def _compared(machine: Machine, names: list[str], comparison: compare.Comparison, original: Any) -> Any:
    @functools.wraps(original)
    def function(*args: Any, **kwargs: Any) -> Any:
        given = {_SAME.get(name, name): value for name, value in kwargs.items()}
        given.update(zip(names, args))
        try:
            comparison(given)
        except RefusedError as refused:
            args, kwargs = _refused(machine, refused, original.__name__, given, args, kwargs)
        except (KeyError, AttributeError, IndexError):
            # Called with arguments that torch will not take; it says so itself.
            pass
        return original(*args, **kwargs)

    return function


def _recurrent(machine: Machine, original: Any) -> Any:
    """``lstm`` and its like take a batch, or packed data with the sizes of its batches."""

    @functools.wraps(original)
    def function(data: Any, second: Any, third: Any, *args: Any, **kwargs: Any) -> Any:
        packed = bool(args) and isinstance(args[0], (list, tuple))
        if packed and device_of(data) == CPU:
            # The CPU's kernels for packed data compare nothing themselves.
            return original(data, second, third, *args, **kwargs)
        hidden, parameters = (third, args[0]) if packed else (second, third)
        given = {"input": data, "hx": hidden, "params": parameters}
        every: Any = (data, second, third, *args)
        try:
            compare.recurrent(given)
        except RefusedError as refused:
            every, kwargs = _refused(machine, refused, original.__name__, given, every, kwargs)
        out = original(*every, **kwargs)
        training = every[7 if packed else 6] if len(every) > 7 else True
        if not training and not machine.heal and device_of(data).type == "cuda":
            for result in tensors_in(out):
                if result.requires_grad:
                    result.register_hook(_no_gradient)  # type: ignore[no-untyped-call]
        return out

    return function


def _no_gradient(gradient: Tensor) -> None:
    """What cuDNN says of a layer that was evaluated (native/cudnn/RNN.cpp)."""
    raise RuntimeError("cudnn RNN backward can only be called in training mode")


def _refused(
    machine: Machine, refused: RefusedError, name: str, given: dict[str, Any], args: Any, kwargs: Any
) -> tuple[Any, Any]:
    """Raise, or write the mismatch down; the arguments to go on with come back."""
    operands = [
        Operand(role, tensor, claim_of(tensor), device_of(tensor))
        for role, value in given.items()
        for tensor in tensors_in(value)
    ]
    if refused.refusal.kind == "dtype" and machine.heal:
        # The CPU refuses it too, and there it is healed.
        return args, kwargs
    fitting = number_range.limited(args, kwargs, refused.refusal.message)
    if fitting is not None:
        machine.refuse(refused.refusal, f"aten::{name}", operands)
        return fitting.args, fitting.kwargs
    host_only = refused.refusal.kind == "host-only"
    target = CPU if host_only else next((o.device for o in operands if o.device.type != "cpu"), CPU)
    blamed = tuple(operand.tensor for operand in operands if (operand.device.type != "cpu") == host_only)
    machine.refuse(refused.refusal._replace(blamed=blamed), f"aten::{name}", operands)
    taken = [_taken(value, blamed, target) for value in args]
    return taken, {key: _taken(value, blamed, target) for key, value in kwargs.items()}


def _taken(value: Any, blamed: Iterable[Tensor], target: torch.device) -> Any:
    """An argument with the blamed tensors as if they were where they should be."""
    if isinstance(value, (list, tuple)):
        return type(value)(_taken(part, blamed, target) for part in value)
    if isinstance(value, Tensor) and any(value is tensor for tensor in blamed):
        claim = claim_of(value)
        return lay(value.clone(), Claim(target, *((claim.made, claim.roots) if claim is not None else ())))
    return value


def _with_plain_lengths(machine: Machine, original: Any) -> Any:
    """LossCTC.cpp takes lengths from wherever they are as plain numbers, except under a dispatch mode."""

    @functools.wraps(original)
    def ctc_loss(
        log_probs: Any,
        targets: Any,
        inputs: Any,
        lengths: Any,
        blank: int = 0,
        reduction: Any = 1,
        *args: Any,
    ) -> Any:
        whole = all(isinstance(value, Tensor) and value.dtype == torch.int32 for value in (inputs, lengths))
        if reduction == _MEAN and whole and _is_cudnn_loss(log_probs, targets, blank):
            named = {"log_probs": log_probs, "target_lengths": lengths}
            try:
                # cuDNN's loss of each sequence is divided by the lengths as they are.
                iterate([Place(device_of(value), (1,)) for value in named.values()])
            except RefusedError as refused:
                _refused(machine, refused, "ctc_loss", named, (), {})
        return original(log_probs, targets, _plain(inputs), _plain(lengths), blank, reduction, *args)

    return ctc_loss


def _is_cudnn_loss(log_probs: Any, targets: Any, blank: int) -> bool:
    return (
        device_of(log_probs).type == "cuda"
        and log_probs.dtype == torch.float32
        and targets.dtype == torch.int32
        and targets.dim() == 1
        and blank == 0
    )


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, Tensor) and value.dim() == 1 else value
