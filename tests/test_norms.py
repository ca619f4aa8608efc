"""Layers that normalise: what they have of their own, and the floats that may meet it."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator

import pytest
import torch
from reality import lies
from text_program import clashes
from torch import nn

from devfix.analysis.torch_model.modules.norms import NORMS
from devfix.simulator import Machine, simulated_accelerator

#: How each is made and what it takes, without the options that are asked for.
MADE = {
    **{f"BatchNorm{n}d": f"nn.BatchNorm{n}d(4{{}}), {(2, 4, *(3,) * n)}" for n in (1, 2, 3)},
    **{f"LazyBatchNorm{n}d": f"nn.LazyBatchNorm{n}d({{}}), {(2, 4, *(3,) * n)}" for n in (1, 2, 3)},
    **{f"InstanceNorm{n}d": f"nn.InstanceNorm{n}d(4{{}}), {(2, 4, *(3,) * n)}" for n in (1, 2, 3)},
    **{f"LazyInstanceNorm{n}d": f"nn.LazyInstanceNorm{n}d({{}}), {(2, 4, *(3,) * n)}" for n in (1, 2, 3)},
    "SyncBatchNorm": "nn.SyncBatchNorm(4{}), (2, 4, 3, 3)",
    "LayerNorm": "nn.LayerNorm(4{}), (2, 4)",
    "RMSNorm": "nn.RMSNorm(4{}), (2, 4)",
    "GroupNorm": "nn.GroupNorm(2, 4{}), (2, 4)",
}
TOLD = ("", "{}=True", "{}=False", "{}=False, track_running_stats=False", "{}=True, track_running_stats=True")


def cases() -> Iterator[str]:
    """Each layer with each way to make it, and the shape of its input."""
    for name, made in MADE.items():
        tracked = NORMS[name].tracked is not None
        for told in TOLD if tracked else TOLD[:3]:
            options = told.format(NORMS[name].scaled.name)
            comma = ", " if options and "({})" not in made else ""
            yield made.format(comma + options)


@pytest.fixture(scope="module")
def machine() -> Iterator[Machine]:
    with simulated_accelerator() as found:
        yield found


def is_refused(made: str, dtype: str) -> bool:
    """Whether a simulated accelerator refuses an input of this dtype."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        layer, shape = eval(made, {"nn": nn})
        layer.cuda()(torch.ones(shape, device="cuda"))
        try:
            layer(torch.ones(shape, device="cuda", dtype=getattr(torch, dtype)))
        except RuntimeError:
            return True
    return False


@pytest.mark.parametrize("name", NORMS)
def test_the_options_are_those_of_torch(name: str) -> None:
    given = inspect.signature(getattr(nn, name).__init__).parameters
    for option in (NORMS[name].scaled, NORMS[name].tracked):
        if option is not None:
            assert list(given)[1 + option.position] == option.name
            assert given[option.name].default is option.default


def test_each_layer_is_tried() -> None:
    assert MADE.keys() == NORMS.keys()


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_an_input_is_refused_where_an_accelerator_refuses_it(dtype: str, machine: Machine) -> None:
    made = list(cases())
    lines = [
        f"layer, shape = {each}; layer.cuda()(torch.ones(shape, device='cuda', dtype=torch.{dtype}))"
        for each in made
    ]
    found = clashes("\n".join(["import torch", "from torch import nn", *lines]))
    assert found == [f"{line}: dtype" for line, each in enumerate(made, 3) if is_refused(each, dtype)]


def test_an_integer_fits_no_weight() -> None:
    text = """
    import torch

    counts = torch.tensor([[1, 2], [3, 4]], device="cuda")
    torch.nn.LayerNorm(2).cuda()(counts)
    torch.nn.BatchNorm1d(2).cuda()(counts)
    """
    assert clashes(text) == ["5: dtype", "6: dtype"]


def test_a_weight_that_is_handed_over_asks_for_its_dtype() -> None:
    text = """
    import torch
    import torch.nn.functional as F

    x = torch.ones(2, 4, dtype=torch.float64, device="cuda")
    own = torch.ones(4, device="cuda")
    F.layer_norm(x, (4,))
    F.rms_norm(x, (4,), own)
    F.layer_norm(x, (4,), own, own)
    F.group_norm(x, 2, own, own)
    F.batch_norm(x, own, own, training=True)
    F.batch_norm(x, own, own, own, own)
    F.batch_norm(x.half(), own, own, own, own)
    F.layer_norm(x.half(), (4,), own)
    """
    assert clashes(text) == ["9: dtype", "10: dtype", "12: dtype", "14: dtype"]


def test_what_has_nothing_of_its_own_is_nowhere() -> None:
    text = """
    import torch

    class Net(torch.nn.Module):
        def __init__(self, scaled):
            super().__init__()
            self.first = torch.nn.InstanceNorm2d(4)
            self.second = torch.nn.LayerNorm(4, elementwise_affine=scaled)

        def forward(self, x):
            return self.second(self.first(x))

    x = torch.ones(1, 4, 4, 4, device="cuda")
    Net(False)(x)
    torch.nn.GroupNorm(2, 4, affine=False)(x)
    torch.nn.BatchNorm2d(4, affine=False, track_running_stats=False)(x)
    torch.nn.BatchNorm2d(4, affine=False)(x)
    Net(True)(x)
    """
    assert clashes(text) == ["11: device", "17: device"]


def test_a_class_of_the_program_is_made_as_its_base() -> None:
    text = """
    import torch

    class Norm(torch.nn.LayerNorm):
        def __init__(self, size, scaled=True):
            super().__init__(size, elementwise_affine=scaled)

    x = torch.ones(2, 4, dtype=torch.float64, device="cuda")
    Norm(4, scaled=False)(x)
    Norm(4).cuda()(x)
    """
    assert clashes(text) == ["10: dtype"]


def test_where_nobody_knows_whether_it_is_scaled_nothing_is_asked() -> None:
    text = """
    import os
    import torch

    x = torch.ones(2, 4, dtype=torch.float64, device="cuda")
    torch.nn.LayerNorm(4, elementwise_affine=len(os.listdir()) > 3).cuda()(x)
    """
    assert clashes(text) == []


def test_autocast_makes_one_dtype_of_floats_and_halves() -> None:
    text = """
    import torch

    norm = torch.nn.LayerNorm(4).cuda()
    with torch.autocast("cuda"):
        norm(torch.ones(2, 4, device="cuda").half())
        norm(torch.ones(2, 4, device="cuda", dtype=torch.float64))
    """
    assert clashes(text) == ["7: dtype"]


def test_what_comes_out_has_the_dtype_of_what_goes_in() -> None:
    text = """
    import torch
    from torch import nn

    x, half = torch.ones(2, 4, dtype=torch.float64), torch.ones(2, 4).half()
    plain = nn.LayerNorm(4, elementwise_affine=False)(x)
    squares = nn.RMSNorm(4)(x)
    instances = nn.InstanceNorm1d(4)(torch.ones(2, 4, 3, dtype=torch.float64))
    halves = nn.BatchNorm1d(4)(half)
    doubles = nn.BatchNorm1d(4).double()(x)
    normal = nn.GroupNorm(2, 4)(torch.ones(2, 4))
    untracked = nn.BatchNorm1d(4, affine=False)(torch.ones(2, 4))
    """
    assert lies(text) == []
