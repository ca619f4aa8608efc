"""What is said of a factory call is what PyTorch makes of it."""

from __future__ import annotations

import re

import pytest
import torch
from reality import holds, run
from text_program import Ending, clashes, fix_texts

from devfix.analysis.domain.lattice import ACCELERATOR, CPU
from devfix.analysis.domain.values import Tensor

HEAD = """
import torch
import numpy as np
import torch.nn as nn
import torch.nn.functional as F
n, size = 3, (2, 3)
i, f, x = torch.arange(4), torch.rand(4), torch.ones(2, 3, dtype=torch.float64)
array = np.zeros((2, 3))
"""

#: Calls whose dtype and rank have to be known.
KNOWN = """
torch.zeros(3)
torch.zeros(2, 3)
torch.zeros((2, 3))
torch.zeros([2, 3])
torch.zeros(())
torch.zeros(size)
torch.zeros(*size)
torch.zeros(n)
torch.zeros(size=(2, 3))
torch.zeros(2, 3, dtype=torch.int64)
torch.zeros(2, 3, dtype=torch.float16)
torch.zeros(2, 3, dtype=torch.bool)
torch.ones(2, 3, dtype=torch.double)
torch.empty(2, 3, 4)
torch.rand(3)
torch.randn(2, 3)
torch.randn(2, 3, dtype=torch.float64)
torch.randn(2, 3, requires_grad=True)
torch.eye(3)
torch.eye(3, 4, dtype=torch.int32)
torch.linspace(0, 1, 5)
torch.logspace(0, 1, 5)
torch.hann_window(8)
torch.arange(3)
torch.arange(0, 3)
torch.arange(0, 3, 2)
torch.arange(start=0, end=3)
torch.arange(start=-1.0, end=1.0, step=0.5)
torch.arange(0, 3, step=0.5)
torch.arange(3.0)
torch.arange(0, 1, 0.1)
torch.arange(3, dtype=torch.float32)
torch.arange(n)
torch.randperm(5)
torch.randint(10, (3,))
torch.randint(0, 10, (2, 3))
torch.randint(0, 10, size=(2, 3))
torch.randint(high=10, size=(2, 3))
torch.randint(0, 10, (2, 3), dtype=torch.int32)
torch.full((2, 3), 0)
torch.full((2, 3), 0.5)
torch.full((2, 3), True)
torch.full((2, 3), 1, dtype=torch.float32)
torch.tensor(1)
torch.tensor(1.0)
torch.tensor(True)
torch.tensor([1, 2])
torch.tensor([1.0, 2])
torch.tensor([1, 2.0])
torch.tensor([[1, 2], [3, 4]])
torch.tensor([True, False])
torch.tensor([1, 2], dtype=torch.float64)
torch.tensor(array)
torch.tensor(3, dtype=torch.long)
torch.as_tensor(array)
torch.as_tensor([1.0])
torch.as_tensor(x)
torch.from_numpy(array)
torch.frombuffer(bytearray(8), dtype=torch.uint8)
torch.frombuffer(bytearray(8), dtype=torch.float64, requires_grad=True)
torch.frombuffer(memoryview(bytearray(8)), count=2, offset=2, dtype=torch.int16)
torch.zeros_like(x)
torch.ones_like(i)
torch.rand_like(x)
torch.randn_like(x, dtype=torch.float32)
torch.full_like(x, 3)
torch.empty_like(x, dtype=torch.int64)
x.new_zeros(3)
x.new_zeros(2, 3)
x.new_ones((2, 3))
x.new_full((2, 3), 1.0)
x.new_zeros(size=(2, 3))
x.new_full(size=(2, 3), fill_value=1.0)
x.new_tensor([1, 2])
x.new_empty(3, dtype=torch.int64)
torch.tril_indices(3, 3)
torch.triu_indices(3, 3)
torch.FloatTensor([1, 2])
torch.LongTensor([1, 2])
torch.DoubleTensor([1.0])
torch.FloatTensor(2, 3)
torch.Tensor([1, 2])
torch.Tensor(2, 3)
torch.normal(0.0, 1.0, (2, 3))
torch.normal(0.0, 1.0, size=(2, 3))
torch.tril(torch.ones(3, 3))
torch.triu(torch.ones(3, 3), diagonal=1)
torch.ones(3, 3).tril()
nn.Parameter(torch.zeros(3))
nn.Parameter(torch.zeros(3), requires_grad=False)
""".strip().splitlines()

