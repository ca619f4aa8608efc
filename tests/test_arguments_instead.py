"""Words that a parser is handed where a command line has none, in one text, or for all options that have no default."""

from __future__ import annotations

from textwrap import dedent

import pytest
from text_program import clashes

HEAD = """\
import argparse
import shlex
import sys

import torch


def options(words=None, **given):
    parser = argparse.ArgumentParser(**given)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--dtype"{default})
    return parser.parse_args(words)


{args}
layer = torch.nn.Linear(2, 2).to(args.device)
print(layer(torch.ones(3, 2, dtype=getattr(torch, args.dtype), device=args.device)))
"""
NARROW = ', default="float32"'
WIDE = {
    "instead": (NARROW, 'args = options(sys.argv[1:] or ["--dtype", "float64"])'),
    "handed on": (
        NARROW,
        """\
        def main(words):
            return options(words)


        args = main(sys.argv[1:] or ["--dtype=float64", "--device", "cpu"])
        """,
    ),
    "a command": (NARROW, "args = options(shlex.split(\"--device cuda:0 --dtype 'float64'\"))"),
    "for all": ("", 'args = options(argument_default="float64")'),
    "said twice": (NARROW, 'args = options(["--dtype", "float64"], argument_default="float32")'),
}
FITTING = {
    "a user says": (', default="float64"', 'args = options(sys.argv[1:] or ["--dtype", "float32"])'),
    "nothing instead": (NARROW, "args = options(sys.argv[1:])"),
    "a command": (NARROW, 'args = options(shlex.split("--device cuda"))'),
    "an own default": (NARROW, 'args = options(argument_default="float64")'),
    "not there": (NARROW, "args = options(argument_default=argparse.SUPPRESS)"),
}


def program(default: str, args: str) -> str:
    return HEAD.format(default=default, args=dedent(args).rstrip())


@pytest.mark.parametrize("form", WIDE)
def test_a_run_without_options_has_what_the_program_says_instead(form: str) -> None:
    text = program(*WIDE[form])
    last = len(text.splitlines())
    assert clashes(text) == [f"{last}: dtype"]


@pytest.mark.parametrize("form", FITTING)
def test_what_is_said_instead_fits(form: str) -> None:
    assert clashes(program(*FITTING[form])) == []


def test_a_command_line_may_be_empty() -> None:
    text = """
    import sys
    import torch

    layer = torch.nn.Linear(2, 2).cuda()
    images = torch.ones(3, 2)
    if sys.argv[1:]:
        images = images.cuda()
    else:
        images = images.to("cuda:0")
    print(layer(images))
    """
    assert clashes(text) == []
    assert clashes(text.replace('images.to("cuda:0")', "images * 2")) != []


def test_what_was_set_before_an_option_is_declared_counts() -> None:
    text = program("", 'args = options(argument_default="float64")')
    declared = '    parser.add_argument("--dtype")\n'
    before = text.replace(declared, f'    parser.set_defaults(dtype="float32")\n{declared}')
    assert before != text
    assert clashes(before) == []
