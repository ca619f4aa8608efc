"""Checkpoints that are looked for in a folder: a first run and a resumed one differ, and a resumed one is judged as well."""

from __future__ import annotations

import pytest
from text_program import check_texts, clashes, fix_texts

from devfix.findings import Applicability

RESUMED = """
import glob
import os
from pathlib import Path
import torch


class Norm:
    def __init__(self, dim, device=None):
        self.mean = torch.zeros(dim, device=device)
        self.var, self.count = torch.ones(dim, device=device), 1.0

    def update(self, x):
        self.mean = self.mean + x.mean(0)
        self.var = self.var + x.var(0)

    def state_dict(self):
        return {{"mean": self.mean, "var": self.var, "count": self.count}}

    def load_state_dict(self, state):
        self.mean, self.count = state["mean"]{mean}, state["count"]
        self.var = state["var"]{var}


class Keeper:
    def __init__(self, folder, norm):
        self.folder, self.norm = folder, norm

    def paths(self):
        return sorted(Path(self.folder).glob("*.pt"))

    def save(self):
        torch.save({{"step": 1, "norm": self.norm.state_dict()}}, os.path.join(self.folder, "1.pt"))

    def restore(self):
        found = {listing}
        if {empty}:
            return 0
        held = torch.load(found[-1], map_location="cpu")
        self.norm.load_state_dict(held["norm"])
        return held["step"]


def run(device):
    norm = Norm(4, device)
    keeper = Keeper("out", norm)
    for step in range(keeper.restore(), 3):
        norm.update(torch.ones(8, 4, device=device))
    keeper.save()


run(torch.device("cuda" if torch.cuda.is_available() else "cpu"))
run(torch.device("cuda" if torch.cuda.is_available() else "cpu"))
"""
LISTINGS = [
    'sorted(glob.glob(self.folder + "/*.pt"))',
    '[os.path.join(self.folder, f) for f in os.listdir(self.folder) if f.endswith(".pt")]',
    'list(Path(self.folder).rglob("*.pt"))',
    "self.paths()",
]


@pytest.mark.parametrize("listing", LISTINGS)
@pytest.mark.parametrize("empty", ["not found", "len(found) == 0"])
def test_what_a_resumed_run_takes_over_goes_where_it_was(listing: str, empty: str) -> None:
    wrong = RESUMED.format(listing=listing, empty=empty, mean="", var="")
    after, _ = fix_texts({"main.py": wrong}, Applicability.SAFE)
    right = RESUMED.format(
        listing=listing, empty=empty, mean=".to(self.mean.device)", var=".to(self.var.device)"
    )
    assert after["main.py"] == right
    assert not check_texts({"main.py": right})


def test_what_no_file_decides_tells_of_no_second_run() -> None:
    text = RESUMED.format(listing="self.found", empty="not found", mean="", var="")
    assert not clashes(text)


def test_a_state_that_was_none_before_is_not_asked_for_its_place() -> None:
    text = RESUMED.format(listing=LISTINGS[0], empty="not found", mean="", var=".to(self.var.device)")
    text = text.replace("self.mean = torch.zeros(dim, device=device)", "self.mean = None")
    text = text.replace(
        "self.mean = self.mean + x.mean(0)",
        "self.mean = x.mean(0) if self.mean is None else self.mean + x.mean(0)",
    )
    after, _ = fix_texts({"main.py": text}, Applicability.SAFE)
    assert "self.mean.device" not in after["main.py"]


CHOSEN = """
import glob
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
found = {listing}
if found:
    table = torch.load(found[0], map_location="cpu"){moved}
else:
    table = torch.ones(3).to(device)
print(table * torch.ones(3, device=device))
"""


def test_scripts_are_left_to_what_they_say() -> None:
    assert not clashes(CHOSEN.format(listing='glob.glob("*.pt")', moved=".to(device)"))
