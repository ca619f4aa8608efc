"""A constant goes to the result of a call that it meets, which is not brought back to the CPU for it."""

from __future__ import annotations

import pytest
from text_program import fix_texts

TEXT = """
import torch


def scaled(by):
    def wrap(fn):
        def inner(*args):
            {line}

        inner.by = torch.tensor([by, by])
        return inner

    return wrap


@scaled(0.5)
def project(x, w):
    return x @ w


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x = torch.randn(5, 8, device=device)
    print(project(x, torch.ones(8, 2, device=device)).sum().item())


main()
"""


def mended(line: str) -> str:
    fixed, _ = fix_texts({"main.py": TEXT.format(line=line)})
    return fixed["main.py"]


@pytest.mark.parametrize(
    ("line", "after"),
    [
        ("return fn(*args) * inner.by", "return out * inner.by.to(out.device)"),
        (
            "y = fn(*args) + inner.by\n            return y",
            "y = out + inner.by.to(out.device)\n            return y",
        ),
    ],
)
def test_a_constant_goes_to_the_result_that_it_meets(line: str, after: str) -> None:
    expected = TEXT.format(line=f"out = fn(*args)\n            {after}")
    assert mended(line) == expected


def test_the_result_gets_a_name_that_is_free() -> None:
    line = "out, result = 1, args\n            return fn(*result) * inner.by"
    found = mended(line)
    assert "computed = fn(*result)\n            return computed * inner.by.to(computed.device)\n" in found


def test_what_is_read_before_the_call_is_not_read_after_it() -> None:
    assert "out =" not in mended("return inner.by * fn(*args)")


def test_a_constant_that_was_sent_to_the_host_stays() -> None:
    fixed, _ = fix_texts(
        {
            "main.py": TEXT.format(line="return fn(*args) * inner.by").replace(
                "torch.tensor([by, by])", "torch.tensor([by, by]).cpu()"
            )
        }
    )
    assert "inner.by.to(" not in fixed["main.py"]
