"""JSON that a program holds itself is as good as a dict."""

from __future__ import annotations

import pytest
from text_program import clashes

HEAD = """
import json
import torch
x = torch.ones(3, device="cuda")
"""


def test_what_a_text_says_is_known() -> None:
    program = """
settings = json.loads('{"run": {"device": "cpu", "sizes": [3, 3]}, "deep": null}')
layer = torch.nn.Linear(*settings["run"]["sizes"]).to(settings["run"]["device"])
layer(x if settings["deep"] is None else x.cpu())
"""
    assert clashes(HEAD + program) == ["8: device"]


@pytest.mark.parametrize(
    "read",
    [
        "json.loads(open('settings.json').read())",
        'json.loads(\'{"device": "cpu"}\', object_hook=print)',
        "json.loads('{\"device\": ')",
    ],
)
def test_what_is_not_there_to_read_is_not_known(read: str) -> None:
    assert clashes(f"{HEAD}torch.nn.Linear(3, 3).to({read}['device'])(x)\n") == []
