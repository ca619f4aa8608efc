"""Defaults that functions of a program, or libraries, set: nobody knows which they are for other functions."""

from __future__ import annotations

import pytest
from text_program import clashes

TESTS = """\
    import torch
    from torch import nn
    from preparing import prepare

    class Test:
        def setUp(self):
            prepare(self)

        def test(self):
            rnn = nn.RNN(input_size=3, hidden_size=4)
            hidden = torch.zeros((1, 4, 4), device="cuda")
            return rnn(torch.randn((3, 4, 3)), hidden)
    """

PREPARING = """\
    import torch

    def prepare(case):
        case.width = 3
        {}
    """


@pytest.mark.parametrize(
    "chosen",
    [
        "torch.set_default_tensor_type(torch.cuda.FloatTensor)",
        "torch.set_default_tensor_type('torch.cuda.FloatTensor')",
        "torch.set_default_tensor_type(case.type)",
        "torch.set_default_device('cuda')",
        "torch.set_default_device(case.device)",
    ],
)
def test_where_a_function_sets_the_default_device_others_are_not_judged_by_the_cpu(chosen: str) -> None:
    assert clashes(TESTS, preparing=PREPARING.format(chosen)) == []


@pytest.mark.parametrize(
    "chosen",
    [
        "case.height = 4",
        "torch.set_default_tensor_type(torch.FloatTensor)",
        "torch.set_default_tensor_type('torch.FloatTensor')",
        "torch.set_default_device('cpu')",
        "torch.set_default_device(torch.device('cpu'))",
        "torch.set_default_device(None)",
    ],
)
def test_the_cpu_as_the_default_is_what_it_is_anyway(chosen: str) -> None:
    assert "12: device" in clashes(TESTS, preparing=PREPARING.format(chosen))


SCRIPT = """\
    {}
    import torch

    table = torch.zeros(3, 4)
    table + torch.ones(3, 4, device="cuda")
    """


def test_a_library_that_sets_the_default_device_when_it_is_imported() -> None:
    assert clashes(SCRIPT.format("import deepxde as dde")) == []
    assert clashes(SCRIPT.format("from deepxde.nn import FNN")) == []


def test_other_libraries_leave_the_default_device_alone() -> None:
    assert clashes(SCRIPT.format("import numpy as np")) == ["5: device"]
    assert clashes(SCRIPT.format("from deepxde_like import FNN")) == ["5: device"]


CHOOSING = """\
    import torch
    import flows

    if torch.cuda.is_available():
        {}
    print(flows)
    """

FLOWS = """\
    import torch
    from torch import nn

    class Flow(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = nn.Linear(3, 3)

        def area(self, x):
            return torch.zeros(3) + self.net(x)
    """


@pytest.mark.parametrize(
    ("chosen", "found"),
    [
        ("torch.set_default_tensor_type('torch.cuda.FloatTensor')", []),
        ("torch.set_default_device('cuda')", []),
        ("torch.set_default_device('cpu')", ["flows.py:10: device"]),
        ("print(torch)", ["flows.py:10: device"]),
    ],
)
def test_what_a_script_sets_holds_for_what_other_files_have_for_it(chosen: str, found: list[str]) -> None:
    assert clashes(CHOOSING.format(chosen), flows=FLOWS) == found


TABLE = """\
    import torch

    TABLE = torch.zeros(3)

    def area(x):
        return TABLE + x
    """


@pytest.mark.parametrize(
    ("chosen", "found"),
    [
        ("torch.set_default_device('cuda')", []),
        ("torch.set_default_tensor_type('torch.cuda.FloatTensor')", []),
        ("torch.manual_seed(0)", ["flows.py:6: device"]),
    ],
)
@pytest.mark.parametrize("later", ["", "def use():\n        "])
def test_what_is_made_in_a_file_that_is_imported_afterwards_is_there(
    chosen: str, found: list[str], later: str
) -> None:
    text = f"""\
    import torch

    {chosen}
    {later}import flows
    {"    " if later else ""}flows.area(torch.ones(3, device="cuda"))
    """
    assert clashes(text, flows=TABLE) == found
