"""Devices that a file of settings, the environment or a user names: they are taken to be the accelerator."""

from __future__ import annotations

import pytest
from text_program import clashes, files, fix_texts

from devfix.findings import Applicability

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
        'os.environ["TRAINER_DEVICE"]',
        "settings.gpu_id",
    ],
)
def test_a_setting_that_names_the_device_is_the_accelerator(setting: str) -> None:
    assert clashes(PROGRAM.format(setting=setting)) == ["10: device"]


@pytest.mark.parametrize(
    "setting",
    [
        'settings["buffer_device"]',
        'os.environ["DEVICES"]',
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


GIVEN = """
import argparse, json, yaml
import click, hydra
import torch
from omegaconf import OmegaConf
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--device", type=str)
parser.add_argument("--where")
args = parser.parse_args()
with open("settings.json") as file:
    settings = json.load(file)
with open("settings.yaml") as file:
    more = yaml.safe_load(file)
loaded = OmegaConf.load("settings.yaml")

class Settings(dict):
    def __getattr__(self, key):
        value = self[key]
        return Settings(value) if isinstance(value, dict) else value

own = Settings(settings)

def train(where):
    net = nn.Linear(3, 3).to(where)
    net(torch.ones(3))
"""


@pytest.mark.parametrize(
    "call",
    [
        'train(settings["device"])',
        'train(more["train"]["device"])',
        'train(more.get("device", "cpu"))',
        "train(args.device)",
        "train(loaded.train.device)",
        "train(own.device)",
        "@hydra.main(config_path='settings')\ndef main(cfg):\n    train(cfg.device)\nmain()",
        "@click.command()\n@click.option('--device')\ndef main(device):\n    train(device)\nmain()",
    ],
)
def test_the_name_of_a_device_is_as_good_as_the_device(call: str) -> None:
    assert clashes(GIVEN + call) == ["27: device"]


@pytest.mark.parametrize(
    "call",
    [
        'train(settings["where"])',
        "train(args.where)",
        "train(loaded.where)",
        'train(own["other"])',
        "train(torch.load('x').device)",
        "train(settings.device)",
        "@decorated\ndef main(x):\n    train(x.where)\nmain()",
    ],
)
def test_what_need_not_name_one_is_not_taken_for_one(call: str) -> None:
    assert clashes(GIVEN + call) == []


def test_a_setting_that_is_compared_may_still_be_anything() -> None:
    text = """
    import json
    import torch
    from torch import nn

    with open("settings.json") as file:
        settings = json.load(file)
    net = nn.Linear(3, 3)
    if settings["device"] == "cpu":
        net(torch.ones(3))
    else:
        net.to(settings["device"])(torch.ones(3).to(settings["device"]))
    """
    assert clashes(text) == []


SWITCHED = """
import json
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.gpu = {kept}
        self.rnn = nn.GRU(3, 3)

    def step(self, x):
        if {asked}:
            x = x.{move}
        return self.rnn(x)

with open("settings.json") as file:
    config = json.load(file)
config["gpu"] = torch.cuda.is_available()
net = Net(config)
net.step(torch.ones(2, 1, 3))
"""


@pytest.mark.parametrize(
    ("kept", "asked"),
    [
        ('config.get("gpu", False)', "self.gpu"),
        ('config.get("gpu")', "self.gpu"),
        ('config["gpu"]', "self.gpu and x is not None"),
        ('config["gpu"]', "torch.cuda.is_available() and self.gpu"),
    ],
)
def test_a_setting_that_is_asked_like_a_switch_is_no_device_to_move_to(kept: str, asked: str) -> None:
    text = files(SWITCHED.format(kept=kept, asked=asked, move="cuda()"))
    fixed = fix_texts(text, Applicability.UNSAFE)[0]["main.py"]
    assert "self.gpu)" not in fixed.replace(kept, "")
    assert clashes(fixed) == []


def test_a_setting_that_is_moved_to_where_it_is_set_is_one() -> None:
    text = SWITCHED.format(kept='config["gpu"]', asked="True", move="to(self.gpu)")
    fixed = fix_texts(files(text))[0]["main.py"]
    assert "self.rnn = nn.GRU(3, 3).to(self.gpu)" in fixed or "self.to(self.gpu)" in fixed


HELD_TO_THE_HOST = """
import json, os
import torch

with open("settings.json") as file:
    settings = json.load(file)
x = torch.ones(3).to(settings["device"])
if {test}:
    print(torch.zeros(3) + x)
else:
    print(torch.zeros(3) + x.cpu())
"""


@pytest.mark.parametrize(
    ("test", "found"),
    [
        ('settings["device"] == "cpu"', []),
        ('"cpu" == settings["device"]', []),
        ('settings["device"] != "cpu"', ["9: device"]),
        ('os.environ["TRAINER_DEVICE"] == "cpu"', []),
        ('settings["other_device"] == "cpu"', ["9: device"]),
        ('os.environ["MODE"] == "cpu"', ["9: device"]),
    ],
)
def test_what_is_done_on_the_cpu_alone_is_not_what_a_run_with_an_accelerator_does(
    test: str, found: list[str]
) -> None:
    assert clashes(HELD_TO_THE_HOST.format(test=test)) == found
