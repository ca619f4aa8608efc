"""What a function is handed moves beside its other arguments."""

from __future__ import annotations

import pytest
from text_program import fix_texts

TRAINER = """
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

data = TensorDataset(torch.rand(8, 3), torch.rand(8, 3), torch.rand(8, 2))


class Trainer:
    def __init__(self):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.net = nn.Linear(3, 2).to(self.device)

    def train(self):
        for x, extra, y in DataLoader(data, batch_size=4, shuffle=True):
            self.step(x, extra, y).backward()

    def test(self):
        for x, extra, y in DataLoader(data, batch_size=4):
            print(self.step(x, extra, y))

    def step(self, x, extra, y):
        x = x.float().to(self.device)
        extra = extra.float().to(self.device)
        y = y.to(self.device)
        return ((self.net(x) + self.net(extra) - y) ** 2).mean()


Trainer().train()
"""


def mended(text: str) -> str:
    return fix_texts({"main.py": text})[0]["main.py"]


@pytest.mark.parametrize(
    "mistake",
    [
        ("extra = extra.float().to(self.device)", "extra = extra.float()"),
        ("        y = y.to(self.device)\n", ""),
    ],
)
def test_an_argument_moves_as_the_others_do(mistake: tuple[str, str]) -> None:
    assert mended(TRAINER) == TRAINER
    assert mended(TRAINER.replace(*mistake)) == TRAINER


def test_where_no_argument_is_moved_the_batch_is() -> None:
    text = TRAINER.replace(".float().to(self.device)", ".float()").replace(
        "        y = y.to(self.device)\n", ""
    )
    after = mended(text)
    assert after.count("x, extra, y = x.to(self.device), extra.to(self.device), y.to(self.device)") == 2


HANDED = """
import numpy as np
import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.attend = nn.Linear(7, 1)

    def forward(self, x):
        state = self.start(x)
        return self.attend(torch.cat((state, x), dim=2))

    def start(self, x):
        return x.new_zeros(x.size(0), x.size(1), 4)


class Forecast:
    def __init__(self):
        {choice}
        self.encoder = Encoder().to({device})

    def train(self, batch):
        {body}


print(Forecast().train(np.zeros((2, 3, 3))).sum())
"""
CHOICE = 'self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")'


@pytest.mark.usefixtures("long_lines")
@pytest.mark.parametrize(
    ("body", "repaired"),
    [
        (
            "return self.encoder(torch.from_numpy(batch).type(torch.FloatTensor))",
            "return self.encoder(torch.from_numpy(batch).type(torch.FloatTensor).to(self.device))",
        ),
        (
            "x = torch.from_numpy(batch).type(torch.FloatTensor)\n        return self.encoder(x)",
            "x = torch.from_numpy(batch).type(torch.FloatTensor).to(self.device)\n        return self.encoder(x)",
        ),
    ],
)
def test_who_knows_the_device_hands_a_module_what_is_on_it(body: str, repaired: str) -> None:
    text = HANDED.format(choice=CHOICE, device="self.device", body=body)
    assert mended(text) == text.replace(body, repaired)


def test_a_module_moves_what_it_is_handed_where_nobody_else_knows_the_device() -> None:
    body = "return self.encoder(torch.from_numpy(batch).type(torch.FloatTensor))"
    text = HANDED.format(choice="self.rate = 0.1", device='"cuda"', body=body)
    assert body in mended(text)
    assert mended(text) != text


WRITTEN_OUT = """
import numpy as np
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 2)

    def forward(self, x):
        return self.layer(x).relu()


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = Net().to(device)
rows = np.ones((4, 3))
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("net(torch.from_numpy(rows).float())", "net(torch.from_numpy(rows).float().to(device))"),
        ("net(torch.tensor(rows).float()[:2])", "net(torch.tensor(rows, device=device).float()[:2])"),
        (
            "net(torch.from_numpy(rows.astype('f4')).unsqueeze(0))",
            "net(torch.from_numpy(rows.astype('f4')).unsqueeze(0).to(device))",
        ),
        ("x = torch.zeros(2, 3)\nnet(x + 1)", "x = torch.zeros(2, 3, device=device)\nnet(x + 1)"),
    ],
)
def test_what_a_module_is_handed_moves_there_and_not_within_the_module(before: str, after: str) -> None:
    assert mended(f"{WRITTEN_OUT}{before}\n") == f"{WRITTEN_OUT}{after}\n"


WEIGHED = TRAINER.replace("def step(self, x, extra, y):", "def step(self, x, extra, y=None):")
USED = "return ((self.net(x) + self.net(extra) - y) ** 2).mean()"
MOVE = "        y = y.to(self.device)\n"
GUARDED = "        if y is not None:\n            y = y.to(self.device)\n"


@pytest.mark.parametrize(
    "use",
    [
        "return (out if y is None else out - y).mean()",
        "return self.loss(out, y)\n\n    def loss(self, out, y):\n        return (out - y if y is not None else out).mean()",
        "z = y\n        return (out if z is None else out - z).mean()",
        "for z in (out, y):\n            out = out if z is None else out - z\n        return out.mean()",
    ],
)
def test_what_may_be_left_out_moves_where_it_is_given(use: str) -> None:
    text = WEIGHED.replace(USED, "out = self.net(x) + self.net(extra)\n        " + use)
    assert mended(text.replace(MOVE, "")) == text.replace(MOVE, GUARDED)


def test_what_fails_where_it_is_left_out_moves_as_the_others_do() -> None:
    assert mended(WEIGHED.replace(MOVE, "")) == WEIGHED


def test_what_takes_a_number_in_other_calls_moves_where_it_is_given() -> None:
    """A number has no ``to``."""
    text = WEIGHED.replace("y=None", "y=0.0").replace(MOVE, "")
    after = mended(text)
    assert after.count("            y = y.to(self.device)\n            self.step(") == 1
    assert f"{MOVE}        return" not in after


@pytest.mark.parametrize(
    ("signature", "y", "fix"),
    [
        ("*, y", "y", MOVE),
        ("*, y=None", "y", GUARDED),
        ("*y", "y[0]", ""),
        ("**y", 'y["y"]', ""),
    ],
)
def test_what_is_given_by_name_alone_moves_beside_the_others(signature: str, y: str, fix: str) -> None:
    text = WEIGHED.replace("y=None", signature).replace("- y)", f"- {y})")
    text = text.replace("extra, y).backward", "extra, y=y).backward") if signature != "*y" else text
    text = text.replace("print(self.step(x, extra, y))", "pass").replace(
        "return ((", f"loss = 0 if {y} is None else 1\n        return (("
    )
    before = text.replace(MOVE, "")
    after = mended(before)
    assert after != before
    assert (f"\n{MOVE}" in after) == (fix == MOVE)
    assert fix in after
