"""What is written into a tensor under autocast: only two functions widen what they are given."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

from devfix.findings import Applicability

HEAD = """
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
layer = nn.Linear(4, 4).to(device)
x = torch.ones(6, 4, device=device)
at = torch.arange(6, device=device) % 2
out = torch.zeros(6, 4, device=device)
with torch.autocast(device.type, dtype=torch.float16):
    y = layer(x)
"""
WRITES = [
    "out.index_add_(0, at, y)",
    "out.index_copy_(0, at, y)",
    "out.scatter_add_(0, at[:, None].expand(-1, 4), y)",
    "out = torch.index_add(out, 0, at, y)",
    "out[at] = y",
]


@pytest.mark.parametrize("write", WRITES)
def test_the_source_is_cast(write: str) -> None:
    mended, _ = fix_texts({"main.py": f"{HEAD}    {write}\n"}, Applicability.UNSAFE)
    assert "y.float()" in mended["main.py"] or "y.to(out.dtype)" in mended["main.py"]


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize(
    "made",
    [
        "torch.zeros_like(x)",
        "x.new_zeros(6, 4)",
        "torch.zeros(x.shape, dtype=x.dtype, device=device)",
        "x.clone()",
    ],
)
def test_the_source_is_as_wide_as_an_input_is_of_which_the_target_is_made(made: str, write: str) -> None:
    head = HEAD.replace("torch.zeros(6, 4, device=device)", made)
    mended, _ = fix_texts({"main.py": f"{head}    {write}\n"}, Applicability.UNSAFE)
    assert mended["main.py"] == f"{head}    {write}\n".replace("y)\n", "y.to(out.dtype))\n").replace(
        "= y\n", "= y.to(out.dtype)\n"
    )


@pytest.mark.parametrize(
    "made", ["torch.zeros(6, 4, device=device)", "torch.zeros_like(x, dtype=torch.float32)"]
)
def test_a_target_that_is_float32_in_every_run_says_so(made: str) -> None:
    head = HEAD.replace("torch.zeros(6, 4, device=device)", made)
    mended, _ = fix_texts({"main.py": f"{head}    out[at] = y\n"}, Applicability.UNSAFE)
    assert mended["main.py"] == f"{head}    out[at] = y.float()\n"


def test_a_target_that_a_function_is_given_says_so_itself() -> None:
    text = HEAD.replace(
        "out = torch", "\n\ndef put(rows, place, new):\n    rows[place] = new\n\n\nout = torch"
    )
    mended, _ = fix_texts({"main.py": f"{text}    put(out, at, y)\n"}, Applicability.UNSAFE)
    assert "rows[place] = new.to(rows.dtype)\n" in mended["main.py"]


@pytest.mark.parametrize(
    "write",
    [
        "out = out.scatter_add(0, at[:, None].expand(-1, 4), y)",
        "out = out.index_put((at,), y)",
        "out[:6] = y",
        "out.copy_(y)",
        "out += y",
        "out.index_add_(0, at, x)",
        "out.index_add_(0, at, y[:4].trace().expand(6, 4))",
    ],
)
def test_what_autocast_or_a_copy_casts_is_left_alone(write: str) -> None:
    assert clashes(f"{HEAD}    {write}\n") == []


@pytest.mark.parametrize("layer", ["Softplus()", "Softmax(1)", "LogSoftmax(1)"])
def test_what_a_layer_computes_in_float32_is_written_as_it_is(layer: str) -> None:
    assert not clashes(f"{HEAD}    out[at] = nn.{layer}(y)\n")


@pytest.mark.parametrize("layer", ["ReLU()", "Dropout(0.1)"])
def test_what_a_layer_leaves_a_half_is_not(layer: str) -> None:
    assert clashes(f"{HEAD}    out[at] = nn.{layer}(y)\n")


#: What a layer leaves a half, and what it computes in a float that depends on the device beside one.
PRODUCTS = [
    "y",
    "torch.bmm(y.softmax(-1).unsqueeze(2), y.unsqueeze(1))",
    "y.softmax(-1).unsqueeze(2) @ y.unsqueeze(1)",
    "y.unsqueeze(2) @ y.log_softmax(-1).unsqueeze(1)",
]


@pytest.mark.parametrize("product", PRODUCTS)
@pytest.mark.parametrize("blend", ["torch.lerp(state, z, 0.4)", "state.lerp(z, 0.4)", "state.lerp_(z, 0.4)"])
def test_what_is_blended_with_a_float_is_cast(product: str, blend: str) -> None:
    text = f"{HEAD}    z = {product}\n    state = torch.zeros_like(z, dtype=torch.float32)\n    {blend}\n"
    mended, _ = fix_texts({"main.py": text}, Applicability.UNSAFE)
    assert mended["main.py"] == text.replace(
        blend, blend.replace("(z,", "(z.float(),").replace(" z,", " z.float(),")
    )


@pytest.mark.parametrize(
    "blend",
    [
        "torch.lerp(out, y.softmax(-1), 0.4)",  # float32 on some devices
        "torch.lerp(y, layer(x), 0.4)",
        "torch.lerp(out, y.float(), 0.4)",
        "torch.lerp(out, out + 1, torch.tensor(0.4, dtype=torch.float64, device=device))",
        "torch.lerp(torch.bmm(x.double()[None], known(y)), x.double(), 0.4)",
    ],
)
def test_what_may_be_blended_is_left_alone(blend: str) -> None:
    known = "import other\nknown = other.known\n"
    assert clashes(f"{known}{HEAD}    {blend}\n") == []


def test_what_pytorch_blends() -> None:
    torch = pytest.importorskip("torch")
    single = torch.zeros(2)
    for other in (single.half(), single.double(), single.long()):
        with pytest.raises(RuntimeError, match="expected dtype float for `end`"):
            torch.lerp(single, other, 0.4)
    torch.lerp(single, single, torch.tensor(0.4, dtype=torch.float64))
