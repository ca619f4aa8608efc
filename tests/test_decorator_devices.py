"""A decorator factory that is left to its default device is told the one that the program chose."""

from __future__ import annotations

import difflib

import pytest
from text_program import files, fix_texts

PROGRAM = """
    import functools

    import torch
    import torch.nn.functional as F

    DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")


    def on_device({parameters}):
        def decorate(fn):
            @functools.wraps(fn)
            def wrapper(model, batch):
                return fn(model, {{k: v.to(device) for k, v in batch.items()}})
            return wrapper
        return decorate


    @on_device({given})
    def train_step(model, batch):
        return F.mse_loss(model(batch["x"]), batch["y"])


    @on_device({left})
    def eval_step(model, batch):
        return F.mse_loss(model(batch["x"]), batch["y"])


    def batch():
        return {{"x": torch.ones(4, 3), "y": torch.ones(4, 2)}}


    model = torch.nn.Linear(3, 2).to(DEVICE)
    train_step(model, batch())
    eval_step(model, batch())
"""


def _changed(text: str) -> list[str]:
    before = files(text)
    after = fix_texts(before)[0]["main.py"]
    compared = difflib.ndiff(before["main.py"].splitlines(), after.splitlines())
    return [line[1:].strip() for line in compared if line.startswith("+")]


@pytest.mark.parametrize(
    ("parameters", "given", "left", "told"),
    [
        ('device="cpu"', "DEVICE", "", "@on_device(DEVICE)"),
        ('device=torch.device("cpu")', "DEVICE", "", "@on_device(DEVICE)"),
        ('device="cpu"', "device=DEVICE", "", "@on_device(device=DEVICE)"),
        ('name="step", device="cpu"', '"train", DEVICE', '"eval"', '@on_device("eval", device=DEVICE)'),
        ('*, device="cpu"', "device=DEVICE", "", "@on_device(device=DEVICE)"),
    ],
)
def test_it_is_told_as_others_are(parameters: str, given: str, left: str, told: str) -> None:
    assert _changed(PROGRAM.format(parameters=parameters, given=given, left=left)) == [told]


def test_it_is_told_where_a_function_makes_what_is_decorated() -> None:
    text = """
        import torch


        def moved(device="cpu"):
            def decorate(fn):
                def wrapper(x):
                    return fn(x.to(device))
                return wrapper
            return decorate


        def main():
            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
            model = torch.nn.Linear(3, 2).to(device)

            @moved()
            def step(x):
                return model(x)

            step(torch.ones(4, 3))


        main()
    """
    assert _changed(text) == ["@moved(device=device)"]


def test_one_that_is_told_the_cpu_is_told_nothing_else() -> None:
    text = PROGRAM.format(parameters='device="cpu"', given="DEVICE", left='"cpu"')
    assert not any("on_device(" in line for line in _changed(text))


def test_a_device_that_the_wrapper_chooses_itself_is_not_the_parameter() -> None:
    text = PROGRAM.format(parameters='device="cpu"', given="DEVICE", left="")
    text = text.replace(
        "                return fn(model, {k",
        '                device = "cpu"\n                return fn(model, {k',
    )
    assert not any("on_device(" in line for line in _changed(text))


def test_what_works_stays_as_it_is() -> None:
    assert _changed(PROGRAM.format(parameters='device="cpu"', given="DEVICE", left="DEVICE")) == []


def test_each_of_several_is_told() -> None:
    changed = _changed(PROGRAM.format(parameters='device="cpu"', given="", left=""))
    assert changed == ["@on_device(device=DEVICE)"] * 2


def test_of_several_that_are_called_otherwise_none_is_told() -> None:
    text = PROGRAM.format(parameters='device="cpu"', given="", left="") + (
        '\n    on_device()(lambda model, batch: model(batch["x"]))(model.cpu(), batch())\n'
    )
    assert not any("on_device(device" in line for line in _changed(text))
