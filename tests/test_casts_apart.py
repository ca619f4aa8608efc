"""Values that one comprehension makes for several names are cast where the function casts the others."""

from __future__ import annotations

import pytest
from text_program import fix_texts

from devfix.findings import Applicability

ROWS = """
import numpy as np
import torch
from torch import nn

def sample(rows):
    seen, acts, gains = {made}
    return {given}

net = nn.Linear(2, 3)
rows = [(np.zeros(2), 1, 0.5) for _ in range(8)]
seen, acts, gains = sample(rows)
loss = (net(seen).gather(1, acts).squeeze(1) - gains).pow(2).mean()
loss.backward()
"""
MADE = "(torch.from_numpy(np.asarray(c)) for c in zip(*rows))"


def mended(text: str) -> str:
    return fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"]


def test_the_others_that_are_returned_are_cast_there() -> None:
    text = ROWS.format(made=MADE, given="seen, acts.unsqueeze(1), gains.float()")
    assert mended(text) == text.replace("return seen,", "return seen.float(),")


def test_what_is_returned_otherwise_is_cast_where_it_is_used() -> None:
    text = ROWS.format(made=MADE, given="[seen, acts.unsqueeze(1), gains.float()]")
    after = mended(text)
    assert MADE in after
    assert "net(seen.float())" in after


@pytest.mark.parametrize("made", ["torch.randn_like(x)", "torch.zeros_like(x)", "x.new_ones(4, 2)"])
def test_what_follows_the_data_is_cast_with_it(made: str) -> None:
    text = f"""
import numpy as np
import torch
from torch import nn

net = nn.Linear(2, 3)
def forward(x, y):
    return net(torch.cat([x + {made}, y]))
x = torch.tensor(np.zeros((4, 2)))
y = torch.tensor(np.ones((4, 2)))
print(forward(x, y))
"""
    after = mended(text)
    assert after.count("dtype=torch.float32") == (2 if made.startswith("torch") else 0)
