"""Private functions of packages of models, which make none."""

from __future__ import annotations

import pytest
from text_program import clashes

FLOW = """
import torch
{imported}

def flow(model):
    coords = torch.zeros(1, 2, 8, 8, device="cuda")
    found = {call}(coords)
    return found.detach() + coords
"""


@pytest.mark.parametrize(
    ("imported", "call"),
    [
        ("from torchvision.models.optical_flow._utils import upsample_flow", "upsample_flow"),
        ("from timm.models._manipulate import adapt_input_conv", "adapt_input_conv"),
    ],
)
def test_what_such_a_function_gives_is_no_module(imported: str, call: str) -> None:
    assert clashes(FLOW.format(imported=imported, call=call)) == []


def test_a_public_function_makes_one() -> None:
    text = FLOW.format(imported="from torchvision.models.optical_flow import raft_small", call="raft_small()")
    assert len(clashes(text)) == 1