#: Calls of which not all has to be known, but nothing false may be said.
POSSIBLE = """
torch.tensor([])
torch.bernoulli(f)
torch.diag(torch.ones(3))
torch.cartesian_prod(i)
torch.block_diag(f)
torch.cat([i, i])
torch.cat([torch.tensor([]), x])
torch.stack([i, i])
torch.hstack([i, i])
torch.hstack([x, x])
torch.vstack([i, i])
torch.dstack([i, i])
torch.column_stack([i, i])
torch.cat([i, f, torch.zeros(2, dtype=torch.float64)])
torch.cat([t for t in (x, x)])
torch.stack([torch.tensor(k) for k in range(9)])
torch.sparse_coo_tensor([[0, 1], [1, 2]], [1, 2], (3, 3))
torch.diag(torch.ones(3, 3))
torch.multinomial(f, 2)
torch.cartesian_prod(i, i)
torch.meshgrid(i, i, indexing="ij")
torch.combinations(i)
torch.complex(f, f)
torch.polar(f, f)
torch.poisson(f)
torch.heaviside(f, f)
torch.vander(f)
torch.block_diag(f, f)
torch.empty_strided((2, 3), (1, 2))
torch.scalar_tensor(3)
torch.sparse_coo_tensor([[0, 1]], [1.0, 2.0], (2,))
torch.nested.nested_tensor([f, f])
torch.asarray([1, 2.5])
torch.asarray(array)
torch.normal(f, f)
torch.normal(f, 1.0)
torch.randint_like(x, 3)
torch.bucketize(f, f)
torch.nan_to_num(x)
F.one_hot(i)
torch.arange(True)
torch.tensor(np.float64(1))
torch.tensor(np.array([1, 2]))
torch.tensor([np.float32(1)])
torch.tensor([f[0], f[1]])
torch.tensor(1j)
torch.full((), 1)
torch.zeros(torch.Size([2, 3]))
torch.zeros(x.shape)
torch.zeros(x.size())
torch.zeros(x.size(0), 3)
torch.zeros(len(x))
torch.zeros(i.shape[0], *x.shape)
torch.zeros(tuple(x.shape))
torch.zeros(list(x.shape))
torch.zeros(x.shape[:-1])
torch.zeros(x.shape[1:] + (3,))
""".strip().splitlines()


def claim_and_value(expression: str) -> tuple[Ending, Tensor, torch.Tensor]:
    program = f"{HEAD}result = {expression}\n"
    end = Ending(program)
    claim, real = end["result"], run(program)["result"]
    assert holds(end, claim, real), f"{claim} is not {real}"
    return end, claim, real  # type: ignore[return-value]


@pytest.mark.parametrize("expression", KNOWN)
def test_all_is_known_of_common_calls(expression: str) -> None:
    _, claim, real = claim_and_value(expression)
    assert isinstance(claim, Tensor)
    known = (claim.device, claim.dtype, claim.rank, claim.grad)
    assert known == (CPU, str(real.dtype).removeprefix("torch."), real.dim(), real.requires_grad)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("expression", POSSIBLE)
def test_nothing_false_is_said_of_the_others(expression: str) -> None:
    claim_and_value(expression)


PLAIN_CALL = re.compile(r"torch\.(?!from_numpy|frombuffer|tril\(|triu\(|nn)[a-z_]+\([^A-Z]*\)")


@pytest.mark.parametrize(
    "expression", [call for call in KNOWN if PLAIN_CALL.fullmatch(call) and ")." not in call]
)
def test_a_factory_call_goes_where_it_is_told(expression: str) -> None:
    """``device=``: an accelerator here; PyTorch is asked with the meta device, which is everywhere."""
    program = f"{HEAD}result = {expression[:-1]}, device='DEVICE')\n"
    claim = Ending(program.replace("DEVICE", "cuda"))["result"]
    assert isinstance(claim, Tensor)
    assert claim.device == ACCELERATOR
    assert run(program.replace("DEVICE", "meta"))["result"].device.type == "meta"


