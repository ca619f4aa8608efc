"""``out=``: what an operation writes into has to be where it computes."""

from __future__ import annotations

import pytest
from reality import lies
from text_program import Ending, clashes, files, fix_texts

from devfix.analysis.domain.values import DTypeValue

HEAD = """
    import torch

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x = torch.ones(4, device=device)
    w = torch.ones(2, 4, device=device)
"""


def text_of(body: str) -> str:
    """The program as it is read from a file."""
    return files(HEAD + body)["main.py"]


@pytest.mark.parametrize(
    ("size", "call"),
    [
        ("4", "torch.mul(x, 2, out=out)"),
        ("4", "torch.exp(x, out=out)"),
        ("8", "torch.cat([x, x], out=out)"),
        ("2", "torch.matmul(w, x, out=out)"),
        ("0", "torch.add(x, x, out=out)"),
        ("()", "torch.sum(x, 0, out=out)"),
        ("()", "torch.dot(x, x, out=out)"),
    ],
)
def test_it_has_to_be_where_the_operands_are(size: str, call: str) -> None:
    before = text_of(f"    out = torch.empty({size})\n    {call}\n")
    right = before.replace(f"empty({size})", f"empty({size}, device=device)")
    assert clashes(before) == ["8: device"]
    assert fix_texts({"main.py": before})[0]["main.py"] == right
    assert clashes(right) == []


@pytest.mark.parametrize(
    "body",
    [
        "    out = torch.empty(4)\n    torch.mul(x.cpu(), 2, out=out)\n",
        "    out = torch.empty(4, device=device)\n    torch.mul(torch.tensor(1.0), x, out=out)\n",
        "    out = None\n    torch.mul(x, 2, out=out)\n",
        "    out = x[:2], torch.empty(2, dtype=torch.long, device=device)\n    torch.topk(x, 2, out=out)\n",
    ],
)
def test_what_is_there(body: str) -> None:
    assert clashes(text_of(body)) == []


def test_operands_on_the_cpu_come_to_it() -> None:
    body = "    a = torch.ones(4)\n    out = torch.empty(4, device=device)\n    torch.add(a, 1, out=out)\n"
    after = fix_texts({"main.py": text_of(body)})[0]["main.py"]
    assert "a = torch.ones(4, device=device)\n" in after


def test_a_sum_that_is_written_back_is_one_mistake_and_never_moves_where_it_is_written() -> None:
    body = """
    def total(acc, rows):
        for row in rows:
            torch.add(acc, row, out=acc)
        return acc

    print(total(torch.zeros(4), [x, x]))
    """
    assert clashes(text_of(body)) == ["10: device"]
    after = fix_texts({"main.py": text_of(body)})[0]["main.py"]
    assert "total(torch.zeros(4, device=device), [x, x])" in after
    assert "torch.add(acc, row, out=acc)" in after


@pytest.mark.parametrize(
    "call",
    [
        "torch.add(a, a, out=b)",
        "torch.sum(a, 0, out=b)",
        "torch.exp(a, out=b)",
        "torch.cat([a, a], out=b)",
        "torch.matmul(a, a, out=c)",
    ],
)
def test_the_call_gives_what_it_writes_into(call: str) -> None:
    text = f"""
import torch
a, c = torch.ones(3), torch.empty(())
b = torch.empty({"()" if "sum" in call else "6" if "cat" in call else "3"}, dtype=torch.float64)
made = {call}
dtype = made.dtype
"""
    assert lies(text) == []
    assert Ending(text)["dtype"] == DTypeValue("float32" if "matmul" in call else "float64", of_torch=True)
