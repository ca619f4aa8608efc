"""``vars(C)`` and ``C.__dict__`` hold what a class has, and a module is imported by a name that is written down."""

from __future__ import annotations

import pytest
import torch
from text_program import Ending, clashes

from devfix.analysis.domain.values import Tensor

STATISTICS = """
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.ones(3, device=device)


class Statistics:
    mean = torch.zeros(3)
    spread = torch.ones(3, device=device)

    def scaled(self, x):
        return x * self.spread
"""


@pytest.mark.parametrize("held", ["vars(Statistics)", "Statistics.__dict__", "vars(type(Statistics()))"])
def test_what_a_class_has_is_found_in_its_namespace(held: str) -> None:
    assert len(clashes(f'{STATISTICS}x - {held}["mean"]\n')) == 1
    assert not clashes(f'{STATISTICS}x - {held}["mean"].to(device)\n')
    assert not clashes(f'{STATISTICS}x - {held}["spread"]\n')
    assert not clashes(f'{STATISTICS}{held}["scaled"](Statistics(), x)\n')


def test_a_loop_over_a_namespace_meets_what_is_public() -> None:
    loop = (
        "for name, held in vars(Statistics).items():\n"
        '    if not name.startswith("_") and isinstance(held, torch.Tensor):\n'
        "        x - held\n"
    )
    assert len(clashes(STATISTICS + loop)) == 1
    assert not clashes(STATISTICS.replace("zeros(3)", "zeros(3, device=device)") + loop)


def test_python_puts_more_into_it_than_the_program() -> None:
    class Plain:
        size = torch.ones(3)

    ending = Ending("import torch\nclass Plain:\n    size = torch.ones(3)\nheld = vars(Plain)\n")
    obj = ending.interpreter.obj_of(ending["held"])
    assert obj is not None
    assert vars(Plain).keys() >= obj.attrs.keys()
    assert isinstance(obj.attrs["size"], Tensor)


def test_a_module_is_imported_by_its_name() -> None:
    main = """
    import importlib
    import torch
    import torch.nn as nn

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    tasks = importlib.import_module("tasks")
    nn.Linear(4, 3).to(device)(torch.ones(2, 4, device=device)) * tasks.PRIOR
    """
    assert clashes(main, tasks="import torch\n\nPRIOR = torch.ones(3)\n") == ["8: device"]
    assert not clashes(main, tasks="import torch\n\nPRIOR = torch.ones(3).cuda()\n")


SETTINGS = """
import sys
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

class Settings:
    size = 3
    weights = torch.zeros(3)

{set}
Settings.weights + torch.ones(Settings.size, device=device)
"""


@pytest.mark.parametrize(
    "text",
    [
        "setattr(Settings, 'weights', Settings.weights.to(device))",
        "for name, value in list(vars(Settings).items()):\n    if torch.is_tensor(value):\n        setattr(Settings, name, value.to(device))",
        "for name in dir(Settings):\n    if name == 'weights':\n        setattr(Settings, name, getattr(Settings, name).to(device))",
        "setattr(Settings, sys.argv[1], torch.zeros(3, device=device))",
    ],
)
def test_what_is_set_of_a_class_is_what_it_has(text: str) -> None:
    assert not clashes(SETTINGS.replace("{set}", text))


@pytest.mark.parametrize(
    "text", ["", "setattr(Settings, 'weights', torch.ones(3))", "setattr(Settings, 'bias', 1)"]
)
def test_what_is_not_moved_stays(text: str) -> None:
    assert clashes(SETTINGS.replace("{set}", text))
