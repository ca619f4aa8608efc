"""What the analysis says that NumPy's functions give is what the installed NumPy gives."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest
from reality import lies
from text_program import Ending, clashes, fix_texts

from devfix.analysis.domain.lattice import AT_LEAST_1
from devfix.analysis.domain.values import Array, Scalar, Sequence, TupleValue, Value
from devfix.findings import Applicability

_CALLS = """\
np.gradient(a)
np.gradient(m, axis=1)
np.convolve(a, a, mode="same")
np.correlate(a, a)
np.apply_along_axis(lambda r: np.convolve(r, r, mode="same"), 1, m)
np.apply_along_axis(np.cumsum, 0, m)
np.polyfit(a, a, 1)
np.array_split(a, 2)
np.split(a, 2)
np.hsplit(m, 2)
np.cross(a[:3], a[:3])
np.linalg.inv(np.eye(3))
np.linalg.pinv(m)
np.linalg.svd(m)
np.linalg.eigh(m @ m.T)
np.linalg.qr(m)
np.histogram(a, 3)
np.insert(a, 0, a[0])
np.indices((2, 3))
np.trace(m)
np.fromiter((i for i in range(3)), dtype=float)
np.frombuffer(b"abcd", dtype=np.uint8)
np.all(a > 0)
np.any(a > 0)
np.argwhere(a)
np.lexsort((a, a))
np.fft.fft(a)
np.fft.rfft(a)
np.abs(np.fft.rfft(a))
np.fft.irfft(np.fft.rfft(a))
np.fft.fftfreq(4)
np.partition(a, 1)
np.intersect1d(a, a)
np.union1d(a, a)
np.lib.stride_tricks.sliding_window_view(a, 2)
np.real(a)
np.rint(a)
np.fabs(a)
np.angle(a)
np.reciprocal(a + 1)
np.append(a, 0)
np.append(a, 2.0)
np.outer(a, 2.0)
np.unique(m, axis=0)
np.heaviside(a, 0)
np.triu_indices(3)
np.trim_zeros(a)
np.rollaxis(m, 1)
np.array([])
np.array([], dtype=np.float32)
np.vstack((np.array([]).reshape(0, 4), m))
np.average(m, axis=0)
np.average(m, axis=0, weights=None)
np.average(m, 0, [1, 2, 3])
np.average(m, axis=1, weights=(0.5, 1.5, 2, 1))
np.average(m, axis=0, weights=np.ones(3, dtype=np.float32))
np.average(m, axis=0, weights=np.ones(3, dtype=np.int16))
np.average(m, axis=0, weights=np.array([True, False, True]))
np.average([a, a], axis=0, weights=[1, 2])
np.c_[a, a / 2]
np.c_[m[0], m[1]]
np.r_[a, a]
np.r_[0:4, a]
np.r_[0:1:3j, 2]
np.r_[a, 0]
np.mgrid[0:1:3j, 0:1:3j]
np.mgrid[0:2, 0:1:0.5]
np.select([a > 1, a > 2], [a, a * 2], default=0)
np.select([a > 1, a > 2], [a * 0.5, a * 0.25])
np.piecewise(a, [a > 0], [lambda x: x, 0])
np.vectorize(lambda v: v * 0.5)(a.astype(float))
np.vectorize(math.sin)(a)
np.vectorize(len)(["a", "bc"])
np.fromfunction(lambda i, j: i + j, (3, 3))
np.fromfunction(lambda i, j: i + j, (3, 3), dtype=int)
np.fromstring("1.5,2", sep=",")
np.einsum("ij,kj->ik", m, m)
np.einsum("ij,ij", m, m)
np.einsum("ij, kj -> i k", m, m)
np.union1d(a, a * 0.5)
np.setxor1d([0.5, 1.5], a)
np.intersect1d(m, m * 0.5)
np.nancumsum(a > 1)
np.select([a > 1], [1], default=0.5)
np.polyval([1.0, 2.0], a.astype(float))
np.bincount([0, 1, 1])
np.bincount([0, 1, 1], weights=a[:3])
np.array([a[0], 0.5])
np.array([np.float32(1), 2.0])
""".splitlines()


def _agrees(value: Value, result: Any) -> bool:
    if isinstance(result, np.ndarray):
        ranks = (None, result.ndim, AT_LEAST_1 if result.ndim else None)
        return isinstance(value, Array) and value.dtype == str(result.dtype) and value.rank in ranks
    if isinstance(result, np.generic):
        return value.dtype == str(result.dtype) if isinstance(value, Array) else isinstance(value, Scalar)
    if isinstance(value, Sequence):
        return _agrees(value.element, result[0])
    if not isinstance(value, TupleValue) or len(value.items) != len(result):
        return False
    return all(map(_agrees, value.items, result))


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64"])
@pytest.mark.parametrize("call", _CALLS)
def test_a_result_has_the_dtype_that_numpy_gives_it(call: str, dtype: str) -> None:
    made = {
        "a": f"(np.arange(4) % 3).astype({dtype!r})",
        "m": f"(np.arange(12) % 5).reshape(3, 4).astype({dtype!r})",
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        names = {"np": np, "math": math, **{name: eval(text, {"np": np}) for name, text in made.items()}}
        result = eval(call, names)
    lines = [
        "import math",
        "import numpy as np",
        *(f"{name} = {text}" for name, text in made.items()),
        f"result = {call}",
        "",
    ]
    ending = Ending("\n".join(lines))
    assert _agrees(_without_list(ending, ending["result"]), result)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize(
    "call",
    [
        "z.real", "z.imag", "np.real(z)", "np.imag(z)", "np.angle(z)", "np.abs(z)", "abs(z)", "z.std()", "np.var(z)",
        "np.std(z, axis=0)", "np.linalg.norm(z)", "z.T", "z.real.astype('float64')", "z.mean()",
    ],
)  # fmt: skip
def test_the_parts_and_the_size_of_complex_numbers_are_floats(call: str, dtype: str) -> None:
    made = f"np.ones((2, 3), dtype={dtype!r})"
    result = eval(call, {"np": np, "z": eval(made, {"np": np})})
    value = Ending(f"import numpy as np\nz = {made}\nresult = {call}\n")["result"]
    assert _agrees(value, result)


def test_layers_take_the_parts_of_complex_numbers() -> None:
    text = """
