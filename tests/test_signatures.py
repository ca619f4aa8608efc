"""Arguments that are sorted out by a function's signature: those reach it that it has parameters for."""

from __future__ import annotations

import pytest
from text_program import clashes

PROGRAM = """
import functools
import inspect
import torch
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
{wrapping}
class Table:
    {decorated}
    def __init__(self, size, {parameter}="cpu"):
        self.values = torch.arange(size, device={parameter}).float()
def build(cls, **options):
    known = {known}
    return cls(**{{name: value for name, value in options.items() if name in known}})
print(build(Table, size=3, device=device, other=None).values + torch.ones(3, device=device))
"""
KNOWN = [
    "inspect.signature(cls).parameters",
    "inspect.signature(cls.__init__).parameters",
    "list(inspect.signature(cls.__init__).parameters.keys())",
    "inspect.getfullargspec(cls.__init__).args",
]


@pytest.mark.parametrize("known", KNOWN)
@pytest.mark.parametrize(("parameter", "wrong"), [("device", False), ("dev", True)])
def test_only_named_parameters_are_given(known: str, parameter: str, wrong: bool) -> None:
    text = PROGRAM.format(known=known, parameter=parameter, wrapping="", decorated="pass")
    assert bool(clashes(text)) == wrong


WRAPPING = """
def checked(function):
    @functools.wraps(function)
    def run(*args, **kwargs):
        return function(*args, **kwargs)
    return run
"""


@pytest.mark.parametrize("known", KNOWN)
def test_a_function_that_stands_for_another_one_has_its_signature(known: str) -> None:
    text = PROGRAM.format(known=known, parameter="device", wrapping=WRAPPING, decorated="@checked")
    assert not clashes(text)


_STEPS = """
import torch

def load(seed):
    return {{"x": torch.ones(4, 3), "seed": seed}}

def embed(model, x):
    size = len(x)
    return {{"z": model(x{moved}), "size": size}}

steps, device = [load, embed], torch.device("cuda")
context = {{"seed": 1, "model": torch.nn.Linear(3, 3).to(device)}}
for step in steps:
    asked = {asked}
    context.update(step(**{{name: context[name] for name in asked}}))
context["z"] @ torch.ones(3){end}
"""
_ASKED = [
    "step.__code__.co_varnames[: step.__code__.co_argcount]",
    "[each for each in step.__code__.co_varnames if each not in ('size',)]",
    "inspect.signature(step).parameters",
]


@pytest.mark.parametrize("asked", _ASKED)
def test_what_a_function_asks_for_by_the_names_of_its_parameters_reaches_it(asked: str) -> None:
    text = "import inspect" + _STEPS
    assert clashes(text.format(asked=asked, moved="", end=".to(device)")) == ["9: device"]
    assert clashes(text.format(asked=asked, moved=".to(device)", end="")) == ["16: device"]
    assert not clashes(text.format(asked=asked, moved=".to(device)", end=".to(device)"))


_PARTS = """
import inspect
import torch

class provided:
    def __init__(self, function):
        self.function, self.name = function, function.__name__
        self.asked = list(inspect.signature(function).parameters)[1:]
    def __get__(self, holder, owner=None):
        made = self.function(holder, *(getattr(holder, name) for name in self.asked))
        holder.__dict__[self.name] = made
        return made

def needs(function):
    function.asked = [name for name in inspect.signature(function).parameters if name != "self"]
    return property(lambda holder: function(holder, **{{name: getattr(holder, name) for name in function.asked}}))

def named(name):
    def decorate(function):
        asked = inspect.getfullargspec(function).args[1:]
        return property(lambda holder: function(holder, *[getattr(holder, name) for name in asked]))
    return decorate

class Parts:
    device = torch.device("cuda")
    @{decorator}
    def model(self, device):
        return torch.nn.Linear(3, 3).to(device)
    @{decorator}
    def rows(self):
        return torch.ones(4, 3){moved}
    @{decorator}
    def scores(self, model, rows):
        return model(rows)

parts = Parts()
parts.scores @ torch.ones(3){end}
"""


@pytest.mark.parametrize("decorator", ["provided", "needs", "named('part')"])
def test_what_decorates_a_function_reads_the_signature_that_it_is_written_with(decorator: str) -> None:
    text = _PARTS
    assert clashes(text.format(decorator=decorator, moved="", end=".to('cuda')")) == ["34: device"]
    assert clashes(text.format(decorator=decorator, moved=".to('cuda')", end="")) == ["37: device"]
    assert not clashes(text.format(decorator=decorator, moved=".to('cuda')", end=".to('cuda')"))


_BOUND = """
import inspect
import torch

def there(function):
    asked = inspect.signature(function)
    def moved(*args, **kwargs):
        bound = asked.bind(*args, **kwargs)
        bound.apply_defaults()
        for name, value in bound.arguments.items():
            bound.arguments[name] = value.to("cuda")
        return function(*bound.args, **bound.kwargs)
    return moved

{decorated}
def scaled(rows, *, by=torch.ones(3)):
    return rows * by

scaled(torch.ones(3).cuda()) + torch.ones(3).cuda()
"""


def test_a_tensor_that_is_a_default_counts_for_nothing_where_keywords_that_nobody_knows_are_given() -> None:
    assert not clashes(_BOUND.format(decorated="@there"))
    assert clashes(_BOUND.format(decorated="")) == ["17: device"]
