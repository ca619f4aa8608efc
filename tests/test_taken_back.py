"""Lightning's Trainer ends by bringing the module back to the CPU; what uses it then moves it first."""

from __future__ import annotations

import pytest
from text_program import check_texts, clashes, fix_texts

PROGRAM = """
import {package} as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda")

class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.last = nn.Linear(3, 3)

    def forward(self, x):
        return self.last(x)

    def training_step(self, batch, batch_idx):
        return self(batch[0]).sum()

    def test_step(self, batch, batch_idx):
        return self(batch[0])

loader = DataLoader(TensorDataset(torch.zeros(8, 3)))
net = Net()
trainer = L.Trainer({options})
{run}
net.eval()
for (x,) in loader:
    {use}
"""
_USE = "print(net(x.to(device)))"


def _program(run: str = "trainer.fit(net, loader)", use: str = _USE, **changes: str) -> str:
    return PROGRAM.format(run=run, use=use, **({"package": "lightning", "options": ""} | changes))


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"package": "pytorch_lightning"},
        {"run": "trainer.test(net, loader)"},
        {"options": 'accelerator="gpu", strategy="ddp"'},
        {"options": 'accelerator="auto", strategy="auto", devices=1'},
        {"use": "print(net(x.cuda()))"},
        {"run": "net.cuda()\ntrainer.fit(net, loader)"},
    ],
)
def test_the_module_is_on_the_cpu_behind_a_run(changes: dict[str, str]) -> None:
    assert clashes(_program(**changes))


@pytest.mark.parametrize(
    "changes",
    [
        {"run": "trainer.fit(net, loader)\nnet.to(device)"},
        {"run": "trainer.fit(net, loader)\nnet = net.cuda()"},
        {"use": "print(net(x))"},
        {"use": "print(net(x.to(net.device)))"},
        {"use": "net.to(device)\n    print(net(x.to(device)))"},
        {"use": "print(trainer.predict(net, loader))"},
        # Releases that are told of graphics cards so may leave the module on one.
        {"options": "gpus=1"},
        # What other strategies, and those that nobody knows, do in the end is their own.
        {"options": 'strategy="deepspeed"'},
        {"options": "strategy=chosen"},
        {"options": "**chosen"},
        {"run": "tuner.fit(net, loader)"},
    ],
)
def test_a_module_that_moves_again_is_right(changes: dict[str, str]) -> None:
    assert clashes(_program(**changes)) == []


def test_it_moves_behind_the_run_where_a_device_is_in_sight() -> None:
    text = _program()
    wanted = text.replace("(net, loader)\nnet.eval", "(net, loader)\nnet.to(device)\nnet.eval")
    assert fix_texts({"main.py": text})[0]["main.py"] == wanted


def test_it_moves_as_its_inputs_do_where_no_device_has_a_name() -> None:
    text = _program(use="print(net(x.cuda()))").replace('device = torch.device("cuda")\n', "")
    wanted = text.replace("(net, loader)\nnet.eval", "(net, loader)\nnet.cuda()\nnet.eval")
    assert fix_texts({"main.py": text})[0]["main.py"] == wanted


LENT = """
def errors(net, x):
    device = torch.device("cuda")
    {}x = x.to(device)
    return (net(x) - x).abs().mean()
"""


def test_it_moves_in_a_function_that_is_given_it_and_moves_its_inputs() -> None:
    text = _program(use="print(errors(net, x))").replace('device = torch.device("cuda")\n', LENT)
    fixed = fix_texts({"main.py": text.replace("{}", "")})[0]["main.py"]
    assert fixed == text.replace("{}", "net.to(device)\n    ")
    assert check_texts({"main.py": fixed}) == []


_KEPT = "results = trainer.test(net, loader)"


def test_it_moves_behind_a_run_of_which_the_results_are_kept() -> None:
    text = _program(run=_KEPT)
    assert fix_texts({"main.py": text})[0]["main.py"] == text.replace(_KEPT, f"{_KEPT}\nnet.to(device)")


HANDED = """
def build(**options):
    net = Net(**options)
    trainer = L.Trainer(accelerator="gpu", devices=1)
    trainer.fit(net, loader)
    net = net.to(device)
    {tested}
    return net, result

net, result = build()
"""


def test_it_moves_behind_the_last_of_several_runs_in_a_function_that_hands_it_out() -> None:
    tested = "first = trainer.test(net, loader)\n    result = trainer.test(net, loader)"
    text = _program(run=HANDED.format(tested=tested))
    wanted = text.replace(tested, f"{tested}\n    net.to(device)")
    assert fix_texts({"main.py": text})[0]["main.py"] == wanted


def test_what_gives_the_name_something_else_is_followed_by_no_move_of_it() -> None:
    rebound = "other = net\nnet = trainer.test(net, loader)\nnet = other"
    text = _program(run=rebound)
    assert fix_texts({"main.py": text})[0]["main.py"] == text


def test_a_run_in_a_return_makes_no_part_move_where_it_is_made() -> None:
    tested = "result = trainer.validate(net, loader)"
    run = HANDED.format(tested=tested).replace("net, result\n\n", "net, trainer.test(net, loader)\n\n")
    text = _program(run=run)
    assert fix_texts({"main.py": text})[0]["main.py"] == text
