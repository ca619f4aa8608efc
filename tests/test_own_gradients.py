"""Gradients that autograd functions of a program give back: each must be where its input is."""

from __future__ import annotations

import pytest
import torch
from text_program import clashes, fix_texts

from devfix.simulator import simulated_accelerator

PROGRAM = """import torch


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, times, weight):
        ctx.save_for_backward(x, weight)
        return x * weight * times

    @staticmethod
    def backward(ctx, grad):
        x, weight = ctx.saved_tensors
        total = (grad * x).sum()
        own = {own}
        return grad * weight, None, own


weight = torch.nn.Parameter(torch.ones({shape}).cuda())
x = torch.randn(4, device="cuda", requires_grad=True)
Scaled.apply(x, 2, weight).sum().backward()
"""
#: An H100 says of each: "Function ScaledBackward returned an invalid gradient at index 1 - expected device cuda:0 but got cpu".
REFUSED = ["torch.tensor([total.item()])", "torch.ones(1) * total.item()", "total.cpu().reshape(1)"]
TAKEN = [
    ("torch.tensor(total.item())", "()"),
    ("total.cpu()", "()"),
    ("torch.tensor([total.item()], device=grad.device)", "1"),
    ("total.reshape(1)", "1"),
    ("None", "1"),
]


def _outcome(text: str) -> str:
    with simulated_accelerator():
        try:
            exec(text, {"__name__": "__main__"})
        except RuntimeError as error:
            return str(error)
    return ""


@pytest.mark.parametrize("own", REFUSED)
def test_a_gradient_of_the_host_is_refused_by_an_input_of_the_accelerator(own: str) -> None:
    text = PROGRAM.format(own=own, shape="1")
    refused = "returned an invalid gradient at index 1 - expected device cuda:0 but got cpu"
    assert (clashes(text), refused in _outcome(text)) == (["15: device"], True)


@pytest.mark.filterwarnings("ignore:.*should not be instantiated:DeprecationWarning")
def test_a_function_that_is_an_object_is_applied_as_its_class_is() -> None:
    text = PROGRAM.format(own=REFUSED[0], shape="1").replace("Scaled.apply", "Scaled().apply")
    assert (clashes(text), "invalid gradient at index 1" in _outcome(text)) == (["15: device"], True)
    right = PROGRAM.format(own=TAKEN[2][0], shape="1").replace("Scaled.apply", "Scaled().apply")
    assert (clashes(right), _outcome(right)) == ([], "")


@pytest.mark.parametrize(("own", "shape"), TAKEN)
def test_a_gradient_without_dimensions_beside_its_input_or_missing_is_taken(own: str, shape: str) -> None:
    text = PROGRAM.format(own=own, shape=shape)
    assert (clashes(text), _outcome(text)) == ([], "")
    assert fix_texts({"main.py": text})[0]["main.py"] == text


def test_the_gradient_is_made_where_the_one_is_that_came_in() -> None:
    text = PROGRAM.format(own="torch.tensor([total.item()])", shape="1")
    after = fix_texts({"main.py": text})[0]["main.py"]
    assert after == text.replace("[total.item()])", "[total.item()], device=grad.device)")
    assert _outcome(after) == ""


def test_what_an_input_needs_no_gradient_of_may_be_anywhere() -> None:
    text = PROGRAM.format(own="torch.zeros(1)", shape="1").replace(
        "torch.nn.Parameter(torch.ones(1).cuda())", "torch.ones(1).cuda()"
    )
    assert (clashes(text), _outcome(text)) == ([], "")


def test_gradients_of_inputs_on_the_host_stay_there() -> None:
    text = PROGRAM.format(own="torch.tensor([total.item()])", shape="1")
    text = text.replace(".cuda()", "").replace('device="cuda", ', "")
    assert (clashes(text), _outcome(text)) == ([], "")


def test_a_healed_gradient_arrives_where_its_input_is() -> None:
    text = PROGRAM.format(own="torch.tensor([total.item()])", shape="1")
    with simulated_accelerator(heal=True) as machine:
        names: dict[str, torch.Tensor] = {"__name__": "__main__"}  # type: ignore[dict-item]
        exec(text, names)
        gradient = names["weight"].grad
        assert gradient is not None
        assert gradient.device.type == "cuda"
    [found] = machine.log.mismatches
    assert (found["kind"], found["operation"]) == ("device", "torch.autograd.Function.backward")


OF_NUMPY = """import numpy as np
import torch


class Cumulated(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale):
        x, scale = x.detach(), scale.detach()
        ctx.save_for_backward(x, scale)
        return torch.from_numpy(np.cumsum(x{moved}.numpy() * scale{moved}.numpy())){back}

    @staticmethod
    def backward(ctx, grad):
        x, scale = ctx.saved_tensors
        own = torch.from_numpy(np.cumsum(grad{moved}.numpy()))
        return own, (own * x{moved}).sum().reshape(1)


class Cumulating(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.ones(1))

    def forward(self, x):
        return Cumulated.apply(x, self.scale)
"""
USE = "net = Cumulating(){there}\nnet(torch.ones(3, requires_grad=True){there}).sum().backward()\nprint(net.scale.grad)\n"


@pytest.mark.parametrize("use", ["", USE.format(there="")])
def test_a_function_that_numpy_computes_is_for_the_cpu(use: str) -> None:
    assert clashes(OF_NUMPY.format(moved="", back="") + use) == []


def test_one_that_takes_its_inputs_there_may_be_given_others() -> None:
    assert clashes(OF_NUMPY.format(moved=".cpu()", back=".to(x.device)")) != []


def test_one_that_is_given_tensors_of_the_accelerator_gives_gradients_there() -> None:
    text = OF_NUMPY.format(moved="", back="") + USE.format(there=".cuda()")
    after = fix_texts({"main.py": text})[0]["main.py"]
    assert clashes(after) == []
    with simulated_accelerator():
        exec(compile(after, "main.py", "exec"), {"__name__": "__main__"})
