"""A load goes where the callers of its function say, where the function has done nothing with that."""

from __future__ import annotations

import difflib

import pytest
from text_program import files, fix_texts

from devfix.findings import Applicability

PROGRAM = """
import io
import torch
from torch import nn

def encode(tree):
    buffer = io.BytesIO()
    torch.save(tree, buffer)
    return buffer.getvalue()

def decode(blob, where, scale=1.0):
    tree = LOADED
    return {k: scale * v.float() for k, v in tree.items()}

def train(blob, device):
    net = nn.Linear(3, 2).to(device)
    shared = decode(blob, device)
    net.load_state_dict(shared)
    loss = net(torch.ones(2, 3, device=device)).sum()
    for name, p in net.named_parameters():
        loss = loss + (p - shared[name]).square().sum()
    return loss

blob = encode(nn.Linear(3, 2).state_dict())
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
OTHER
print(train(blob, device).item())
"""
OPEN, TOLD = "torch.load(io.BytesIO(blob))", "torch.load(io.BytesIO(blob), map_location=where)"
ON_HOST = 'print(decode(blob, "cpu")["weight"].numpy())'


def _added(loaded: str, other: str = ON_HOST) -> list[str]:
    (before,) = files(PROGRAM.replace("LOADED", loaded).replace("OTHER", other)).values()
    after = fix_texts({"main.py": before}, Applicability.SAFE)[0]["main.py"]
    lines = difflib.ndiff(before.splitlines(), after.splitlines())
    return [line[1:].strip() for line in lines if line.startswith("+ ")]


@pytest.mark.parametrize("other", [ON_HOST, "print(decode(blob, device).keys())", "pass"])
def test_it_is_told_what_its_function_is_told(other: str) -> None:
    assert _added(OPEN, other) == [f"tree = {TOLD}"]


@pytest.mark.parametrize(
    "loaded", [TOLD, "{k: v.to(where) for k, v in torch.load(io.BytesIO(blob)).items()}"]
)
def test_what_is_where_it_was_told_stays(loaded: str) -> None:
    assert _added(loaded) == []


@pytest.mark.parametrize(
    ("loaded", "other"),
    [
        (f"{OPEN}\n    print(where)", ON_HOST),
        (OPEN, 'print(decode(blob, None)["weight"].numpy())'),
    ],
)
def test_what_is_read_or_no_device_tells_nothing(loaded: str, other: str) -> None:
    assert f"tree = {TOLD}" not in _added(loaded, other)
