"""Products of integer matrices are taken of floats, and are integers again where nothing else fits."""

from __future__ import annotations

import pytest
import torch
from text_program import check_texts, fix_texts

from devfix.findings import Applicability

PROGRAM = """
import torch
from torch.nn import functional as F

device = torch.device({device!r})
t = F.one_hot(torch.tensor([0, 1, 2, 1], device=device), 3)
p = F.one_hot(torch.tensor([0, 2, 2, 1], device=device), 3)
table = torch.zeros(3, 3, dtype=torch.long, device=device)
{use}
print(table)
"""


def _fixed(use: str) -> str:
    texts = {"main.py": PROGRAM.format(device="cuda", use=use)}
    fixed, _ = fix_texts(texts, Applicability.UNSAFE)
    assert check_texts(fixed) == []
    return fixed["main.py"]


@pytest.mark.parametrize(
    ("use", "wanted"),
    [
        ("table += t.T @ p", "table += (t.T.float() @ p.float()).long()"),
        ("table.add_(t.T @ p)", "table.add_((t.T.float() @ p.float()).long())"),
        ("table += torch.mm(t.T, p)", "table += torch.mm(t.T.float(), p.float()).long()"),
        ("table = table[0][t.T @ p]", "table = table[0][(t.T.float() @ p.float()).long()]"),
        # What takes floats as well needs no more.
        ("table = t.T @ p", "table = t.T.float() @ p.float()"),
        ("table = table + t.T @ p", "table = table + t.T.float() @ p.float()"),
    ],
)
def test_a_product_is_cast_back_where_it_has_to_be(use: str, wanted: str) -> None:
    assert _fixed(use) == PROGRAM.format(device="cuda", use=wanted)
    results = []
    for text in (use, wanted):
        names: dict[str, torch.Tensor] = {}
        exec(PROGRAM.format(device="cpu", use=text), names)
        results.append(names["table"])
    assert torch.equal(results[0], results[1].to(results[0].dtype))


@pytest.mark.parametrize(
    "use",
    ["table += (t.T.float() @ p.float()).long()", "table += t * p", "table += (t.cpu().T @ p.cpu()).cuda()"],
)
def test_what_an_accelerator_has_stays(use: str) -> None:
    assert _fixed(use) == PROGRAM.format(device="cuda", use=use)
