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
