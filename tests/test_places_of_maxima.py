"""Pools that tell where their maxima were: the places are whole numbers, whoever is asked for them, and however."""

from __future__ import annotations

import pytest
from reality import lies
from text_program import clashes

HEAD = """\
import torch
from torch import nn

images = torch.rand(1, 2, 6, 6)


class Told(nn.MaxPool2d):
    def __init__(self, asked):
        super().__init__(2, return_indices=asked)


"""
USE = """
print(images.flatten().take(places).sum())
"""
ASKED = [
    "nn.MaxPool2d(2, return_indices=True)(images)",
    "nn.MaxPool2d(2, None, 0, 1, True)(images)",
    "nn.AdaptiveMaxPool2d(2, True)(images)",
    "nn.FractionalMaxPool2d(2, 3, return_indices=True)(images)",
    "nn.Sequential(nn.ReLU(), nn.MaxPool2d(2, return_indices=True))(images)",
    "nn.functional.max_pool2d(images, 2, return_indices=True)",
    "Told(True)(images)",
]
NOT_ASKED = [
    "nn.MaxPool2d(2)(images)",
    "nn.AdaptiveMaxPool2d(2, return_indices=False)(images)",
    "Told(False)(images)",
]


@pytest.mark.parametrize("made", ASKED)
def test_places_of_maxima_are_indices(made: str) -> None:
    text = f"{HEAD}maxima, places = {made}\nplaces += torch.div(places, 5, rounding_mode='floor')\n{USE}"
    assert lies(text) == []
    assert clashes(text) == []


@pytest.mark.parametrize("made", NOT_ASKED)
def test_maxima_are_none(made: str) -> None:
    text = f"{HEAD}places = {made}\n{USE}"
    assert [clash.partition(" ")[2] for clash in clashes(text)] == ["index-dtype"]


def test_nobody_knows_what_a_pool_gives_that_may_have_been_asked() -> None:
    text = f"""{HEAD}
import sys

given = nn.MaxPool2d(2, return_indices=len(sys.argv) < 9)(images)
maxima, places = given
{USE}"""
    assert lies(text) == []
    assert clashes(text) == []
