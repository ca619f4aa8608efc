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
