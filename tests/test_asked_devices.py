"""Code that nobody calls and that asks a value for its device, to put something there, is judged for an accelerator."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

ROTATE = """
import torch


def turned(points, angles):
    axes = torch.eye(3{made})
    scale = torch.ones(3, 3, {asked})
    return axes @ scale
"""
NEIGHBOURS = """
import torch
from torch import nn


class Neighbours(nn.Module):
    def forward(self, nodes):
        count = nodes.shape[1]
        own = torch.eye(count, dtype=torch.bool{made})
        numbers = torch.arange(count, device=nodes.device).expand(count, count)
        return numbers.masked_select(~own)
"""
TABLE = """
import torch
from torch import nn


class Noise(nn.Module):
    def __init__(self, learnt=False):
        super().__init__()
        self.net = nn.Linear(4, 4)
        {kept}

    def forward(self, x):
        step = torch.randint(0, 10, (x.shape[0],), device=x.device)
        return self.net(x) + self.table[step].unsqueeze(-1).to(x.device)
"""


@pytest.mark.parametrize("asked", ["device=points.device", "device=points.grad.device"])
def test_what_is_made_beside_what_follows_an_argument(asked: str) -> None:
    assert clashes(ROTATE.format(made="", asked=asked)) == ["8: device"]
    assert clashes(ROTATE.format(made=f", {asked}", asked=asked)) == []


def test_where_no_device_is_asked_for_nobody_knows() -> None:
    assert clashes(ROTATE.format(made="", asked="dtype=points.dtype")) == []


def test_what_is_moved_to_an_argument() -> None:
    text = ROTATE.format(made="", asked="dtype=points.dtype")
    assert clashes(text.replace("axes @ scale", "axes @ scale.to(points.device)")) == ["8: device"]
    assert clashes(text.replace("axes @ scale", "(axes @ scale).to(points.device)")) == []


def test_the_repair_follows_the_argument_too() -> None:
    fixed, _ = fix_texts({"main.py": NEIGHBOURS.format(made="")})
    assert fixed["main.py"] == NEIGHBOURS.format(made=", device=nodes.device")


def test_an_index_that_follows_an_input_of_what_a_module_leaves_behind() -> None:
    kept = "self.table = torch.zeros(10)"
    assert clashes(TABLE.format(kept=kept)) == ["14: device"]
    own = 'self.register_buffer("table", torch.zeros(10))'
    fixed, _ = fix_texts({"main.py": TABLE.format(kept=kept)})
    assert clashes(fixed["main.py"]) == clashes(TABLE.format(kept=own)) == []


def test_a_table_of_the_host_that_is_read_there() -> None:
    text = TABLE.format(kept="self.table = torch.zeros(10)")
    assert clashes(text.replace("[step]", "[step.cpu()]")) == []


BRANCHES = """
import torch
from torch import nn


class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(3, 3)

    def forward(self, x):
        y = self.net(x)
        if {test}:
            return y * torch.ones(3)
        return y
"""


@pytest.mark.parametrize(
    "test",
    [
        'y.device.type == "cpu"',
        'x.device.type == "cpu"',
        'x.device.type != "cuda"',
        'y.device == torch.device("cpu")',
        "not y.is_cuda",
        "y.is_cpu",
    ],
)
def test_a_branch_for_the_host_is_no_path_to_an_accelerator(test: str) -> None:
    assert clashes(BRANCHES.format(test=test)) == []


@pytest.mark.parametrize(
    "test", ['y.device.type != "cpu"', 'x.device.type == "cuda"', "y.is_cuda", "x.shape[0] > 2"]
)
def test_other_branches_are(test: str) -> None:
    assert clashes(BRANCHES.format(test=test)) == ["14: device"]


@pytest.mark.parametrize(
    "moved",
    [
        "if points.is_cuda:\n        axes = axes.cuda()",
        'if points.device.type != "cpu":\n        axes = axes.to(points.device)',
        "axes = axes.to(scale.device)",
        "axes = axes.type_as(scale)",
    ],
)
def test_what_is_moved_before_it_meets(moved: str) -> None:
    text = ROTATE.format(made="", asked="device=points.device")
    assert clashes(text.replace("    return", f"    {moved}\n    return")) == []


@pytest.mark.parametrize("asked", ["feats['0'].device", "find(feats).device", "feats.x.device"])
def test_the_device_of_whatever_an_argument_holds(asked: str) -> None:
    text = ROTATE.replace("points", "feats").format(made="", asked=f"device={asked}")
    assert clashes(text) == ["8: device"]


def test_in_a_script_nobody_follows_what_is_not_known() -> None:
    script = (
        ROTATE.format(made="", asked="device=points.device") + "\n\nimport shapes\nturned(shapes.load(), 4)\n"
    )
    assert clashes(script) == []
    branch = BRANCHES.format(test='x.device.type == "cpu"')
    assert clashes(branch + "\n\nimport shapes\nGate()(shapes.load())\n") == []


MOVED = """
import torch
from torch import nn


