"""What Lightning makes of the arguments of a module, of a file of one, and of what the steps return."""

from __future__ import annotations

import pytest
from text_program import clashes

KEPT = """
import lightning as L
import torch
from torch import nn

class Net(L.LightningModule):
    def __init__(self, size, weights=None, extra=torch.ones(3), **others):
        super().__init__()
        self.save_hyperparameters({saved})
        self.last = nn.Linear(3, 3)

    def forward(self, x):
        return self.last(x) * {used}

net = Net(3, weights=torch.ones(3), late=torch.ones(3)).cuda()
net(torch.ones(2, 3).cuda())
"""


@pytest.mark.parametrize(
    ("saved", "used"),
    [
        ("", "self.hparams.weights"),
        ("", "self.hparams.extra"),
        ("", "self.hparams.late"),
        ("", "torch.ones(self.hparams.size)"),
        ("'weights'", "self.hparams.weights"),
        ("ignore=['size', 'extra']", "self.hparams.weights"),
        ("{'weights': weights}", "self.hparams.weights"),
    ],
)
def test_what_the_constructor_was_given_is_kept(saved: str, used: str) -> None:
    assert clashes(KEPT.format(saved=saved, used=used))
    assert clashes(KEPT.format(saved=saved, used=f"{used}.to(self.device)")) == []


@pytest.mark.parametrize(
    ("saved", "used"),
    [
        ("", "self.hparams.size"),
        ("'size'", "self.hparams.weights"),
        ("ignore='weights'", "self.hparams.weights"),
        ("ignore=['size', 'weights']", "self.hparams.weights"),
        ("{'weights': 2.0}", "self.hparams.weights"),
    ],
)
def test_what_is_not_kept_is_unknown(saved: str, used: str) -> None:
    assert clashes(KEPT.format(saved=saved, used=used)) == []


RESTORED = """
import lightning as L
import torch
from torch import nn
from transformers import BertModel, PretrainedConfig, PreTrainedModel

class Lit(L.LightningModule):
    def __init__(self, net):
        super().__init__()
        self.last = nn.Linear(3, 3)

    def forward(self, x):
        return self.last(x)

class Own(PreTrainedModel):
    config_class = PretrainedConfig

    def __init__(self, config):
        super().__init__(config)
        self.last = nn.Linear(3, 3)

    def forward(self, x):
        return self.last(x)

net = {made}
net(torch.ones(2, 3){there})
"""


@pytest.mark.parametrize(
    ("made", "there"),
    [
        ("Lit.load_from_checkpoint('a.ckpt').cuda()", ""),
        ("Lit.load_from_checkpoint('a.ckpt', map_location='cpu')", ".cuda()"),
        ("Lit.load_from_checkpoint('a.ckpt', map_location='cuda')", ""),
        ("Lit.load_from_checkpoint('a.ckpt', 'cuda')", ""),
        ("Own.from_pretrained('a').cuda()", ""),
        ("Own.from_pretrained('a')", ".cuda()"),
    ],
)
def test_a_restored_model_is_where_it_was_put(made: str, there: str) -> None:
    assert clashes(RESTORED.format(made=made, there=there))
    assert clashes(RESTORED.format(made=made, there="" if there else ".cuda()")) == []


@pytest.mark.parametrize(
    "made",
    [
        "Lit.load_from_checkpoint('a.ckpt')",
        "Lit.load_from_checkpoint('a.ckpt', map_location=lambda storage, location: None)",
        "Own.from_pretrained('a', device_map='auto')",
    ],
)
@pytest.mark.parametrize("there", ["", ".cuda()"])
def test_where_a_file_puts_a_model_is_unknown(made: str, there: str) -> None:
    assert clashes(RESTORED.format(made=made, there=there)) == []


FIT = """
import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.automatic_optimization = {automatic}
        self.last = nn.Linear(3, 3)
        self.probe = torch.zeros(3)

    def configure_optimizers(self):
        {configured}
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def training_step(self, batch, batch_idx):
        {trained}
        return self.last(batch[0]).sum()

    def validation_step(self, batch, batch_idx):
        return self.last(batch[0]) + {validated}

    def predict_step(self, batch, batch_idx):
        return self.last(batch[0])

    {hook}

loader = DataLoader(TensorDataset(torch.zeros(8, 3)))
net, trainer = Net(), L.Trainer({options})
{run}
"""


