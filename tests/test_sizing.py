"""What is drawn in the size of a tensor goes where the tensor is, in a function that is told no device."""

from __future__ import annotations

from text_program import fix_texts

from devfix.findings import Applicability

OPTIMIZER = """
import torch


class Probing:
    def __init__(self, params):
        self.params = list(params)
        self.rng = torch.Generator().manual_seed(0)

    def probe(self, p):
        return torch.randint(0, 2, {size}, generator=self.rng).to(p.dtype).mul_(2).sub_(1)

    def diagonal(self, loss):
        grads = torch.autograd.grad(loss, self.params, create_graph=True)
        signs = [self.probe(p) for p in self.params]
        return torch.autograd.grad(grads, self.params, grad_outputs=signs)
"""
MAIN = """
import torch
from torch import nn
from probing import Probing

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 2).to(device)
probing = Probing(model.parameters())
loss = model(torch.ones(4, 3, device=device)).pow(2).sum()
print(probing.diagonal(loss)[0].sum())
"""


def test_the_tensor_that_gives_the_size_tells_the_device() -> None:
    for size in ("p.shape", "p.size()"):
        texts = {"main.py": MAIN, "probing.py": OPTIMIZER.replace("{size}", size)}
        after = fix_texts(texts, Applicability.SAFE)[0]["probing.py"]
        assert f"torch.randint(0, 2, {size}, generator=self.rng).to(p.device).to(p.dtype)" in after


ONE_HOT = """
import torch
from torch import nn
from elsewhere import read

def one_hot(y, count):
    made = torch.zeros({size}, count)
    return made.scatter_(1, y.unsqueeze(1), 1)

model = nn.Linear(3, 3).cuda()
print(model(one_hot(read(), 3)))
print(one_hot(model(torch.ones(2, 3).cuda()).argmax(1), 3))
"""


def test_a_tensor_of_which_one_call_says_nothing_tells_the_device_where_it_is_asked_as_tensors_are() -> None:
    after = fix_texts({"main.py": ONE_HOT.replace("{size}", "y.size(0)")}, Applicability.UNSAFE)[0]["main.py"]
    assert "torch.zeros(y.size(0), count, device=y.device)" in after


def test_an_array_in_one_call_tells_no_device() -> None:
    text = ONE_HOT.replace("{size}", "y.shape[0]")
    after = fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"]
    assert "y.device" not in after


FLOW = """
import torch
import torch.nn as nn


class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(4))

    def forward(self, x, back):
        return x * self.scale, self.scale.log().sum() + 0 * x.sum(1, keepdim=True)


class Flow(nn.Sequential):
    def forward(self, x, back=False):
        total = torch.zeros(x.size(0), 1)
        if not back:
            for module in self._modules.values():
                x, step = module(x, back)
                total += step
        else:
            for module in reversed(self._modules.values()):
                x, step = module(x, back)
                total += step
        return x, total

    def sample(self, noise=None):
        if noise is None:
            noise = torch.Tensor(4, 4).normal_()
        device = next(self.parameters()).device
        noise = noise.to(device)
        return self.forward(noise, True)[0]
"""


def test_another_run_may_have_the_tensor_nobody_knows_where() -> None:
    main = """
import torch
from flow import Flow, Scale

model = Flow(Scale(), Scale()).cuda()
print(model(torch.randn(8, 4).cuda()))
"""
    after = fix_texts({"main.py": main, "flow.py": FLOW}, Applicability.SAFE)[0]
    size = "x.size(0), 1"
    assert after == {
        "main.py": main,
        "flow.py": FLOW.replace(f"torch.zeros({size})", f"torch.zeros({size}, device=x.device)"),
    }
