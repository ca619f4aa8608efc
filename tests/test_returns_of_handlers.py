"""What a function returns where a look-up failed: both ways are taken in one run."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

from devfix.findings import Applicability

_PENALTY = """
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(4, 4)

    def keep(self):
        for name, p in self.named_parameters():
            self.register_buffer(name.replace(".", "_") + "_mean", p.data.clone())

    def penalty(self):
        try:
            found = []
            for name, p in self.named_parameters():
                mean = getattr(self, name.replace(".", "_") + "_mean")
                found.append(((p - mean) ** 2).sum())
            return {penalty}
        except {error}:
            return {made}


net = Net().to(device)
loss = net.fc(torch.ones(2, 4, device=device)).mean() + net.penalty()
net.keep()
"""


@pytest.mark.parametrize("penalty", ["sum(found)", "found[0]", "torch.stack(found).sum()"])
def test_what_is_made_where_a_look_up_failed_is_made_on_the_device(penalty: str) -> None:
    text = _PENALTY.format(penalty=penalty, error="AttributeError", made="torch.zeros(1)")
    after = fix_texts({"main.py": text}, Applicability.SAFE)[0]["main.py"]
    made = "torch.zeros(1, device=device)"
    assert after == _PENALTY.format(penalty=penalty, error="AttributeError", made=made)


@pytest.mark.parametrize(
    "made", ["torch.zeros(())", "0.0", "torch.zeros(1, device=device)", "torch.zeros(1).to(device)"]
)
def test_what_may_meet_the_rest_stays(made: str) -> None:
    assert clashes(_PENALTY.format(penalty="sum(found)", error="AttributeError", made=made)) == []


@pytest.mark.parametrize("error", ["RuntimeError", "Exception", "ImportError"])
def test_what_is_made_after_other_errors_says_nothing(error: str) -> None:
    assert clashes(_PENALTY.format(penalty="sum(found)", error=error, made="torch.zeros(1)")) == []


def test_a_table_that_is_kept_on_the_cpu_may_be_read_there() -> None:
    text = """
    import torch

    tables = {}

    def table(n):
        try:
            return tables[n]
        except KeyError:
            tables[n] = torch.arange(n)
            return tables[n]

    x = torch.ones(3, device="cuda")
    print(table(3).sum(), x[table(3)], table(3).to(x.device) + x)
    """
    assert clashes(text) == []


PLACES = """
import torch
from torch import nn

def usual():
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")

def place(module):
    try:
        return {place}
    except {error}:
        return usual()

def trace(net):
    before = place(net)
    net.to(usual())
    net.to(before)
    return net

net = trace(nn.Linear(3, 3))
net(torch.ones(2, 3))
"""


@pytest.mark.parametrize("error", ["Exception", "StopIteration", "(AttributeError, StopIteration)"])
@pytest.mark.parametrize("place", ["next(module.parameters()).device", "module.weight.device"])
def test_what_is_chosen_for_what_has_no_place_is_not_the_place_of_what_has_one(
    place: str, error: str
) -> None:
    assert not clashes(PLACES.format(place=place, error=error))


@pytest.mark.parametrize("place", ["torch.device('cpu')", "module.device"])
def test_what_is_chosen_where_no_tensor_is_asked_may_be_either(place: str) -> None:
    assert clashes(PLACES.format(place=place, error="Exception")) == ["21: device"]
