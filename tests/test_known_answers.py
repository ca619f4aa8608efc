"""What options are when nobody gives any, asked in one place, and expressions that are evaluated once."""

from __future__ import annotations

import pytest
from reality import lies
from text_program import Ending

from devfix.analysis.domain.values import Scalar

OPTIONS = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--resume")
parser.add_argument("--model", default="lstm")
parser.add_argument("--layers", type=int, default=2)
args = parser.parse_args([])
"""
#: How comparisons come out where no option is given; Python says the same.
ANSWERS = (
    'args.model == "lstm"', "args.layers >= 2", "args.layers < 2.5", 'args.model < "zebra"', "args.layers == 2.0",
)  # fmt: skip


@pytest.mark.parametrize("asked", ANSWERS)
def test_a_comparison_of_options_is_usually_what_python_makes_of_their_defaults(asked: str) -> None:
    text = f"{OPTIONS}answer = {asked}\n"
    names: dict[str, object] = {}
    exec(text, names)
    answer = Ending(text)["answer"]
    assert isinstance(answer, Scalar)
    assert answer.usual == names["answer"]


@pytest.mark.parametrize(
    "asked", ["args.resume is not None", 'args.resume == "last.pt"', 'args.model > "mlp"']
)
def test_a_test_of_options_decides_which_path_is_usual(asked: str) -> None:
    text = f"{OPTIONS}kind = 1\nif {asked}:\n    kind = 2\n"
    kind = Ending(text)["kind"]
    assert isinstance(kind, Scalar)
    assert kind.usual == 1


def test_the_layer_whose_weight_gets_other_data_is_looked_up_once() -> None:
    assert not lies("""
import pickle
import torch
from torch import nn
class Picker:
    def __init__(self):
        self.net, self.asked = nn.Linear(2, 2), 0
    def layer(self):
        self.asked = self.asked + 1
        return self.net
picker = Picker()
picker.layer().weight.data = pickle.loads(pickle.dumps(torch.ones(2, 2)))
count = picker.asked
""")


def test_what_computed_attributes_raise_ends_no_path() -> None:
    assert not lies("""
class Lazy:
    def __getattr__(self, name):
        if name == "size":
            return 3
        raise AttributeError(name)
lazy = Lazy()
size = lazy.size
there = hasattr(lazy, "size")
after = size + 1
""")
