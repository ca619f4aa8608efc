"""What is made of an array that is written to later is copied where it is used, not where it is made."""

from __future__ import annotations

from textwrap import dedent

import pytest
from text_program import fix_texts

from devfix.findings import Applicability

STACK = """\
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Stack:
    def __init__(self):
        self.frames = np.zeros((2, 3){dtype})
        self.view = torch.from_numpy(self.frames)

    def push(self, frame):
        {write}


net = torch.nn.Linear(3, 1).to(device)
stack = Stack()
for _ in range(2):
    stack.push(1.0)
    print(net({use}))
"""


def fixed(**parts: str) -> str:
    text = STACK.format(**parts)
    return fix_texts({"main.py": text}, wanted=Applicability.UNSAFE)[0]["main.py"]


@pytest.mark.parametrize(
    ("dtype", "use", "after"),
    [
        ("", "stack.view.to(device)", "stack.view.float().to(device)"),
        (", dtype=np.float32", "stack.view", "stack.view.to(device)"),
    ],
)
def test_the_tensor_goes_on_to_see_what_is_written(dtype: str, use: str, after: str) -> None:
    write = "self.frames[0] = frame"
    expected = STACK.format(dtype=dtype, write=write, use=after)
    assert fixed(dtype=dtype, write=write, use=use) == expected


def test_what_is_read_out_of_a_buffer_sees_what_is_written_to_it() -> None:
    made = "torch.frombuffer(self.frames, dtype=torch.float32)"
    text = STACK.replace("torch.from_numpy(self.frames)", made).replace("{dtype}", ", dtype=np.float32")
    text = text.replace("np.zeros((2, 3)", "np.zeros((3)").replace("{write}", "self.frames[0] = frame")
    before, after = (text.replace("{use}", f"stack.view{move}") for move in ("", ".to(device)"))
    assert fix_texts({"main.py": before}, wanted=Applicability.UNSAFE)[0]["main.py"] == after


def test_an_array_that_is_only_read_is_cast_where_the_tensor_is_made() -> None:
    after = fixed(dtype="", write="print(self.frames[0])", use="stack.view.to(device)")
    assert "torch.from_numpy(self.frames).float()" in after


def test_writes_before_the_tensor_is_made_do_not_matter() -> None:
    text = dedent("""\
    import numpy as np
    import torch

    net = torch.nn.Linear(3, 1)
    for _ in range(2):
        rows = np.zeros((2, 3))
        rows[0] = 1.0
        x = torch.from_numpy(rows)
        net(x)
    """)
    after = fix_texts({"main.py": text}, wanted=Applicability.UNSAFE)[0]["main.py"]
    assert "torch.from_numpy(rows).float()" in after
