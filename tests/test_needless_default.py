"""A default device that only a shuffling loader notices is chosen no more; one that anything else is made on stays."""

from __future__ import annotations

import pytest
from text_program import clashes, files, fix_texts

from devfix.findings import Applicability

PROGRAM = """
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class Points(Dataset):
    def __init__(self, count):
        with torch.device("cpu"):
            self.x = torch.rand(count, 3)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, index):
        return self.x[index], torch.tensor(1.0)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
optimizer = torch.optim.Adam(model.parameters())
{choice}
{made}
first = DataLoader(Points(8), batch_size=4, shuffle=True)
second = DataLoader(Points(8), batch_size=4, shuffle=True)
for (x, y), (other, _) in zip(first, second):
    loss = model(torch.cat((x, other)).to(device)).mean() - y.to(device).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
GUARDED = """if torch.cuda.is_available():
    torch.set_default_tensor_type("torch.cuda.FloatTensor")"""


def _mended(choice: str, made: str = "pass") -> str:
    texts, _ = fix_texts(files(PROGRAM.format(choice=choice, made=made)), Applicability.UNSAFE)
    return texts["main.py"]


@pytest.mark.parametrize(
    "choice",
    [
        GUARDED,
        "torch.set_default_device(device)",
        "torch.set_default_tensor_type(torch.cuda.FloatTensor)",
        f"{GUARDED}\nelse:\n    torch.set_default_tensor_type('torch.FloatTensor')",
        "if device.type == 'cuda':\n    torch.set_default_device('cuda')\n    print('there')",
    ],
)
def test_a_default_that_nothing_is_made_on_goes(choice: str) -> None:
    text = PROGRAM.format(choice=choice, made="pass")
    assert clashes(text) == [f"{text.splitlines().index(line) + 1}: generator" for line in _loaders(text)]
    after, _ = fix_texts(files(text), Applicability.SAFE)
    left = "if device.type == 'cuda':\n    print('there')\n" if "there" in choice else ""
    assert after["main.py"] == PROGRAM.format(choice="CHOICE", made="pass").replace("CHOICE\n", left)
    assert clashes(after["main.py"]) == []


def _loaders(text: str) -> list[str]:
    return [line for line in text.splitlines() if "shuffle=True" in line]


@pytest.mark.parametrize(
    "made",
    [
        "head = nn.Linear(3, 1)",
        "weight = torch.ones(3, requires_grad=True)",
        "import torchvision\nbackbone = torchvision.models.resnet18()",
        "noise = torch.randn(4, 3)\nprint(noise + torch.ones(3, device=device))",
        "print(torch.Tensor([1.0]).device)",
        "print(torch.get_default_device())",
        "torch.set_default_device(device)",
        "import gauges\nprint(gauges.noise(3) + torch.ones(3, device=device))",
        "print(torch.ops.own.make(3) + torch.ones(3, device=device))",
        "print(torch.distributions.Normal(0.0, 1.0).sample((3,)) + torch.ones(3, device=device))",
        "print(torch.sparse_coo_tensor([[0]], [1.0], (3,)).to_dense() + torch.ones(3, device=device))",
        "import sys\nprint(getattr(torch, sys.argv[1])(3) + torch.ones(3, device=device))",
        "import torchaudio\nprint(torchaudio.transforms.MelSpectrogram()(torch.ones(1600, device=device)))",
        "from transformers import AutoTokenizer\nprint(AutoTokenizer.from_pretrained('t')('a', return_tensors='pt'))",
        "head = nn.Parameter()",
        "for x, y in Points(8):\n    print(y + torch.ones(3, device=device))",
        "batches = DataLoader(Points(8))\nnext(iter(batches))\nprint(Points(8)[0][1] + torch.ones(3, device=device))",
        "class Bank:\n    def __getitem__(self, i):\n        return torch.full((3,), 1.0)\nprint(Bank()[2].device)",
    ],
)
def test_a_default_that_something_is_made_on_stays(made: str) -> None:
    after = _mended(GUARDED, made)
    assert GUARDED in after
    assert after.count("generator=") == 2


def test_what_goes_by_its_arguments_needs_no_default() -> None:
    made = """
import json, os
import numpy as np
from torchvision import transforms
from torch.utils.tensorboard import SummaryWriter

shown = transforms.Compose([transforms.ToTensor()])
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
writer = SummaryWriter()
writer.add_scalar("start", float(np.ones(3).sum()), 0)
os.makedirs("out", exist_ok=True)
torch.save(model.state_dict(), "out/first.pt")
print(json.dumps({"loss": nn.functional.mse_loss(torch.ones(1, device=device), model.bias).item()}))
"""
    assert GUARDED not in _mended(GUARDED, made)


def test_what_a_sample_is_made_of_elsewhere_may_be_made_for_others() -> None:
    text = PROGRAM.replace("return self.x[index], torch.tensor(1.0)", "return self.x[index], label()")
    text = text.replace("class Points", "def label():\n    return torch.tensor(1.0)\n\n\nclass Points")
    after, _ = fix_texts(files(text.format(choice=GUARDED, made="pass")), Applicability.UNSAFE)
    assert GUARDED in after["main.py"]


@pytest.mark.parametrize(
    "choice",
    [
        GUARDED.replace("Float", "Half"),
        f"{GUARDED}\nelse:\n    torch.set_default_tensor_type('torch.DoubleTensor')",
        GUARDED.replace(":\n", ":\n    # for the layers\n"),
        f"torch.set_default_dtype(torch.float64)\n{GUARDED}",
    ],
)
def test_a_default_that_says_more_stays(choice: str) -> None:
    assert choice in _mended(choice)
