"""Dtype mistakes, healed: each is written down once, with the operand to blame and the dtype it should have had."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812 - as everybody writes it

from devfix.simulator import Machine, simulated_accelerator

D = "cuda"
DOUBLE, FLOAT, HALF, BRAIN, LONG, INT, BOOL = (
    torch.float64,
    torch.float32,
    torch.float16,
    torch.bfloat16,
    torch.int64,
    torch.int32,
    torch.bool,
)


@pytest.fixture(scope="module")
def machine() -> Iterator[Machine]:
    with simulated_accelerator(heal=True) as found:
        yield found


def draw(*shape: int, dtype: torch.dtype = FLOAT) -> Any:
    return torch.randn(*shape, device=D).to(dtype)


def whole(*shape: int, dtype: torch.dtype = LONG) -> Any:
    return torch.randint(0, 2, shape, device=D).to(dtype)


def _unit(dtype: torch.dtype) -> Any:
    return torch.eye(4, device=D).to(dtype)


def in_place(first: Any, act: Callable[[Any], object]) -> Any:
    act(first)
    return first


#: What is called, and the kind, the roles to blame, and the dtype wanted.
CASES: dict[str, tuple[Callable[[], Any], str, str, str]] = {
    "linear": (lambda: nn.Linear(4, 3).to(D)(draw(2, 4, dtype=DOUBLE)), "dtype", "mat1", "float32"),
    "linear of integers": (lambda: nn.Linear(4, 3).to(D)(whole(2, 4)), "dtype", "mat1", "float32"),
    "half model": (lambda: nn.Linear(4, 3).to(D).half()(draw(2, 4)), "dtype", "mat1", "float16"),
    "conv": (
        lambda: nn.Conv2d(3, 4, 3).to(D)(draw(1, 3, 8, 8, dtype=DOUBLE)),
        "dtype",
        "input",
        "float32",
    ),
    "lstm": (lambda: nn.LSTM(4, 3).to(D)(draw(2, 5, 4, dtype=DOUBLE)), "dtype", "input", "float32"),
    "lstm cell": (lambda: nn.LSTMCell(4, 3).to(D)(draw(2, 4, dtype=DOUBLE)), "dtype", "mat1", "float32"),
    "product": (lambda: draw(2, 2) @ draw(2, 2, dtype=DOUBLE), "dtype", "mat2", "float32"),
    "einsum": (
        lambda: torch.einsum("ij,jk->ik", draw(2, 2), draw(2, 2, dtype=DOUBLE)),
        "dtype",
        "mat2",
        "float32",
    ),
    "attention": (
        lambda: F.scaled_dot_product_attention(
            draw(1, 2, 3, 4), draw(1, 2, 3, 4), draw(1, 2, 3, 4, dtype=DOUBLE)
        ),
        "dtype",
        "value",
        "float32",
    ),
    "layer of attention": (
        lambda: nn.TransformerEncoderLayer(4, 2, batch_first=True).to(D)(draw(1, 3, 4, dtype=DOUBLE)),
        "dtype",
        "mat1",
        "float32",
    ),
    "batch norm": (lambda: nn.BatchNorm1d(4).to(D)(draw(2, 4, dtype=DOUBLE)), "dtype", "input", "float32"),
    "source of index_add": (
        lambda: draw(3).index_add_(0, whole(2), draw(2, dtype=DOUBLE)),
        "dtype",
        "source",
        "float32",
    ),
    "weights of a loss": (
        lambda: F.cross_entropy(draw(2, 3), whole(2), weight=torch.ones(3, device=D, dtype=DOUBLE)),
        "dtype",
        "weight",
        "float32",
    ),
    "embedding": (
        lambda: nn.Embedding(5, 3).to(D)(whole(2, dtype=FLOAT)),
        "index-dtype",
        "indices",
        "int64",
    ),
    "one hot": (lambda: F.one_hot(whole(2, dtype=INT), 3), "index-dtype", "input", "int64"),
    "gather": (
        lambda: draw(2, 3).gather(1, whole(2, 1, dtype=DOUBLE)),
        "index-dtype",
        "index",
        "int64",
    ),
    "item": (lambda: draw(3)[whole(2, dtype=FLOAT)], "index-dtype", "indices", "int64"),
    "take_along_dim": (
        lambda: torch.take_along_dim(draw(2, 3), whole(2, 1, dtype=FLOAT), 1),
        "index-dtype",
        "indices",
        "int64",
    ),
    "table of a mask": (lambda: draw(2, 2)[whole(2, 2, dtype=FLOAT)], "mask-dtype", "indices", "bool"),
    "masked fill": (lambda: draw(2, 2).masked_fill(whole(2, 2), 0.0), "mask-dtype", "mask", "bool"),
    "where": (
        lambda: torch.where(whole(2, 2, dtype=FLOAT), draw(2, 2), draw(2, 2)),
        "mask-dtype",
        "condition",
        "bool",
    ),
    "mask of attention": (
        lambda: nn.MultiheadAttention(4, 2, batch_first=True).to(D)(
            *[draw(1, 3, 4)] * 3, attn_mask=whole(3, 3)
        )[0],
        "mask-dtype",
        "mask",
        "bool",
    ),
    "masks combined": (lambda: whole(2, dtype=FLOAT) & (draw(2) > 0), "mask-dtype", "self", "bool"),
    "mask inverted": (lambda: ~whole(2, dtype=FLOAT), "mask-dtype", "input", "bool"),
    "classes as int32": (
        lambda: F.cross_entropy(draw(2, 3), whole(2, dtype=INT)),
        "target-dtype",
        "target",
        "int64",
    ),
    "classes as floats": (
        lambda: F.nll_loss(draw(2, 3), whole(2, dtype=FLOAT)),
        "target-dtype",
        "target",
        "int64",
    ),
    "probabilities as integers": (
        lambda: F.cross_entropy(draw(2, 3), whole(2, 3)),
        "target-dtype",
        "target",
        "float32",
    ),
    "binary target": (
        lambda: F.binary_cross_entropy(torch.rand(2, device=D), whole(2)),
        "target-dtype",
        "target",
        "float32",
    ),
    "binary target of logits": (
        lambda: F.binary_cross_entropy_with_logits(draw(2), whole(2)),
        "target-dtype",
        "target",
        "float32",
    ),
    "in place": (lambda: in_place(whole(3), lambda x: x.div_(2)), "in-place-dtype", "self", "float32"),
    "bounds": (
        lambda: whole(3).clamp_(max=torch.tensor(2.0, device=D)),
        "in-place-dtype",
        "max",
        "int64",
    ),
    "mean": (lambda: torch.mean(draw(3) > 0), "float-dtype", "self", "float32"),
    "softmax": (lambda: F.softmax(whole(3), 0), "float-dtype", "self", "float32"),
    "norm": (lambda: whole(3).norm(), "float-dtype", "self", "float32"),
    "quantile": (lambda: torch.quantile(whole(3), 0.5), "float-dtype", "input", "float32"),
    "quantile of halves": (
        lambda: torch.quantile(draw(3, dtype=HALF), 0.5),
        "narrow-float",
        "input",
        "float32",
    ),
    "inverse of halves": (lambda: torch.linalg.inv(_unit(HALF)), "narrow-float", "A", "float32"),
    "decomposed halves": (lambda: torch.svd(_unit(HALF)), "narrow-float", "A", "float32"),
    "solved halves": (lambda: torch.linalg.solve(_unit(HALF), _unit(HALF)), "narrow-float", "A B", "float32"),
    "rank of halves": (lambda: torch.linalg.matrix_rank(_unit(HALF)), "narrow-float", "input", "float32"),
    "logarithm of halves": (lambda: _unit(HALF).logdet(), "narrow-float", "input", "float32"),
    "frequencies of brain floats": (lambda: torch.fft.rfft(_unit(BRAIN)), "narrow-float", "input", "float32"),
}


@pytest.mark.parametrize("name", CASES)
def test_an_odd_dtype_is_written_down_and_carried_out(name: str, machine: Machine) -> None:
    act, kind, roles, wanted = CASES[name]
    machine.log.clear()
    out = act()
    [found] = machine.log.mismatches
    blamed = [operand["role"] for operand in found["operands"] if operand["blamed"]]
    assert (found["kind"], " ".join(blamed), found["wanted"]) == (kind, roles, wanted)
    result = out[0] if isinstance(out, tuple) else out
    assert result.device.type == D


@pytest.mark.parametrize(
    "act",
    [
        lambda: draw(2) + draw(2, dtype=DOUBLE),
        lambda: torch.cat([draw(2), draw(2, dtype=DOUBLE)]),
        lambda: nn.Embedding(5, 3).to(D)(whole(2, dtype=INT)),
        lambda: draw(2, 2).masked_fill(whole(2, 2, dtype=BOOL), 0.0),
        lambda: nn.Linear(4, 3).to(D).double()(draw(2, 4, dtype=DOUBLE)),
        lambda: F.cross_entropy(draw(2, 3), whole(2, dtype=torch.uint8)),
        lambda: torch.linalg.inv(_unit(DOUBLE)),
        lambda: torch.fft.fft(_unit(torch.float32)),
        lambda: draw(2, dtype=HALF).softmax(0) @ draw(2, dtype=HALF),
        lambda: draw(2, dtype=BRAIN).norm(),
    ],
)
def test_what_promotes_or_fits_is_no_mistake(act: Callable[[], Any], machine: Machine) -> None:
    machine.log.clear()
    act()
    assert machine.log.mismatches == []


@pytest.mark.parametrize("dtype", [HALF, FLOAT])
def test_a_loss_that_autocast_refuses_is_computed_of_wide_floats(
    dtype: torch.dtype, machine: Machine
) -> None:
    out, target = draw(4).sigmoid().to(dtype).requires_grad_(), whole(4, dtype=FLOAT)
    machine.log.clear()
    with torch.autocast(D):
        loss: Any = F.binary_cross_entropy(out, target)
    [found] = machine.log.mismatches
    blamed = [operand["role"] for operand in found["operands"] if operand["blamed"]]
    assert (found["kind"], blamed, found["wanted"]) == ("narrow-float", ["self"], "float32")
    assert torch.equal(loss, F.binary_cross_entropy(out.float(), target))
    loss.backward()
    assert len(machine.log.mismatches) == 1


def test_numbers_are_those_of_the_program_put_right(machine: Machine) -> None:
    layer, x = nn.Linear(4, 3).to(D), draw(2, 4, dtype=DOUBLE)
    assert torch.equal(layer(x), layer(x.float()))
    counts = whole(3)
    assert torch.equal(counts.clone().mul_(1.5), (counts * 1.5).long())


def test_a_healed_call_has_a_derivative(machine: Machine) -> None:
    layer, x = nn.Linear(4, 3).to(D), draw(2, 4, dtype=DOUBLE)
    machine.log.clear()
    layer(x).sum().backward()
    [found] = machine.log.mismatches
    assert (found["kind"], found["count"]) == ("dtype", 1)
    gradient: Any = layer.weight.grad
    assert torch.allclose(gradient, x.float().sum(0).expand(3, 4))


def test_the_roots_of_a_dtype_are_where_it_was_chosen(machine: Machine) -> None:
    np = pytest.importorskip("numpy")
    layer = nn.Linear(4, 3).to(D)
    x = torch.from_numpy(np.ones((6, 4))).to(D)
    machine.log.clear()
    layer(x[:2] * 2)
    [found] = machine.log.mismatches
    [operand] = [o for o in found["operands"] if o["blamed"]]
    assert [(root["kind"], root["by"]) for root in operand["roots"]] == [("numpy", "torch.from_numpy")]


def test_a_call_with_another_fault_raises_it_and_keeps_the_dtype(machine: Machine) -> None:
    machine.log.clear()
    # Inside `pytest.raises` nothing is healed.
    error = None
    try:
        nn.Embedding(2, 3).to(D)(torch.tensor([7.0], device=D))
    except RuntimeError as caught:
        # A handler that may raise it again answers nothing.
        if not caught.args:
            raise
        error = caught
    assert error is not None
    assert [found["kind"] for found in machine.log.mismatches] == ["index-dtype"]


def test_shapes_that_do_not_fit_are_no_dtype_mistake(machine: Machine) -> None:
    machine.log.clear()
    error = None
    try:
        draw(2, 3) @ draw(2, 3)
    except RuntimeError as caught:
        error = caught
    assert "shapes cannot be multiplied" in str(error)
    assert machine.log.mismatches == []


@pytest.mark.parametrize("weight", [torch.float64, torch.float16])
def test_the_weights_of_a_loss_give_way_to_what_the_model_says(machine: Machine, weight: torch.dtype) -> None:
    criterion = nn.CrossEntropyLoss(weight=torch.ones(3, dtype=weight)).to(D)
    machine.log.clear()
    criterion(draw(2, 3), whole(2))
    [found] = machine.log.mismatches
    assert [(each["role"], each["dtype"]) for each in found["operands"] if each["blamed"]] == [
        ("weight", str(weight).removeprefix("torch."))
    ]
    assert found["wanted"] == "float32"
