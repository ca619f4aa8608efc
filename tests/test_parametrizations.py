"""Parametrizations and masks of a layer's weight meet the weight, wherever that is by then."""

from __future__ import annotations

import pytest
from reality import lies
from text_program import clashes, fix_texts

from devfix.findings import Applicability

PROGRAM = """
import torch
from torch import nn
from torch.nn.utils import parametrize, prune
class Masked(nn.Module):
    def __init__(self, mask):
        super().__init__()
        self.register_buffer("mask", mask)
    def forward(self, weight):
        return weight * self.mask
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
layer = nn.Linear(4, 4)
{moved}
{registered}
{later}
print(layer(torch.ones(2, 4, device=device)).sum().item())
"""
REGISTERED = 'parametrize.register_parametrization(layer, "weight", Masked(torch.ones(4, 4)))'
MASKED = 'prune.custom_from_mask(layer, "weight", torch.ones(4, 4))'


def _program(registered: str, moved: str = "", later: str = "") -> str:
    return PROGRAM.replace("{moved}", moved).replace("{registered}", registered).replace("{later}", later)


@pytest.mark.parametrize("registered", [REGISTERED, MASKED])
def test_it_meets_the_weight_when_it_is_registered(registered: str) -> None:
    assert clashes(_program(registered, moved="layer.to(device)"))


@pytest.mark.parametrize("registered", [REGISTERED, MASKED])
def test_what_is_registered_before_moves_along(registered: str) -> None:
    assert not clashes(_program(registered, later="layer.to(device)"))
    after = "print(layer.parametrizations.weight[0].mask * torch.ones(4, 4, device=device))"
    assert not clashes(_program(REGISTERED, later=f"layer.to(device)\n{after}"))


@pytest.mark.parametrize("registered", [REGISTERED, MASKED])
def test_one_on_the_device_of_the_weight_is_right(registered: str) -> None:
    text = _program(registered.replace("(4, 4)", "(4, 4, device=device)"), moved="layer.to(device)")
    assert not clashes(text)
    assert not clashes(text.replace('"weight"', "name"))


def test_it_is_moved_where_it_is_registered() -> None:
    after = fix_texts({"train.py": _program(REGISTERED, moved="layer.to(device)")}, Applicability.SAFE)[0]
    assert REGISTERED[:-1] + ".to(device))" in after["train.py"]


PLAIN = """
import torch
import torch.nn.utils.parametrize as P
from torch import nn
class Masked(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.keep = torch.ones(n, n).tril()
    def forward(self, weight):
        return weight * self.keep
class Skew(nn.Module):
    def forward(self, weight):
        return weight.triu(1) - weight.triu(1).mT
class Shift(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 4)
        self.kernel = nn.Parameter(torch.eye(4))
    def forward(self, x):
        return self.inner(x) {used}
net = Shift()
{registered}
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net.to(device)
{later}
"""
CALLED = "print(net(torch.ones(2, 4, device=device)).sum().item())"


def _plain(registered: str, used: str = "", later: str = CALLED) -> str:
    return PLAIN.replace("{registered}", registered).replace("{used}", used).replace("{later}", later)


@pytest.mark.parametrize(
    ("registered", "used"),
    [
        ('P.register_parametrization(net.inner, "weight", Masked(4))', ""),
        ('P.register_parametrization(net, "kernel", Masked(4))', "@ self.kernel"),
        ('for part in (Skew(), Masked(4)): P.register_parametrization(net.inner, "weight", part)', ""),
        ('P.register_parametrization(net.inner, "weight", Masked(4))\nP.register_parametrization(net.inner, "weight", Skew())', ""),
        ('P.register_parametrization(net.inner, "weight", Masked(4))\nP.register_parametrization(net.inner, "bias", Skew())', ""),
    ],
)  # fmt: skip
def test_a_parametrization_is_called_whenever_the_parameter_is_asked_for(registered: str, used: str) -> None:
    text = _plain(registered, used)
    assert clashes(text) == ["10: device"]
    after, _ = fix_texts({"main.py": text}, Applicability.UNSAFE)
    assert 'self.register_buffer("keep", torch.ones(n, n).tril(), persistent=False)' in after["main.py"]
    assert not clashes(after["main.py"])


def test_reading_the_weight_calls_it() -> None:
    registered = 'P.register_parametrization(net.inner, "weight", Masked(4))'
    assert clashes(_plain(registered, later="print(net.inner.weight.norm())")) == ["10: device"]


