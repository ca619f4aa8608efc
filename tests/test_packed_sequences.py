"""Packed sequences: they have methods that move them, and no ``device``."""

from __future__ import annotations

import pytest
from test_adoption import adopted
from text_program import clashes, files, fix_texts

from devfix.findings import Applicability

READER = """
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(9, 3)
        self.gru = nn.GRU(3, 3)
        self.out = nn.Linear(3, 3)

    def forward(self, words, lengths):
        x = self.embed(words)
        x = pack_padded_sequence(x, lengths)
        y, state = self.gru(x)
        {before}
        y, lengths = pad_packed_sequence(y)
        {after}
        return self.out(y[-1])

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Reader().to(device)
print(model(torch.ones(4, 2, dtype=torch.int64).to(device), [4, 2]).sum())
"""


def repaired(text: str) -> str:
    [after] = fix_texts(files(text), Applicability.SAFE)[0].values()
    return after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("state = torch.zeros(1, 2, 3) + state", "pass"),
        ("pass", "y = y + torch.ones(3)"),
        ("pass", "state = state + torch.ones(3)"),
        ("items = self.embed(torch.arange(9))", "pass"),
        ("pass", "items = self.embed(torch.arange(9))"),
    ],
)
def test_what_meets_the_rest_does_not_go_where_a_packed_sequence_is(before: str, after: str) -> None:
    text = READER.format(before=before, after=after)
    assert len(clashes(text)) == 1
    fixed = repaired(text)
    assert clashes(fixed) == []
    assert "x.device" not in fixed
    assert "y.device" not in fixed.partition("pad_packed_sequence(y)")[0]


def test_what_a_packed_sequence_holds_is_a_tensor() -> None:
    text = READER.format(before="data = x.data\n        data = data + torch.ones(3)", after="pass")
    assert "torch.ones(3, device=data.device)" in repaired(text)


def test_what_is_made_beside_one_is_made_where_the_rest_is() -> None:
    text = READER.format(before="pass", after="items = self.embed(torch.arange(9))").replace(
        ".to(device)", ""
    )
    without = "".join(line for line in text.splitlines(keepends=True) if not line.startswith("device ="))
    after = adopted(files(without))["main.py"]
    assert "torch.arange(9, device=state.device)" in after


MAYBE = """
import numpy as np
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(3, 3, batch_first=True)

    def forward(self, raw, state, lengths=None):
        given = torch.relu(raw)
        if lengths is not None:
            given = pack_padded_sequence(given, lengths, batch_first=True)
        {between}
        return self.gru(given, state)[1]

model = Reader().cuda()
first = list(torch.from_numpy(np.zeros((2, 1, 2, 3), dtype=np.float32)))
x = torch.ones(2, 4, 3).cuda()
print(model(x, first[0], [4, 2]).sum() + model(x, first[1]).sum())
"""


def test_what_is_packed_on_one_path_names_no_device_behind_it() -> None:
    after = repaired(MAYBE.format(between="pass"))
    assert "given.device" not in after
    assert clashes(after) == []


def test_what_took_the_place_of_a_packed_sequence_names_the_device() -> None:
    between = "given = torch.ones_like(raw)"
    after = repaired(MAYBE.format(between=between))
    assert "self.gru(given, state.to(given.device))" in after
    assert clashes(after) == []


PARTS = """
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence

class Steps(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(3, 3)

    def forward(self, packed):
        x, sizes, order, back = packed
        state = torch.zeros(2, 3, device=x.device)
        for size in sizes:
            state = self.cell(x[:size], state[:size])
        return {result}

model = Steps().cuda()
x = torch.ones(2, 4, 3).cuda()
print(model(pack_padded_sequence(x, [4, 2], batch_first=True, enforce_sorted=False)).sum())
"""


def test_a_packed_sequence_is_a_tuple_of_its_data_sizes_and_orders() -> None:
    assert clashes(PARTS.format(result="state[back]")) == []
    assert clashes(PARTS.format(result="state[order]")) == []
    assert len(clashes(PARTS.format(result="state[x]"))) == 1
    assert len(clashes(PARTS.format(result="sizes + x.sum(1)"))) == 1
