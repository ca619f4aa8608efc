"""The program's own choice of a device, in the forms that choices take."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest
from text_program import clashes, fix_texts

from devfix.findings import Applicability

PROGRAM = """
import torch
from torch import nn

{choice}

model = nn.Linear(2, 2)
x = torch.ones(3, 2).to("cuda")
print(model(x))
"""

BRANCHES = """
if torch.cuda.is_available():
    dev = torch.device("cuda")
else:
    dev = torch.device("cpu")
"""
CHAIN = """
if torch.cuda.is_available():
    dev = "cuda"
elif torch.backends.mps.is_available():
    dev = "mps"
else:
    dev = "cpu"
"""
NESTED = """
if torch.cuda.is_available():
    if torch.cuda.device_count() > 1:
        dev = "cuda"
    else:
        dev = "cuda:0"
else:
    dev = "cpu"
"""
OVERWRITTEN = """
dev = torch.device("cpu")
if torch.cuda.is_available():
    dev = torch.device("cuda:0")
    torch.cuda.empty_cache()
"""
TAKEN_BACK = """
dev = torch.device("cuda")
dev = torch.device("cpu")
"""
OPEN = """
if torch.cuda.is_available():
    dev = "cuda"
"""
GAP = """
if torch.cuda.is_available():
    dev = "cuda"
elif torch.backends.mps.is_available():
    print("no")
else:
    dev = "cpu"
"""


def moved_to(text: str) -> str:
    """What the model is moved to."""
    fixed = fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"]
    return fixed.partition("model = nn.Linear(2, 2).to(")[2].partition(")")[0]


def in_function(choice: str) -> str:
    head, body = PROGRAM.format(choice=choice).split("\n\n", 1)
    return f"{head}\n\ndef main():\n{indent(dedent(body), '    ')}\nmain()\n"


@pytest.mark.parametrize("choice", [BRANCHES, CHAIN, NESTED, OVERWRITTEN])
def test_a_choice_may_be_made_by_branches(choice: str) -> None:
    assert moved_to(PROGRAM.format(choice=choice)) == "dev"
    assert moved_to(in_function(choice)) == "dev"


@pytest.mark.parametrize("choice", [BRANCHES, CHAIN, OVERWRITTEN])
def test_a_function_sees_the_choice_of_its_module(choice: str) -> None:
    text = PROGRAM.format(choice=choice).replace("\nmodel", "\ndef main():\n    model")
    text = text.replace("\nx =", "\n    x =").replace("\nprint", "\n    print") + "main()\n"
    assert moved_to(text) == "dev"


@pytest.mark.parametrize("choice", [OPEN, GAP, TAKEN_BACK])
def test_a_choice_that_some_path_does_not_make_is_none(choice: str) -> None:
    assert moved_to(PROGRAM.format(choice=choice)) != "dev"
    assert moved_to(in_function(choice)) != "dev"


CONFIGURED = """
import torch
from dataclasses import dataclass
from torch import nn

@dataclass
class Config:
    hidden: int = 3
    device: str = "cuda" if torch.cuda.is_available() else "cpu"

class Trainer:
    def __init__(self, config):
        self.config = config
        self.net = nn.Linear(3, 3)

    def fit(self, x):
        return self.net(x.to(self.config.device))

    def noisy(self, x):
        return self.fit(x) + torch.ones(3)

trainer = Trainer(Config())
print(trainer.fit(torch.ones(2, 3)), trainer.noisy(torch.ones(2, 3)))
"""


def test_a_configuration_names_the_device() -> None:
    fixed = fix_texts({"main.py": CONFIGURED})[0]["main.py"]
    expected = CONFIGURED.replace("nn.Linear(3, 3)", "nn.Linear(3, 3).to(config.device)")
    assert fixed == expected.replace("torch.ones(3)", "torch.ones(3, device=self.config.device)")


def test_a_configuration_that_may_name_the_host_names_nothing() -> None:
    text = CONFIGURED.replace("trainer = Tr", 'Trainer(Config(device="cpu"))\ntrainer = Tr')
    fixed = fix_texts({"main.py": text})[0]["main.py"]
    assert "nn.Linear(3, 3).to(config.device)" not in fixed


ONE_OR_MORE = """
import torch
from torch import nn

def devices_of(names):
    found = [torch.device(name) for name in names]
    return {chosen}

device = devices_of({names})
model = nn.Linear(3, 3).to(device)
print(model(torch.ones(1, 3){where}))
"""


@pytest.mark.parametrize("names", ['["cuda"]', '["cuda"] * int(input())'])
def test_a_list_of_devices_is_none_to_move_to(names: str) -> None:
    chosen = "found if len(found) > 1 else found[0]"
    text = ONE_OR_MORE.format(chosen=chosen, names=names, where="{where}")
    assert len(clashes(text.format(where=""))) == 1
    assert clashes(text.format(where=".to(device)")) == []
    either = 'found[0] if input() else torch.device("cpu")'
    assert len(clashes(ONE_OR_MORE.format(chosen=either, names=names, where=".to(device)"))) == 0
