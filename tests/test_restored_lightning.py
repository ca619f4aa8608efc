"""A LightningModule that is read from a file in some runs and made in others is one module in each."""

from __future__ import annotations

import pytest
from text_program import clashes

PROGRAM = """
import os
import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
loader = DataLoader(TensorDataset(torch.randn(8, 3)), batch_size=4)


class Net(L.LightningModule):
    def __init__(self, width):
        super().__init__()
        self.last = nn.Linear(3, width)

    def forward(self, x):
        return self.last(x)

    def training_step(self, batch, i):
        return self(batch[0]).sum()

    def test_step(self, batch, i):
        self.log("loss", self(batch[0]).sum())

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


trainer = L.Trainer(accelerator="auto", devices=1{told})
if os.path.isfile("net.ckpt"):
    net = Net.load_from_checkpoint("net.ckpt")
else:
    net = Net(2)
    {fit}
{test}
x = torch.ones(2, 3)
print(net({given}).detach(){read})
"""
FIT = "trainer.fit(net, loader)"


def found(given: str, test: str = "", *, fit: str = FIT, read: str = "", told: str = "") -> list[str]:
    """What is found in a program that goes on from a file."""
    return clashes(PROGRAM.format(fit=fit, test=test, given=given, read=read, told=told))


@pytest.mark.parametrize("fit", [FIT, "net.eval()"])
@pytest.mark.parametrize("given", ["x.to(net.device)", "x.to(device=net.device)"])
def test_its_device_is_where_it_is_in_each_run(given: str, fit: str) -> None:
    assert found(given, fit=fit) == []
    assert found("x.to(device)", fit=fit)  # a run that makes it has it on the CPU
    assert found("x.to(device)", "net.cpu()", fit=fit)


def test_what_moved_everywhere_has_a_device_that_is_known() -> None:
    assert found("x", "net.to(device)")
    assert found("x.to(net.device)", "net.to(device)") == []
    assert found("x.to(net.device)", "net.to(device)", read=".numpy()")


@pytest.mark.parametrize(
    "test", ["trainer.test(net.to(device), loader)", "net.to(device)\ntrainer.test(net, loader)"]
)
def test_a_trainer_brings_either_back_to_the_cpu(test: str) -> None:
    assert found("x", test, read=".numpy()") == []
    assert found("x.to(device)", test)


def test_it_stays_there_where_an_old_trainer_leaves_it() -> None:
    test = "net.to(device)\ntrainer.test(net, loader)"
    assert found("x.to(device)", test, fit="net.eval()", told=", gpus=1") == []
