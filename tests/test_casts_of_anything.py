"""Data of which nothing is known but what it is cast to, and in which order its dimensions are put."""

from __future__ import annotations

import pytest
from text_program import Ending, analyse_text, clashes

from devfix.analysis.domain.values import Array

HEAD = """
import numpy as np
import torch
from somewhere import read

net = torch.nn.Linear(3, 2)
"""


@pytest.mark.parametrize(
    ("cast", "found"),
    [
        ("astype(np.float64)", ["7: dtype"]),
        ("astype('float64')", ["7: dtype"]),
        ("astype(dtype=float)", ["7: dtype"]),
        ("astype(np.float32)", []),
        ("astype(np.float64).astype(np.float32)", []),
        ("astype(wide)", []),
        ("convert(np.float64)", []),
        ("astype(np.float64).float()", []),
    ],
)
def test_a_cast_tells_the_dtype_of_whatever_is_cast(cast: str, found: list[str]) -> None:
    assert clashes(HEAD + f"net(torch.from_numpy(read('x').{cast}))\n") == found


@pytest.mark.parametrize(
    "use",
    ["x.values", "x.todense()", "x.data", "x.tocoo().data", "x.to_numpy()", "x.iloc[0].values", "x.columns"],
)
def test_what_else_a_table_or_a_sparse_matrix_has_is_not_known(use: str) -> None:
    text = HEAD + f"x = read('x').astype(np.float64)\nnet(torch.tensor({use}))\n"
    assert not clashes(text)


SCALED = """
import torch
from somewhere import order, read

field = torch.from_numpy(read("field"))
{changed}
mean = torch.mean(field, 0)
print(torch.ones(3, 3, 3).cuda() - mean)
"""


@pytest.mark.parametrize(
    ("changed", "found"),
    [
        ("field = field.permute(2, 0, 1)", ["8: device"]),
        ("field = torch.permute(field, (1, 0))", ["8: device"]),
        ("field = field.permute([1, 0])", ["8: device"]),
        ("field = field.permute(0)", []),  # the mean of numbers, which an accelerator takes
        ("field = field.permute(*order)", []),
        ("field = field.t()", []),
    ],
)
def test_the_order_of_dimensions_tells_how_many_there_are(changed: str, found: list[str]) -> None:
    assert clashes(SCALED.format(changed=changed)) == found


SPECTRAL = """
import torch
from torch import nn

class Spectral(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(3, 3{dtype}))

    def forward(self, x):
        return torch.einsum("bi,io->bo", {made}, self.weight)

Spectral()(torch.rand(4, 3))
"""


def test_a_complex_operand_is_not_the_one_to_be_cast() -> None:
    text = SPECTRAL.format(dtype="", made="torch.fft.fft(x)")
    (found,) = analyse_text(text).mismatches()
    assert (found.operands[0].text, found.get("wanted")) == ("self.weight", "complex64")
    assert not clashes(SPECTRAL.format(dtype=", dtype=torch.cfloat", made="torch.fft.fft(x)"))


@pytest.mark.parametrize(
    "made",
    [
        "torch.rfft(x, 1)[..., 0]",
        "x.rfft(1)[..., 0]",
        "torch.irfft(x, 1)",
        "torch.eig(x, True)[1]",
        "x.eig(eigenvectors=True)[1]",
    ],
)
def test_functions_of_older_versions_give_real_tensors(made: str) -> None:
    assert not clashes(SPECTRAL.format(dtype="", made=made))


def test_eigenvectors_are_complex() -> None:
    assert clashes(SPECTRAL.format(dtype="", made="torch.linalg.eig(x)[1]"))


def test_the_dtype_is_that_of_an_array() -> None:
    end = Ending("from somewhere import read\nimport numpy as np\nx = read().astype(np.int64)\n")
    assert isinstance(end["x"], Array)
    assert end["x"].dtype == "int64"