import numpy as np
import torch
from torch.nn.functional import conv1d

kernels = np.zeros((4, 1, 8), dtype=np.complex64)
signal = torch.ones(2, 1, 16)
real, imag = conv1d(signal, torch.tensor(kernels.real)), conv1d(signal, torch.tensor(np.imag(kernels)))
"""
    assert not clashes(text)
    assert clashes(text + "both = conv1d(signal, torch.tensor(kernels))\n") == ["9: dtype"]


def _without_list(ending: Ending, value: Value) -> Value:
    """The items of a list whose length is known."""
    obj = ending.interpreter.obj_of(value)
    return value if obj is None or obj.items is None else TupleValue(obj.items)


@pytest.mark.parametrize(
    "call", ["np.gradient(unknown)", "np.apply_along_axis(unknown, 0, np.eye(3))", "np.fft.fft(unknown)"]
)
def test_what_comes_of_something_unknown_is_unknown(call: str) -> None:
    value = Ending(f"import numpy as np\nresult = {call}\n")["result"]
    assert not isinstance(value, Array) or value.dtype is None


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(
    "call",
    ["linalg.lu(m)[2]", "linalg.qr(m)[0]", "linalg.expm(m)", "ndimage.zoom(m, 2)", "special.softmax(m)"],
)
def test_scipy_keeps_floats_as_wide_as_they_are(call: str, dtype: str) -> None:
    head = "import numpy as np\nfrom scipy import linalg, ndimage, special\n"
    value = Ending(f"{head}m = np.ones((3, 3)).astype('{dtype}')\nresult = {call}\n")["result"]
    assert isinstance(value, Array)
    assert value.dtype == dtype


def test_fewer_results_than_usual_are_not_guessed() -> None:
    head = "import numpy as np\nfrom scipy import linalg\n"
    value = Ending(f"{head}result = linalg.lu(np.ones((3, 3)), permute_l=True)\n")["result"]
    assert not isinstance(value, TupleValue)


def test_pieces_of_a_known_number_are_told_apart() -> None:
    program = """
import numpy as np
import torch
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
def parts(n):
    order = np.random.permutation(n)
    split = [torch.LongTensor(part) for part in np.split(order, [40, 80])]
    return (torch.ones(n).to(device), *split)
x, first, second, third = parts(120)
print(x.index_select(0, first.to(device)), x.index_select(0, second))
*rest, last = np.array_split(np.zeros(9), 3)
print(x + torch.from_numpy(last))
"""
    assert clashes(program) == ["10: device", "12: device"]


LOSSES = """import numpy as np
import torch
from torch import nn

