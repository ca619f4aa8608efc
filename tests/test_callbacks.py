"""Code that PyTorch calls back: forward hooks and the two halves of an autograd function."""

from __future__ import annotations

import pytest
from text_program import clashes, files, fix_texts

from devfix.findings import Applicability

HOOK = """
import numpy as np
import torch
import torch.nn as nn

net = nn.Sequential(nn.Linear(3, 3), nn.ReLU()).cuda()
seen = []
{register}
net(torch.rand(2, 3).cuda())
print([np.asarray(t) for t in seen])
"""

REGISTRATIONS = [
    "net[1].register_forward_hook(lambda module, args, out: seen.append(out.detach()))",
    "def keep(module, args, out):\n    seen.append(args[0].detach())\nhandle = net[0].register_forward_hook(keep)",
]


@pytest.mark.parametrize("register", REGISTRATIONS)
def test_a_hook_sees_what_the_module_computes(register: str) -> None:
    assert clashes(HOOK.format(register=register)) == [f"{10 + register.count(chr(10))}: numpy"]


def test_a_hook_may_replace_the_result() -> None:
    text = """
    import torch
    layer = torch.nn.Linear(3, 3).cuda()
    layer.register_forward_hook(lambda module, args, out: out.cpu())
    print(layer(torch.rand(2, 3).cuda()) + torch.rand(2, 3))
    """
    assert clashes(text) == []


FUNCTION = """
import torch

class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, by):
        ctx.save_for_backward(x)
        ctx.by = by
        return x * by

    @staticmethod
    def backward(ctx, grad):
        x, = ctx.saved_tensors
        return grad * {mask} * ctx.by, None

w = torch.rand(3, 3).cuda().requires_grad_({grad})
y = Scale.apply(w, 2.0)
print(y + torch.rand(3, 3).to(y.device))
"""


def test_backward_meets_what_forward_saved() -> None:
    assert clashes(FUNCTION.format(mask="torch.ones(x.shape)", grad=True)) == ["14: device"]
    assert clashes(FUNCTION.format(mask="torch.ones_like(x)", grad=True)) == []


def test_without_gradients_no_backward() -> None:
    assert clashes(FUNCTION.format(mask="torch.ones(x.shape)", grad=False)) == []


OPTION = """
import argparse
import torch
parser = argparse.ArgumentParser()
parser.add_argument("--device", default=None)
args = parser.parse_args()
device = {choice}
print(torch.rand(3) + torch.rand(3).to(device))
"""


@pytest.mark.parametrize(
    "choice",
    [
        'args.device or ("cuda" if torch.cuda.is_available() else "cpu")',
        'torch.device(args.device or "cuda:0")',
        'args.device if args.device is not None else "cuda"',
    ],
)
def test_an_option_nobody_sets_leaves_the_choice(choice: str) -> None:
    assert clashes(OPTION.format(choice=choice)) == ["8: device"]


CONFIGURED = {
    "settings": """
        from dataclasses import dataclass, field

        @dataclass
        class Run:
            device: str = "cpu"

        @dataclass
        class Config:
            run: Run = field(default_factory=Run)
        """,
    "main": """
        import torch
        from settings import Config

        cfg = Config()
        device = torch.device(cfg.run.device)
        model = torch.nn.Linear(3, 2).to(device)
        print(model(torch.rand(4, 3).cuda()))
        """,
}


def test_inputs_come_to_the_device_that_the_model_was_asked_to_be_on() -> None:
    """``.cpu()`` would be wrong when the configuration asks for an accelerator."""
    texts = files(CONFIGURED["main"], settings=CONFIGURED["settings"])
    after, _ = fix_texts(texts, Applicability.UNSAFE)
    assert "model(torch.rand(4, 3).cuda().to(device))" in after["main.py"]


SAMPLES = """
import torch
from torch.utils.data import DataLoader, Dataset

class Normalise:
    def __init__(self):
        self.mean = torch.zeros(3).cuda()

    def __call__(self, x):
        return x - self.mean

class Rows(Dataset):
    def __init__(self):
        self.rows, self.change = torch.rand(8, 3), Normalise()

    def __len__(self):
        return 8

    def __getitem__(self, i):
        return self.change(self.rows[i])

model = torch.nn.Linear(3, 2).cuda()
for x in DataLoader(Rows(), batch_size=4):
    print(model(x.cuda()))
"""


def test_samples_stay_on_the_host() -> None:
    after, _ = fix_texts({"main.py": SAMPLES}, Applicability.UNSAFE)
    assert "return x - self.mean.to(x.device)" in after["main.py"]
