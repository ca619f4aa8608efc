"""Buffers whose values subclasses make: the method of the base says nothing, or raises."""

from __future__ import annotations

import pytest
from text_program import fix_texts

from devfix.findings import Applicability

#: A base whose subclasses make what it keeps, by a method that says nothing where it stands.
_MADE_BY_SUBCLASSES = """
import torch
from torch import nn

class Base(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.rates = self.make(size)

    def make(self, size):
        {stub}

    def forward(self, x, steps):
        return x * self.rates[steps].unsqueeze(-1)

class Bent(Base):
    def make(self, size):
        return torch.linspace(0.1, 0.9, size + 1)[1:] ** 2

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = Bent(9).to(device)
print(net(torch.ones(2, 3, device=device), torch.tensor([0, 4], device=device)))
"""


@pytest.mark.parametrize(
    "stub", ["...", '"""Makes the rates."""', "return None", "raise NotImplementedError"]
)
def test_what_subclasses_make_is_registered_by_the_base(stub: str) -> None:
    text = _MADE_BY_SUBCLASSES.format(stub=stub)
    registered = 'self.register_buffer("rates", self.make(size), persistent=False)'
    assert fix_texts({"main.py": text})[0]["main.py"] == text.replace(
        "self.rates = self.make(size)", registered
    )


def test_what_a_base_makes_as_a_number_is_not_registered() -> None:
    text = _MADE_BY_SUBCLASSES.format(stub="return 0.5")
    assert "register_buffer" not in fix_texts({"main.py": text})[0]["main.py"]


#: A base that keeps the layers that its subclasses make in a plain list.
_LAYERS_OF_SUBCLASSES = """
import torch
from torch import nn

class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 4)
        self.others = self.make()

    def make(self):
        {stub}

    def forward(self, x):
        if self.others is None:
            return self.first(x).relu()
        for layer in self.others:
            x = layer(x)
        return x

class Deep(Base):
    def make(self):
        return [nn.Linear(4, 4), nn.Linear(4, 4)]

class Other(Base):
    pass

for cls in {classes}:
    net = cls().cuda()
    print(net(torch.ones(2, 4).cuda()))
"""


@pytest.mark.parametrize(
    ("stub", "classes"),
    [("raise NotImplementedError", "(Deep,)"), ("return [nn.Linear(4, 4)]", "(Deep, Other)")],
)
def test_a_list_that_a_method_makes_is_put_into_a_container(stub: str, classes: str) -> None:
    text = _LAYERS_OF_SUBCLASSES.format(stub=stub, classes=classes)
    registered = text.replace("self.others = self.make()", "self.others = nn.ModuleList(self.make())")
    assert fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"] == registered


def test_a_list_that_may_be_missing_is_put_into_no_container() -> None:
    text = _LAYERS_OF_SUBCLASSES.format(stub="return None", classes="(Deep, Other)")
    assert "ModuleList" not in fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"]
