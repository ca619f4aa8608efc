"""Numbers beyond a dtype: what a GPU refuses to write is found, and nothing else; the fix holds in every dtype."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import pytest
import torch
from text_program import clashes, fix_texts

from devfix.findings import Applicability
from devfix.simulator import simulated_accelerator


def mended(text: str, wanted: Applicability = Applicability.UNSAFE) -> str:
    return fix_texts({"main.py": text}, wanted)[0]["main.py"]


def kinds(text: str) -> list[str]:
    """The kinds of the mismatches in a program."""
    return [clash.partition(": ")[2] for clash in clashes(text)]


def is_refused(text: str) -> bool:
    """Whether PyTorch finds a number in a program of this file too large; no other error is expected."""
    try:
        exec(text, {})
    except RuntimeError as error:
        if "without overflow" in str(error):
            return True
        raise
    return False


HEAD = """
import torch
import torch.nn.functional as F
from torch import nn
f = torch.rand(2, 3, device="cuda")
h, w = f.half(), f.bfloat16()
m = f > 0.5
i = torch.zeros(1, 3, dtype=torch.int64, device="cuda")
r = torch.tensor([0], device="cuda")
NEGATIVE, LARGE = -1e9, 10**9
ENDLESS, SMALL = torch.tensor(-1e9), torch.tensor(-1e4)
b, u = f.to(torch.int8), f.to(torch.uint8)
"""

#: One expression a line; the simulated accelerator decides which of them are faults, and was compared with a real one.
EXPRESSIONS = """
h.masked_fill(m, -1e9)
h.masked_fill(m, value=-1e9)
h.clone().masked_fill_(m, NEGATIVE)
torch.masked_fill(h, m, -LARGE)
h.masked_fill(m, -65504)
h.masked_fill(m, -65505.0)
h.masked_fill(m, -1e4)
h.masked_fill(m, float("-inf"))
h.masked_fill(m, -float("inf"))
h.masked_fill(m, torch.finfo(h.dtype).min)
h.masked_fill(m, torch.finfo(torch.float16).min)
h.masked_fill(m, torch.finfo(torch.float32).min)
h.masked_fill(m, -torch.finfo(torch.bfloat16).max)
h.masked_fill(m, max(NEGATIVE, torch.finfo(h.dtype).min))
h.masked_fill(m, torch.finfo(torch.float16).eps)
h.masked_fill(m, -2**32 + 1)
h.float().masked_fill(m, -1e9)
h.unsqueeze(0).masked_fill(m, -1e9)
(h / 8).masked_fill(m, -1e9)
(h * f).masked_fill(m, -1e9)
(h @ h.T).masked_fill(m[:, :2], -1e9)
w.masked_fill(m, -1e9)
w.masked_fill(m, torch.finfo(torch.float32).min)
w.masked_fill(m, torch.finfo(torch.bfloat16).min)
f.masked_fill(m, -1e9)
f.masked_fill(m, torch.finfo(torch.float32).min)
f.masked_fill(m, torch.finfo(torch.float64).min)
f.masked_fill(m, -1e300)
f.double().masked_fill(m, -1e300)
torch.where(m, h, -1e9)
torch.where(m, 1e9, h)
h.where(m, -1e9)
h.clone().__setitem__(m, -1e9)
h.clone().__setitem__(0, -1e9)
h + 1e9
h * -1e9
h > 1e9
h.add(1e9)
torch.full_like(h, 1e9)
torch.full_like(h, 1e4)
torch.full_like(h, fill_value=-1e9)
torch.full_like(h, 1e9, dtype=torch.float32)
torch.full_like(f, 1e9, dtype=torch.float16)
torch.full((2,), 1e9)
torch.full((2,), 1e9, dtype=torch.float16)
torch.full((2,), 1e9, dtype=h.dtype)
torch.full((2,), 1e9, dtype=torch.bfloat16)
torch.tensor([1e9], dtype=torch.float16)
torch.tensor(1e9).half()
h.new_tensor([1e9])
h.new_full((2,), 1e9)
h.new_full((2,), 1e9, dtype=torch.float32)
f.new_full((2,), 1e9)
h.clone().fill_(1e9)
h.clone().fill_(0)
h.clone().fill_diagonal_(-1e9)
h.index_fill(0, r, -1e9)
h.index_fill(0, r, -1.0)
h.scatter(0, i, -1e9)
h.scatter(0, i, value=-1e9)
h.scatter(0, i, 1.0)
h.scatter(0, i, h)
F.pad(h, (1, 1), value=-1e9)
F.pad(h, (1, 1), "constant", -1e9)
F.pad(h, (1, 1))
F.pad(f, (1, 1), value=-1e9)
h.masked_fill(m, ENDLESS)
h.masked_fill(m, ENDLESS.half())
h.masked_fill(m, SMALL)
h.masked_fill(m, torch.tensor(-1e9, dtype=torch.float16))
h.masked_fill(m, torch.tensor(-1e9, dtype=torch.float64))
f.masked_fill(m, ENDLESS)
w.masked_fill(m, ENDLESS)
h.index_fill(0, r, ENDLESS)
h.clone().fill_(ENDLESS)
torch.where(m, h, ENDLESS.cuda())
h + ENDLESS
b.masked_fill(m, -128)
b.masked_fill(m, 128)
b.masked_fill(m, 1e9)
b.masked_fill(m, 1.5)
u.masked_fill(m, -1)
u.masked_fill(m, 256)
b.clone().fill_(-300)
b.index_fill(0, r, torch.tensor(300))
b + 300
torch.where(m, b, 1e9)
f.int().masked_fill(m, 2**31)
f.int().masked_fill(m, -(2**31))
f.long().masked_fill(m, 10**12)
m.masked_fill(m, 3)
nn.ConstantPad1d(1, -1e9)(h)
nn.ConstantPad2d(1, -1e9)(h[None])
nn.ConstantPad2d(1, -1e4)(h[None])
nn.ConstantPad1d(1, -1e9)(f)
nn.ConstantPad1d(1, -300)(b)
nn.ConstantPad1d((1, 0), value=-1e9)(h)
nn.Threshold(1, -1e9)(h)
nn.ZeroPad1d(1)(h)
"""


@pytest.mark.parametrize("expression", EXPRESSIONS.split("\n")[1:-1])
def test_what_the_accelerator_refuses_is_found(expression: str) -> None:
    with simulated_accelerator():
        refused = is_refused(f"{HEAD}{expression}\n")
    assert kinds(f"{HEAD}{expression}\n") == ["value-range"] * refused


RECORDED: dict[str, str] = json.loads((Path(__file__).parent / "data" / "h100_answers.json").read_text())[
    "number"
]
ASKED = """
import torch
import torch.nn.functional as F
from torch import nn
h = torch.tensor([1, 2], dtype=torch.float16, device="cuda")
w = torch.tensor([1, 2], dtype=torch.bfloat16, device="cuda")
f = torch.tensor([1, 2], dtype=torch.float32, device="cuda")
k = torch.tensor([1, 2], dtype=torch.int8, device="cuda")
u = torch.tensor([1, 2], dtype=torch.uint8, device="cuda")
n = torch.tensor([1, 2], dtype=torch.int32, device="cuda")
m = torch.tensor([True, False], device="cuda")
r = torch.tensor([0], device="cuda")
g = torch.eye(2, device="cuda")
"""
#: What a GPU refuses and the analysis says nothing of: numbers that are tensors or that modules keep, ranges, whole
#: numbers, what only the CPU's tensors are refused, and what nobody does with a number of that size: to add with it, to
#: shrink with it, or to compute with one beyond float32.
UNFOLLOWED = re.compile(
    r"\bnn\.(init|Hardtanh)|linspace|logspace|scalar_tensor|hardshrink|index_add|\.cpu\(\)|float64|new_tensor|"
    r"\b[kunhw]\[m\] = torch|\b[kun]\[|\b[kun]\.cl|hardtanh\([kn]|clip\([kun]|, alpha=|as_?tensor|asarray|tensor\(\[|full\(.*tensor|"
    r"\bk.*inf|2 \*\* 63|where\(.*new_tensor|"
    r"multi_dot|scaled_dot_product_attention|1e39"
)


def as_program(question: str) -> str:
    """A question that a GPU was asked, as the lines of a script."""
    found = re.fullmatch(r"(auto|brain)\(lambda: (.*)\)", question)
    if found is None:
        return ASKED + question.replace("; ", "\n") + "\n"
    dtype = {"auto": "torch.float16", "brain": "torch.bfloat16"}[found[1]]
    return f'{ASKED}with torch.autocast("cuda", dtype={dtype}):\n    {found[2]}\n'


@pytest.mark.parametrize("question", RECORDED)
def test_what_a_gpu_refused_is_found_and_nothing_else(question: str) -> None:
    refused = "without overflow" in RECORDED[question]
    found = "value-range" in kinds(as_program(question))
    assert found == refused or (refused and UNFOLLOWED.search(question))


MODEL = """
import torch
from torch import nn
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(4, 4).to(device)
norm = nn.LayerNorm(4).to(device)
x = torch.randn(4, 4, device=device)
mask = torch.eye(4, device=device) > 0
def masked(scores):
    return scores.masked_fill(mask, -1e9)
{body}
"""

#: What is done under autocast of the accelerator, and whether the result of ``masked`` there is refused.
SCORES = {
    "net(x)": True,
    "net(x) / 2 + net(x)": True,
    "torch.matmul(x, x)": True,
    "x @ x.T": True,
    "torch.einsum('ij,kj->ik', x, x)": True,
    "net(x) + x": False,
    "norm(net(x))": False,
    "net(x).softmax(-1)": False,
    "torch.cdist(x, x)": False,
    "torch.tensordot(x, x, 1)": False,
    "net(x).float()": False,
    "net(x).sum(-1)": False,
    "x * x": False,
}
KINDS = ('"cuda"', '"cuda", torch.float16', '"cuda", torch.bfloat16', '"cuda", enabled=False')


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scores", SCORES)
def test_autocast_decides_as_the_simulator_does(scores: str, kind: str) -> None:
    text = MODEL.format(body=f"with torch.autocast({kind}):\n    masked({scores})\n")
    refused = SCORES[scores] and ("float16" in kind.replace("bfloat16", "") or kind == '"cuda"')
    with simulated_accelerator():
        assert is_refused(text) == refused
    assert kinds(text) == ["value-range"] * refused


def test_autocast_that_an_option_turns_on_and_the_accelerator_chooses() -> None:
    body = """
