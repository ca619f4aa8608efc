"""What is said of NumPy's arrays, and of tensors' arithmetic, is what happens."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from reality import holds, lies, run
from text_program import Ending, clashes

from devfix.analysis.domain.values import Array, Tensor

HEAD = """
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
rng = np.random.default_rng(0)
state = np.random.RandomState(0)
f32, f64, f16 = np.ones((2, 3), dtype=np.float32), np.ones((2, 3)), np.ones(3, np.float16)
i64, i32, u8, flags = np.arange(6).reshape(2, 3), np.ones(3, "int32"), np.ones(3, "uint8"), np.ones(3, bool)
u16, i16, i8 = np.ones(3, "uint16"), np.ones(3, "int16"), np.ones(3, "int8")
scalar, rows, numbers = np.float64(2.0), [np.ones(3), np.ones(3)], [1.0, 2.0]
x, d, h = torch.ones(2, 3), torch.ones(2, 3, dtype=torch.float64), torch.ones(3, dtype=torch.float16)
n, i, b = torch.arange(3), torch.ones(3, dtype=torch.int32), torch.tensor([True, False, True])
zero, wide = torch.tensor(1.5), torch.tensor(1.5, dtype=torch.float64)
"""

#: Expressions whose dtype has to be known.
KNOWN = """
f32 + f64
np.column_stack([{"b": np.ones(3, int), "a": np.ones(3)}[name] for name in sorted({"b": 1, "a": 2})])
f32 + 1.5
f32 * 2
f32 / 3
i64 / 2
i64 // 2
i64 * 0.5
u8 * 0.5
flags * 1.0
flags * 2
i64 + f32
i32 + f32[0]
u8 + f32
f32 > f64
-f32
f32 ** 2
f32 @ f64.T
np.zeros(3)
np.zeros((2, 3), dtype=np.float32)
np.zeros(3, int)
np.zeros(shape=(3,))
np.ones(shape=4, dtype=int)
np.empty(shape=[2, 3])
np.full(shape=(2, 3), fill_value=1.0)
np.zeros_like(f32)
np.empty((2, 3), np.dtype("float32"))
np.array([1, 2], np.dtype(np.float32))
np.zeros_like(f64, np.float32)
np.full_like(f64, 1, np.float32)
np.full((2,), 1, np.float32)
np.eye(2, 3, 0, np.float32)
np.arange(0, 3, 1, np.float32)
np.linspace(0, 1, 5, True, False, np.float32)
np.linspace(0, f64[0, 0], 5)
np.full((2,), 1.0)
np.full(2, 7)
np.arange(3)
np.arange(0, 1, 0.5)
np.linspace(0, 1, 5)
np.eye(3)
np.array([1, 2])
np.array([1.0, 2])
np.array([[1, 2], [3.5, 4]])
np.array(rows)
np.array(numbers, dtype=np.float32)
f64.sum(1)
f64.sum(axis=0, keepdims=True)
f64.sum((0, 1))
np.mean(f64, axis=1)
np.mean(f64, (0, 1))
np.max(f64)
f64.max(-1)
f64.reshape(3, 2)
f64.reshape(-1)
f64.reshape((1, 2, 3))
np.reshape(f64, (6,))
np.median(f64, axis=0)
np.percentile(f64, 50)
np.percentile(f64, [25, 50])
np.percentile(f64, 50, axis=0)
np.average(f64, weights=f64)
f64.argmax(1)
f64.argmax()
np.meshgrid(f64[0], f64[0])[0]
np.stack(np.meshgrid(f64[0], f64[0]), axis=-1)
np.stack(np.meshgrid(f64[0], f64[0]), axis=-1).reshape(-1, 2)
f32[np.array([0, 1])] + f64
f32[i64[0, 0]] + np.ones((4, 3))
np.asarray(f32)
np.stack(rows)
np.stack([f32, f32])
np.concatenate([f32, f64])
np.concatenate([f32, f32], axis=1)
np.column_stack([i64[0], f64[0]])
np.vstack([f32, f32])
np.append(f64, 1)
np.where(f32 > 0, f32, 0.0)
np.maximum(f32, 0)
np.sin(f32)
np.sin(i64)
np.sin(u8)
np.exp(u16)
np.sqrt(i16)
np.mean(u16)
np.sinc(u8)
np.rint(u8)
np.angle(flags)
np.angle(u8)
np.arctan2(u8, u8)
np.arctan2(u8, flags)
np.hypot(i16, u8)
np.hypot(u8, i8)
np.hypot(flags, 1)
np.logaddexp(u16, 1.0)
np.arctan2(u8, f32[0])
np.true_divide(u8, 2)
np.true_divide(u16, 2)
np.divide(f16, 2)
u16 / 65535
u16 / 2.0
u8 / 2
2 / i8
flags / 3
f16 / 2
f32 / 2.0
torch.from_numpy(u16[:2])
np.exp(2.0)
np.sqrt(2)
np.abs(f32)
np.clip(f32, 0, 1)
np.round(f64)
np.mean(f32, axis=0)
np.mean(i64)
np.sum(f32)
np.sum(i64, axis=1)
np.sum(flags)
np.cumsum(i32)
np.max(f32)
np.argmax(f32)
np.argsort(f32, axis=1)
np.expand_dims(f32, 0)
np.transpose(f32)
np.outer(f32, f32)
np.dot(f32, f64.T)
np.linalg.norm(f32)
np.isnan(f32)
np.unique(i64)
np.unique(i64[0], return_index=True)
np.unique(i64[0], return_index=True, return_inverse=True, return_counts=True)
np.unique(f32, axis=0, return_counts=True, return_inverse=True)
np.unique(f32, return_index=False)
np.mgrid[0:2, 0:3]
np.float32(3)
np.random.rand(3)
np.random.randn(2, 3)
np.random.randint(0, 5, (2, 3))
np.random.normal(0, 1, (2, 3))
rng.normal(size=(2, 3))
rng.uniform(-1, 1, (2, 3))
rng.integers(0, 4, 20)
rng.standard_normal(5)
rng.random(4)
rng.exponential(f64.sum())
torch.tensor(rng.exponential(1 / f64.sum()))
torch.tensor([0.0 + rng.normal(1.0, f64.mean())])
torch.tensor(np.random.poisson(f64.sum()))
torch.tensor(rng.normal(f64.sum(), 1.0, 3))
torch.tensor(rng.exponential(f64))
state.rand(3, 2)
state.permutation(5)
f32.mean()
f32.mean(axis=0)
f32.sum()
i64.mean()
i64.sum()
f32.std(axis=0)
f64.astype(np.float32)
f64.astype("float32")
f64.astype(int)
f64.astype(float)
f64.astype(f32.dtype)
f64.reshape(3, 2)
f64.flatten()
f64.T
f64[0]
f64[:, 1]
f64[..., None]
f64[None]
f64[f64 > 0]
f64[[0, 1]]
i64.argmax(axis=1)
f32.copy()
x + d
x + wide
x * zero
n + x
n / 2
n // 2
n * 2
n * 0.5
i + n
b + n
b * 1.5
h + x
h * zero
n + wide
n > 1
x ** 2
-n
x.sum()
n.sum()
b.sum()
n.float().mean()
x.double()
d.to(x.dtype)
d.to(x)
d.type(torch.float32)
x.long()
x.argmax(1)
x.max(dim=1)
x.sort(dim=1)
x.exp()
n.exp()
n.sqrt()
x[b[:2]]
x[n[:2]]
x[0]
x[..., None]
x[:, None]
x[None].squeeze(0)
x.unsqueeze(0)
torch.cat([x, d])
torch.stack([n, n])
torch.where(x > 0, x, 0.0)
torch.from_numpy(f64)
torch.from_numpy(f64).float()
torch.tensor(f32)
torch.tensor(numbers)
torch.as_tensor(f64)
torch.tensor(rows[0])
torch.maximum(x, d)
torch.clamp(n, 0, 5)
torch.matmul(x, x.T)
F.one_hot(n, 4)
F.softmax(x, dim=1)
F.relu(x)
F.mse_loss(x, x)
nn.Linear(3, 2)(x)
nn.Embedding(4, 2)(n)
x.numpy()
""".strip().splitlines()

#: Expressions of which NumPy 1 and 2 say different things, or which are simply hard.
POSSIBLE = """
f32 * scalar
f32 + np.float64(1)
f32 * f64.mean()
f32 - f64.mean(axis=0)
np.mean([1, 2])
np.percentile(f32, 50)
np.fft.fft(f32)
np.interp(f32[0], f64[0], f64[0])
np.prod((1, 2, 3))
np.meshgrid(f32[0], f32[0])
np.histogram(f32)
np.where(f32 > 0)
np.unique(i64, return_counts=True)
np.hstack((f64[0], 1, 2.0))
np.hstack([f32, f64])
np.vstack([f64[0], f64[0]])
np.vstack([f32, f64[0]])
np.column_stack([f64[0], f64[0]])
np.column_stack([f32, f64])
np.dstack([f32, f32])
np.dstack([f64[0], f64[0]])
np.concatenate([f32, f32], axis=None)
np.concatenate([f64[0], f64[0]])
np.mgrid[0:1:5j]
np.median(f32)
np.quantile(f64, 0.5, axis=0)
np.power(f32, 2.0)
np.diff(f32)
np.einsum("ij->i", f32)
rng.choice(5, 3)
rng.choice(f32[0])
rng.permutation(f32)
state.multivariate_normal([0, 0], np.eye(2), 3)
f64.tolist()
f32.max()
f32.any()
x.median()
x.var(dim=0)
torch.det(x @ x.T)
torch.trace(x @ x.T)
x.select(0, 1)
x.repeat_interleave(2)
torch.quantile(x, 0.5)
torch.linalg.norm(x)
torch.linalg.solve(torch.eye(2), x)
torch.bincount(n)
torch.einsum("ij,kj->ik", x, x)
F.cross_entropy(x, n[:2])
F.mse_loss(x, d)
F.l1_loss(x, n.expand(2, 3))
x.mean(dim=(0, 1))
x.all()
x.std()
torch.complex(x, x)
torch.outer(n, n)
""".strip().splitlines()


def _ending(expression: str) -> Ending:
    return Ending(f"{HEAD}\nresult = {expression}\n")


@pytest.mark.parametrize("expression", KNOWN + POSSIBLE)
def test_nothing_false_is_said(expression: str) -> None:
    end = _ending(expression)
    assert holds(end, end["result"], run(f"{HEAD}\nresult = {expression}\n")["result"]), end["result"]


@pytest.mark.parametrize("expression", KNOWN)
def test_the_dtype_is_known(expression: str) -> None:
    value = _ending(expression)["result"]
    if isinstance(value, (Tensor, Array)):
        assert value.dtype is not None


@pytest.mark.parametrize(
    ("expression", "rank"),
    [
        ("np.hstack([f32, f64])", 2),
        ("np.hstack([f64[0], f64[0]])", 1),
        ("np.vstack([f64[0], f64[0]])", 2),
        ("np.column_stack([f64[0], f64[0]])", 2),
        ("np.dstack([f32, f32])", 3),
        ("np.concatenate([f32, f32], axis=None)", 1),
        ("np.concatenate([f32, f32], 1)", 2),
    ],
)
def test_the_rank_of_what_is_joined(expression: str, rank: int) -> None:
    assert getattr(_ending(expression)["result"], "rank", None) == rank


@pytest.mark.parametrize(
    "expression",
    [
        "np.diag(f64[0])",
        "np.diag(f64)",
        "np.diag(np.diag(f64))",
        "np.diagonal(f64)",
        "np.ones((2, 3, 3)).diagonal(axis1=1, axis2=2)",
        "np.pad(f64, 1)",
        "np.atleast_1d(f64.sum())",
        "np.atleast_2d(f64[0])",
        "np.atleast_3d(f64)",
        "np.delete(f64, 0)",
        "np.delete(f64, 0, axis=1)",
        "np.broadcast_to(f64[0], (4, 2, 3))",
        "np.ravel(f64)",
    ],
)
def test_the_rank_of_what_is_cut_out_or_put_into_more(expression: str) -> None:
    real = run(f"{HEAD}\nresult = {expression}\n")["result"]
    assert getattr(_ending(expression)["result"], "rank", None) == real.ndim


def test_an_array_of_float64_makes_float64_of_float32_whatever_its_rank() -> None:
    for cut in ("np.diag(state.rand(*size))", "np.delete(state.rand(*size), 0, axis=axis)"):
        text = f"{HEAD}\nimport sys\nsize, axis = [int(a) for a in sys.argv[1:]], int(sys.argv[1])\n"
        assert clashes(f"{text}nn.Linear(3, 3)(torch.from_numpy(f32[:1] + {cut}))\n") != [], cut


def test_in_place_arithmetic_keeps_the_dtype() -> None:
    text = f"{HEAD}\nresult = f32.copy()\nresult += f64\nresult *= 0.5\n"
    end = Ending(text)
    assert end["result"] == Array("float32", 2)
    assert holds(end, end["result"], run(text)["result"])


def test_what_nobody_knows_stays_unknown() -> None:
    end = Ending(
        "import numpy as np\nimport mystery\nresult = np.concatenate([mystery.rows(), np.ones(3)])\n"
    )
    value = end["result"]
    assert isinstance(value, Array)
    assert value.dtype is None


@pytest.mark.parametrize("call", ["zeros(3, kind)", "array([1.0], kind)", "ones_like(np.ones(3), kind)",
    "full(3, 0.5, kind)", "arange(0, 3, 1, kind)", "zeros(3, np.dtype([('x', float)]))"])  # fmt: skip
def test_a_dtype_that_nobody_knows_makes_that_of_the_array_unknown(call: str) -> None:
    value = Ending(f"import sys\nimport numpy as np\nkind = sys.argv[1]\nresult = np.{call}\n")["result"]
    assert isinstance(value, Array)
    assert value.dtype is None


def test_autocast_computes_in_its_dtype() -> None:
    end = Ending(
        """
        import torch
        layer, x = torch.nn.Linear(2, 2), torch.ones(2, 2)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            inside = layer(x)
            product = x @ x
            total = inside.softmax(1)
        outside = layer(x)
        """
    )
    dtypes = [getattr(end[name], "dtype", "") for name in ("inside", "product", "total", "outside")]
    assert dtypes == ["bfloat16", "bfloat16", None, "float32"]


@pytest.mark.parametrize(
    ("manager", "known"),
    [("torch.no_grad()", False), ("torch.inference_mode()", False), ("torch.set_grad_enabled(False)", False),
     ("torch.enable_grad()", True), ("torch.set_grad_enabled(unknown())", None)],
)  # fmt: skip
def test_grad_mode_is_followed(manager: str, known: bool | None) -> None:
    end = Ending(
        f"""
        import torch
        from elsewhere import unknown
        layer, x = torch.nn.Linear(2, 2), torch.ones(2, 2)
        with {manager}:
            inside = layer(x)
        outside = layer(x)

        @torch.no_grad()
        def decorated():
            return layer(x)

        result = decorated()
        """
    )
    grads = [getattr(end[name], "grad", "") for name in ("inside", "outside", "result")]
    assert grads == [known, True, False]


def test_a_tensor_on_the_accelerator_is_no_array() -> None:
    found = clashes(
        """
        import numpy as np
        import torch
        from sklearn.metrics import accuracy_score
        import matplotlib.pyplot as plt
        x = torch.ones(3).cuda()
        x.numpy()
        np.asarray(x)
        np.mean([x.sum(), x.mean()])
        accuracy_score(x, x.cpu())
        plt.plot(x)
        float(x.sum()), x.tolist(), np.asarray(x.cpu())
        """
    )
    assert [line.partition(":")[0] for line in found] == ["7", "8", "9", "9", "10", "11"]
    assert {line.partition(": ")[2] for line in found} == {"numpy"}


def test_arguments_that_steer_the_host_stay_there() -> None:
    found = clashes(
        """
        import torch
        from torch.nn.utils.rnn import pack_padded_sequence
        x, where = torch.ones(4, 3, 2).cuda(), torch.tensor([3, 2, 2, 1]).cuda()
        pack_padded_sequence(x, where, batch_first=True)
        x.tensor_split(where)
        torch.tensor_split(x, where)
        pack_padded_sequence(x, where.cpu(), batch_first=True)
        x.tensor_split(where.cpu())
        x.tensor_split(2)
        """
    )
    assert found == ["5: host-only", "6: host-only", "7: host-only"]


ASKED = ["shape", "ndim", "size", "iterable", "isscalar", "real", "squeeze"]


@pytest.mark.parametrize("name", ASKED)
def test_what_numpy_asks_a_tensor_for_is_answered_by_the_tensor(name: str) -> None:
    text = f"import numpy as np\nimport torch\nx = torch.ones(2, 3, device='cuda')\nprint(np.{name}(x))\n"
    getattr(np, name)(torch.ones(2, 3, device="meta"))  # which has no data to read
    assert not clashes(text)
    if name != "iterable":
        assert clashes(text.replace("(x)", "([x, x])"))


@pytest.mark.parametrize("test", ["'cuda' in str(x.device)", "str(x.device) != 'cpu'"])
def test_a_device_is_shown_by_its_name(test: str) -> None:
    text = f"""
        import torch
        def shown(x):
            if {test}:
                return x.cpu().numpy()
            return x.numpy()
        shown(torch.ones(3).cuda())
        shown(torch.ones(3))
    """
    assert clashes(text) == []
    assert clashes(text.replace(test, test.replace("cuda", "meta").replace("!=", "==")))


def test_lists_of_arrays_hold_numbers_of_python() -> None:
    assert not lies(
        """
        import numpy as np
        x = np.ones((4, 3), dtype=np.float32)
        row, rows, one = x[0].tolist(), x.tolist(), x[0, 0].item()
        whole, truth = np.arange(3).tolist(), (x[0] > 0).tolist()
        first, second, third = np.quantile(x[:, 0], [0.25, 0.5, 0.75]).tolist()
        back = np.array(row)
        counted = np.array(whole)
        """
    )


@pytest.mark.parametrize(
    ("made", "found"),
    [
        ("np.array(x.mean(0).tolist())", ["6: dtype"]),
        ("np.array([v for v in x[0].tolist()])", ["6: dtype"]),
        ("np.array(x[0].tolist(), dtype=np.float32)", []),
        ("np.arange(3).tolist()[0]", []),
    ],
)
def test_what_a_list_of_floats_is_taken_from_is_float64(made: str, found: list[str]) -> None:
    assert (
        clashes(f"""
