"""What an exception was made with is what its handler finds in it."""

from __future__ import annotations

import pytest
from text_program import clashes

PROGRAM = """
import sys
import torch

device = torch.device("cuda")
here = torch.ones(4, device=device)


class Refused(Exception):
    pass


class Stopped(RuntimeError):
    def __init__(self, reason, value):
        super().__init__(value, reason)


class Kept(Exception):
    def __init__(self, value, *, reason=""):
        self.reason = reason


class Told(Exception):
    @property
    def args(self):
        return (here,)


def fail(value):
    raise {exception}


try:
    fail(torch.zeros(4{place}))
except {kind} as error:
    {taken}
    here + value
"""
WAYS = [
    ("ValueError('no', value)", "ValueError", "value = error.args[1]"),
    ("RuntimeError(value)", "RuntimeError", "(value,) = error.args"),
    ("KeyError(value)", "(LookupError, OSError)", "value = error.args[0]"),
    ("StopIteration(value)", "StopIteration", "value = error.value"),
    ("Refused(1, value)", "Refused", "number, value = error.args"),
    ("Stopped('no', value)", "RuntimeError", "value, reason = error.args"),
    ("Kept(value, reason='no')", "Kept", "value = error.args[0]"),
]


def _clashes(way: tuple[str, str, str], place: str) -> list[str]:
    exception, kind, taken = way
    return clashes(PROGRAM.format(exception=exception, kind=kind, taken=taken, place=place))


@pytest.mark.parametrize("way", WAYS)
def test_a_handler_takes_what_the_exception_was_made_with(way: tuple[str, str, str]) -> None:
    (found,) = _clashes(way, "")
    assert found.endswith(": device")
    assert _clashes(way, ", device=device") == []


@pytest.mark.parametrize(
    "way",
    [
        ("Told(value)", "Told", "value = error.args[0]"),
        ("Stopped('no', value)", "RuntimeError", "reason, value = error.args"),
        ("ValueError(*sys.argv, value)", "ValueError", "value = error.args[0]"),
        ("library.Refused(value)", "library.Refused", "value = error.args[0]"),
        ("ValueError(value)", "KeyError", "value = error.args[0]"),
    ],
)
def test_nothing_is_known_of_what_else_it_may_carry(way: tuple[str, str, str]) -> None:
    assert _clashes(way, "") == []


def test_an_exception_that_only_tells_something_changes_nothing() -> None:
    program = """
        import torch

        def place(number):
            if number > 2:
                raise ValueError(f"{number} is too much")
            return torch.zeros(4, device="cuda")

        try:
            x = place(len(input()))
        except ValueError as error:
            print(error.args[0])
            x = torch.zeros(4)
        x + torch.ones(4, device="cuda")
    """
    assert clashes(program) == []