amp = device.type == "cuda"
scaler = torch.amp.GradScaler("cuda", enabled=amp)
with torch.autocast(device.type, dtype=torch.float16 if amp else torch.bfloat16, enabled=amp):
    masked(net(x))
"""
    assert clashes(MODEL.format(body=body)) == ["10: value-range"]
    assert clashes(MODEL.format(body=body.replace('device.type == "cuda"', "False"))) == []


FIXES = {
    "h.masked_fill(m, torch.tensor(-1e9))": "h.masked_fill(m, torch.finfo(h.dtype).min)",
    "h.index_fill(0, r, ENDLESS)": "h.index_fill(0, r, max(ENDLESS, torch.finfo(h.dtype).min))",
    "b.masked_fill(m, -300)": "b.masked_fill(m, torch.iinfo(b.dtype).min)",
    "b.new_full((2,), 300)": "b.new_full((2,), torch.iinfo(b.dtype).max)",
    "h.masked_fill(m, -1e9)": "h.masked_fill(m, torch.finfo(h.dtype).min)",
    "h.clone().masked_fill_(m, NEGATIVE)": "h.clone().masked_fill_(m, max(NEGATIVE, torch.finfo(h.dtype).min))",
    "h.index_fill(0, r, LARGE)": "h.index_fill(0, r, min(LARGE, torch.finfo(h.dtype).max))",
    "(h @ h.T).masked_fill(m[:, :2], -2**32)": "(h @ h.T).masked_fill(m[:, :2], torch.finfo(torch.float16).min)",
    "torch.squeeze(h).masked_fill(m, -1e9)": "torch.squeeze(h).masked_fill(m, torch.finfo(torch.float16).min)",
    "h.view(2, 3).masked_fill(m, -1e9)": "h.view(2, 3).masked_fill(m, torch.finfo(h.dtype).min)",
    "w.masked_fill(m, torch.finfo(f.dtype).min)": "w.masked_fill(m, torch.finfo(w.dtype).min)",
    "torch.full((2,), 1e9, dtype=h.dtype)": "torch.full((2,), torch.finfo(h.dtype).max, dtype=h.dtype)",
    "torch.full_like(f, 1e9, dtype=torch.half)": "torch.full_like(f, torch.finfo(torch.half).max, dtype=torch.half)",
    "h.new_full((2,), -1e9)": "h.new_full((2,), torch.finfo(h.dtype).min)",
    "F.pad(h, (1, 1), value=-1e9)": "F.pad(h, (1, 1), value=torch.finfo(h.dtype).min)",
}


@pytest.mark.parametrize("expression", FIXES)
def test_the_limit_of_the_dtype_is_used(expression: str) -> None:
    fixed = mended(f"{HEAD}y = {expression}\n")
    assert fixed == f"{HEAD}y = {FIXES[expression]}\n"
    names: dict[str, torch.Tensor] = {}
    with simulated_accelerator():
        exec(fixed, names)
    assert all(math.isfinite(number) for number in names["y"].flatten().tolist())
    assert clashes(fixed) == []


def test_nothing_is_applied_without_being_asked_for() -> None:
    text = f"{HEAD}h.masked_fill(m, -1e9)\n"
    assert mended(text, Applicability.SAFE) == text


def test_what_a_caller_gives_is_kept_where_it_fits() -> None:
    text = HEAD + "def masked(x, fill=-1e9):\n    return x.masked_fill(m, fill)\nmasked(h)\nmasked(f, -1e5)\n"
    fixed = mended(text)
    assert fixed == text.replace("(m, fill)", "(m, max(fill, torch.finfo(x.dtype).min))")


@pytest.mark.parametrize("test", ["x.dtype == torch.float16", "x.dtype != torch.float32"])
def test_a_number_that_is_chosen_by_dtype_is_right(test: str) -> None:
    body = f"def masked(x):\n    return x.masked_fill(m, -1e4 if {test} else -1e9)\nmasked(h)\nmasked(f)\n"
    assert clashes(HEAD + body) == []


def test_torch_is_imported_where_only_parts_of_it_are() -> None:
    head = "from torch import float16, ones\nx = ones(2, 2, dtype=float16)\n"
    fixed = mended(f"{head}print(x.masked_fill(x > 0, -1e9))\n")
    assert "import torch\n" in fixed
    assert "x.masked_fill(x > 0, torch.finfo(x.dtype).min)" in fixed


def test_a_number_that_a_module_keeps_is_found_and_left() -> None:
    text = f"{HEAD}pad = nn.ConstantPad1d(1, -1e9)\ny = pad(h)\n"
    assert kinds(text) == ["value-range"]
    assert mended(text) == text


def test_an_exponent_is_found_and_left() -> None:
    text = f"{HEAD}y = h ** 1e9\n"
    assert kinds(text) == ["value-range"]
    assert mended(text) == text
