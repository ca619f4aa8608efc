"""A shape that has another length than there are names for it: what is there for a ``ValueError`` is what runs."""

from __future__ import annotations

from textwrap import dedent

import pytest
from text_program import clashes, fix_texts

from devfix.simulator import simulated_accelerator

HEAD = """\
import torch

layer = torch.nn.Conv2d(3, 4, 3).cuda()
images = torch.randn(3, 8, 8)
"""


def run_there(text: str) -> None:
    """Runs a program where an accelerator is simulated."""
    with simulated_accelerator():
        exec(text, {"__name__": "__main__"})


@pytest.mark.parametrize(
    "text",
    [
        """\
        try:
            b, c, h, w = images.shape
        except ValueError:
            images = images.cuda().unsqueeze(0)
        print(layer(images).shape)
        """,
        """\
        try:
            *b, c, h, w = images.shape
            images = images.cuda()
        except ValueError:
            images = images[None]
        print(layer(images).shape)
        """,
        """\
        try:
            c, h, w = images.shape
            images = images.cuda()
        except ValueError:
            b, c, h, w = images.shape
        print(layer(images).shape)
        """,
        """\
        def batched(images):
            c, h, w = images.shape
            return images.cuda()[None]


        def placed(images):
            try:
                return batched(images)
            except ValueError:
                return images.cuda()


        print(layer(placed(images)).shape, layer(placed(images[None])).shape)
        """,
    ],
    ids=["the handler moves", "any number fits", "the number fits", "a call does not fit"],
)
def test_the_way_that_a_run_takes_moves_what_is_used(text: str) -> None:
    program = HEAD + dedent(text)
    assert clashes(program) == []
    assert fix_texts({"main.py": program})[0]["main.py"] == program
    run_there(program)


@pytest.mark.parametrize(
    "text",
    [
        """\
        try:
            b, c, h, w = images.shape
            images = images.cuda()
        except ValueError:
            images = images.unsqueeze(0)
        print(layer(images).shape)
        """,
        """\
        def step(images):
            try:
                b, c, h, w = images.shape
                images = images.cuda()
            except (TypeError, ValueError) as error:
                images = images.unsqueeze(0)
            return layer(images)


        print(step(images[None]).shape)
        print(step(images).shape)
        """,
    ],
    ids=["the body moves", "one call of two"],
)
def test_what_only_the_other_way_moves_is_missing(text: str) -> None:
    program = HEAD + dedent(text)
    with pytest.raises(RuntimeError, match="same"):
        run_there(program)
    assert len(clashes(program)) == 1
    run_there(fix_texts({"main.py": program})[0]["main.py"])


@pytest.mark.parametrize(
    "manager",
    ["suppress(ValueError)", "suppress(Exception)", "TestCase().assertRaises(ValueError)", "Keeping()"],
)
def test_what_a_manager_keeps_to_itself_ends_no_path(manager: str) -> None:
    program = f"""\
from contextlib import suppress
from unittest import TestCase

{HEAD}

class Keeping:
    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        return kind is ValueError


try:
    with {manager}:
        b, c, h, w = images.shape
    images = images.cuda()
except ValueError:
    print("never")
print(layer(images).shape)
"""
    assert clashes(program) == []
    run_there(program)
