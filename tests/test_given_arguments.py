"""A parser that is handed a written list instead of the command line gives what the list says."""

from __future__ import annotations

import pytest
from reality import lies
from text_program import Ending, clashes

from devfix.analysis.domain.values import FALSE, TRUE, Const, Value

_PARSER = """
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("data", nargs="?", default="here")
parser.add_argument("-d", "--device", default="cuda")
parser.add_argument("--batch-size", type=int, default=4)
parser.add_argument("--lr", type=float, default=0.5)
parser.add_argument("--scales", type=int, nargs="+", default=[1])
parser.add_argument("--half", action="store_true")
parser.add_argument("--no-bias", dest="bias", action="store_false")
"""


@pytest.mark.parametrize(
    ("given", "name", "value"),
    [
        ('["--device", "cpu"]', "device", Const("cpu")),
        ('["-d", "cpu"]', "device", Const("cpu")),
        ('("--device=cpu", "--half")', "device", Const("cpu")),
        ('["--device=cpu", "--half"]', "half", TRUE),
        ('["--no-bias"]', "bias", FALSE),
        ('["--batch-size", "8"]', "batch_size", Const(8)),
        ('args=["--half", "--lr", "-1"]', "lr", Const(-1.0)),
    ],
)
def test_a_list_says_what_an_option_is(given: str, name: str, value: Value) -> None:
    text = f"{_PARSER}told = parser.parse_args({given}).{name}\n"
    assert Ending(text)["told"] == value
    assert not lies(text)


@pytest.mark.parametrize(
    "given",
    [
        "[]",
        '["--scales", "1", "2", "--device", "cpu"]',
        '["there", "--device", "cpu"]',
        '["--dev", "cpu"]',
        '["--half"] + ([] if len(__name__) > 3 else ["--device", "cpu"])',
    ],
)
def test_what_a_list_does_not_say_for_certain_is_what_it_was(given: str) -> None:
    text = f"{_PARSER}told = parser.parse_args({given}).device\n"
    assert Ending(text)["told"] == Const("cuda")


def test_a_model_on_the_cpu_by_a_list_is_no_fault() -> None:
    text = f"""{_PARSER}
args = parser.parse_args(["--device", "cpu"])
net = torch.nn.Linear(3, 1).to(args.device)
net(torch.ones(2, 3))
"""
    assert not clashes(text)
    assert clashes(text.replace('["--device", "cpu"]', "")) == ["17: device"]
