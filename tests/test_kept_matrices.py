"""The matrices of torchvision's LinearTransformation are plain attributes, which no move of a module takes along."""

from __future__ import annotations

import pytest
from text_program import clashes

PROGRAM = """
import torch
from torch import nn
from torchvision.transforms import v2
from torchvision import transforms

device = torch.device("cuda")
matrix, mean = torch.eye(12), torch.zeros(12)
image = torch.zeros(2, 3, 2, 2)

class Net(nn.Module):
    def __init__(self, matrix, mean):
        super().__init__()
        self.whiten = {make}
        self.last = nn.Conv2d(3, 4, 1)

    def forward(self, x):
        return self.last(self.whiten(x))

{use}
"""
_USE = "net = Net({}).to(device)\nprint(net(image{}))"
_MAKE = "v2.LinearTransformation(matrix, mean)"
_THERE = "matrix.to(device), mean.to(device)"


def _program(given: str = "matrix, mean", moved: str = ".to(device)", make: str = _MAKE) -> str:
    return PROGRAM.format(make=make, use=_USE.format(given, moved))


@pytest.mark.parametrize(
    "text",
    [
        _program(),
        _program(make="transforms.LinearTransformation(matrix, mean)"),
        _program(make="v2.LinearTransformation(mean_vector=mean, transformation_matrix=matrix)"),
        _program(make="v2.Compose([v2.LinearTransformation(matrix, mean), v2.RandomHorizontalFlip()])"),
        _program(given=_THERE, moved="", make=_MAKE),
        _program(given="matrix.to(device), mean"),
        _program(given="matrix, mean.to(device)", moved=""),
    ],
)
def test_it_meets_its_images(text: str) -> None:
    assert clashes(text)


@pytest.mark.parametrize(
    "text",
    [
        _program(given=_THERE),
        _program(make="v2.Normalize([0.5], [0.5])"),
        _program(make="v2.Normalize(mean[:3], mean[:3] + 1)"),
        PROGRAM.format(make=_MAKE, use="print(Net(matrix, mean).whiten(image).to(device))"),
        PROGRAM.format(make=_MAKE, use="net = Net(*known).to(device)\nprint(net(image.to(device)))"),
    ],
)
def test_images_where_the_matrices_are_are_right(text: str) -> None:
    assert clashes(text) == []
