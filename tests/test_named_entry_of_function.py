"""A device that a function keeps in a dict is where its modules move as well."""

from __future__ import annotations

import pytest
from text_program import fix_texts

PROGRAM = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, options):
        super().__init__()
        self.layer = nn.Linear(options["width"], 1)

    def forward(self, x):
        return self.layer(x)


def score(loader{more}):
    {settings}
    net = Net(options)
    {later}
    for x, y in loader:
        loss = (net(x.to(options["device"])) - y.to(options["device"])).sum()
    return loss


loader = torch.utils.data.DataLoader([(torch.ones(3), torch.ones(1))] * 8, batch_size=2)
print(score(loader))
"""

SETTINGS = [
    'options = {"device": "cuda", "width": 3}',
    'options = {}\n    options["device"] = "cuda"\n    options["width"] = 3',
    'options = dict(width=3)\n    options.update(device="cuda")',
]


@pytest.mark.parametrize("settings", SETTINGS)
def test_a_module_moves_to_the_entry_by_which_its_inputs_move(settings: str) -> None:
    text = PROGRAM.format(more="", settings=settings, later="print(options.get('width'))")
    fixed = fix_texts({"main.py": text})[0]["main.py"]
    assert fixed == text.replace("Net(options)\n", 'Net(options).to(options["device"])\n')


@pytest.mark.parametrize("later", ['options["device"] = "cuda"', 'options.update(device="cuda")'])
def test_an_entry_that_is_set_further_down_is_not_read_before(later: str) -> None:
    text = PROGRAM.format(more="", settings='options = {"width": 3}', later=later)
    assert 'Net(options).to(options["device"])' not in fix_texts({"main.py": text})[0]["main.py"]


def test_a_dict_that_may_be_another_one_is_not_asked() -> None:
    settings = 'options = {"device": "cuda", "width": 3}\n    options = options or {}'
    text = PROGRAM.format(more=", options=None", settings=settings, later="pass")
    assert "options[" not in fix_texts({"main.py": text})[0]["main.py"].split("net = ")[1].splitlines()[0]
