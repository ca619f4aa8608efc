"""The Trainer of transformers calls the project's ``compute_loss`` once it trains, with a batch beside the model."""

from __future__ import annotations

import pytest
from text_program import clashes

PROGRAM = """
import torch
import torch.nn.functional as F
from torch import nn
from transformers import Trainer, TrainingArguments

class Rows(torch.utils.data.Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return {{"x": torch.randn(4), "labels": torch.tensor(1)}}

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.last = nn.Linear(4, 3)

    def forward(self, x):
        return self.last(x)

class Weighted(Trainer):
    def __init__(self, *args, weights, **kwargs):
        super().__init__(*args, **kwargs)
        self.weights = torch.tensor(weights){placed}

    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        return F.cross_entropy(model(inputs["x"]), inputs["labels"], weight=self.weights)

options = TrainingArguments("out"{options})
trainer = Weighted(model=Net(), args=options, weights=[1.0, 2.0, 4.0], train_dataset=Rows(), eval_dataset=Rows())
{used}
"""


@pytest.mark.parametrize("used", ["trainer.train()", "trainer.evaluate()", "trainer.predict(Rows())"])
def test_what_it_keeps_meets_the_batch(used: str) -> None:
    assert clashes(PROGRAM.format(placed="", options="", used=used))


@pytest.mark.parametrize("placed", [".cuda()", ".to(self.args.device)", ".to(options.device)"])
def test_what_it_moves_is_there(placed: str) -> None:
    assert clashes(PROGRAM.format(placed=placed, options="", used="trainer.train()")) == []


@pytest.mark.parametrize(
    ("options", "used"),
    [
        ("", "trainer.weights = trainer.weights.cuda()\ntrainer.train()"),
        (", use_cpu=True", "trainer.train()"),
        (", no_cuda=True", "trainer.train()"),
        ("", "trainer.save_model()"),
    ],
)
def test_what_does_not_meet_there_is_right(options: str, used: str) -> None:
    assert clashes(PROGRAM.format(placed="", options=options, used=used)) == []


def test_the_batch_is_of_its_dataset() -> None:
    text = PROGRAM.format(placed=".cuda()", options="", used="trainer.train()")
    assert clashes(text.replace('inputs["x"])', 'inputs["x"] + torch.zeros(4))'))
    assert clashes(text.replace('inputs["x"])', 'inputs["x"] + torch.zeros_like(inputs["x"]))')) == []


@pytest.mark.parametrize(
    ("sample", "used"),
    [
        ('"labels": 0.5', 'inputs["labels"]'),
        ('"label": 0.5', 'inputs["labels"]'),
        ('"label_ids": torch.tensor([0.5]).double()', 'inputs["labels"].float()'),
        ('"labels": 0.5, "text": "one"', 'inputs["labels"]'),
    ],
)
def test_its_own_collator_makes_float32_of_numbers_and_labels_of_each_label(sample: str, used: str) -> None:
    text = PROGRAM.format(placed=".cuda()", options="", used="trainer.train()")
    text = text.replace('"labels": torch.tensor(1)', sample)
    loss = f'F.binary_cross_entropy(model(inputs["x"])[:, 0].sigmoid(), {used})'
    text = text.replace(text[text.index("F.cross_entropy(") : text.index("\n\noptions")], loss)
    assert clashes(text) == []
    assert clashes(text.replace(used, f"{used}.cpu()"))


def test_arrays_keep_their_dtype_in_its_own_collator() -> None:
    text = PROGRAM.format(placed=".cuda()", options="", used="trainer.train()")
    text = text.replace("torch.randn(4)", "np.zeros(4)").replace(
        "import torch\n", "import numpy as np\nimport torch\n", 1
    )
    assert clashes(text)
    assert clashes(text.replace("np.zeros(4)", "np.zeros(4, dtype=np.float32)")) == []
    assert clashes(text.replace("args=options", "args=options, processing_class=object()")) == []


@pytest.mark.parametrize(
    ("options", "is_right"),
    [("", False), (", bf16=False", False), (", bf16=True", True), (", fp16=half", True)],
)
def test_a_step_is_computed_in_the_precision_it_is_told(options: str, is_right: bool) -> None:
    text = PROGRAM.format(placed=".cuda()", options=options, used="trainer.train()")
    text = text.replace('model(inputs["x"])', 'model(inputs["x"].half()).float()')
    assert (clashes("import sys\nhalf = len(sys.argv) > 1\n" + text) == []) is is_right


def test_its_own_collator_leaves_out_what_is_none() -> None:
    text = PROGRAM.format(placed=".cuda()", options=", remove_unused_columns=False", used="trainer.train()")
    text = text.replace(
        "        return F.cross",
        '        if inputs.get("more") is not None:\n            torch.zeros(2) + inputs["x"]\n        return F.cross',
    )
    assert clashes(text.replace('"labels": torch', '"more": None, "labels": torch')) == []
    assert clashes(text.replace('"labels": torch', '"more": 1, "labels": torch'))
    text = text.replace(", remove_unused_columns=False", "")
    assert clashes(text.replace('"labels": torch', '"more": 1, "labels": torch')) == []
