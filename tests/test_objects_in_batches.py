"""Objects of the program within a batch: frameworks move those that have a method for it, Lightning the fields of dataclasses, too."""

from __future__ import annotations

import pytest
from text_program import clashes

PROGRAM = """
import lightning as L
import torch
from accelerate import Accelerator
from dataclasses import dataclass
from torch import nn
from torch.utils.data import DataLoader, Dataset
from transformers import Trainer, TrainingArguments

class Rows(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return torch.randn(4)

{kind}
class Bag:
    {fields}
    {mover}

def bagged(rows):
    x = torch.stack(rows)
    return {{"x": x, "bag": {bag}}}

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.last = nn.Linear(4, 4)

    def forward(self, x, bag):
        return {{"loss": (self.last(x) - {read}).sum()}}

net, loader = Net(), DataLoader(Rows(), collate_fn=bagged)
{used}
"""
_FRAMEWORKS = {
    "accelerate": "net, loader = Accelerator().prepare(net, loader)\nfor batch in loader:\n    net(**batch)",
    "fabric": "fabric = L.Fabric()\nnet = fabric.setup(net)\nloader = fabric.setup_dataloaders(loader)\n"
    "for batch in loader:\n    net(**batch)",
    "transformers": 'Trainer(net, TrainingArguments("out"), bagged, Rows()).train()',
}
_PLAIN = "def __init__(self, y):\n        self.y = y"
_TO = "def to(self, device):\n        self.y = self.y.to(device)\n        return self"
_READS = {
    "Bag(x)": "bag.y",
    "[Bag(x)]": "bag[0].y",
    '{"in": Bag(x)}': 'bag["in"].y',
    "(Bag(x), 1)": "bag[0].y",
}


def _clashes(framework: str, bag: str = "Bag(x)", **changes: str) -> list[str]:
    known = {"kind": "", "fields": _PLAIN, "mover": "pass", "bag": bag, "read": _READS.get(bag, "bag")}
    return clashes(PROGRAM.format(**(known | {"used": _FRAMEWORKS[framework]} | changes)))


@pytest.mark.parametrize("framework", _FRAMEWORKS)
@pytest.mark.parametrize("bag", _READS)
def test_one_that_cannot_be_moved_stays(framework: str, bag: str) -> None:
    assert _clashes(framework, bag)
    assert _clashes(framework, bag, read=f"{_READS[bag]}.to(x.device)") == []


@pytest.mark.parametrize("framework", _FRAMEWORKS)
@pytest.mark.parametrize("bag", _READS)
def test_one_that_has_a_method_is_moved(framework: str, bag: str) -> None:
    assert _clashes(framework, bag, mover=_TO) == []


@pytest.mark.parametrize("framework", _FRAMEWORKS)
@pytest.mark.parametrize("bag", ["x", "[x, x][0]", "dict(a=x)['a']", "tuple(x for _ in range(2))[0]"])
def test_tensors_are_moved(framework: str, bag: str) -> None:
    assert _clashes(framework, bag) == []


@pytest.mark.parametrize(
    ("framework", "is_moved"), [("accelerate", False), ("transformers", False), ("fabric", True)]
)
def test_fields_of_a_dataclass_are_moved_by_lightning_alone(framework: str, is_moved: bool) -> None:
    assert (_clashes(framework, kind="@dataclass", fields="y: torch.Tensor") == []) is is_moved


_OF_DICT = ("class Bag(dict)", "y = None", "Bag(y=x)", 'bag["y"]')
_OF_TUPLE = ("class Bag(tuple)", "y = None", "Bag([x])", "bag[0]")
_OF_LIST = ("class Bag(list)", "y = None", "Bag([x])", "bag[0]")
_NESTED = ("class Bag(dict)", "y = None", "Bag(y=[x])", 'bag["y"][0]')
_NAMED = ("class Bag(NamedTuple)", "y: torch.Tensor", "Bag(x)", "bag.y")


@pytest.mark.parametrize("framework", _FRAMEWORKS)
@pytest.mark.parametrize("kind", [_OF_DICT, _OF_TUPLE, _OF_LIST, _NESTED, _NAMED])
def test_a_collection_of_the_program_is_moved(framework: str, kind: tuple[str, str, str, str]) -> None:
    head, fields, bag, read = kind
    text = PROGRAM.replace("import torch\n", "import torch\nfrom typing import NamedTuple\n", 1).replace(
        "class Bag", head
    )
    known = {"kind": "", "mover": "pass", "used": _FRAMEWORKS[framework]}
    assert clashes(text.format(**known, fields=fields, bag=bag, read=read)) == []


@pytest.mark.parametrize("framework", _FRAMEWORKS)
def test_what_knows_itself_is_gone_through_once(framework: str) -> None:
    fields, mover = (
        f"{_PLAIN}\n        self.whole = self",
        "def __getattr__(self, name):\n        return vars(self)[name]",
    )
    assert _clashes(framework, fields=fields, mover=mover, read="bag.y") == []
