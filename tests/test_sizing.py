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
