"""Arguments that are sorted out by a function's signature: those reach it that it has parameters for."""

from __future__ import annotations

import pytest
from text_program import clashes

PROGRAM = """
import functools
import inspect
import torch
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
{wrapping}
class Table:
    {decorated}
    def __init__(self, size, {parameter}="cpu"):
        self.values = torch.arange(size, device={parameter}).float()
def build(cls, **options):
    known = {known}
    return cls(**{{name: value for name, value in options.items() if name in known}})
print(build(Table, size=3, device=device, other=None).values + torch.ones(3, device=device))
"""
KNOWN = [
    "inspect.signature(cls).parameters",
    "inspect.signature(cls.__init__).parameters",
    "list(inspect.signature(cls.__init__).parameters.keys())",
    "inspect.getfullargspec(cls.__init__).args",
]


@pytest.mark.parametrize("known", KNOWN)
@pytest.mark.parametrize(("parameter", "wrong"), [("device", False), ("dev", True)])
def test_only_named_parameters_are_given(known: str, parameter: str, wrong: bool) -> None:
    text = PROGRAM.format(known=known, parameter=parameter, wrapping="", decorated="pass")
    assert bool(clashes(text)) == wrong


WRAPPING = """
def checked(function):
    @functools.wraps(function)
    def run(*args, **kwargs):
        return function(*args, **kwargs)
    return run
"""


@pytest.mark.parametrize("known", KNOWN)
def test_a_function_that_stands_for_another_one_has_its_signature(known: str) -> None:
    text = PROGRAM.format(known=known, parameter="device", wrapping=WRAPPING, decorated="@checked")
    assert not clashes(text)
