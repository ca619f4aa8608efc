"""Does once what each part of the tests would do for itself: what all import is compiled, and Hypothesis knows the project.

It draws from the constants of a project's modules, which it reads before the first example; what it finds it keeps in a folder.
"""

from __future__ import annotations

import contextlib
import importlib
import pkgutil

import pytest_lsp  # noqa: F401 - compiled, with all that it imports
import torch  # noqa: F401 - as pytest_lsp
from hypothesis import given, settings, strategies

import devfix
import devfix_codemods


def modules() -> list[str]:
    """All modules of the packages, but for the one that is the program."""
    found = [
        module.name
        for package in (devfix, devfix_codemods)
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    ]
    return [name for name in found if not name.endswith(".__main__")]


@settings(database=None, deadline=None, derandomize=True)
@given(strategies.integers())
def draw(_number: int) -> None:
    """Now and then a number that is drawn is a constant."""


if __name__ == "__main__":
    for name in modules():
        with contextlib.suppress(ModuleNotFoundError):  # an extra that is not installed
            importlib.import_module(name)
    draw()
