"""How many processors a machine has decides how many workers a loader usually has; that it is several is not certain."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

from devfix.findings import Applicability

PROGRAM = """
import argparse
import os
import multiprocessing

import torch
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def collate(rows):
    return torch.stack([row[0] for row in rows]).to(device)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default={workers})
    args = parser.parse_args()
    data = TensorDataset(torch.ones(8, 3))
    for batch in DataLoader(data, collate_fn=collate, num_workers=args.workers):
        print(batch.sum())


if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize(
    "workers",
    [
        "os.cpu_count()",
        "os.cpu_count() or 1",
        "min(2, os.cpu_count() or 1)",
        "max(1, multiprocessing.cpu_count())",
        "min([3, 4][0], os.cpu_count())",
    ],
)
def test_workers_are_usually_some(workers: str) -> None:
    text = PROGRAM.format(workers=workers)
    mended = fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"]
    assert "for row in rows])\n" in mended
    assert "        batch = batch.to(device)\n" in mended


@pytest.mark.parametrize(
    "workers", ["0", "min(0, os.cpu_count())", "min(os.cpu_count(), len(os.sys.argv) - 1)"]
)
def test_no_workers_and_nobody_knows_how_many_move_what_they_like(workers: str) -> None:
    text = PROGRAM.format(workers=workers)
    assert fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"] == text


def test_both_branches_of_a_test_of_them_are_looked_at() -> None:
    program = """
import os
import torch

net = torch.nn.Linear(3, 3).cuda()
if os.cpu_count() > 64:
    net(torch.ones(3))
else:
    net(torch.zeros(3))
"""
    assert clashes(program) == ["7: device", "9: device"]