@pytest.mark.parametrize(
    ("registered", "used", "later"),
    [
        ('P.register_parametrization(net.inner, "weight", Skew())', "", CALLED),
        ('P.register_parametrization(net, "kernel", Skew())', "@ self.kernel", CALLED),
        ('P.register_parametrization(net.inner, "weight", Masked(4))', "", "print(net.inner.bias.norm())"),
        (
            'P.register_parametrization(net.inner, "weight", Masked(4))',
            "",
            "print(len(list(net.parameters())))",
        ),
        (
            'P.register_parametrization(net.inner, "weight", Masked(4))\nP.remove_parametrizations(net.inner, "weight")',
            "",
            CALLED,
        ),
        (
            'P.register_parametrization(net, "kernel", Masked(4))\nP.remove_parametrizations(net, "kernel")',
            "@ self.kernel",
            CALLED,
        ),
        ('P.register_parametrization(net, "kernel", Masked(4))', "", "print(net.kernel_size)"),
    ],
)
def test_what_is_not_asked_for_or_moves_along_is_left_alone(registered: str, used: str, later: str) -> None:
    assert not clashes(_plain(registered, used, later))


PRUNED = """
import torch
from torch import nn
from torch.nn.utils import parametrize
class Keep(nn.Module):
    def __init__(self, weight):
        super().__init__()
        {kept}
    def forward(self, original):
        return original * self.keep
    @torch.no_grad()
    def shrink(self, original):
        self.keep.copy_(original.abs() > 0.1)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.wide, self.head = nn.Linear(4, 40), nn.Linear(40, 2)
    def forward(self, x):
        return self.head(self.wide(x))
def prunable(net):
    for name, layer in net.named_modules():
        if isinstance(layer, nn.Linear) and layer.weight.numel() > 100:
            yield name, layer
net = Net()
for _, layer in list(prunable(net)):
    parametrize.register_parametrization(layer, "weight", Keep(layer.weight.detach()))
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net.to(device)
{used}
"""
USES = {
    "called": "net(torch.rand(2, 4, device=device))",
    "original": "keep = net.wide.parametrizations.weight\nkeep.original * keep[0].keep",
    "asked": (
        'for layer in net.modules():\n    if parametrize.is_parametrized(layer, "weight"):\n'
        "        keep = layer.parametrizations.weight\n        keep.original * keep[0].keep"
    ),
}


@pytest.mark.parametrize("used", USES.values(), ids=USES)
def test_each_layer_that_a_loop_goes_through_has_its_parametrization(used: str) -> None:
    """Whichever of them it is registered with: what it keeps as a plain attribute stays behind, the parameter moves."""
    kept = "self.keep = torch.ones_like(weight)"
    assert clashes(PRUNED.format(kept=kept, used=used)) != []
    kept = 'self.register_buffer("keep", torch.ones_like(weight))'
    assert clashes(PRUNED.format(kept=kept, used=used)) == []


REMOVED = """
import torch
from torch import nn
from torch.nn.utils import parametrize
class Same(nn.Module):
    def forward(self, weight):
        return weight * 1
layer = nn.Linear(3, 3)
parametrize.register_parametrization(layer, "weight", Same())
one, named = parametrize.is_parametrized(layer), parametrize.is_parametrized(layer, "weight")
parametrize.remove_parametrizations(layer, "weight")
none, gone = parametrize.is_parametrized(layer), parametrize.is_parametrized(layer, "weight")
"""


def test_a_layer_is_no_more_parametrized_once_the_last_is_removed() -> None:
    assert lies(REMOVED) == []


def test_a_layer_whose_parametrization_is_removed_has_its_weight_where_it_is() -> None:
    """Baked in before the move, or behind it: the weight moves with its layer."""
    kept = 'self.register_buffer("keep", torch.ones_like(weight))'
    removed = 'parametrize.remove_parametrizations(net.wide, "weight")'
    used = "net.wide.weight * torch.ones(40, 4, device=device)\nnet(torch.rand(2, 4, device=device))"
    assert clashes(PRUNED.format(kept=kept, used=f"{removed}\n{used}")) == []
    early = PRUNED.format(kept=kept, used=used).replace("net.to(device)", f"{removed}\nnet.to(device)")
    assert clashes(early) == []