import numpy as np
import torch
x = np.random.rand(4, 3).astype(np.float32)
scaled = torch.from_numpy(x - {made})
torch.nn.Linear(3, 1)(scaled)
""")
        == found
    )


_LOOKED_UP = """
import numpy as np
import torch

grid = np.linspace(0, 1, 9)
ends = np.array([0.2, 0.4])
one = torch.ones(1).cuda()
for time in np.linspace(0, 1, 9):
    print(grid[{place}] * one)
"""


@pytest.mark.parametrize(
    "place", ["np.digitize(time, grid) - 1", "np.searchsorted(grid, 0.5)", "grid.searchsorted(time)"]
)
def test_the_place_of_one_number_is_one_number(place: str) -> None:
    assert not clashes(_LOOKED_UP.format(place=place))


@pytest.mark.parametrize("place", ["np.digitize(ends, grid) - 1", "grid.searchsorted(v=ends)"])
def test_those_of_several_are_several(place: str) -> None:
    assert clashes(_LOOKED_UP.format(place=place)) == ["9: numpy"]


_GROWING = """
import sys
import numpy as np
import torch
rng = np.random.RandomState(0)
rows = np.ones((4, 2))
whole = len(sys.argv) < 9
def drawn(i, count):
    items = {first}
    while len(items) <= count:
        number = rng.randint(9)
        if number != 3:
            items.append({more})
    return np.array(items)