net = nn.Linear(3, 3).cuda()
x = torch.ones(2, 3).cuda()
{lines}
"""


@pytest.mark.parametrize(
    ("lines", "safe"),
    [
        (
            "parts = np.array([net(x).mean() * w for w in (1.0, 2.0)])\n(np.sum(parts) + net(x).sum()).backward()",
            False,
        ),
        ("with torch.no_grad():\n    parts = np.array([net(x).mean() * w for w in (1.0, 2.0)])", True),
    ],
)
def test_a_copy_that_ends_the_gradient_of_what_numpy_computes_is_unsafe(lines: str, safe: bool) -> None:
    text = LOSSES.format(lines=lines)
    after = fix_texts({"main.py": text}, Applicability.SAFE)[0]["main.py"]
    assert (after != text) is safe
    assert "cpu()" in fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"]


def test_what_is_padded_or_repeated_is_an_array_whatever_it_was() -> None:
    ending = Ending(
        "import numpy as np\nimport pickle\nrow = pickle.load(open('a', 'rb'))\n"
        "a = np.pad(row, (0, 3), 'constant')\nb = np.tile(row, 3)\nc = np.resize(row, 3)\n"
    )
    for name in ("a", "b"):
        value = ending[name]
        assert isinstance(value, Array)
        assert value.dtype is None


class _Elsewhere:
    """What can give one number, and no array, as a tensor on an accelerator does."""

    def __array__(self, *_args: object, **_options: object) -> object:
        raise TypeError

    def __float__(self) -> float:
        return 2.5


@pytest.mark.parametrize("made", ["float64", "double", "float32", "int64", "asarray"])
def test_one_number_is_read_from_where_it_is_by_what_begins_as_float_does(made: str) -> None:
    try:
        reads = getattr(np, made)(_Elsewhere()) == 2.5
    except TypeError:
        reads = False
    text = "import numpy as np\nimport torch\nx = torch.rand(3).cuda()\nprint(np.{}({}))\n"
    assert clashes(text.format(made, "x.sum()")) == ([] if reads else ["4: numpy"])
    assert clashes(text.format(made, "x")) == ["4: numpy"]


AVERAGED = """
import sys
import numpy as np
import torch

old = np.ones(int(sys.argv[1]), dtype=np.float32)
rows = [old.copy() for _ in sys.argv]
mean = np.average(rows, {given})
torch.nn.Linear(3, 1)(torch.from_numpy(mean - old))
"""


@pytest.mark.parametrize(
    "weights", ["[len(each) for each in rows]", "[1 / len(rows) for _ in rows]", "np.ones(len(rows))"]
)
def test_weights_make_float64_of_arrays_of_float32(weights: str) -> None:
    assert clashes(AVERAGED.format(given=f"axis=0, weights={weights}")) == ["9: dtype"]


@pytest.mark.parametrize(
    "given",
    [
        "axis=0",
        "axis=0, weights=np.ones(len(rows), dtype=np.float32)",
        "axis=0, weights=eval(sys.argv[1])",
        "axis=0, weights=[1, 2] if len(sys.argv) > 1 else None",
        "weights=[1, 2]",  # one number: NumPy 1 leaves what it meets as it is
    ],
)
def test_arrays_of_float32_may_stay_what_they_are(given: str) -> None:
    assert clashes(AVERAGED.format(given=given)) == []


def test_an_average_with_the_sum_of_its_weights_is_no_array() -> None:
    ending = Ending(
        "import numpy as np\nm = np.eye(3)\nboth = np.average(m, returned=True)\nmean = np.average(m, returned=False)\n"
    )
    assert not isinstance(ending["both"], Array)
    assert isinstance(ending["mean"], Array)


PIECES = """
import numpy as np
import torch

x = np.load("rows.npy")
breaks = np.flatnonzero(np.diff(x[:, 0].astype(int))) + 1
for rows in np.{cut}(x[:, 1:]{dtype}, breaks):
    print(torch.cdist(torch.from_numpy(rows), torch.from_numpy(rows)))
"""


@pytest.mark.parametrize("cut", ["split", "array_split"])
def test_where_something_is_cut_does_not_tell_what_it_is(cut: str) -> None:
    assert clashes(PIECES.format(cut=cut, dtype="")) == []
    assert clashes(PIECES.format(cut=cut, dtype=".astype(np.float32)")) == []
    assert len(clashes(PIECES.format(cut=cut, dtype=".astype(int)"))) == 1


def test_the_forms_of_sums_and_choices_have_the_dtype_and_the_dimensions_that_numpy_gives_them() -> None:
    calls = [
        "np.einsum(a, [0], a, [0], [0])",
        "np.einsum(',i->i', 2.0, a)",
        "np.einsum('i,i->i', a, [1.0, 2.0, 3.0])",
        "np.select([a > 1, a > 0], [1.0, 2.0])",
        "np.select([a > 1], [3])",
    ]
    made = [f"result_{number} = {call}" for number, call in enumerate(calls)]
    text = "\n".join(["import numpy as np", "a = np.ones(3, dtype='float32')", *made, ""])
    assert lies(text) == []
    assert Ending(text)["result_3"] == Array("float64", 1)
