"""Programs that name a second accelerator: by mistake at one place, or on purpose."""

from __future__ import annotations

import pytest
from text_program import fix_texts

from devfix.findings import Applicability

HEAD = """\
import torch

device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
other = torch.device('cuda:1' if torch.cuda.is_available() else 'cpu')
model = torch.nn.Linear(2, 2).to(device)
x = torch.ones(1, 2)
"""


def fixed(text: str, wanted: Applicability = Applicability.UNSAFE) -> str:
    return fix_texts({"main.py": HEAD + text}, wanted)[0]["main.py"]


def test_data_that_go_to_an_accelerator_of_their_own_join_the_rest() -> None:
    text = "print(model(x.to(other)))\nprint(model(x.to(other)) + 1)\n"
    assert fixed(text) == (HEAD + text).replace("'cuda:1'", "'cuda:0'")
    assert fixed(text, Applicability.SAFE) == HEAD + text


@pytest.mark.parametrize(
    "text",
    [
        "print(model(x.to(other).to(device)))\n",
        "last = torch.nn.Linear(2, 1).to(other)\nprint(last(model(x.to(device)).to(other)))\n",
        "torch.cuda.set_device(1)\nprint(model(x.to(other)))\n",
        'print(model(x.to(other)), torch.ones(1, device="cuda:2"))\n',
        "print(other, model(x.to(device)))\n",
    ],
)
def test_what_spreads_over_several_is_left_alone(text: str) -> None:
    assert fixed(text) == HEAD + text
