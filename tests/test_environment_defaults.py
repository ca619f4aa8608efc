"""A device that the environment may name: whoever starts the program by hand gets what stands beside it."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

_TEXT = """
import os
import torch

DEVICE = torch.device({choice})
model = torch.nn.Linear(3, 3).to(DEVICE)
model(torch.ones(2, 3))
"""


@pytest.mark.parametrize(
    "choice",
    [
        'os.environ.get("RUN_DEVICE") or ("cuda" if torch.cuda.is_available() else "cpu")',
        'os.getenv("RUN_DEVICE", "") or "cuda:0"',
        'os.environ.get("RUN_DEVICE", None) or torch.device("cuda")',
        'os.environ.get("RUN_DEVICE", "cuda")',
    ],
)
def test_it_is_the_accelerator_where_that_stands_beside_it(choice: str) -> None:
    assert clashes(_TEXT.format(choice=choice)) == ["7: device"]


@pytest.mark.parametrize(
    "choice",
    [
        'os.environ.get("RUN_DEVICE") or "cpu"',
        'os.environ.get("RUN_PLACE")',
        'os.environ.get("RUN_DEVICE", "cpu") or "cuda"',
        'os.getenv("FIRST") or os.getenv("SECOND") or "cuda"',
        'settings.get("RUN_PLACE") or "cuda"',
    ],
)
def test_nothing_is_known_where_it_does_not(choice: str) -> None:
    text = _TEXT.replace("import os\n", "import os\nfrom elsewhere import settings\n")
    assert clashes(text.format(choice=choice)) == []


_NAMED = """
import argparse
import os
import torch

parser = argparse.ArgumentParser()
args = parser.parse_args()
wanted = os.environ.get("RUN_DEVICE")
other = os.getenv("OTHER_DEVICE", None)
{device}
model = torch.nn.Linear(3, 3).to(device)
model(torch.ones(2, 3))
"""


@pytest.mark.parametrize(
    "choice",
    [
        'device = torch.device(wanted or "cuda")',
        'device = other or torch.device("cuda:0")',
        'device = torch.device(wanted or ("cuda" if torch.cuda.is_available() else "cpu"))',
        'device = getattr(args, "device", None) or "cuda"',
        'device = getattr(args, "device", "cuda")',
        'device = str(torch.device("cuda" if torch.cuda.is_available() else "cpu"))',
    ],
)
def test_what_the_environment_says_may_have_a_name(choice: str) -> None:
    assert clashes(_NAMED.format(device=choice)) == ["12: device"]


@pytest.mark.parametrize(
    "choice",
    [
        'device = torch.device(wanted or "cpu")',
        'device = wanted or other or "cuda"',
        'wanted = wanted or "cpu"; device = wanted or "cuda"',
        'device = getattr(args, "device", "cpu")',
        'device = getattr(args, "device", None) or "cpu"',
        'device = getattr(args, "place", None) or "cuda"',
        'device = str(torch.device("cpu"))',
    ],
)
def test_a_name_says_no_more_than_what_it_stands_for(choice: str) -> None:
    assert clashes(_NAMED.format(device=choice)) == []


def test_the_text_of_a_device_is_one_that_a_fix_can_use() -> None:
    choice = 'device = str(torch.device("cuda" if torch.cuda.is_available() else "cpu"))'
    after, _ = fix_texts({"main.py": _NAMED.format(device=choice)})
    assert after["main.py"].splitlines()[-1] == "model(torch.ones(2, 3, device=device))"


def test_a_text_that_begins_so_and_goes_on_is_none() -> None:
    assert clashes(_NAMED.format(device='device = f"cuda_{wanted}.pt"')) == []
