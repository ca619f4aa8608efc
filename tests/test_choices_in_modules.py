"""A module is wherever its owner has put it: no file of its own chooses a device for what it makes."""

from __future__ import annotations

from text_program import clashes, files, fix_texts

from devfix.findings import Applicability

ENCODER = """
import torch
from torch import nn
from scalers import scaler_by_name


class Encoder(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.scalers = {name: scaler_by_name(kind) for name, kind in config["values"].items()}
        self.tables = nn.ModuleDict()
        for name, size in config["tables"].items():
            self.tables[name] = nn.EmbeddingBag(size, size, mode="mean")

    def forward(self, x):
        parts = []
        for name in self.tables.keys():
            parts.append(self.tables[name](x.payload[name]).detach())
        for name, scaler in self.scalers.items():
            var = scaler(x.payload[name])
            parts.append(torch.tensor([row[:n].mean() for row, n in zip(var, x.lengths)]).unsqueeze(-1))
        return torch.cat(parts, -1)
"""


def test_the_fault_is_found_and_no_device_is_chosen_for_the_module() -> None:
    assert clashes(ENCODER) != []
    after, _ = fix_texts(files(ENCODER), Applicability.SAFE)
    assert "is_available" not in after["main.py"]