table = torch.nn.Embedding(9, 2)
for i in range(4):
    places = torch.tensor(drawn(i, 3))
    table(places)
"""


@pytest.mark.parametrize("first", ["[rows[i, 1]]", "[rows[i, 0], rows[i, 1]]"])
def test_a_list_that_begins_with_a_float64_is_of_them_whatever_number_follows(first: str) -> None:
    text = _GROWING.format(first=first, more="number")
    assert clashes(text) == ["18: index-dtype"]
    with pytest.raises(RuntimeError, match="DoubleTensor"):
        exec(text, {})


@pytest.mark.parametrize(
    ("first", "more"),
    [
        ("[int(rows[i, 1])]", "number"),
        ("[rows.astype(int)[i, 1]]", "number"),
        ("[rows[i, 1]] if not whole else [3]", "number"),
        ("[] if whole else [rows[i, 1]]", "number"),
        ("[]", "number if whole else rows[i, 1]"),
        ("[3]", "number if whole else rows[i, 1]"),
    ],
)
def test_a_list_that_may_be_of_integers_alone_is_not_of_floats(
    first: str, more: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = _GROWING.format(first=first, more=more)
    monkeypatch.setattr("sys.argv", ["main.py"])
    exec(text, {})
    assert not clashes(text)


STORED = """
    import numpy as np
    import torch

    rewards = np.zeros({})
    rewards[0] = 1.0
    q = torch.ones(4, 2).cuda().max(dim=1).values
    print(torch.from_numpy(rewards[np.random.randint(0, 9, size=4)]) + q)
    """


@pytest.mark.parametrize("shape", ["9", "(9,)", "shape=(9,)", "shape=9, dtype='float32'"])
def test_what_is_taken_of_an_array_whose_shape_is_named_is_no_number(shape: str) -> None:
    assert clashes(STORED.format(shape)) == ["8: device"]


def test_an_array_whose_named_shape_is_empty_is_one_number() -> None:
    program = STORED.replace("rewards[0]", "rewards[()]").replace("[np.random.randint(0, 9, size=4)]", "")
    assert clashes(program.format("shape=()")) == []


@pytest.mark.parametrize("name", ["int", "float", "complex", "str"])
def test_what_numpy_had_of_pythons_own_reads_a_tensor_anywhere(name: str) -> None:
    text = f"import numpy as np\nimport torch\nx = torch.ones(2, device='cuda')\nprint(np.{name}(x[0]))\n"
    assert clashes(text) == []


def test_what_is_numpys_own_does_not() -> None:
    text = "import numpy as np\nimport torch\nx = torch.ones(2, device='cuda')\nprint(np.float64(x))\n"
    assert clashes(text) == ["4: numpy"]


@pytest.mark.parametrize(("given", "found"), [("float64", ["10: dtype"]), ("float32", [])])
def test_an_array_that_is_there_at_times_is_known_where_it_is_asked_for(given: str, found: list[str]) -> None:
    program = f"""
    import sys
    import numpy as np
    import torch
    points = torch.ones(3, 3)
    turned = np.eye(3, dtype=np.{given}) if len(sys.argv) > 1 else None
    turn = torch.from_numpy(turned) if turned is not None else None

    if turn is not None:
        print(turn @ points)
    """
    assert clashes(program) == found


@pytest.mark.parametrize("asked", ["np.squeeze(x)", "np.squeeze(x, axis=0)", "np.swapaxes(x, 0, 1)"])
def test_what_numpy_leaves_to_the_method_of_a_tensor_is_a_tensor_where_that_is(asked: str) -> None:
    text = f"import numpy as np\nimport torch\nx = torch.ones(1, 2, device='{{}}')\ny = {asked}\nprint(y.numpy())\n"
    assert clashes(text.format("cuda")) == ["5: numpy"]
    assert clashes(text.format("cpu")) == []
    assert clashes(text.format("cuda").replace("y.numpy()", "y + x.squeeze()")) == []
