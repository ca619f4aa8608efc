"""A parameter put into the definition of a function, in the layout that it has."""

from __future__ import annotations

import pytest
from edit_makers import place

from devfix.findings import AddParameter
from devfix.rewrite import EditError, apply_edits


def _with(definition: str, name: str = "device", value: str = '"cpu"') -> str:
    text = f"{definition}\n    pass\n"
    return apply_edits(text, [AddParameter(place(text, text.rstrip("\n")), name, value)]).removesuffix(
        "\n    pass\n"
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def f():", 'def f(device="cpu"):'),
        ("def f( ):", 'def f( device="cpu"):'),
        ("def f(x):", 'def f(x, device="cpu"):'),
        ("def f(x: int):", 'def f(x: int, device="cpu"):'),
        ("def f(x, y=(4)):", 'def f(x, y=(4), device="cpu"):'),
        ("def f(x, y=g(4)) -> None:", 'def f(x, y=g(4), device="cpu") -> None:'),
        ("def f(x, *rest):", 'def f(x, *rest, device="cpu"):'),
        ("def f(x, *, y):", 'def f(x, *, y, device="cpu"):'),
        ("def f(x, **options):", 'def f(x, device="cpu", **options):'),
        ("def f(x, /):", 'def f(x, /, device="cpu"):'),
        ("async def f(x):", 'async def f(x, device="cpu"):'),
        ("def f(x,):", 'def f(x, device="cpu",):'),
        ("def f(\n    x,\n    y=4,\n):", 'def f(\n    x,\n    y=4,\n    device="cpu",\n):'),
        ("def f(\n    x,\n    y=4\n):", 'def f(\n    x,\n    y=4,\n    device="cpu"\n):'),
        (
            "def f(x,  # the first (of two)\n      y):",
            'def f(x,  # the first (of two)\n      y,\n      device="cpu"):',
        ),
    ],
)
def test_it_goes_last(before: str, after: str) -> None:
    assert _with(before) == after


def test_one_that_is_there_is_no_other() -> None:
    with pytest.raises(EditError, match="two things"):
        _with("def f(x, device):")


def test_what_is_no_name_is_none() -> None:
    with pytest.raises(EditError, match="no name"):
        _with("def f(x):", "a b")


def test_what_is_no_function_gets_none() -> None:
    text = "class A:\n    pass\n"
    with pytest.raises(EditError, match="no function"):
        apply_edits(text, [AddParameter(place(text, text.rstrip("\n")), "device", '"cpu"')])
