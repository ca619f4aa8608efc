"""The device that a dict of settings has is what a fix names, before it makes a choice of its own."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

from devfix.findings import Applicability

HEAD = """
import torch
from torch import nn
"""
CHOICE = '"cuda" if torch.cuda.is_available() else "cpu"'


def fixed(text: str) -> str:
    """A program after its fixes, which leave no fault."""
    assert clashes(text)
    mended, _ = fix_texts({"main.py": text}, Applicability.UNSAFE)
    assert clashes(mended["main.py"]) == []
    return mended["main.py"]


OPTIMIZER = (
    HEAD
    + """
def build(cfg):
    model = nn.Linear(2, 2)
    return model, torch.optim.Adagrad(model.parameters())

def main(settings):
    model, optimizer = build(settings)
    model.to(settings["device"])
    model(torch.ones(1, 2).to(settings["device"])).sum().backward()
    optimizer.step()

main({"device": CHOICE})
""".replace("CHOICE", CHOICE)
)


def test_a_builder_that_is_given_settings_asks_them() -> None:
    before, after = "model = nn.Linear(2, 2)", 'model = nn.Linear(2, 2).to(cfg["device"])'
    assert fixed(OPTIMIZER) == OPTIMIZER.replace(before, after)


def test_a_builder_that_is_given_none_is_told_the_device() -> None:
    """It makes no choice that the program may not have made."""
    text = OPTIMIZER.replace("build(cfg)", "build()").replace("build(settings)", "build()")
    text = text.replace(
        "def main(settings):", "def main(settings):\n    place = torch.device(settings['device'])"
    )
    after = text.replace("def build():", 'def build(device="cpu"):').replace(
        "build()\n", "build(device=place)\n"
    )
    assert fixed(text) == after.replace("nn.Linear(2, 2)", "nn.Linear(2, 2).to(device)")


INPUT = (
    HEAD
    + """
SETTINGS = {'device': CHOICE}

def make():
    return nn.Linear(2, 2)

def main():
    model = make()
    return model(torch.ones(1, 2).to(SETTINGS['device']))

main()
""".replace("CHOICE", CHOICE)
)


def test_the_file_s_own_settings_are_asked_as_it_asks_them() -> None:
    assert fixed(INPUT) == INPUT.replace(
        "return nn.Linear(2, 2)", "return nn.Linear(2, 2).to(SETTINGS['device'])"
    )


@pytest.mark.parametrize(
    "change",
    [
        (
            f"SETTINGS = {{'device': {CHOICE}}}",
            f"SETTINGS = {{'device': 'cpu'}}\nSETTINGS['device'] = {CHOICE}",
        ),
        (
            f"SETTINGS = {{'device': {CHOICE}}}",
            f"SETTINGS = {{'device': {CHOICE}}}\nif torch.rand(1) > 2:\n    SETTINGS = {{}}",
        ),
        (f"SETTINGS = {{'device': {CHOICE}}}", f"SETTINGS = {{'use': {{'device': {CHOICE}}}}}"),
    ],
)
def test_settings_that_need_not_have_it_are_not_asked(change: tuple[str, str]) -> None:
    text = INPUT.replace(*change).replace("SETTINGS['device'])", f"{CHOICE})")
    assert "SETTINGS['device'])" not in fixed(text)


def test_settings_of_the_cpu_are_not_asked() -> None:
    text = INPUT.replace(f"'device': {CHOICE}", "'device': 'cpu'").replace(
        "SETTINGS['device'])", f"{CHOICE})"
    )
    assert ".to(SETTINGS" not in fixed(text)


def test_what_works_stays_as_it_is() -> None:
    text = OPTIMIZER.replace("nn.Linear(2, 2)", 'nn.Linear(2, 2).to(cfg["device"])')
    assert clashes(text) == []
    assert clashes(OPTIMIZER.replace("Adagrad", "Adam")) == []
