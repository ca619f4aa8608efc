"""What NumPy's functions of each element make of a tensor: a tensor again, in the CPU's memory."""

from __future__ import annotations

import re

import numpy as np
import pytest
from reality import lies
from text_program import Ending, clashes, files, fix_texts

from devfix.analysis.domain.values import Tensor
from devfix.analysis.torch_model.arrays.elementwise import FUNCTIONS
from devfix.findings import Applicability

pytestmark = pytest.mark.filterwarnings("ignore:__array.*:DeprecationWarning")

#: Operands of one dtype that every function takes, and the functions that take nothing else.
OPERANDS = {
    "floats": "t = torch.rand(2, 2) / 2 + 0.1\no = torch.ones(2, 2)\na = np.ones((2, 2))",
    "whole": "t = torch.ones(2, 2, dtype=torch.int64)\no = t\na = np.ones((2, 2), dtype=np.int64)",
}
BITS = frozenset({"bitwise_and", "bitwise_or", "bitwise_xor"})


def _calls(dtype: str) -> str:
    names = [(count, name) for count, found in FUNCTIONS.items() for name in sorted(found)]
    lines = ["import numpy as np", "import torch", OPERANDS[dtype]]
    for count, name in names:
        if dtype == "whole" or name not in BITS:
            forms = ("t",) if count == 1 else ("t, o", "t, a", "a, t", "t, 1")
            lines += [
                f"{name}_{place} = np.{name}({form})"
                for place, form in enumerate(forms)
                if (name, form) != ("matmul", "t, 1")
            ]
    return "\n".join(lines)


@pytest.mark.parametrize("dtype", OPERANDS)
def test_a_function_of_each_element_gives_a_tensor_what_it_makes_of_it(dtype: str) -> None:
    text = _calls(dtype)
    assert lies(text) == []
    end = Ending(text)
    made = re.findall(r"^(\w+_\d) = ", text, re.MULTILINE)
    assert len(made) > len(FUNCTIONS[1])
    assert [name for name in made if not isinstance(end[name], Tensor)] == []


@pytest.mark.parametrize("name", sorted(FUNCTIONS[1] | FUNCTIONS[2]))
def test_each_is_such_a_function(name: str) -> None:
    found = getattr(np, name)
    assert isinstance(found, np.ufunc)
    assert found.nin == (1 if name in FUNCTIONS[1] else 2)


@pytest.mark.parametrize(
    "call",
    [
        "dot(m, m)",
        "where(m > 0, m, m)",
        "sinc(m)",
        "outer(m, m)",
        "exp(m, a)",
        "exp([z, z])",
        "sqrt(a)",
    ],
)
def test_what_gives_an_array_is_no_tensor(call: str) -> None:
    text = f"import numpy as np\nimport torch\nm, z, a = torch.eye(2), torch.tensor(0.5), np.ones((2, 2))\nmade = np.{call}"
    assert lies(text) == []
    assert not isinstance(Ending(text)["made"], Tensor)


MEETING = """
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = torch.nn.Linear(2, 2).to(device)
x = torch.ones(3, 2, device=device)
out = net(x)
{line}
"""


def test_it_goes_back_to_the_accelerator_where_it_meets_a_tensor_there() -> None:
    after = fix_texts(files(MEETING.format(line="print(out * np.sin(x))")), Applicability.SAFE)[0]["main.py"]
    assert "print(out * np.sin(x.cpu()).to(device))" in after
    assert clashes(after) == []


@pytest.mark.parametrize(
    "line",
    [
        "print(np.sin(x.cpu()) + 1)",
        "print(out * float(np.sqrt(x.cpu().mean())))",
        "print(out * np.sqrt(x.cpu().mean()))",
        "print(out * np.sin(np.pi))",
        "print(out.detach().cpu() * np.sin(x.cpu()))",
    ],
)
def test_what_stays_on_the_cpu_is_left_alone(line: str) -> None:
    assert clashes(MEETING.format(line=line)) == []
