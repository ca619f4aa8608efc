"""Trainers compute their steps in the precision that they are told, in which some numbers are too large."""

from __future__ import annotations

import pytest
import torch
from text_program import clashes

MODEL = """
import sys
import torch
from torch import nn
from torch.utils.data import DataLoader

class Net({base}):
    def __init__(self):
        super().__init__()
        self.last = nn.Linear(4, 4)

    def forward(self, x, labels):
        scores = self.last(x)
        scores = scores.masked_fill(x > 0, {number})
        return {{"loss": scores.sum(), "scores": scores}}

{trainer}
"""
HF = """
from transformers import Trainer, TrainingArguments

def collate(rows):
    return {{"x": torch.stack([row[0] for row in rows]), "labels": torch.tensor([row[1] for row in rows])}}

class Own(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False):
        made = model(**inputs)
        {beside}
        return (made["loss"], made) if return_outputs else made["loss"]

half = len(sys.argv) > 1
rows = [(torch.randn(4), 1)] * 8
net = Net().cuda()
Own(model=net, args=TrainingArguments("out"{options}), train_dataset=rows, data_collator=collate).train()
print(net(torch.ones(2, 4).cuda(), None))
"""
LIGHTNING = """
import lightning as L

class Lit(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = Net()

    def training_step(self, batch, number):
        return self.net(batch, None)["loss"]

half = len(sys.argv) > 1
L.Trainer({options}).fit(Lit(), DataLoader(torch.zeros(8, 4)))
"""


def _hf(options: str, number: str = "-1e9", beside: str = "pass") -> str:
    trainer = HF.format(options=options, beside=beside)
    return MODEL.format(base="nn.Module", number=number, trainer=trainer)


def _lightning(options: str, number: str = "-1e9") -> str:
    return MODEL.format(base="nn.Module", number=number, trainer=LIGHTNING.format(options=options))


@pytest.mark.parametrize(
    "options", [", fp16=True", ", fp16=torch.cuda.is_available()", ", fp16=True, bf16=False"]
)
def test_the_trainer_of_transformers_computes_in_halves(options: str) -> None:
    assert [each for each in clashes(_hf(options)) if "value-range" in each]
    assert clashes(_hf(options, "torch.finfo(scores.dtype).min")) == []


@pytest.mark.parametrize("options", ['precision="16-mixed"', "precision=16", 'precision=16, strategy="ddp"'])
def test_the_trainer_of_lightning_computes_in_halves(options: str) -> None:
    assert [each for each in clashes(_lightning(options)) if "value-range" in each]
    assert clashes(_lightning(options, "torch.finfo(scores.dtype).min")) == []


#: An option for the precision, and a switch that nobody turns as a rule.
PARSED = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--precision", default={default})
parser.add_argument("--full", action="store_false")
parser.add_argument("--half", action="store_true")
told = parser.parse_args()
"""


def _told(text: str, default: str = '"32"') -> str:
    return PARSED.format(default=default) + text


@pytest.mark.parametrize(
    ("text", "default"),
    [
        (_lightning("precision=told.precision"), '"16-mixed"'),
        (_lightning("precision=told.precision"), "16"),
        (_lightning('precision="16-mixed" if told.full else "32-true"'), "None"),
        (_hf(", fp16=told.full, bf16=told.half"), "None"),
    ],
)
def test_of_an_option_the_default_tells_the_precision(text: str, default: str) -> None:
    assert [each for each in clashes(_told(text, default)) if "value-range" in each]


@pytest.mark.parametrize(
    ("text", "default"),
    [
        (_lightning("precision=told.precision"), '"bf16-mixed"'),
        (_lightning("precision=told.precision"), '"32-true"'),
        (_lightning("precision=told.precision"), "None"),
        (_lightning('precision="16-mixed" if told.half else "32-true"'), "None"),
        (_hf(", fp16=told.half"), "None"),
        (_hf(", fp16=told.full, bf16=told.full"), "None"),
    ],
)
def test_an_option_that_is_usually_off_is_off(text: str, default: str) -> None:
    assert not [each for each in clashes(_told(text, default)) if "value-range" in each]


@pytest.mark.parametrize(
    "text",
    [_lightning("precision=told.precision"), _hf(", fp16=told.half"), _hf(", fp16_full_eval=told.half")],
)
def test_a_step_in_the_usual_full_precision_casts_nothing(text: str) -> None:
    text = text.replace("print(net(torch.ones(2, 4).cuda(), None))", "")
    halved = text.replace("self.last(x)", "self.last(x.half())")
    assert [each for each in clashes(_told(halved)) if "dtype" in each]
    assert clashes(_told(halved, '"bf16-mixed"').replace("told.half", "sys.argv[1]")) == []
    assert clashes(_told(text)) == []


@pytest.mark.parametrize(
    "text",
    [
        _hf(""),
        _hf(", bf16=True"),
        _hf(", fp16=False"),
        _hf(", fp16=half"),
        _hf(", fp16=True, bf16=half"),
        _hf(", fp16=True, use_cpu=True"),
        _hf(', fp16=True, deepspeed="zero.json"'),
        _hf(", fp16=True, **options"),
        _hf(", fp16=True", "-1e4"),
        _lightning(""),
        _lightning('precision="bf16-mixed"'),
        _lightning('precision="32-true"'),
        _lightning('precision="16-mixed" if half else "32-true"'),
        _lightning('precision="16-mixed", accelerator="cpu"'),
        _lightning('precision="16-mixed", strategy="deepspeed"'),
        _lightning("precision=16", "-1e4"),
    ],
)
def test_a_number_that_fits_or_may_fit_is_right(text: str) -> None:
    assert not [each for each in clashes(text) if "value-range" in each]


@pytest.mark.parametrize(
    "beside",
    ['made["scores"] @ torch.ones(4, 2).cuda()', 'made["scores"].masked_fill_(inputs["x"] > 0, -1e9)'],
)
def test_what_the_model_gives_is_wide_again(beside: str) -> None:
    assert clashes(_hf(", fp16=True", "-1e4", beside)) == []


def test_halves_have_no_such_numbers() -> None:
    with pytest.raises(RuntimeError, match="without overflow"):
        torch.zeros(2, dtype=torch.float16).masked_fill(torch.tensor([True, False]), -1e9)
    torch.zeros(2, dtype=torch.bfloat16).masked_fill(torch.tensor([True, False]), -1e9)
