"""Of a function that nobody calls, a parameter that is used as a device is taken for the accelerator."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

from devfix.analysis.torch_model.names import canonical

AGENT = """
import torch
from torch import nn


class Agent:
    def __init__(self, size, {parameter}):
        {kept}
        self.policy = nn.Linear(size, size).to({target})
        self.critic = nn.Linear(size, size){moved}

    def value(self, state):
        state = torch.as_tensor(state).to({target})
        return self.critic(self.policy(state))
"""
USUAL = {"parameter": "device", "kept": "self.device = device", "target": "self.device", "moved": ""}


def agent(**parts: str) -> str:
    return AGENT.format(**(USUAL | parts))


@pytest.mark.parametrize(
    "parts",
    [
        {},
        {"parameter": 'device="cpu"'},
        {"parameter": "device: torch.device", "kept": "self.device = device; print(size, device)"},
        {"parameter": "gpu", "kept": "self.device = torch.device(gpu)"},
        {"kept": "self.device = device; self.other = print(device)"},
        {"parameter": "dev", "kept": "self.device = dev; self.scale = torch.ones(2, device=dev)"},
    ],
    ids=["moves", "the CPU by default", "annotated", "made one", "by its name", "by its keyword"],
)
def test_a_model_that_is_left_behind(parts: dict[str, str]) -> None:
    assert clashes(agent(**parts)) == ["14: device"]
    assert clashes(agent(**parts, moved=".to(self.device)")) == []


def test_the_repair_uses_the_name_that_the_constructor_uses() -> None:
    fixed, _ = fix_texts({"main.py": agent()})
    assert fixed["main.py"] == agent(moved=".to(self.device)")


@pytest.mark.parametrize("kept", ["self.device = device", "self.device = device; print(device, self.device)"])
def test_the_repair_uses_the_parameter_where_that_is_handed_on(kept: str) -> None:
    parts = {"kept": kept, "target": "device"}
    before = agent(**parts).replace("as_tensor(state).to(device)", "as_tensor(state).to(self.device)")
    fixed, _ = fix_texts({"main.py": before})
    assert fixed["main.py"] == before.replace("nn.Linear(size, size)\n", "nn.Linear(size, size).to(device)\n")


@pytest.mark.parametrize(
    "parts",
    [
        {"parameter": "devtype", "kept": "self.device = devtype; self.scale = torch.ones(2, dtype=devtype)"},
        {"parameter": "develop", "kept": "self.device = develop; self.size = develop.shape"},
        {"parameter": "develop", "kept": "self.device = develop; self.large = develop * 2"},
        {"parameter": "develop", "kept": "self.device = develop; self.first = develop[0]"},
        {"parameter": "develop", "kept": "self.like = develop; print(develop)", "target": "self.like"},
        {"parameter": "device=None"},
    ],
    ids=["a dtype", "has a shape", "is multiplied", "is indexed", "goes elsewhere", "is left out"],
)
def test_what_may_be_something_else_says_nothing(parts: dict[str, str]) -> None:
    assert clashes(agent(**parts)) == []


def test_what_a_caller_says_holds() -> None:
    program = agent() + '\nprint(Agent(3, torch.device("cpu")).value([1.0, 2.0, 3.0]))\n'
    assert clashes(program) == []
    assert clashes(program.replace('"cpu"', '"cuda"')) == ["14: device"]


HELPER = """
import torch


def noisy(x, {parameter}):
    noise = torch.randn(3, device=dev)
    return noise + torch.ones(3{more})
"""


@pytest.mark.parametrize(
    ("parts", "found"),
    [
        ({"parameter": "dev", "more": ""}, ["7: device"]),
        ({"parameter": "dev", "more": ", device=dev"}, []),
        ({"parameter": "*, dev", "more": ""}, ["7: device"]),
        ({"parameter": "dev='cuda'", "more": ""}, ["7: device"]),
    ],
)
def test_functions(parts: dict[str, str], found: list[str]) -> None:
    assert clashes(HELPER.format(**parts)) == found


def test_a_parameter_that_a_function_hands_on_is_one_dev_it_arrives() -> None:
    program = (
        HELPER.format(parameter="dev", more="")
        + "\n\ndef twice(x, device):\n    return noisy(noisy(x, device), device)\n"
    )
    assert clashes(program) == ["7: device"]


MODULE = """
import torch
from torch import nn
from torch.nn.modules.rnn import RNNCellBase


class Cell({base}):
    def __init__(self, size, device):
        super().__init__(size, size, True, 3)
        self.device = device
        self.decay = nn.Linear(size, 1)

    def forward(self, x):
        return torch.max(torch.zeros(1, 1).to(self.device), self.decay(x))
"""


@pytest.mark.parametrize("base", ["RNNCellBase", "nn.modules.rnn.RNNCellBase", "nn.RNNCellBase"])
def test_a_module_is_moved_by_who_makes_it(base: str) -> None:
    assert clashes(MODULE.format(base=base)) == []
    assert clashes(MODULE.format(base="object")) == ["14: device"]


@pytest.mark.parametrize(
    ("long", "short"),
    [
        ("torch.nn.modules.rnn.RNNCellBase", "torch.nn.RNNCellBase"),
        ("torch.nn.modules.activation.MultiheadAttention", "torch.nn.MultiheadAttention"),
        ("torch.nn.modules.loss._Loss", "torch.nn._Loss"),
        ("torch.optim.lr_scheduler._LRScheduler", "torch.optim.lr_scheduler._LRScheduler"),
        ("torch.utils.data.distributed.DistributedSampler", "torch.utils.data.DistributedSampler"),
    ],
)
def test_names_lose_the_file_that_defines_them(long: str, short: str) -> None:
    assert canonical(long) == short


@pytest.mark.parametrize("name", ["cpu_device", "device_cpu", "host_device"])
def test_a_parameter_that_is_called_after_the_host_is_no_accelerator(name: str) -> None:
    assert (
        clashes(f"import torch\ndef f({name}):\n    return torch.ones(2, device={name}) + torch.eye(2)\n")
        == []
    )
    assert clashes(
        "import torch\ndef f(device):\n    return torch.ones(2, device=device) + torch.eye(2)\n"
    ) == ["3: device"]
