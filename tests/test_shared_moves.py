"""A move that several values go through is no place to cast one of them."""

from __future__ import annotations

import pytest
from text_program import fix_texts

from devfix.findings import Applicability

HEAD = """import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 2).to(device)
criterion = nn.CrossEntropyLoss()
data = TensorDataset(*map(torch.from_numpy, (np.random.rand(8, 3), np.arange(8) % 2)))
"""
COMPREHENSION = """for batch in DataLoader(data, batch_size=4):
    x, y = [part.to(device) for part in batch]
    loss = criterion(net(x), y)
"""
HELPER = """def put(part):
    return part.to(device)
for x, y in DataLoader(data, batch_size=4):
    x, y = put(x), put(y)
    loss = criterion(net(x), y)
"""
MAPPING = """for x, y in DataLoader(data, batch_size=4):
    batch = {"x": x, "y": y}
    for key, part in batch.items():
        batch[key] = part.to(device)
    loss = criterion(net(batch["x"]), batch["y"])
"""


def fixed(text: str) -> tuple[str, int]:
    """The program in the end, and how many findings are left."""
    texts, (report,) = fix_texts({"main.py": text}, Applicability.UNSAFE)
    return texts["main.py"], len(report.findings)


@pytest.mark.parametrize(
    ("text", "used", "cast"),
    [
        (COMPREHENSION, "net(x)", "net(x.float())"),
        (HELPER, "net(x)", "net(x.float())"),
        (MAPPING, 'net(batch["x"])', 'net(batch["x"].float())'),
    ],
)
def test_one_of_several_values_is_cast_where_it_is_used(text: str, used: str, cast: str) -> None:
    assert fixed(HEAD + text) == (HEAD + text.replace(used, cast), 0)


def test_a_value_that_moves_by_itself_is_cast_before_it() -> None:
    text = HEAD + COMPREHENSION.replace(
        "[part.to(device) for part in batch]", "batch[0].to(device), batch[1].to(device)"
    )
    assert fixed(text) == (text.replace("batch[0].to", "batch[0].float().to"), 0)


def test_parts_of_one_tensor_that_are_used_at_once_are_cast_before_they_move() -> None:
    text = HEAD + "x = torch.from_numpy(np.random.rand(8, 3))\nwith torch.no_grad():\n"
    text += "    out = [net(part.to(device)) for part in map(torch.from_numpy, np.random.rand(4, 2, 3))]\n"
    assert fixed(text) == (text.replace("part.to(device)", "part.float().to(device)"), 0)
