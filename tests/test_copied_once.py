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


GATHERED = """
import torch
from sklearn.metrics import precision_score, recall_score

def scores(batches, rounds):
    {before}
    for _ in range(rounds):
        {within}
        for number, batch in enumerate(batches):
            found = torch.tensor(batch).cuda()
            {gathers}
        share = precision_score({truth}, [1, 2])
        whole = recall_score({truth}, [1, 2])
        print(share, whole)

scores([[1, 2], [3, 4]], 2)
"""
ADDED = "truth = torch.cat((truth, found))"


@pytest.mark.parametrize("first", ["number == 0", "truth is None"])
def test_what_a_loop_gathers_after_a_none_is_copied_once(first: str) -> None:
    gathers = f"if {first}:\n                truth = found\n            else:\n                {ADDED}"
    text = GATHERED.format(before="pass", within="truth = None", gathers=gathers, truth="truth")
    after = fix_texts({"main.py": text})[0]["main.py"]
    assert after.count(".cpu()") == 1
    assert "        truth = truth.cpu()\n        share = precision_score(truth, [1, 2])\n" in after


@pytest.mark.parametrize(
    ("before", "within", "gathers"),
    [
        ("truth = torch.zeros(1, dtype=torch.long).cuda()", "pass", ADDED),
        ("truth = torch.zeros(1, dtype=torch.long).cuda()", ADDED.replace("found", "truth"), "pass"),
    ],
)
def test_what_goes_from_round_to_round_stays(before: str, within: str, gathers: str) -> None:
    text = GATHERED.format(before=before, within=within, gathers=gathers, truth="truth")
    after = fix_texts({"main.py": text})[0]["main.py"]
    assert "truth = truth.cpu()" not in after
    assert after.count("(truth.cpu(), [1, 2])") == 2


def test_a_none_that_no_round_replaces_for_certain_stays() -> None:
    gathers = "if number == 1:\n                truth = found"
    text = GATHERED.format(before="pass", within="truth = None", gathers=gathers, truth="truth")
    assert ".cpu()" not in fix_texts({"main.py": text})[0]["main.py"]
