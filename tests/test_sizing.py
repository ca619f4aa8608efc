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