def _fit(**changes: str) -> list[str]:
    known = {
        "automatic": "True",
        "configured": "pass",
        "trained": "pass",
        "validated": "0",
        "hook": "pass",
        "options": "",
        "run": "trainer.fit(net, loader, loader)",
    }
    return clashes(FIT.format(**(known | changes)))


def test_optimizers_are_made_where_the_module_is() -> None:
    made = "self.made = torch.zeros(3{})"
    used = "self.last(batch[0]) + self.made"
    assert _fit(configured=made.format(""), trained=used)
    assert _fit(configured=made.format(", device=self.device"), trained=used) == []
    assert _fit(configured=made.format(""), trained=used, options='accelerator="cpu"') == []
    assert _fit(configured="self.probe = self.probe.cuda()", trained="self.last(batch[0]) + self.probe") == []


@pytest.mark.parametrize(
    ("hook", "automatic"),
    [
        ("on_before_zero_grad(self, optimizer)", "True"),
        ("on_before_backward(self, loss)", "False"),
        ("on_after_backward(self)", "True"),
        ("on_before_optimizer_step(self, optimizer)", "True"),
        ("optimizer_step(self, epoch, batch_idx, optimizer, optimizer_closure)", "True"),
    ],
)
def test_hooks_around_the_step_of_the_optimizer(hook: str, automatic: str) -> None:
    text = f"def {hook}:\n        self.last.weight.data.mul_({{}})"
    assert _fit(hook=text.format("torch.ones(3)"), automatic=automatic)
    assert _fit(hook=text.format("torch.ones(3, device=self.device)"), automatic=automatic) == []


@pytest.mark.parametrize(
    ("options", "is_right"),
    [
        ("", False),
        ("num_sanity_val_steps=2", False),
        ("num_sanity_val_steps=0", True),
        ("fast_dev_run=True", True),
        ("**{'num_sanity_val_steps': int(input())}", True),
        ("**vars(input())", True),
    ],
)
def test_a_few_batches_are_validated_before_training(options: str, is_right: bool) -> None:
    moves = "def on_train_start(self):\n        self.probe = self.probe.to(self.device)"
    assert (_fit(hook=moves, validated="self.probe", options=options) == []) is is_right


def test_nothing_is_validated_where_there_is_no_step() -> None:
    text = FIT.format(
        automatic="True", configured="pass", trained="self.last(batch[0]) + self.probe", validated="0", options="",
        hook="def on_validation_start(self):\n        self.probe = self.probe.to(self.device)",
        run="trainer.fit(net, loader, loader)",
    )  # fmt: skip
    assert clashes(text) == []
    assert clashes(text.replace("def validation_step", "def valid"))


def test_predictions_come_back_to_the_cpu() -> None:
    run = "made = torch.cat(trainer.predict(net, loader))\nmade + torch.zeros(3{})"
    assert _fit(run=run.format("")) == []
    assert _fit(run=run.format(", device='cuda'"))


def test_what_writes_predictions_is_told_them_where_they_are() -> None:
    text = FIT.format(
        automatic="True", configured="pass", trained="pass", validated="0", hook="pass", options="callbacks=[Writer()]",
        run="trainer.predict(net, loader)",
    )  # fmt: skip
    writer = """
from lightning.pytorch.callbacks import BasePredictionWriter

class Writer(BasePredictionWriter):
    def write_on_batch_end(self, trainer, pl_module, prediction, batch_indices, batch, batch_idx, dataloader_idx):
        (prediction + batch[0]).numpy()
"""
    assert clashes(writer + text)
    assert clashes(writer.replace(".numpy", ".cpu().numpy") + text) == []


def test_a_trainer_takes_the_module_that_it_trained() -> None:
    run = "trainer.fit(net, loader)\ntrainer.validate(dataloaders=loader)"
    made = "def on_validation_start(self):\n        self.probe = torch.zeros(3{})"
    assert _fit(run=run, hook=made.format(""), validated="self.probe")
    assert _fit(run=run, hook=made.format(", device=self.device"), validated="self.probe") == []
