"""What a dataclass or a function has by default is an option where a file of settings may say otherwise."""

from __future__ import annotations

from textwrap import dedent

import pytest
from text_program import clashes, fix_texts

from devfix.findings import Applicability

HEAD = """
import json
from dataclasses import dataclass, field
import torch

OPTIMIZERS = {"adam": torch.optim.Adam, "sgd": torch.optim.SGD, "adagrad": torch.optim.Adagrad}


@dataclass
class Config:
    optimizer: str = "adam"
    spec: dict = field(default_factory=lambda: {"kind": "adam", "lr": 0.1})
    device: str = "cpu"
    weights: str = None
    width: int = 3


"""

LATE = """
model = torch.nn.Linear(3, 1)
optimizer = OPTIMIZERS[{kind}](model.parameters(), lr=0.1)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model.to(device)
model(torch.ones(2, 3, device=device)).sum().backward()
optimizer.step()
"""

FROM_FILE = 'cfg = Config(**json.load(open("run.json")))\n'


@pytest.mark.parametrize("kind", ["cfg.optimizer", 'cfg.spec["kind"]', 'dict(cfg.spec).pop("kind")'])
def test_what_a_file_may_choose_is_looked_at(kind: str) -> None:
    assert [each.partition(": ")[2] for each in clashes(HEAD + FROM_FILE + LATE.format(kind=kind))] == [
        "optimizer-state"
    ]


def test_the_optimizer_is_made_once_the_model_has_moved() -> None:
    text = dedent(HEAD + FROM_FILE + LATE.format(kind="cfg.optimizer"))
    after = fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"]
    assert after.index("model.to(device)") < after.index("optimizer = OPTIMIZERS")


@pytest.mark.parametrize("made", ["Config()", 'Config(**{"width": 4})', 'Config(optimizer="sgd")'])
@pytest.mark.parametrize("kind", ["cfg.optimizer", 'cfg.spec["kind"]'])
def test_what_the_program_says_itself_is_no_option(made: str, kind: str) -> None:
    assert clashes(f"{HEAD}cfg = {made}\n{LATE.format(kind=kind)}") == []


@pytest.mark.parametrize("kind", ["cfg.optimizer", '"sgd"'])
def test_where_nothing_that_a_file_may_choose_fails_nothing_is_said(kind: str) -> None:
    head = HEAD.replace(', "adagrad": torch.optim.Adagrad', "")
    assert clashes(head + FROM_FILE + LATE.format(kind=kind)) == []


def test_a_device_of_a_file_is_no_more_the_cpu_than_that_of_a_function() -> None:
    use = "model = torch.nn.Linear(cfg.width, 1).to(cfg.device)\nmodel(torch.ones(2, 3))\n"
    text = HEAD + FROM_FILE + use
    after = fix_texts({"main.py": text})[0]["main.py"]
    assert "torch.ones(2, 3, device=cfg.device)" in after
    assert clashes(f"{HEAD}cfg = Config()\n{use}") == []


def test_what_is_nothing_by_default_may_be_something() -> None:
    use = "net = torch.nn.Linear(3, 1).cuda()\nif cfg.weights is not None:\n    net(torch.ones(3))\n"
    assert [each.partition(": ")[2] for each in clashes(HEAD + FROM_FILE + use)] == ["device"]
    assert clashes(f"{HEAD}cfg = Config()\n{use}") == []


@pytest.mark.parametrize("device", ["cuda", "cuda:0", "mps"])
def test_an_accelerator_by_default_is_one(device: str) -> None:
    head = HEAD.replace('"cpu"', f'"{device}"').replace("weights: str = None", 'dtype: str = "float64"')
    use = "model = torch.nn.Linear(3, 1).to(torch.device(cfg.device))\nmodel(torch.ones(2, 3))\n"
    assert [each.partition(": ")[2] for each in clashes(head + FROM_FILE + use)] == ["device"]
    use = "torch.nn.Linear(3, 1)(torch.ones(2, 3, dtype=getattr(torch, cfg.dtype)))\n"
    assert [each.partition(": ")[2] for each in clashes(head + FROM_FILE + use)] == ["dtype"]


CHOSEN = """
import functools, json, torch
from torch.nn import functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def plain(width):
    return F.cross_entropy


def weighted(width):
    return functools.partial(F.cross_entropy, weight=torch.ones(width))


class Run:
    def __init__(self, net, loss="plain", width=3):
        self.net = net.to(device)
        self.loss = {"plain": plain, "weighted": weighted}[loss](width)

    def step(self, x, y):
        return self.loss(self.net(x.to(device)), y.to(device))


run = Run(torch.nn.Linear(3, 3), GIVEN)
run.step(torch.ones(2, 3), torch.zeros(2, dtype=torch.long))
"""
READ = '**json.load(open("run.json"))'


def test_what_a_function_does_by_default_is_not_all_that_a_file_may_choose() -> None:
    assert [each.partition(": ")[2] for each in clashes(CHOSEN.replace("GIVEN", READ))] == ["device"]


@pytest.mark.parametrize("given", ["width=4", '**{"width": 4}', f'"plain", {READ}'])
def test_what_a_function_does_by_default_holds_where_nothing_else_is_said(given: str) -> None:
    assert clashes(CHOSEN.replace("GIVEN", given)) == []


def test_a_device_that_a_function_has_by_default_is_meant() -> None:
    text = """
import json, torch


def build(width, device="cuda", kind="float32"):
    return torch.zeros(width, device=device, dtype=getattr(torch, kind))


print(build(**json.load(open("run.json"))) + torch.ones(3))
"""
    assert [each.partition(": ")[2] for each in clashes(text)] == ["device"]
