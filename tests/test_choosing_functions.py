"""A function that a file imports and that chooses the device is called for it, where it makes the choice that would be written."""

from __future__ import annotations

import pytest
from text_program import check_texts, fix_texts

from devfix.deeds import fixes_of
from devfix.findings import Applicability

CHOICE = 'torch.device("cuda" if torch.cuda.is_available() else "cpu")'
OWN = f"device = {CHOICE}"
TOOLS = f'''import torch


def get_device():
    """Where to compute."""
    return {CHOICE}
'''
MAIN = """import torch
from tools import get_device

model = torch.nn.Linear(4, 2)
print(model(torch.ones(3, 4, device=get_device())))
"""


def mended(main: str = MAIN, tools: str = TOOLS) -> str:
    """The line of ``main.py`` that the fixes choose the device in, or "" where there is none."""
    before = {"main.py": main, "tools.py": tools}
    lines = fix_texts(before)[0]["main.py"].splitlines()
    return next((line for line in lines if line.startswith("device = ")), "")


@pytest.mark.parametrize(
    ("main", "call"),
    [
        (MAIN, "get_device()"),
        (
            MAIN.replace("get_device\n", "get_device as chosen\n").replace("=get_device", "=chosen"),
            "chosen()",
        ),
    ],
)
def test_the_function_is_called(main: str, call: str) -> None:
    assert mended(main) == f"device = {call}"


def test_a_program_that_is_given_its_device_asks_the_function() -> None:
    main = MAIN.replace(", device=get_device()", "")
    after, _ = fix_texts({"main.py": main, "tools.py": TOOLS}, Applicability.UNSAFE, adopt=True)
    assert "device = get_device()" in after["main.py"].splitlines()


@pytest.mark.parametrize(
    "tools",
    [
        TOOLS.replace("get_device()", "get_device(number=0)"),
        TOOLS.replace('"cuda" if', '"cuda:1" if'),
        TOOLS.replace("    return", '    print("asked")\n    return'),
        TOOLS.replace("def get", "@torch.no_grad()\ndef get"),
        TOOLS.replace("def get", "async def get"),
        TOOLS + "\n\nget_device = print\n",
        TOOLS.replace("import torch\n", "import torch\nfrom names import *\n"),
        TOOLS.replace("import torch\n", "import fake as torch\n"),
    ],
)
def test_another_function_is_not(tools: str) -> None:
    assert mended(MAIN.replace("=get_device()", '="cuda"'), tools) == OWN


@pytest.mark.parametrize(
    "main",
    [
        MAIN.replace("from tools import get_device\n", "print()\nfrom tools import get_device\n"),
        MAIN.replace("from tools", "from names import *\nfrom tools"),
        MAIN.replace("\nmodel", "\nget_device = torch.device\nmodel"),
        MAIN.replace("from tools import get_device\n", "import tools\n"),
    ],
)
def test_a_name_that_may_be_something_else_is_not(main: str) -> None:
    assert mended(main.replace("=get_device()", '="cuda"')) == OWN


def test_a_choice_stays_unsafe_where_an_option_decides_that_inputs_move() -> None:
    main = """import argparse
import torch
from tools import get_device

parser = argparse.ArgumentParser()
parser.add_argument("--gpu", action="store_true")
args = parser.parse_args()
model = torch.nn.Linear(4, 2)
x = torch.ones(3, 4)
if args.gpu:
    x = x.cuda()
print(model(x))
"""
    (finding,) = check_texts({"main.py": main, "tools.py": TOOLS})
    choosing = [fix for fix in fixes_of(finding) if "get_device()" in str(fix.edits)]
    assert {fix.applicability for fix in choosing} == {Applicability.UNSAFE}
