"""Lightning calls the hooks of the module and of its callbacks around the steps, where the module is by then."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

PROGRAM = """
import lightning as L
import torch
from lightning.pytorch.callbacks import Callback
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.last = nn.Linear(3, 3)
        {kept}

    def training_step(self, batch, batch_idx):
        return self.last(batch[0]).sum()

    def validation_step(self, batch, batch_idx):
        return self.last(batch[0])

    {own}

class Watch(Callback):
    {watch}

loader = DataLoader(TensorDataset(torch.zeros(8, 3)))
net = Net()
trainer = L.Trainer(callbacks={callbacks}{options})
trainer.{method}(net, loader)
"""
_PLAIN = "self.probe = torch.zeros(2, 3)"
_BUFFER = 'self.register_buffer("probe", torch.zeros(2, 3), persistent=False)'
_OWN = "def {}(self):\n        self.last(self.probe)"
_WATCH = "def {}(self, trainer, pl_module):\n        pl_module.last(pl_module.probe)"


def _program(kept: str = _PLAIN, **changes: str) -> str:
    known = {"own": "pass", "watch": "pass", "callbacks": "[Watch()]", "options": "", "method": "fit"}
    return PROGRAM.format(kept=kept, **(known | changes))


@pytest.mark.parametrize(
    "changes",
    [
        {"own": _OWN.format("on_train_epoch_end")},
        {"own": _OWN.format("on_train_start")},
        {"own": _OWN.format("on_validation_epoch_end"), "method": "validate"},
        {"watch": _WATCH.format("on_train_epoch_end")},
        {"watch": _WATCH.format("on_train_epoch_start"), "callbacks": "Watch()"},
        {
            "watch": "def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):\n"
            "        pl_module.last(pl_module.probe) + batch[0]"
        },
    ],
)
def test_hooks_meet_what_was_moved(changes: dict[str, str]) -> None:
    assert clashes(_program(**changes))
    assert clashes(_program(_BUFFER, **changes)) == []


@pytest.mark.parametrize(
    "changes",
    [
        {"watch": _WATCH.format("on_train_epoch_end"), "callbacks": "[]"},
        {"watch": _WATCH.format("on_train_epoch_end"), "options": ', accelerator="cpu"'},
        {"watch": _WATCH.format("summary")},  # no hook
    ],
)
def test_what_is_not_called_there_is_right(changes: dict[str, str]) -> None:
    assert clashes(_program(**changes)) == []


@pytest.mark.parametrize("step", ["validation", "test", "predict"])
def test_steps_that_do_not_train_record_nothing(step: str) -> None:
    method = "validate" if step == "validation" else step
    own = f"def {step}_step(self, batch, batch_idx):\n        print(self.last(batch[0]){{}}.numpy())"
    text = _program(own=own.format(""), method=method)
    assert fix_texts({"main.py": text})[0]["main.py"] == _program(own=own.format(".cpu()"), method=method)


_MOVES = "def {}:\n        {who}.probe = {who}.probe.cuda()"
_ENDS = "\n\n    " + _OWN.format("on_train_epoch_end")


@pytest.mark.parametrize(
    "hook",
    [
        "setup(self, stage)",
        "configure_model(self)",
        "on_fit_start(self)",
        "on_train_start(self)",
        "on_train_batch_start(self, batch, batch_idx)",
    ],
)
def test_what_an_earlier_hook_has_moved_is_there(hook: str) -> None:
    assert clashes(_program(own=_MOVES.format(hook, who="self") + _ENDS)) == []
    assert clashes(_program(own=_MOVES.format("on_test_start(self)", who="self") + _ENDS))


@pytest.mark.parametrize(
    "hook",
    [
        "setup(self, trainer, pl_module, stage)",
        "on_fit_start(self, trainer, pl_module)",
        "on_train_batch_start(self, trainer, pl_module, batch, batch_idx)",
    ],
)
def test_what_a_callback_has_moved_is_there(hook: str) -> None:
    moves = _MOVES.format(hook, who="pl_module")
    assert clashes(_program(own=_ENDS.strip(), watch=moves)) == []


def test_validation_comes_within_training() -> None:
    text = _program(_BUFFER, own=_MOVES.format("{}(self)", who="self").replace("cuda", "cpu"))
    text = text.replace(
        "return self.last(batch[0])\n", "return self.last(batch[0]) + self.last(self.probe).sum()\n"
    )
    text = text.replace("(net, loader)", "(net, loader, loader)")
    assert clashes(text.replace("{}", "on_train_end")) == []
    assert clashes(text.replace("{}", "on_validation_start"))


@pytest.mark.parametrize(
    ("precision", "dtype", "is_right"),
    [
        ("32", "half", False),
        ('"32-true"', "double", False),
        ('"16-mixed"', "half", True),
        ('"bf16-mixed"', "half", True),
        ('"16-mixed"', "double", False),
        ('"64-true"', "double", True),
        ('"bf16-true"', "bfloat16", True),
    ],
)
def test_the_trainer_chooses_the_precision(precision: str, dtype: str, is_right: bool) -> None:
    text = _program(options=f", precision={precision}")
    text = text.replace("self.last(batch[0]).sum()", f"self.last(batch[0].{dtype}()).sum()")
    assert (clashes(text) == []) is is_right


def test_hooks_are_not_called_in_mixed_precision() -> None:
    text = _program(
        options=', precision="16-mixed"',
        own=_OWN.format("on_train_end").replace("probe", "probe.cuda().half()"),
    )
    assert clashes(text)
    assert clashes(text.replace(".half()", "")) == []
