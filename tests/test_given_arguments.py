"""A parser that is handed a written list instead of the command line gives what the list says."""

from __future__ import annotations

import pytest
from reality import lies
from text_program import Ending, clashes

from devfix.analysis.domain.values import FALSE, TRUE, UNKNOWN, Const, Scalar, Value

_PARSER = """
import argparse
import sys

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
        '["--half", "there"]',
        '["--scales", "1", "2"]',
        '["--half"] + ([] if len(__name__) > 3 else ["--device", "cpu"])',
        'sys.argv[1:] + ["--half"]',
    ],
)
def test_what_a_list_does_not_name_is_what_it_was(given: str) -> None:
    text = f"{_PARSER}told = parser.parse_args({given}).device\n"
    assert Ending(text)["told"] == Const("cuda")


@pytest.mark.parametrize(
    "given",
    [
        '["--scales", "1", "2", "--device", "cpu"]',
        '["there", "--device", "cpu"]',
        '["--device", "cuda", "--dev", "cpu"]',
        '["--dev=cpu"]',
        '["-dcpu"]',
        '["-vd", "cpu"]',
        '["--device", parser.prog]',
        '["--half", f"--device={parser.prog}"]',
    ],
)
def test_what_a_list_may_name_is_unknown(given: str) -> None:
    parser = f'{_PARSER}parser.add_argument("-v", action="count")\n'
    assert Ending(f"{parser}told = parser.parse_args({given}).device\n")["told"] == UNKNOWN


@pytest.mark.parametrize(
    "declared",
    [
        '"--place", type=torch.device',
        '"--place", type=lambda text: text.strip()',
        '"--place", nargs="?"',
        '"--place", action=Placing',
        '"--place", **{"nargs": 1}',
    ],
)
def test_what_a_parser_makes_of_a_word_may_be_unknown(declared: str) -> None:
    text = f"""{_PARSER}
class Placing(argparse.Action):
    def __call__(self, parser, namespace, values, option_string=None):
        namespace.place = "cpu"


parser.add_argument({declared}, default="cuda")
told = parser.parse_args(["--place", "cpu"]).place
"""
    assert Ending(text)["told"] == UNKNOWN


def test_a_switch_has_another_name_by_which_it_is_off() -> None:
    switch = 'parser.add_argument("--amp", action=argparse.BooleanOptionalAction, default=True)\n'
    text = (
        f"{_PARSER}{switch}told, other = (parser.parse_args([each]).amp for each in ('--amp', '--no-amp'))\n"
    )
    end = Ending(text)
    assert (end["told"], end["other"]) == (TRUE, FALSE)
    assert not lies(text)


def test_a_child_knows_the_options_of_its_parents() -> None:
    text = f"""{_PARSER}
child = argparse.ArgumentParser(parents=[parser], add_help=False)
told = child.parse_args(["--device", "cpu"]).device
"""
    assert Ending(text)["told"] == Const("cpu")
    assert not lies(text)


def test_what_a_list_names_takes_the_place_of_what_a_namespace_has() -> None:
    text = (
        f"{_PARSER}told = parser.parse_args(['--device', 'cpu'], argparse.Namespace(device='cuda')).device\n"
    )
    assert Ending(text)["told"] == Const("cpu")
    assert not lies(text)


@pytest.mark.parametrize(
    "given",
    ['["train", "--place", "cpu"]', '["--device", "cuda", "train"]', '["--device", "cuda", "train", "once"]'],
)
def test_what_a_list_says_to_a_subcommand_is_unknown(given: str) -> None:
    text = f"""{_PARSER.replace('parser.add_argument("data", nargs="?", default="here")', "")}
commands = parser.add_subparsers(dest="command")
train = commands.add_parser("train")
train.add_argument("--device", default="cpu")
train.add_argument("--place", default="cuda")
train.add_subparsers(dest="times").add_parser("once").add_argument("--place", default="cuda")
args = parser.parse_args({given})
told = args.{"place" if "place" in given else "device"}
"""
    assert Ending(text)["told"] == UNKNOWN


@pytest.mark.parametrize("value", ["str(len(sys.argv))", "open('rate.txt').read()"])
def test_a_word_that_nobody_knows_is_a_number_where_it_has_to_be_one(value: str) -> None:
    text = f"{_PARSER}args = parser.parse_args(['--lr', {value}, '--device', 'cpu'])\nlr, told = args.lr, args.device\n"
    end = Ending(text)
    assert (end["lr"], end["told"]) == (Scalar("float"), Const("cpu"))


def test_a_model_on_the_cpu_by_a_list_is_no_fault() -> None:
    text = f"""{_PARSER}
args = parser.parse_args(["--device", "cpu"])
net = torch.nn.Linear(3, 1).to(args.device)
net(torch.ones(2, 3))
"""
    assert not clashes(text)
    assert clashes(text.replace('["--device", "cpu"]', "")) == ["18: device"]