class Scaled(nn.Module):
    def __init__(self, top):
        super().__init__()
        self.top = top
        self.net = nn.Linear(3, 3)

    def sample(self, mean):
        noise = torch.randn(3{made})
        top = self.top.to({asked})
        return mean + noise * top
"""


@pytest.mark.parametrize("asked", ["mean.device", "self.net.weight.device", "device=mean.device"])
def test_what_nobody_knows_that_is_moved_to_an_argument(asked: str) -> None:
    assert clashes(MOVED.format(made="", asked=asked)) == ["15: device"]
    assert clashes(MOVED.format(made=", device=mean.device", asked="mean.device")) == []
    assert clashes(MOVED.format(made="", asked=asked).replace("noise * top", "noise * top.scale")) == []


def test_what_is_moved_to_the_host_stays_with_it() -> None:
    assert clashes(MOVED.format(made="", asked='"cpu"')) == []
    assert clashes(MOVED.format(made="", asked="mean.dtype")) == []


def test_what_is_moved_to_what_may_be_anything() -> None:
    assert clashes(MOVED.format(made="", asked="mean")) == []


OWN_MODEL = """
import torch
from torch import nn


class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(3, 3)

    def forward(self, x):
        count = torch.tensor([1, 2], device=x.device)
        return self.net(x) + torch.repeat_interleave(self.net.weight, count, dim=0)


def test_gate(sample):
    gate = Gate(){moved}
    return gate(sample)
"""


def test_a_model_that_a_function_makes_on_the_host_has_its_inputs_there() -> None:
    assert clashes(OWN_MODEL.format(moved="")) == []
    assert clashes(OWN_MODEL.format(moved='.to("cuda")')) == []


def test_the_weights_of_a_model_are_not_misplaced_because_its_input_goes_where_something_is() -> None:
    text = OWN_MODEL.format(moved="").replace(
        "return gate(sample)", "return gate.net(torch.ones(2, 3).to(sample.device))"
    )
    assert clashes(text) == []


LOADED = """
import torch
from torch.utils import data


class Noisy({base}):
    def __init__(self, rows):
        self.rows = rows

    def __getitem__(self, i):
        row = self.rows[i]
        noise = torch.randn(4, device=row.device)
        return row + noise + torch.ones(4)
"""


@pytest.mark.parametrize("base", ["data.Dataset", "data.IterableDataset"])
def test_what_a_data_set_holds_is_on_the_host(base: str) -> None:
    assert clashes(LOADED.format(base=base)) == []
    assert clashes(LOADED.format(base="object")) == ["13: device"]


ASSERTED = """
import torch


def f(x):
    {test}
    z = torch.zeros(4, device=x.device)
    return x + torch.ones(4) + z
"""


@pytest.mark.parametrize(
    "test", ['x.device.type == "cpu"', 'x.device == torch.device("cpu")', 'str(x.device) == "cpu"']
)
def test_behind_an_assertion_of_the_host_nothing_is_on_an_accelerator(test: str) -> None:
    assert clashes(ASSERTED.format(test=f"assert {test}")) == []
    assert clashes(ASSERTED.format(test="assert x.ndim == 1")) == ["8: device"]
    guarded = f"if not {test}:\n        raise ValueError(x)"
    assert clashes(ASSERTED.format(test=guarded)) == []


STRETCH = """
import torch


def stretched(spectrum, advance):
    steps = torch.arange(0, 9, 2, device=spectrum.device)
    return spectrum + advance * steps[0] + torch.ones(3, 3, device=spectrum.device)
"""
OF_STRETCH = """
import torch
from {module} import stretched


def test_gate(spectrum):
    assert stretched(spectrum, torch.linspace(0, 1, 3)[:, None]).shape
"""


def test_what_a_test_elsewhere_gives_is_where_the_test_gives_all_else() -> None:
    assert clashes(OF_STRETCH.format(module="stretch"), stretch=STRETCH) == []


def test_what_the_code_that_follows_makes_is_not() -> None:
    made = STRETCH.replace("advance * steps[0]", "torch.ones(3, 3)")
    assert clashes(OF_STRETCH.format(module="stretch"), stretch=made) == ["stretch.py:7: device"]
