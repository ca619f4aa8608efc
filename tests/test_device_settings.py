"""Devices that a file of settings, the environment or a user names: they are taken to be the accelerator."""

from __future__ import annotations

import pytest
from text_program import clashes, files, fix_texts

PROGRAM = """
import argparse, json, os
import torch
from torch import nn

with open("settings.json") as file:
    settings = json.load(file)
device = torch.device({setting})
net = nn.Linear(3, 3)
net(torch.ones(3).to(device))
"""


@pytest.mark.parametrize(
    "setting",
    [
        'settings["device"]',
        'settings["train"]["device"]',
        'settings.get("device", "cuda")',
        'os.environ["DEVICE"]',
        "settings.gpu_id",
    ],
)
def test_a_setting_that_names_the_device_is_the_accelerator(setting: str) -> None:
    assert clashes(PROGRAM.format(setting=setting)) == ["10: device"]


@pytest.mark.parametrize(
    "setting",
    [
        'settings["buffer_device"]',
        'settings["cpu"]',
        'settings.get("where", "device")',
        "settings[0]",
        "settings.pop()",
        '"cpu"',
    ],
)
def test_what_is_called_otherwise_may_be_any_device(setting: str) -> None:
    assert clashes(PROGRAM.format(setting=setting)) == []


def test_an_option_without_a_default_is_one_too() -> None:
    text = """
    import argparse
    import torch
    from torch import nn

    parser = argparse.ArgumentParser()
    parser.add_argument("--device", required=True)
    args = parser.parse_args()
    device = torch.device(args.device)
    net = nn.Linear(3, 3)
    net(torch.ones(3).to(device))
    """
    assert clashes(text) == ["11: device"]


def test_settings_that_are_given_to_a_function_name_it_too() -> None:
    text = """
    import hydra
    import torch
    from torch import nn

    @hydra.main(config_path="conf", config_name="config")
    def main(config):
        device = torch.device(config.device)
        net = nn.Linear(3, 3)
        net(torch.ones(3).to(device))

    if __name__ == "__main__":
        main()
    """
    fixed = fix_texts(files(text))[0]["main.py"]
    assert "net = nn.Linear(3, 3).to(device)" in fixed


def test_the_device_of_a_tensor_is_followed_wherever_it_is() -> None:
    text = """
    import torch

    def shifted(x):
        device = torch.device(x.device)
        return x + torch.ones(3, device=device)

    print(shifted(torch.ones(3)))
    print(shifted(torch.ones(3).cuda()))
    """
    assert clashes(text) == []
    assert clashes(text.split("print", maxsplit=1)[0]) == []
