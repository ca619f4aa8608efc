"""What the Trainer of transformers calls of a program: steps, losses, metrics, callbacks, and the model itself."""

from __future__ import annotations

import pytest
from text_program import clashes

PROGRAM = """
import json
import torch
import torch.nn.functional as F
from torch import nn
from transformers import Trainer, TrainerCallback, TrainingArguments

class Rows(torch.utils.data.Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return {{"x": torch.randn(4), "labels": torch.tensor(1), "more": torch.zeros(2)}}

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.last = nn.Linear(4, 3)
        self.plain = torch.ones(3)

    def forward(self, x, labels=None):
        logits = self.last(x){inner}
        return {{"loss": F.cross_entropy(logits, labels), "logits": logits}}

class Own(Trainer):
    {own}

class Told(TrainerCallback):
    {told}

def from_outputs(outputs, labels, num_items_in_batch=None):
    {from_outputs}
    return F.cross_entropy(outputs["logits"], labels)

def narrow(logits, labels):
    {narrow}
    return logits

def metrics({takes}):
    logits, labels = given
    {metrics}
    return {{}}

trainer = {trainer}(
    model=Net(), args=TrainingArguments("out"{options}), train_dataset={rows}, eval_dataset=Rows(){given}
)
{used}
"""


def _clashes(**changes: str) -> list[str]:
    known = dict.fromkeys("own told from_outputs narrow metrics".split(), "pass")
    known |= {
        "inner": "",
        "trainer": "Own",
        "options": "",
        "rows": "Rows()",
        "given": "",
        "takes": "given",
        "used": "trainer.train()",
    }
    return clashes(PROGRAM.format(**(known | changes)))


_ALONE, _THERE = "torch.ones(3)", "torch.ones(3, device='cuda')"


@pytest.mark.parametrize("used", ["trainer.train()", "trainer.evaluate()", "trainer.predict(Rows())"])
@pytest.mark.parametrize("trainer", ["Trainer", "Own"])
def test_the_model_is_called_with_the_batch(used: str, trainer: str) -> None:
    assert _clashes(inner=" + self.plain", used=used, trainer=trainer)
    assert _clashes(inner=" + self.plain.to(x.device)", used=used, trainer=trainer) == []


def test_the_model_is_not_called_where_all_stays_on_the_cpu() -> None:
    assert _clashes(inner=" + x.new_ones(3)", options=", use_cpu=True") == []


def test_a_dataset_that_nobody_knows_gives_no_arguments() -> None:
    text = " + (torch.ones(3) if labels is None else 0)"
    assert _clashes(inner=text, rows="input()") == []


_STEP = """def training_step(self, model, inputs, num_items_in_batch=None):
        {first}
        loss = {loss}
        self.accelerator.backward(loss)
        return loss.detach()
"""


@pytest.mark.parametrize(
    ("first", "loss"),
    [
        (
            "inputs = self._prepare_inputs(inputs)",
            "model(**inputs)['loss'] + {}.sum() * inputs['x'].sum(0)[:3]",
        ),
        ("pass", "model(**inputs)['loss'] * torch.cat([{}, model.last.bias]).sum()"),
        ("pass", "self.compute_loss(model, inputs) * ({} * inputs['x'][0, :3]).sum()"),
        ("pass", "super().training_step(model, inputs) * ({} * inputs['x'][0, :3]).sum()"),
    ],
)
def test_a_step_of_its_own(first: str, loss: str) -> None:
    loss = loss.replace(".sum() *", " *")
    assert _clashes(own=_STEP.format(first=first, loss=loss.format(_ALONE)))
    assert (
        _clashes(
            own=_STEP.format(first=first, loss=loss.format("torch.ones(3, device=self.accelerator.device)"))
        )
        == []
    )


_PREDICTION = """def prediction_step(self, model, inputs, prediction_loss_only, ignore_keys=None):
        loss, logits, labels = super().prediction_step(model, inputs, prediction_loss_only)
        return loss, logits + {}, labels
"""


def test_a_prediction_of_its_own() -> None:
    own = _PREDICTION.format
    assert _clashes(own=own(_ALONE), used="trainer.evaluate()")
    assert _clashes(own=own("logits.new_ones(3)"), used="trainer.evaluate()") == []
    assert _clashes(own=own(_ALONE)) == []  # which training does not call
    assert _clashes(own=own(_ALONE), options=', eval_strategy="epoch"')
    assert _clashes(own=own(_ALONE), options=', eval_strategy="no"') == []


@pytest.mark.parametrize(
    ("role", "text", "given", "used"),
    [
        ("from_outputs", 'outputs["logits"] * {}', ", compute_loss_func=from_outputs", "trainer.train()"),
        ("narrow", "logits * {}", ", preprocess_logits_for_metrics=narrow", "trainer.predict(Rows())"),
        (
            "narrow",
            "logits * {}",
            ", preprocess_logits_for_metrics=narrow, compute_metrics=metrics",
            "trainer.evaluate()",
        ),
    ],
)
def test_functions_that_it_is_given_see_what_is_there(role: str, text: str, given: str, used: str) -> None:
    assert _clashes(**{role: text.format(_ALONE)}, given=given, used=used)
    assert _clashes(**{role: text.format(_THERE)}, given=given, used=used) == []
    assert _clashes(**{role: text.format(_ALONE)}, used=used) == []


