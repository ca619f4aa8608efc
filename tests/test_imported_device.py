"""Where a file has no device, the one of a module that it imports is named."""

from __future__ import annotations

import pytest
from text_program import fix_texts

SETTINGS = """\
import torch

{device}


def moved(x):
    return x.to({name})
"""
CHOSEN = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")'
MAIN = """\
import torch
{imported}

net = torch.nn.Linear(4, 2)
print(net({moved}(torch.ones(3, 4))))
"""
MADE = "torch.nn.Linear(4, 2)"
FROM = "from settings import moved"


def _program(imported: str, device: str = CHOSEN, name: str = "device") -> dict[str, str]:
    moved = "moved" if imported.startswith("from") else f"{imported.rsplit(maxsplit=1)[-1]}.moved"
    return {
        "main.py": MAIN.format(imported=imported, moved=moved),
        "settings.py": SETTINGS.format(device=device, name=name),
    }


@pytest.mark.parametrize(
    ("imported", "code"), [("import settings", "settings.device"), ("import settings as s", "s.device")]
)
def test_it_is_named_through_the_module(imported: str, code: str) -> None:
    texts = _program(imported)
    assert fix_texts(texts)[0] == {**texts, "main.py": texts["main.py"].replace(MADE, f"{MADE}.to({code})")}


def test_it_is_imported_beside_what_else_is() -> None:
    texts = _program(FROM, CHOSEN.replace("device =", "PLACE =", 1), "PLACE")
    fixed = texts["main.py"].replace(FROM, f"{FROM}, PLACE").replace(MADE, f"{MADE}.to(PLACE)")
    assert fix_texts(texts)[0] == {**texts, "main.py": fixed}


@pytest.mark.parametrize(
    "device",
    [
        f"device = torch.device('cpu')\n{CHOSEN}",
        f"{CHOSEN}\nfrom main import net",
        "if torch.cuda.is_available():\n    device = torch.device('cuda')\nelse:\n    device = torch.device('cpu')",
    ],
)
def test_what_may_be_another_or_not_there_yet_is_not_taken(device: str) -> None:
    fixed = fix_texts(_program(FROM, device))[0]["main.py"]
    assert f"{FROM}\n" in fixed


def test_a_name_that_the_file_has_for_something_else_is_not_imported() -> None:
    texts = _program(FROM)
    texts["main.py"] += "for device in ():\n    print(device)\n"
    assert f"{FROM}\n" in fix_texts(texts)[0]["main.py"]


LOSSES = """\
from functools import partial

import torch


def plain():
    return torch.nn.functional.cross_entropy


def weighted():
    return partial(torch.nn.functional.cross_entropy, weight=torch.ones(3))


TABLE = {"plain": plain, "weighted": weighted}
"""
RUN = """\
import torch
from losses import TABLE


class Run:
    def __init__(self, net, loss):
        self.device = DEVICE
        self.net = net.to(self.device)
        self.loss = TABLE[loss]()

    def step(self, x, y):
        return self.loss(self.net(x.to(self.device)), y.to(self.device))


run = Run(torch.nn.Linear(3, 3), "weighted")
print(run.step(torch.ones(2, 3), torch.zeros(2, dtype=torch.long)))
"""


@pytest.mark.parametrize("choice", [CHOSEN[9:], CHOSEN[22:-1]])
def test_a_file_makes_the_choice_that_another_makes_where_nothing_can_hand_it_on(choice: str) -> None:
    texts = {"main.py": RUN.replace("DEVICE", choice), "losses.py": LOSSES}
    fixed = LOSSES.replace("import torch\n", f"import torch\n\n{CHOSEN}\n", 1)
    fixed = fixed.replace("torch.ones(3)", "torch.ones(3, device=device)")
    assert fix_texts(texts)[0] == {**texts, "losses.py": fixed}


@pytest.mark.parametrize("choice", ['torch.device("cuda:1")', 'input() or "cuda"', '"cuda"'])
def test_a_file_does_not_choose_where_another_may_choose_otherwise(choice: str) -> None:
    texts = {"main.py": RUN.replace("DEVICE", choice), "losses.py": LOSSES}
    assert fix_texts(texts)[0]["losses.py"] == LOSSES
