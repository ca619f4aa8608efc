"""Expressions put together as text, and names looked up in dicts of variables."""

from __future__ import annotations

import pytest
from text_program import Ending, analyse_text, clashes

from devfix.analysis.domain.values import Const

FILE = """
import sys
import torch
from torch import nn

def small():
    return nn.Linear(2, 1)

def large():
    return nn.Sequential(nn.Linear(2, 4), nn.Linear(4, 1))

def build(config, name):
    return {made}

model = build(None, sys.argv[1]).cuda()
model(torch.ones(1, 2))
"""


@pytest.mark.parametrize(
    "made",
    [
        'eval(f"{name}()")',
        'eval(name + "()")',
        'eval("%s()" % name)',
        'eval("{}()".format(name))',
        'eval("small" + "()")',
        "globals()[name]()",
    ],
)
def test_what_is_made_by_a_name_in_a_text(made: str) -> None:
    assert set(clashes(FILE.format(made=made))) == {"16: device"}


def test_a_module_of_the_project_named_in_a_text() -> None:
    main = """
    import sys
    import torch
    import models

    model = eval("models." + sys.argv[1])(2).cuda()
    model(torch.ones(1, 2))
    """
    models = """
    import torch

    class Small(torch.nn.Module):
        def __init__(self, n):
            super().__init__()
            self.linear = torch.nn.Linear(n, 1)

        def forward(self, x):
            return self.linear(x)
    """
    assert clashes(main, models=models) == ["models.py:10: device"]


def test_data_in_a_text_are_what_they_say() -> None:
    ending = Ending('numbers = eval("[20, 3]")\nfirst = numbers[0]\nx = locals()["first"]\n')
    assert ending["first"] == ending["x"] == Const(20)


@pytest.mark.parametrize("text", ["open(name)", "eval(name)", 'eval("1 if x else y")', 'eval("small(")'])
def test_a_text_that_is_not_known_makes_something_unknown(text: str) -> None:
    assert clashes(FILE.format(made=text)) == []


def test_what_a_text_computes_with_tensors_is_left_alone() -> None:
    text = """
    import torch

    model = torch.nn.Linear(2, 1).cuda()
    x = torch.ones(1, 2)
    eval("model(x)")
    """
    assert not list(analyse_text(text).mismatches())


MODELS = """
import torch

class Config(dict):
    def __getattr__(self, name):
        return self[name]

class Small(torch.nn.Module):
    def __init__(self, n=2):
        super().__init__()
        self.linear = torch.nn.Linear(n, 1)

    def forward(self, x):
        return self.linear(x)

class Learner:
    def __init__(self, model, rate, epochs):
        self.model = model

    def fit(self):
        return self.model(torch.ones(1, 2))
"""


@pytest.mark.parametrize("given", ["n=2", "", "**config.model.args"])
def test_what_is_called_by_a_name_is_the_class_that_takes_such_arguments(given: str) -> None:
    main = f"""
    import json
    from models import *

    config = Config(json.load(open("settings.json")))
    model = eval(config.model.name)({given}).cuda()
    learner = eval(config.learner.name)(model=model, rate=config.rate, epochs=3)
    learner.fit()
    """
    assert clashes(main, models=MODELS) == ["models.py:14: device"]


def test_a_name_in_a_text_that_is_not_called_may_be_anything() -> None:
    main = """
    import sys
    from models import *

    kind = eval(sys.argv[1])
    model = kind(2).cuda()
    model(torch.ones(1, 2))
    """
    assert clashes(main, models=MODELS) == []
