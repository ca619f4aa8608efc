"""A module that tells where it is by its class is asked for its own ``device``, any other for that of its parameters."""

from __future__ import annotations

import pytest
from text_program import fix_texts

LIGHTNING = """\
import lightning as L
import torch


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(4, 3)

    def forward(self, x):
        return self.fc(x)

    def training_step(self, batch, index):
        return self.fc(batch[0]).sum()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


class Show(L.Callback):
    def on_train_epoch_end(self, trainer, module):
        print(module(torch.ones(2, 4{made})))


data = torch.utils.data.TensorDataset(torch.randn(8, 4))
trainer = L.Trainer(accelerator="gpu", callbacks=[Show()])
trainer.fit(Net(), torch.utils.data.DataLoader(data))
"""


def test_a_callback_asks_the_module_that_it_is_given() -> None:
    fixed = fix_texts({"main.py": LIGHTNING.format(made="")})[0]["main.py"]
    assert fixed == LIGHTNING.format(made=", device=module.device")


ANNOTATED = """\
import torch
{imported}


def score(model: {noted}, rows):
    return model(torch.zeros(rows, 4{made}))


net = torch.nn.Linear(4, 3).to("cuda")
print(score(net, 2))
"""


@pytest.mark.parametrize(
    ("imported", "noted", "device"),
    [
        ("from transformers import PreTrainedModel", "PreTrainedModel", "model.device"),
        ("import pytorch_lightning as pl", "pl.LightningModule", "model.device"),
        ("from diffusers import ModelMixin", '"ModelMixin"', "model.device"),
        ("from torch import nn", "nn.Module", "next(model.parameters()).device"),
        ("from own import PreTrainedModel", "PreTrainedModel", "next(model.parameters()).device"),
    ],
)
def test_an_annotation_tells_what_a_model_can_be_asked(imported: str, noted: str, device: str) -> None:
    parts = {"imported": imported, "noted": noted}
    fixed = fix_texts({"main.py": ANNOTATED.format(**parts, made="")})[0]["main.py"]
    assert fixed == ANNOTATED.format(**parts, made=f", device={device}")
