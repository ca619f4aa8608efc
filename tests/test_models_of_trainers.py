"""A Trainer of transformers that is given one of several models moves whichever it is."""

from __future__ import annotations

import pytest
from text_program import clashes

PROGRAM = """
import torch
from torch import nn
from transformers import AutoModelForSequenceClassification, Trainer

class Pooled(nn.Module):
    def __init__(self):
        super().__init__()
        self.classifier = nn.Linear(8, 2)

    def forward(self, input_ids):
        return self.classifier(input_ids)

class Smoothing(Trainer):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.smoothing = 0.1

def run(options, dataset):
    if options.pooling:
        model = Pooled()
    else:
        model = {other}
    {trained}
    return model(input_ids=torch.zeros(2, 8, device="cuda"))
"""
OTHERS = ("AutoModelForSequenceClassification.from_pretrained(options.name)", "nn.Sequential(Pooled())")


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("trainer", ["Trainer", "Smoothing"])
def test_each_of_them_is_moved(other: str, trainer: str) -> None:
    trained = f"{trainer}(model=model, train_dataset=dataset).train()"
    assert clashes(PROGRAM.format(other=other, trained=trained)) == []


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("trained", ["pass", "Trainer(model=Pooled(), train_dataset=dataset)"])
def test_what_no_trainer_was_given_stays(other: str, trained: str) -> None:
    assert clashes(PROGRAM.format(other=other, trained=trained))


@pytest.mark.parametrize("given", ["None", "None if options.anew else Pooled()"])
def test_what_it_makes_itself_is_there(given: str) -> None:
    text = PROGRAM.replace(
        "self.smoothing = 0.1",
        "self.weights = torch.zeros(2)\n        if self.model is not None:\n            self.weights = self.weights.cuda()",
    )
    trained = f"trainer = Smoothing(model={given}, model_init=Pooled)"
    used = 'return trainer.weights + torch.zeros(2, device="cuda")'
    text = text.format(other="Pooled()", trained=trained).partition("    return model(")[0] + f"    {used}\n"
    assert clashes(text) == []