@pytest.mark.parametrize("data", ["torch.ones(4)", "torch.ones(4, 2).sum(dim=-1)"])
def test_what_several_arrays_of_indices_select_is_no_scalar(data: str) -> None:
    text = f"import numpy as np\nimport torch\nx = {data}\ny = x[np.where(np.ones(4) > 0)]\ny + torch.ones(4).cuda()\n"
    assert clashes(text) == ["5: device"]


def test_a_tensor_made_by_the_type_of_another_is_on_the_cpu() -> None:
    text = """
    import torch

    x = torch.ones(2, device="cuda")
    kind = type(x)
    kind(2) + x
    x.new_zeros(2) + x
    kind(2).to(x.device) + x
    """
    assert clashes(text) == ["6: device"]


def test_what_nobody_knows_takes_no_dimension_from_a_draw() -> None:
    text = """
import sys
import torch
from torch import nn

def point(dim, low, high):
    direction = torch.randn(dim)
    return (low + high) * (direction / torch.norm(direction, 2))

dim, low, high = eval(sys.stdin.read())
print(nn.Linear(3, 1).cuda()(point(dim, low, high)))
"""
    assert clashes(text) == ["11: device"]
    assert clashes(text.replace("point(dim, low, high)))", "point(dim, low, high).cuda()))")) == []


def test_what_is_read_out_of_a_buffer_is_on_the_cpu_and_has_the_dtype_that_is_named() -> None:
    text = """
import torch
from torch import nn

torch.set_default_device("cuda")
raw = bytearray(open("cells.raw", "rb").read())
cells = torch.frombuffer(raw, dtype=torch.int16).view(-1, 8)
net, logits = nn.Embedding(9, 4), torch.zeros(8, 9, requires_grad=True)
net(cells.int())
nn.functional.cross_entropy(logits, cells[0].cuda())
net(cells.int().cuda())
nn.functional.cross_entropy(logits, cells[0].cuda().long())
"""
    assert clashes(text) == ["9: device", "10: target-dtype"]


def test_what_from_numpy_takes_has_dimensions() -> None:
    text = """
import pickle
import sys
import numpy as np
import torch

means = np.mean(np.concatenate([p["states"] for p in pickle.load(sys.stdin.buffer)], axis=0), axis=0)
print(torch.rand(2, 3).cuda() - torch.from_numpy(means))
"""
    assert clashes(text) == ["8: device"]
    assert clashes(text.replace("from_numpy(means)", "from_numpy(np.array(sys.argv[1]))")) == []


@pytest.mark.parametrize("given", ["m, s", "m, std=s", "mean=m, std=s", "mean=m, std=2.0", "mean=0.0, std=s"])
def test_a_draw_around_tensors_is_where_they_are(given: str) -> None:
    text = f"""
import torch

m, s = torch.zeros(2).cuda(), torch.ones(2).cuda()
print(torch.normal({given}) + m)
"""
    assert clashes(text) == []
    on_host = text.replace(".cuda()", "").replace("+ m", "+ m.cuda()")
    assert clashes(on_host) == ["5: device"]


def test_a_draw_around_what_nobody_knows_may_be_anywhere() -> None:
    text = """
import sys
import torch

mean = eval(sys.argv[1])
print(torch.normal(mean, 1.0) + torch.ones(2).cuda())
print(torch.normal(mean, 1.0, size=(2,)) + torch.ones(2).cuda())
"""
    assert clashes(text) == ["7: device"]


def test_a_sparse_tensor_is_where_its_named_values_are() -> None:
    text = """
import torch

values = torch.ones(2).cuda()
sparse = torch.sparse_coo_tensor(indices=[[0, 1], [1, 0]], values=values, size=(2, 2))
print(torch.sparse.mm(sparse, torch.ones(2, 2).cuda()))
"""
    assert clashes(text) == []
    assert clashes(text.replace("(2).cuda()", "(2)")) == ["6: device"]


