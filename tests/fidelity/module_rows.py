"""Every module of PyTorch's own database with its input, one of its parameters, or all of it elsewhere.

For up to three samples of each module, in training and in evaluation: "fine" has everything on the accelerator,
"module" leaves the module on the CPU, "input" one tensor of the input, "own" one of its parameters or buffers. A
result that requires a gradient is followed back.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import torch
from fidelity import answers, operator_rows
from fidelity.answers import Answer
from torch.utils import _pytree as pytree

_SAMPLES, _INPUTS, _OWN = 3, 4, 5


class Case(NamedTuple):
    """One module, one of its samples, and what is left on the CPU."""

    module: str
    training: bool
    sample: int
    mode: str
    left: str

    @property
    def name(self) -> str:
        """The case in one line."""
        return json.dumps(list(self))


class Built(NamedTuple):
    """What makes the module anew, and the arguments it is called with."""

    make: Callable[[], torch.nn.Module]
    arguments: Any


def database() -> list[Any]:
    """PyTorch's modules."""
    operator_rows.database()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from torch.testing._internal.common_modules import module_db  # noqa: PLC0415 - takes a second
    return list(module_db)


def cases(module: Any) -> Iterator[tuple[Case, Built]]:
    """All calls of one module, the one with nothing displaced before the others."""
    for training in (True, False):
        for number, built in enumerate(_samples(module, training=training)):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    made = built.make()
            except Exception:  # noqa: BLE001 - a module that cannot be made here is left out
                continue
            own = [name for name, _ in (*made.named_parameters(), *made.named_buffers())]
            inputs = [leaf for leaf in pytree.tree_leaves(built.arguments) if isinstance(leaf, torch.Tensor)]
            every = [("fine", "")] + [("input", str(place)) for place in range(min(len(inputs), _INPUTS))]
            every += [("module", "")] * bool(own) + [("own", name) for name in own[:_OWN]]
            for mode, left in every:
                yield Case(module.name, training, number, mode, left), built


def _samples(module: Any, *, training: bool) -> list[Built]:
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            drawn = module.module_inputs_func(
                module, device="cpu", dtype=torch.float32, requires_grad=False, training=training
            )
        except Exception:  # noqa: BLE001 - a module without samples here is left out
            return []
    taken = [one for one in list(drawn)[:_SAMPLES] if one.forward_input is not None]
    return [
        Built(
            lambda one=one: _made(module, one.constructor_input, training=training),  # type: ignore[misc]
            (one.forward_input.args, one.forward_input.kwargs),
        )
        for one in taken
    ]


def _made(module: Any, given: Any, *, training: bool) -> torch.nn.Module:
    torch.manual_seed(0)
    made: torch.nn.Module = module.module_cls(*given.args, **given.kwargs)
    return made.train(training)


def ask(case: Case, built: Built) -> Answer:
    """Make one call, and follow its first result back."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            made = built.make()
            if case.mode != "module":
                made.to("cuda")
            if case.mode == "own":
                _leave(made, case.left)
            args, kwargs = _placed(case, built.arguments)
            out = made(*args, **kwargs)
            results = [leaf for leaf in pytree.tree_leaves(out) if isinstance(leaf, torch.Tensor)]
            for result in results:
                if result.requires_grad:
                    result.sum().backward()  # type: ignore[no-untyped-call]
                    break
            return answers.of_result(sorted({str(result.device) for result in results}))
        except Exception as error:  # noqa: BLE001 - whatever is raised is the answer
            return answers.of_error(error)


def _leave(made: torch.nn.Module, name: str) -> None:
    path, _, leaf = name.rpartition(".")
    holder = made.get_submodule(path)
    tensor = getattr(holder, leaf)
    if isinstance(tensor, torch.nn.Parameter):
        tensor.data = tensor.data.cpu()
    else:
        holder._buffers[leaf] = tensor.cpu()


def _placed(case: Case, arguments: Any) -> Any:
    leaves, spec = pytree.tree_flatten(arguments)
    number = -1
    placed: list[Any] = []
    for leaf in leaves:
        if isinstance(leaf, torch.Tensor):
            number += 1
            here = case.mode == "input" and case.left == str(number)
            placed.append(leaf.detach().to("cpu" if here else "cuda"))
        else:
            placed.append(torch.device("cuda") if isinstance(leaf, torch.device) else leaf)
    return pytree.tree_unflatten(placed, spec)
