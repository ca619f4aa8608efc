"""Tensors that were computed from parts of a module before it moved: the part is not moved for them."""

from __future__ import annotations

import pytest
from text_program import files, fix_texts

_BASE = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        {layers}

    def forward(self, x):
        return self.body(x)


class Shadow:
    def __init__(self, module):
        self.kept = {{k: v.detach().clone() for k, v in module.state_dict().items()}}

    @torch.no_grad()
    def update(self, module):
        for k, v in module.state_dict().items():
            s = self.kept[k]
            s.mul_(0.9).add_(v, alpha=0.1)


class Trainer:
    def __init__(self, model):
        self.model = model
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    def fit(self, x):
        self.model = self.model.to(self.device)
        for _ in range(2):
            self.model(x.to(self.device)).sum().backward()
            self.after()


class Averaging(Trainer):
    def __init__(self, model):
        super().__init__(model)
        self.shadow = Shadow(model)

    def after(self):
        self.shadow.update(self.model)


Averaging(Net()).fit(torch.ones(4, 3))
"""


def test_a_shadow_of_weights_does_not_move_one_layer() -> None:
    for layers in (
        "self.body = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))",
        "self.body = nn.Linear(3, 2)",
        "self.body = nn.Sequential(*[nn.Linear(3, 3) for _ in range(2)])",
    ):
        text = _BASE.format(layers=layers)
        fixed, _ = fix_texts({"main.py": text})
        assert fixed["main.py"] == text.replace("add_(v, ", "add_(v.to(s.device), ")


_MASKED = """
import torch
from torch import nn
from torch.nn.utils import parametrize

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Support(nn.Module):
    def __init__(self, weight, least):
        super().__init__()
        self.support = (weight.detach().abs() >= least).to(weight.dtype)

    def forward(self, w):
        return w * self.support


model = nn.Sequential(nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, 3))
for _, m in model.named_modules():
    if isinstance(m, nn.Linear):
        parametrize.register_parametrization(m, "weight", Support(m.weight, 0.1))
model.to(device)
model(torch.ones(4, 2, device=device))
"""


def test_what_a_module_keeps_of_weights_is_a_buffer() -> None:
    fixed, _ = fix_texts(files(_MASKED))
    assert fixed["main.py"] == _MASKED.replace(
        "self.support = (weight.detach().abs() >= least).to(weight.dtype)",
        'self.register_buffer("support", (weight.detach().abs() >= least).to(weight.dtype), persistent=False)',
    )


def test_what_is_computed_from_weights_where_they_are_stays() -> None:
    text = _MASKED.replace("model.to(device)\n", "").replace(
        "nn.Linear(64, 3))", "nn.Linear(64, 3)).to(device)"
    )
    assert fix_texts(files(text))[0]["main.py"] == text


_GIVEN = """
import torch
from torch import nn


class Shadow:
    def __init__(self, module):
        self.kept = {{k: v.detach().clone() for k, v in module.state_dict().items()}}

    def update(self, module):
        for k, v in module.state_dict().items():
            self.kept[k].mul_(0.9).add_(v, alpha=0.1)


class Net(nn.Module):
    def __init__(self, device):
        super().__init__()
        self.first = nn.Linear(3, 4)
        self.last = nn.Linear(4, 2)

    def forward(self, x):
        return self.last(self.first(x))


def fit(net, shadow, device):
    net = net.to(device)
    net(torch.ones(2, 3, device=device)).sum().backward()
    shadow.update(net)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = {made}
    fit(net, Shadow(net), device)


main()
"""


@pytest.mark.parametrize(
    "made",
    [
        "nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2))",
        "nn.Sequential(nn.Sequential(nn.Linear(3, 4), nn.ReLU()), nn.Sequential(nn.Linear(4, 2)))",
        "nn.Sequential(*[nn.Linear(3, 3) for _ in range(2)])",
    ],
)
def test_all_that_stands_in_a_container_moves_with_it(made: str) -> None:
    text = _GIVEN.format(made=made)
    fixed, _ = fix_texts({"main.py": text})
    assert fixed["main.py"] == text.replace(made, f"{made}.to(device)")


@pytest.mark.parametrize("made", ["Net(device)", "nn.DataParallel(nn.Sequential(nn.Linear(3, 2)))"])
def test_no_part_of_what_is_copied_elsewhere_moves_alone(made: str) -> None:
    text = _GIVEN.format(made=made)
    fixed, _ = fix_texts({"main.py": text})
    assert "nn.Linear(4, 2).to(" not in fixed["main.py"]
    assert "nn.Linear(3, 2)).to(" not in fixed["main.py"]
