"""A class derived from the Trainer of transformers moves what it is made with by ``self.args.device``."""

from __future__ import annotations

import pytest
from text_program import files, fix_texts

TRAINER = """
    import torch
    import transformers
    from torch import nn
    from transformers import BertConfig, BertForSequenceClassification, Seq2SeqTrainer, TrainingArguments

    class Weighted({base}):
        def __init__(self, *args, class_weights{default}, **kwargs):
            {constructor}

        def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
            labels = inputs.pop("labels")
            logits = model(**inputs).logits
            loss = self.criterion(logits, labels)
            return (loss, logits) if return_outputs else loss

    def frequencies(rows):
        return torch.tensor([1.0, float(len(rows))])

    rows = [{{"input_ids": torch.ones(4).long(), "labels": torch.tensor(1)}} for _ in range(4)]
    trainer = Weighted(
        model=BertForSequenceClassification(BertConfig(num_labels=2)),
        args=TrainingArguments(output_dir="out"{options}),
        train_dataset=rows,
        class_weights=frequencies(rows),
    )
    trainer.train()
"""
BEGIN = "super().__init__(*args, **kwargs)\n            "
MADE = "self.criterion = nn.CrossEntropyLoss(weight=class_weights)"


def repaired(
    base: str = "transformers.Trainer", default: str = "", constructor: str = BEGIN + MADE, options: str = ""
) -> tuple[str, str]:
    text = TRAINER.format(base=base, default=default, constructor=constructor, options=options)
    texts = files(text)
    return texts["main.py"], fix_texts(texts)[0]["main.py"]


@pytest.mark.parametrize("base", ["transformers.Trainer", "Seq2SeqTrainer"])
def test_the_weights_of_a_loss_move_where_the_loss_is_made(base: str) -> None:
    before, after = repaired(base)
    assert after == before.replace("weight=class_weights)", "weight=class_weights.to(self.args.device))")


def test_the_loss_moves_where_there_may_be_no_weights() -> None:
    before, after = repaired(default="=None")
    assert after == before.replace(MADE, f"{MADE}.to(self.args.device)")


@pytest.mark.parametrize(
    "constructor",
    [
        f"{MADE}\n            super().__init__(*args, **kwargs)",
        f"{BEGIN}self.args = kwargs['args']\n            {MADE}",
    ],
)
def test_nobody_asks_options_that_are_not_there_yet_or_were_set_anew(constructor: str) -> None:
    _, after = repaired(constructor=constructor)
    assert "self.args.device" not in after


def test_a_trainer_on_the_cpu_stays_as_it_is() -> None:
    before, after = repaired(options=", use_cpu=True")
    assert after == before


def test_a_class_between_may_set_the_options_anew() -> None:
    """What it sets is no attribute of the class that moves the weights."""
    between = f"super().__init__(*args, **kwargs)\n{8 * ' '}{{}}\n\nclass Weighted(Between):\n    def"
    own = "def __init__(self, *args, class_weights, **kwargs):"
    for said, known in (("self.args = dict(kwargs)", False), ("self.rate = 1", True)):
        text = files(
            TRAINER.format(base="transformers.Trainer", default="", constructor=BEGIN + MADE, options="")
        )["main.py"]
        derived = text.replace("class Weighted(", "class Between(").replace(
            own, "def __init__(self, *args, **kwargs):\n" + 8 * " " + between.format(said) + own[3:], 1
        )
        after = fix_texts({"main.py": derived})[0]["main.py"]
        assert ("self.args.device" in after) is known
