"""What meets a layer that is one of several in its turn takes no device from it: an activation has no parameters."""

from __future__ import annotations

from text_program import files, fix_texts

from devfix.findings import Applicability

NET = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(4, 4), {second})

    def forward(self, img):
        for layer in self.features:
            img = layer(img)
        return img
"""
MAIN = """
import torch
from net import Net


class Trainer:
    def __init__(self, device):
        self.device = device
        self.predict = {1: self.whole, 2: self.moved}[int(input())]

    def whole(self, model, row):
        return model(*row)

    def moved(self, model, row):
        return model(row[0].to(self.device))

    def run(self, model, data):
        model = model.to(self.device)
        for row in data:
            self.predict(model, row)


Trainer(torch.device("cuda")).run(Net(), [(torch.rand(1, 4),), (torch.rand(1, 4),)])
"""


def test_no_device_comes_from_a_layer_without_parameters() -> None:
    after, _ = fix_texts(files(MAIN, net=NET.format(second="nn.ReLU()")), Applicability.SAFE)
    assert "layer.parameters()" not in after["net.py"]


def test_a_layer_that_always_has_some_tells_its_device() -> None:
    text = """
    import torch
    from torch import nn


    def run(layer, made):
        return layer(made.view(-1, 4))


    def start(layer):
        layer = layer.cuda()
        return run(layer, torch.ones(2, 4))


    start(nn.Linear(4, 4))
    """
    after, _ = fix_texts(files(text), Applicability.SAFE)
    assert ".to(next(layer.parameters()).device)" in after["main.py"]