_LOADER = """def get_{}_dataloader(self, *given):
        def collate(rows):
            return {{"x": torch.stack([row["x"] for row in rows]), "labels": torch.tensor([{}] * len(rows))}}

        return torch.utils.data.DataLoader(Rows(), 4, collate_fn=collate)

    {}
"""


@pytest.mark.parametrize(
    ("role", "used"),
    [("train", "train()"), ("eval", "evaluate()"), ("test", "predict(Rows())")],
)
def test_a_loader_of_the_program_gives_the_batches(role: str, used: str) -> None:
    for label, right in (("1.5", False), ("1", True)):
        own = _LOADER.format(role, label, "pass")
        used_labels = "; F.one_hot(labels, 3)"
        assert (_clashes(own=own, used=f"trainer.{used}", inner=used_labels) == []) is right


def test_a_loader_of_the_program_leaves_batches_where_they_are_for_its_own_step() -> None:
    step = "def training_step(self, model, inputs, *more):\n        "
    assert _clashes(own=_LOADER.format("train", "1", f"{step}inputs['x'].numpy()")) == []
    assert _clashes(own=_LOADER.format("train", "1", f"{step}model(**inputs)"))
    assert _clashes(own=f"{step}inputs['x'].numpy()")


@pytest.mark.parametrize("step", ["", "return super().training_step(model, inputs)"])
def test_what_a_program_prepares_is_what_the_model_gets(step: str) -> None:
    own = "def _prepare_inputs(self, inputs):\n        inputs = super()._prepare_inputs(inputs)\n"
    own += "        return {{**inputs, 'x': inputs['x']{}}}\n\n"
    own += f"    def training_step(self, model, inputs, *more):\n        {step}\n" if step else ""
    assert _clashes(own=own.format(".cpu()"))
    assert _clashes(own=own.format("")) == []


def test_where_nothing_is_measured_the_loss_alone_counts() -> None:
    given = ", preprocess_logits_for_metrics=narrow"
    assert _clashes(narrow=f"logits * {_ALONE}", given=given, used="trainer.evaluate()") == []
    own = "def prediction_step(self, model, inputs, prediction_loss_only, ignore_keys=None):\n"
    own += "        return None if prediction_loss_only else inputs['x'] + torch.ones(4)"
    assert _clashes(own=own, used="trainer.evaluate()") == []
    assert _clashes(own=own, used="trainer.evaluate()", given=", compute_metrics=metrics")


def test_metrics_are_told_arrays() -> None:
    of = "torch.tensor({}) + {}".format
    given = {"given": ", compute_metrics=metrics", "used": "trainer.evaluate()"}
    for told in ("logits", "given.predictions", "given[0]"):
        assert _clashes(metrics=of(told, _THERE), **given)
        assert _clashes(metrics=of(told, _ALONE), **given) == []


@pytest.mark.parametrize(
    ("options", "takes", "arrays"),
    [
        (", batch_eval_metrics=True", "given, compute_result=False", False),
        (", **json.load(open('options'))", "given, compute_result=False", False),
        (", **json.load(open('options'))", "given", True),
        ("", "given, threshold=0.5", True),
    ],
)
def test_metrics_of_each_batch_are_told_tensors(options: str, takes: str, arrays: bool) -> None:
    given = {"given": ", compute_metrics=metrics", "used": "trainer.evaluate()"}
    found = _clashes(metrics=f"logits + {_THERE}", options=options, takes=takes, **given)
    assert (found != []) is arrays


@pytest.mark.parametrize(("options", "known"), [("", True), (", **json.load(open('options'))", False)])
def test_a_trainer_that_may_be_told_more_may_use_autocast(options: str, known: bool) -> None:
    own = "def compute_loss(self, model, inputs, return_outputs=False, **kwargs):\n"
    own += "        return model.last(inputs['x']) @ torch.ones(3, 2, device='cuda').half()"
    assert (_clashes(own=own, options=options) != []) is known


@pytest.mark.parametrize(
    "event", ["on_train_begin", "on_epoch_begin", "on_step_end", "on_epoch_end", "on_train_end"]
)
@pytest.mark.parametrize("how", [", callbacks=[Told()]", ""])
def test_callbacks_are_told_of_the_model(event: str, how: str) -> None:
    told = f"def {event}(self, args, state, control, model=None, **kwargs):\n        model.last({{}})"
    used = "trainer.train()" if how else "trainer.add_callback(Told())\ntrainer.train()"
    assert _clashes(told=told.format("torch.ones(2, 4)"), given=how, used=used)
    assert _clashes(told=told.format("torch.ones(2, 4, device=args.device)"), given=how, used=used) == []


def test_what_makes_the_optimizer_comes_before_the_first_step() -> None:
    own = "def create_optimizer(self):\n        self.made = torch.ones(3{})\n\n"
    own += "    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):\n"
    own += '        return (model.last(inputs["x"]) + self.made).sum()'
    assert _clashes(own=own.format(""))
    assert _clashes(own=own.format(", device=self.args.device")) == []
