"""What a function reads on the CPU again and again, or beside what NumPy made of it, is copied once."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

HEAD = """
import numpy as np
import torch
net = torch.nn.Linear(2, 1).cuda()
out = net(torch.ones(3, 2).cuda()).pow(2).detach()
limit = torch.ones(3, 1).cuda()

def f(x, k):
{body}
print(f(out, 3))
"""


def _fixed(*lines: str) -> str:
    text = HEAD.format(body="".join(f"    {line}\n" for line in lines))
    after = fix_texts({"main.py": text})[0]["main.py"]
    assert clashes(after) == []
    return after.partition("def f(x, k):\n")[2].partition("\nprint(f(")[0]


@pytest.mark.parametrize(
    "lines",
    [
        ("gain = 1.0 / np.log2(x + 2)", "return float((gain * (x < k)).mean())"),
        ("return float((np.log2(x + 2) * (x < k)).mean())",),
        ("a = np.log2(x)", "b = np.sqrt(x + 1)", "return a + b"),
    ],
)
def test_the_copy_stands_before_what_reads_it(lines: tuple[str, ...]) -> None:
    assert _fixed(*lines) == "".join(f"    {line}\n" for line in ("x = x.cpu()", *lines))


def test_the_copy_stands_before_a_loop() -> None:
    after = _fixed(
        "s = 0", "for i in range(k):", "    a = np.log2(x)", "    s += (a * (x < 2)).sum()", "return s"
    )
    assert "    x = x.cpu()\n    for i in range(k):" in after


def test_what_the_function_names_is_copied_there() -> None:
    after = _fixed("y = x * 2", "a = np.log2(y)", "return a + np.sqrt(y + 1)")
    assert "y = (x * 2).cpu()" in after
    assert after.count(".cpu()") == 1


@pytest.mark.parametrize(
    "later",
    [
        "return a.mean() + net(x.expand(3, 2)).sum().item()",
        "return a.sum() + (x < limit).sum().item()",
        "return a.mean()",
        "x = x * 2",
        "return [a, lambda: x]",
    ],
)
def test_what_is_used_elsewhere_too_is_copied_where_it_is_read(later: str) -> None:
    after = _fixed("a = np.log2(x)", later)
    assert "a = np.log2(x.cpu())" in after
    assert "x = x.cpu()" not in after


def test_what_is_used_on_the_accelerator_before_stays_there_until_then() -> None:
    after = _fixed("y = net(x.expand(3, 2))", "a = np.log2(x)", "return (a * (x < 2)).sum()")
    assert "y = net(x.expand(3, 2))\n    x = x.cpu()\n    a = np.log2(x)" in after
