"""A device that the environment may name: whoever starts the program by hand gets what stands beside it."""

from __future__ import annotations

import pytest
from text_program import clashes

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
