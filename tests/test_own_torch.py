"""A class that torch does not have is of a package of the project's own, and may move what its objects hold."""

from __future__ import annotations

import pkgutil

import torch
from text_program import clashes

from devfix.analysis.torch_model.names import TORCH_PACKAGES, is_harmless

#: What torch has beside its packages; they have no classes that anybody descends from.
NO_PACKAGES = {"torch_version", "nativert", "numa"}


def test_a_package_of_the_projects_that_is_called_torch_is_not_known() -> None:
    public = {each.name for each in pkgutil.iter_modules(torch.__path__) if not each.name.startswith("_")}
    assert public - NO_PACKAGES <= TORCH_PACKAGES
    assert all(map(is_harmless, ("torch.optim.Adam", "torch.Tensor", "torch._utils.Helper")))
    assert not is_harmless("torch.models.base.BaseModel")


OWN_BASE = """
import torch
from torch import nn
from {package}.base import Base

cuda = torch.cuda.is_available()

class Model(Base):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(3, 3)
        self = self.cuda() if cuda else self

    def forward(self, x):
        state = torch.zeros(1, x.shape[1], 3)
        state = state.cuda() if cuda else state
        return self.rnn(x, (state, state))
"""


def test_what_descends_from_a_class_that_torch_does_not_have_may_be_moved() -> None:
    assert not clashes(OWN_BASE.format(package="torch.models"))
