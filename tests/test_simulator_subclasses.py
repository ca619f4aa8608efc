"""Subclasses of ``torch.Tensor`` on a simulated accelerator: made as without one, and just as particular about devices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from devfix.simulator import simulated_accelerator


class Plain(torch.Tensor):
    """A class with nothing of its own."""


class Named(torch.Tensor):
    """A class with a constructor and an attribute of its own."""

    title: str

    def __new__(cls, data: Any, _title: str) -> Any:
        """Make the tensor alone."""
        return super().__new__(cls, data)

    def __init__(self, _data: Any, title: str) -> None:
        super().__init__()
        self.title = title


@pytest.mark.parametrize("make", [Plain, lambda data: Named(data, "x")])
def test_a_constructor_of_a_subclass_works_and_its_tensors_are_on_the_host(make: Callable[..., Any]) -> None:
    with simulated_accelerator():
        made = make([1.0, 2.0])
        assert isinstance(made, (Plain, Named))
        assert made.device == torch.device("cpu")
        with pytest.raises(RuntimeError, match="same device"):
            made + torch.ones(2, device="cuda")


def test_a_subclass_made_of_a_tensor_is_where_the_tensor_is() -> None:
    with simulated_accelerator():
        tensor = torch.ones(2, device="cuda", requires_grad=True)
        for made in (tensor.as_subclass(Plain), Plain(tensor)):
            assert type(made) is Plain
            assert made.device == torch.device("cuda:0")
        tensor.as_subclass(Plain).sum().backward()  # type: ignore[no-untyped-call]
        assert tensor.grad is not None
        assert tensor.grad.tolist() == [1.0, 1.0]


def test_where_a_subclass_was_made_is_known() -> None:
    with simulated_accelerator(heal=True) as machine:
        Plain([1.0]) + torch.ones(1, device="cuda")
    [mismatch] = machine.log.mismatches
    [blamed] = [operand for operand in mismatch["operands"] if operand["blamed"]]
    assert blamed["made"]["by"] == f"{__name__}.Plain"
    assert blamed["made"]["place"]["text"].startswith("Plain([1.0])")


def test_parameters_made_under_inference_mode_have_data() -> None:
    with simulated_accelerator(), torch.inference_mode():
        layer = torch.nn.Linear(2, 2).to("cuda")
        assert layer.weight.data.device == torch.device("cuda:0")
        layer.weight.data = torch.zeros(2, 2, device="cuda")
        assert not layer.weight.any()


def test_afterwards_constructors_are_those_of_torch() -> None:
    with simulated_accelerator():
        pass
    assert "__new__" not in vars(torch.Tensor)
    assert Plain([1.0]).tolist() == [1.0]
    assert torch.Tensor([2.0]).tolist() == [2.0]


def _blamed(weights: Callable[[torch.nn.Linear], object]) -> dict[str, Any]:
    """What is said of the weight of a layer that went through something before it was called."""
    with simulated_accelerator(heal=True) as machine:
        layer = torch.nn.Linear(2, 2, bias=False).to("cuda")
        weights(layer)
        layer(torch.ones(1, 2, device="cuda"))
    [mismatch] = machine.log.mismatches
    [blamed] = [operand for operand in mismatch["operands"] if operand["blamed"]]
    made: dict[str, Any] = blamed["made"]
    return made


def test_where_a_parameter_got_data_from_the_cpu_is_known() -> None:
    average = torch.zeros(2, 2)

    def swap(layer: torch.nn.Linear) -> None:
        layer.weight.data = average.clone()

    made = _blamed(swap)
    assert made["kind"] == "replaced"
    assert made["place"]["text"] == "layer.weight.data = average.clone()"
    assert _blamed(torch.nn.Linear.cpu)["kind"] == "move"
