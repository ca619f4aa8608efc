"""A script's own files: copies of what it wrote, and what it may have written by a name that nobody knows."""

from __future__ import annotations

import pytest
from text_program import check_texts, files, names

PROGRAM = """
import os
import shutil
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 3).to(device)


def keep(state, is_best, name="last.pt"):
    torch.save(state, name)
    if is_best:
        {copy}


for epoch in range(3):
    keep({{"net": net.state_dict()}}, net(torch.ones(3, device=device)).sum() > epoch)
net.load_state_dict(torch.load("best.pt")["net"])
"""


@pytest.mark.parametrize(
    "copy",
    [
        'shutil.copyfile(name, "best.pt")',
        'shutil.copy(name, os.path.join("runs", "best.pt"))',
        'shutil.move(src=name, dst="best.pt")',
        'os.replace(name, "best.pt")',
    ],
)
def test_a_copy_of_a_file_that_the_script_wrote_is_its_own(copy: str) -> None:
    assert check_texts(files(PROGRAM.format(copy=copy))) == []


@pytest.mark.parametrize(
    "copy",
    ["print(name)", 'shutil.copyfile(name, "other.pt")', 'shutil.copyfile("given.pt", "best.pt")'],
)
def test_a_copy_of_a_file_of_others_is_not(copy: str) -> None:
    assert names(check_texts(files(PROGRAM.format(copy=copy)))) == {"load-without-map-location"}


NAMED = """
import os
from pathlib import Path

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 3).to(device)


def keep(net, folder, name):
    path = Path(folder) / name
    torch.save(net.state_dict(), path)


{before}
for epoch in range(len(open("steps.txt").readlines())):
    {save}
{after}
"""
READ = 'net.load_state_dict(torch.load("runs/net_2.pt"))'
SAVES = [
    'keep(net, "runs", f"net_{epoch}.pt")',
    'torch.save(net.state_dict(), f"runs/net_{epoch}.pt")',
    'torch.save(net.state_dict(), os.path.join("runs", "net_%d.pt" % epoch))',
]


@pytest.mark.parametrize("save", SAVES)
def test_a_file_by_a_name_may_be_one_that_was_written_by_a_variable_or_a_pattern(save: str) -> None:
    assert check_texts(files(NAMED.format(save=save, before="", after=READ))) == []


@pytest.mark.parametrize("save", SAVES)
def test_what_was_read_before_anything_was_written_is_of_others(save: str) -> None:
    found = check_texts(files(NAMED.format(save=save, before=READ, after="")))
    assert names(found) == {"load-without-map-location"}


def test_a_name_that_fits_no_pattern_is_of_others() -> None:
    found = check_texts(files(NAMED.format(save=SAVES[1], before="", after=READ.replace("net_2", "given"))))
    assert names(found) == {"load-without-map-location"}
