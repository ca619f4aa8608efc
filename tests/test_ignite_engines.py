"""Ignite's engines call a step with batches that nobody has moved."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

PROGRAM = """
import torch
from ignite.engine import Engine, Events
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda")
model = nn.Linear(4, 3).to(device)
data = TensorDataset(torch.randn(8, 4), torch.randint(0, 3, (8,)))

def step(engine, batch):
    x, y = batch
{moved}    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    return loss.item()

trainer = Engine(step)

@trainer.on(Events.ITERATION_COMPLETED)
def log(engine):
    print(engine.state.output)

trainer.add_event_handler(Events.EPOCH_COMPLETED, lambda engine: print(engine.state.epoch))
trainer.run({data}, max_epochs=1)
"""
_MOVED = "    x, y = x.to(device), y.to(device)\n"


def test_a_step_moves_its_batch() -> None:
    text = PROGRAM.format(moved="", data="DataLoader(data, batch_size=4)")
    fixed = fix_texts({"main.py": text})[0]["main.py"]
    assert fixed == text.replace("    x, y = batch\n", f"    x, y = batch\n{_MOVED}")
    assert clashes(fixed) == []


@pytest.mark.parametrize(
    ("moved", "data"),
    [(_MOVED, "DataLoader(data)"), ("", "found"), ("", "[[each.to(device) for each in data[:4]]]")],
)
def test_what_is_there_or_may_be_stays(moved: str, data: str) -> None:
    assert (
        clashes(PROGRAM.format(moved=moved, data=data).replace("data = T", "found = input()\ndata = T")) == []
    )


def test_what_a_handler_makes_is_judged() -> None:
    text = PROGRAM.format(moved=_MOVED, data="DataLoader(data)")
    wrong = text.replace("print(engine.state.output)", "print(model(torch.ones(1, 4)))")
    assert [each.partition(": ")[2] for each in clashes(wrong)] == ["device"]


def _handled(before: str, moved: str = "") -> str:
    """The program, with handlers that are declared before the engine runs."""
    text = PROGRAM.format(moved=moved, data="DataLoader(data)")
    return text.replace("trainer.run", f"{before}trainer.run")


def test_what_a_handler_moves_first_is_there() -> None:
    text = _handled("@trainer.on(Events.STARTED)\ndef begin(engine):\n    model.to(device)\n", _MOVED)
    assert clashes(text.replace("nn.Linear(4, 3).to(device)", "nn.Linear(4, 3)")) == []


@pytest.mark.parametrize(
    ("decorated", "given"),
    [
        ("@trainer.on(Events.GET_BATCH_COMPLETED)", ""),
        ("@trainer.on(Events.ITERATION_STARTED, Events.COMPLETED)", ""),
        ("", "trainer.add_event_handler(Events.ITERATION_STARTED, begin)"),
        ("", "trainer.add_event_handler(Events.EPOCH_COMPLETED | Events.ITERATION_STARTED, begin)"),
        ("", "trainer.add_event_handler(handler=begin, event_name=Events.ITERATION_STARTED(every=1))"),
    ],
)
def test_a_handler_may_move_the_batch(decorated: str, given: str) -> None:
    moving = "def begin(engine):\n    engine.state.batch = [each.to(device) for each in engine.state.batch]\n"
    assert clashes(_handled(f"{decorated}\n{moving}{given}\n")) == []


@pytest.mark.parametrize(
    "events", ["Events.EPOCH_COMPLETED(every=2)", "Events.EPOCH_COMPLETED, Events.COMPLETED", ""]
)
def test_what_comes_after_a_step_moves_nothing_for_it(events: str) -> None:
    moving = f"@trainer.on({events})\ndef later(engine):\n    print(engine)\n" if events else ""
    assert [each.partition(": ")[2] for each in clashes(_handled(moving))] == ["device", "device"]
