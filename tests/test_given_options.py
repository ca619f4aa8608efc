"""Programs whose device option is left alone: what follows the option and what does not."""

from __future__ import annotations

from text_program import analyse_text

HEAD = """
import argparse
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--device", default="{default}")
args = parser.parse_args()
model = torch.nn.Linear(2, 1).to(args.device)
x = torch.ones(1, 2)
"""
ASKED = "if torch.cuda.is_available():\n    x = x.cuda()\n"


def kinds(text: str, default: str = "cpu") -> list[str]:
    return [found.kind for found in analyse_text(HEAD.format(default=default) + text).mismatches()]


def test_data_that_ask_by_themselves_part_from_a_model_that_follows_the_option() -> None:
    assert kinds(ASKED + "model(x)\n") == ["device-option"]


def test_nothing_parts_where_both_follow_the_option_or_the_default_is_the_accelerator() -> None:
    assert kinds("print(torch.cuda.is_available())\nmodel(x.to(args.device))\n") == []
    assert kinds(ASKED + "model(x.to(args.device))\n") == []
    assert kinds(ASKED + "model(x)\n", default="cuda") == []


def test_what_fails_with_the_option_set_is_said_once() -> None:
    assert kinds("print(torch.cuda.is_available())\nmodel(x)\n") == ["device"]


def test_of_several_device_options_nothing_is_said() -> None:
    assert kinds(ASKED + 'parser.add_argument("--data-device", default="cpu")\nmodel(x)\n') == []


RESUMED = """
import argparse
import pickle
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--memory"{required})
args = parser.parse_args()
device = torch.device("cuda")


class Memory:
    def sample(self):
        return torch.rand(2, 3)


if args.memory is not None:
    memory = pickle.load(open(args.memory, "rb"))
else:
    memory = Memory()
torch.nn.Linear(3, 2).to(device)(memory.sample())
"""


def test_an_option_without_a_default_is_left_out_unless_it_is_required() -> None:
    def found(required: str) -> list[str]:
        return [each.kind for each in analyse_text(RESUMED.format(required=required)).mismatches()]

    assert found("") == ["device"]
    assert found(", required=True") == []
