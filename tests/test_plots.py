"""Axes of matplotlib read what they draw in the host's memory."""

from __future__ import annotations

import pytest
from text_program import clashes, files, fix_texts

FIGURES = """
import matplotlib.pyplot as plt
import torch

x = torch.ones(3).cuda()
fig = plt.figure()
{axes}
{drawn}
"""


@pytest.mark.parametrize(
    ("axes", "drawn"),
    [
        ("ax = fig.add_subplot(projection='3d')", "ax.scatter(x, x, label='seen')"),
        ("fig, ax = plt.subplots()", "ax.plot(x)"),
        ("fig, axes = plt.subplots(2, 2)", "axes[0, 1].imshow(x)"),
        ("fig, axes = plt.subplots(2, 2)", "axes[0][1].hist(x)"),
        ("_, axes = plt.subplots(1, 3)", "for ax in axes.flat:\n    ax.bar(x, 1)"),
        ("_, axes = plt.subplots(2, 3)", "for ax in axes.ravel():\n    ax.bar(x, 1)"),
        ("ax = plt.gca()", "ax.twinx().plot(x)"),
        ("ax = plt.subplot(1, 2, 1)", "ax.contourf(x, x, x)"),
    ],
)
def test_axes_draw_what_is_on_the_cpu(axes: str, drawn: str) -> None:
    text = FIGURES.format(axes=axes, drawn=drawn)
    found = clashes(text)
    assert found
    assert all(each.endswith(": numpy") for each in found)
    texts, _ = fix_texts(files(text))
    assert (
        drawn.replace("(x", "(x.cpu()").replace(" x,", " x.cpu(),").replace(" x)", " x.cpu())")
        in texts["main.py"]
    )
    assert clashes(texts["main.py"]) == []


@pytest.mark.parametrize(
    "drawn",
    [
        "ax.set_title(str(x))",
        "ax.plot(x.cpu())",
        "ax.set_xlim(0, x.max().item())",
        "ax.legend()",
        "fig.savefig('x.png')",
        "ax.axhline(float(x[0]))",
    ],
)
def test_what_axes_do_not_draw_is_left_alone(drawn: str) -> None:
    assert clashes(FIGURES.format(axes="ax = fig.add_subplot(111)", drawn=drawn)) == []