@pytest.mark.parametrize(
    ("made", "found"),
    [
        ("where, values", ["6: device"]),
        ("indices=where, values=values, size=(2, 2)", ["6: device"]),
        ("where.cuda(), values.cpu()", ["6: device"]),
        ("where, values, device='cuda'", []),
        ("where, values, device=values.device", []),
        ("where.cuda(), values", []),
        ("where, values.cpu()", []),
        ("where, [1.0, 2.0], device='cuda'", []),
        ("[[0, 1], [1, 0]], values", []),
    ],
)
def test_a_sparse_tensor_is_made_of_indices_and_values_of_one_device(made: str, found: list[str]) -> None:
    """What a device is named for is taken there; without one an H200 refuses indices that are elsewhere."""
    text = f"""
import torch

where = torch.tensor([[0, 1], [1, 0]])
values = torch.ones(2).cuda()
torch.sparse_coo_tensor({made})
"""
    assert clashes(text) == found


def test_a_sparse_tensor_of_values_that_nobody_knows_may_be_anywhere() -> None:
    text = """
import torch
from elsewhere import weights

where = torch.tensor([[0, 1], [1, 0]])
sparse = torch.sparse_coo_tensor(where, weights(), size=(2, 2))
print(torch.sparse.mm(sparse, torch.ones(2, 2).cuda()))
"""
    assert clashes(text) == []
    assert clashes(text.replace("weights()", "[1.0, 2.0]")) == ["7: device"]


def test_an_item_of_a_list_of_numbers_is_read_wherever_it_is() -> None:
    text = """
import sys
import numpy as np
import torch

def alphas(table, step, steps):
    now, last = steps[step], steps[-2]
    return table[now] - table[{last}]

taken = np.linspace(0, 9, 5).round().astype(np.int64)
_, first = np.unique(taken, return_index=True)
steps = torch.from_numpy({steps}).to("cuda")
print([alphas(torch.rand(10), int(sys.argv[1]), steps) for step in steps])
"""
    known, unknown = "taken[np.sort(first)]", "taken[eval(sys.argv[1])]"
    assert clashes(text.format(steps=known, last="last")) == []
    assert clashes(text.format(steps=unknown, last="last")) == []
    assert clashes(text.format(steps=known, last="steps")) == ["8: device"]


#: Numbers of Python's, of NumPy's and tensors that hold one, as they stand beside each other in a list.
_NUMBERS = (
    "2.0", "n", "True", "np.float64(1)", "np.float32(1)", "np.int64(1)", "array.mean()", "np.std([1.0, 2.0])", "x.sum()",
    "torch.tensor(1.0, dtype=torch.float16)",
)  # fmt: skip


@pytest.mark.parametrize("first", _NUMBERS)
@pytest.mark.parametrize("second", _NUMBERS)
def test_numbers_in_a_list_have_the_dtype_that_pytorch_gives_them_together(first: str, second: str) -> None:
    text = f"{HEAD}flat = torch.tensor([{first}, {second}])\ndeep = torch.tensor([[{first}], [{second}]])\n"
    end, real = Ending(text), run(text)
    for name in ("flat", "deep"):
        made = end[name]
        assert isinstance(made, Tensor)
        assert f"torch.{made.dtype}" == str(real[name].dtype)


def test_nothing_is_said_of_a_list_with_a_number_that_may_be_any() -> None:
    end = Ending(f"{HEAD}import os\nmade = torch.tensor([array.mean(), os.read_number()])\n")
    made = end["made"]
    assert isinstance(made, Tensor)
    assert made.dtype is None


@pytest.mark.parametrize(
    "made",
    [
        'torch.ones_like(x, device="cpu")',
        'torch.rand_like(x, device=torch.device("cpu"))',
        'x.new_zeros(3, device="cpu")',
    ],
)
def test_what_is_made_like_another_tensor_but_elsewhere_moves_alone(made: str) -> None:
    text = f"""
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.ones(3, device=device)
y = {made}
z = x * y
"""
    after = fix_texts({"main.py": text})[0]["main.py"]
    assert after == text.replace(f"y = {made}", f"y = {made}.to(device)")


@pytest.mark.parametrize(("counted", "found"), [("range", []), ("arange", ["5: dtype"])])
def test_what_counts_in_floats_and_what_in_whole_numbers(counted: str, found: list[str]) -> None:
    text = f"""
import torch

steps = torch.{counted}(1, 4)
loss = torch.dot(steps, torch.rand(4))
"""
    assert clashes(text) == found
