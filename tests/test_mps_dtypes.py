"""Where a program chooses a dtype by whether the device is MPS, the dtypes that it hands around fit it."""

from __future__ import annotations

import pytest
from text_program import check_texts, clashes

CHOICE = """
import torch

if torch.cuda.is_available():
    device = torch.device("cuda")
elif torch.backends.mps.is_available():
    device = torch.device("mps")
else:
    device = torch.device("cpu")
"""
GUARDS = [
    'wide = torch.float32 if device.type == "mps" else torch.float64\n',
    'wide = torch.double if device.type != "mps" else torch.float\n',
    'if device.type == "mps":\n    wide = torch.float32\nelse:\n    wide = torch.float64\n',
]


@pytest.mark.parametrize("guard", GUARDS)
def test_a_dtype_that_was_chosen_for_the_device_fits_it(guard: str) -> None:
    assert not clashes(CHOICE + guard + "x = torch.zeros(3, dtype=wide, device=device)\n")


@pytest.mark.parametrize("guard", GUARDS)
def test_a_dtype_that_is_spelt_out_was_not_chosen(guard: str) -> None:
    assert clashes(CHOICE + guard + "x = torch.zeros(3, dtype=torch.float64, device=device)\n")


@pytest.mark.parametrize(
    "setting",
    ["wide = torch.float64\n", 'wide = torch.float64\nif device.type == "mps":\n    print("slow")\n'],
)
def test_a_dtype_that_nobody_chose_is_the_same_everywhere(setting: str) -> None:
    assert clashes(CHOICE + setting + "x = torch.zeros(3, dtype=wide, device=device)\n")


LIBRARY = """
import torch

WIDE = torch.float64

def made(length, device, dtype=torch.float64):
    return torch.ones(length, dtype={dtype}, device={device})

def beside(x):
    return torch.ones(3, dtype=x.dtype, device=x.device)
"""


def _library(dtype: str, device: str = "device") -> str:
    return CHOICE.replace("device =", "DEVICE =") + LIBRARY.format(dtype=dtype, device=device)


def test_who_gives_both_may_choose_one_for_the_other() -> None:
    assert not clashes(_library("dtype"))


@pytest.mark.parametrize(
    ("dtype", "device"), [("WIDE", "device"), ("torch.float64", "device"), ("dtype", "DEVICE")]
)
def test_what_is_not_given_was_not_chosen(dtype: str, device: str) -> None:
    assert clashes(_library(dtype, device))


def test_what_a_script_gives_is_known() -> None:
    assert clashes(_library("dtype") + 'if __name__ == "__main__":\n    made(3, DEVICE)\n')
    assert not clashes(_library("dtype") + 'if __name__ == "__main__":\n    made(3, DEVICE, torch.float32)\n')


ASKED = [
    'if device.type == "mps":\n    x = {narrow}\nelse:\n    x = {wide}\n',
    'if device.type != "mps":\n    x = {wide}\nelse:\n    x = {narrow}\n',
    'if device.type not in ("mps", "xla"):\n    x = {wide}\n',
    'def made():\n    if device.type == "mps":\n        return {narrow}\n    return {wide}\nx = made()\n',
]
MADE = [
    ("torch.zeros(3, device=device)", "torch.zeros(3, dtype=torch.float64, device=device)"),
    ("torch.from_numpy(rows.astype('float32')).to(device)", "torch.from_numpy(rows).to(device)"),
]


@pytest.mark.parametrize(("narrow", "wide"), MADE)
@pytest.mark.parametrize("asked", ASKED)
def test_what_is_made_for_other_devices_may_be_wide(asked: str, narrow: str, wide: str) -> None:
    rows = "import numpy as np\nrows = np.ones(3)\n"
    assert not clashes(CHOICE + rows + asked.format(narrow=narrow, wide=wide))
    told = asked.replace('"mps"', '"xpu"').replace('"xla"', '"npu"')
    assert clashes(CHOICE + rows + told.format(narrow=narrow, wide=wide))


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (
            'if device.type != "mps" and wide:\n    x = {wide}\n',
            'if device.type != "mps" or wide:\n    x = {wide}\n',
        ),
        (
            'if device.type == "cuda":\n    x = {wide}\n',
            'if device.type in ("cuda", "mps"):\n    x = {wide}\n',
        ),
        (
            'if str(device) in ("cuda", "cpu"):\n    x = {wide}\n',
            'if str(device) in ("cuda", "mps"):\n    x = {wide}\n',
        ),
        (
            'x = {wide} if device.type != "mps" else {narrow}\n',
            'x = {wide} if device.type != "xpu" else {narrow}\n',
        ),
        (
            'def made():\n    if not device.type == "cuda":\n        return {narrow}\n    return {wide}\nx = made()\n',
            'def made():\n    if not device.type == "cuda":\n        print("slow")\n    return {wide}\nx = made()\n',
        ),
        (
            'def made():\n    if device.type == "cuda":\n        y = 1\n    else:\n        return {narrow}\n    return {wide}\nx = made()\n',
            'def made():\n    if device.type == "xpu":\n        return {narrow}\n    else:\n        y = 1\n    return {wide}\nx = made()\n',
        ),
    ],
)
def test_tests_of_any_device_tell_what_is_made_for_others(asked: str, told: str) -> None:
    head = CHOICE + 'wide = input() == "y"\n'
    narrow, wide = MADE[0]
    assert not clashes(head + asked.format(narrow=narrow, wide=wide))
    assert clashes(head + told.format(narrow=narrow, wide=wide))


def test_a_question_about_something_else_says_nothing() -> None:
    asked = 'if device.type == "mps":\n    print("slow")\n'
    assert clashes(CHOICE + asked + "x = torch.zeros(3, dtype=torch.float64, device=device)\n")


USES = """
import torch
from grids import grid

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = grid(3, device) + torch.ones(3, dtype=torch.float64, device=device)
"""
GRIDS = """
import torch

def grid(n, device):
    return torch.linspace(0, 1, n, dtype=torch.float64, device=device)
"""


@pytest.mark.parametrize("imported", ["", "import settings\n", "from settings import device\n"])
def test_a_script_may_choose_what_it_gets_to_by_imports(imported: str) -> None:
    texts = {
        "main.py": imported + USES,
        "grids.py": GRIDS,
        "settings.py": CHOICE,
        "other.py": "from settings import device\nfrom grids import grid\n\nprint(grid(3, 'cpu'))\n",
    }
    found = {each.path for each in check_texts(texts) if each.rule == "float64-on-mps"}
    assert found == ({"grids.py", "main.py"} if imported else set())
