"""Complex numbers of Python beside NumPy's arrays, and what becomes of the parts of tensors that are made of them."""

from __future__ import annotations

import numpy as np
import pytest
from reality import lies
from text_program import Ending, clashes, fix_texts

from devfix.analysis.domain.values import Array
from devfix.findings import Applicability

_COMPUTED = [
    "1j * x",
    "x * 2j",
    "1j * 2 * np.pi * x",
    "-2j * np.pi * x / 4",
    "(1 + 2j) * x",
    "(1 - 2j) - x",
    "x / 1j",
    "np.exp(1j * x)",
    "np.exp(1j * x) * (x > 0)",
    "1j * x * np.arange(3)",
    "1j * x * np.arange(3, dtype=np.float32)",
    "np.abs(1j * x)",
    "(1j * x).real",
]
_DTYPES = ["float16", "float32", "float64", "complex64", "complex128", "int16", "int32", "int64", "bool"]


@pytest.mark.parametrize("dtype", _DTYPES)
@pytest.mark.parametrize("computed", _COMPUTED)
def test_numpy_gives_what_is_claimed(computed: str, dtype: str) -> None:
    text = f"import numpy as np\nx = np.ones(3).astype(np.{dtype})\ny = {computed}\n"
    if dtype == "bool" and "x > 0" not in computed:
        text = text.replace("np.bool)", "bool)")
    end = Ending(text)
    assert lies(text) == []
    claimed = end["y"]
    assert isinstance(claimed, Array)
    assert claimed.dtype is not None or dtype in ("int16", "float16")


@pytest.mark.parametrize("number", ["np.float64(2)", "np.ones(2).sum()", "np.ones(()) ", "np.float32(2)"])
def test_of_a_scalar_nothing_is_claimed(number: str) -> None:
    end = Ending(f"import numpy as np\ny = 1j * {number}\n")
    assert getattr(end["y"], "dtype", None) is None


_PROGRAM = """\
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 2).to(device)
wave = np.exp(1j * {array})
field = {made}
{use}
"""
_ARRAY = "np.linspace(0, 1, 3)"
_MADE = "torch.from_numpy(wave)"


def _fixed(array: str, made: str, use: str) -> tuple[str, str]:
    text = _PROGRAM.format(array=array, made=made, use=use)
    return text, fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"]


@pytest.mark.parametrize(
    "use", ["net(field.real)", "net(field.imag)", "net(field.real.square() + field.imag)"]
)
@pytest.mark.parametrize(
    "rest", [".to(device)", ".to(device).conj()", ".to(device) * torch.ones(3, device=device)"]
)
@pytest.mark.parametrize("made", [_MADE, "torch.as_tensor(wave)"])
def test_a_complex_tensor_stays_complex_where_its_parts_are_to_be_narrower(
    made: str, rest: str, use: str
) -> None:
    text, fixed = _fixed(_ARRAY, made + rest, use)
    assert fixed == text.replace(made, f"{made}.to(torch.complex64)")


def test_the_size_of_complex_numbers_is_cast_where_it_is_used() -> None:
    text, fixed = _fixed(_ARRAY, _MADE + ".to(device)", "net(field.abs())")
    assert fixed == text.replace("field.abs()", "field.abs().float()")


def test_a_chosen_width_is_left_where_it_was_chosen() -> None:
    made = "torch.as_tensor(wave, dtype=torch.complex128, device=device)"
    text, fixed = _fixed(_ARRAY, made, "net(field.real)")
    assert fixed == text.replace("field.real", "field.real.float()")


@pytest.mark.parametrize(
    ("array", "made"),
    [
        (f"{_ARRAY}.astype(np.float32)", _MADE),
        (_ARRAY, f"{_MADE}.to(torch.complex64)"),
        (f"{_ARRAY}.sum()", "torch.from_numpy(np.asarray(wave).astype(np.complex64).reshape(1).repeat(3))"),
    ],
)
def test_what_fits_is_left_alone(array: str, made: str) -> None:
    assert clashes(_PROGRAM.format(array=array, made=f"{made}.to(device)", use="net(field.real)")) == []


def test_a_cast_to_floats_loses_half_of_complex_numbers() -> None:
    torch = pytest.importorskip("torch")
    with pytest.warns(UserWarning, match="discards the imaginary part"):
        halved = torch.from_numpy(np.array([1 + 2j])).float()
    assert halved.item() == 1
