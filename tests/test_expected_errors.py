"""Where a program expects errors, what would raise one is no finding."""

from __future__ import annotations

import pytest
from text_program import clashes

EXPECTED = (
    "contextlib.suppress(RuntimeError)",
    "contextlib.suppress(KeyError, Exception)",
    "pytest.raises(RuntimeError)",
    "case.assertRaises(RuntimeError)",
    "case.assertRaisesRegex(RuntimeError, 'device')",
)
NOT_EXPECTED = ("contextlib.suppress(KeyError)", "contextlib.nullcontext()", "case.subTest()")


@pytest.mark.parametrize("manager", [*EXPECTED, *NOT_EXPECTED])
def test_within_what_expects_errors_nothing_is_found(manager: str) -> None:
    text = f"""
        import contextlib, pytest, torch, unittest
        case = unittest.TestCase()
        with {manager}:
            torch.ones(2) + torch.ones(2, device="cuda")
        """
    assert bool(clashes(text)) == (manager in NOT_EXPECTED)


def test_behind_it_they_are_found_again() -> None:
    text = """
        import contextlib, torch
        y = torch.ones(2, device="cuda")
        with contextlib.suppress(RuntimeError):
            torch.ones(2) + y
        torch.ones(2) + y
        """
    assert clashes(text) == ["6: device"]


def test_a_test_of_unittest_expects_errors() -> None:
    text = """
        import torch, unittest
        class Refused(unittest.TestCase):
            def test_it(self):
                with self.assertRaises(RuntimeError):
                    torch.ones(2) + torch.ones(2, device="cuda")
                torch.zeros(2) + torch.ones(2, device="cuda")
        """
    assert clashes(text) == ["7: device"]
