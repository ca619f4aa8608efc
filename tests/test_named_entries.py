"""What moves beside a model that a dict of settings places is moved by the same entry."""

from __future__ import annotations

import pytest
from text_program import files, fix_texts

CONFIG = """
    import torch

    cfg = {"device": "cuda" if torch.cuda.is_available() else "cpu", "lr": 0.1}
"""
MAIN = """
    import torch
    {imported}

    def main({parameter}):
        model = torch.nn.Linear(3, 3).to({moved})
        {more}
        x = torch.ones(2, 3)
        print(model(x))

    main({given})
"""


def line(imported: str, moved: str, more: str = "pass", parameter: str = "", given: str = "") -> str:
    """How the input is made after the repair."""
    main = MAIN.format(imported=imported, moved=moved, more=more, parameter=parameter, given=given)
    after = fix_texts(files(main, config=CONFIG))[0]["main.py"]
    return next(each.strip() for each in after.splitlines() if each.strip().startswith("x = "))


@pytest.mark.parametrize(
    ("imported", "moved"),
    [("from config import cfg", 'cfg["device"]'), ("import config", 'config.cfg["device"]')],
)
def test_it_is_named_as_for_the_model(imported: str, moved: str) -> None:
    assert line(imported, moved) == f"x = torch.ones(2, 3, device={moved})"


@pytest.mark.parametrize(
    ("more", "parameter", "given"),
    [
        ('cfg["device"] = None', "", ""),
        ("global cfg\n        cfg = {}", "", ""),
    ],
)
def test_what_may_be_another_by_then_is_not_named(more: str, parameter: str, given: str) -> None:
    assert "cfg" not in line("from config import cfg", 'cfg["device"]', more, parameter, given)


def test_a_dict_that_a_function_is_given_is_named_in_it() -> None:
    assert line("from config import cfg", 'cfg["device"]', "pass", "cfg", "cfg") == (
        'x = torch.ones(2, 3, device=cfg["device"])'
    )


@pytest.mark.parametrize("more", ['cfg["device"] = None', "cfg = {}", "cfg.clear()"])
def test_a_dict_of_a_function_that_changes_in_between_is_not_named(more: str) -> None:
    assert "cfg" not in line("from config import cfg", 'cfg["device"]', more, "cfg", "cfg")


SETTINGS = """
    import torch

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
"""
EPOCHS = """
    import torch
    {imported}

    def train(model, loader):
        for batch in loader:
            x = torch.ones(2, 3)
            model(x).sum().backward()

    def main():
        model = torch.nn.Linear(3, 3).to({moved})
        {more}
        train(model, range(3))

    main()
"""


def made(imported: str, moved: str, more: str = "pass") -> str:
    """How the input of another function is made after the repair."""
    texts = files(EPOCHS.format(imported=imported, moved=moved, more=more), config=SETTINGS)
    after = fix_texts(texts)[0]["main.py"]
    return next(each.strip() for each in after.splitlines() if each.strip().startswith("x = "))


@pytest.mark.parametrize(
    ("imported", "moved"), [("import config as cfg", "cfg.device"), ("import config", "config.device")]
)
def test_the_device_of_a_module_of_settings_is_named_as_for_the_model(imported: str, moved: str) -> None:
    assert made(imported, moved) == f"x = torch.ones(2, 3, device={moved})"


@pytest.mark.parametrize("more", ["cfg.device = None", "global cfg\n        cfg = None"])
def test_a_device_of_settings_that_is_set_anew_is_not_named(more: str) -> None:
    assert "cfg" not in made("import config as cfg", "cfg.device", more)
