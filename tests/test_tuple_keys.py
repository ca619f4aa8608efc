"""Entries of dicts under tuples, and dicts that hold their keys weakly."""

import pytest
from text_program import Ending, clashes

from devfix.analysis.domain.values import Const

TABLE = """
table = {}
table["net", "small"] = 1
table["net", 2] = 2
table["loss", "l1"] = "a"
table["loss", "l2"] = "b"
"""


@pytest.mark.parametrize("key", ["'net', 'small'", "'net', 2", "'loss', 'l1'", "('loss', 'l2')"])
def test_an_entry_under_a_tuple_is_known(key: str) -> None:
    text = f"{TABLE}found = table[{key}]\n"
    names: dict[str, object] = {}
    exec(text, names)
    assert Ending(text)["found"] == Const(names["found"])


def test_the_keys_are_tuples() -> None:
    text = f"{TABLE}first = [kind for kind, name in table][0]\nhas, lacks = ('net', 2) in table, ('net', 3) in table\n"
    names: dict[str, object] = {}
    exec(text, names)
    end = Ending(text)
    assert (end["first"], end["has"], end["lacks"]) == (
        Const(names["first"]),
        Const(names["has"]),
        Const(names["lacks"]),
    )


@pytest.mark.parametrize(
    "key", ["1e999, 'a'", "-1e999, 'a'", "2j", "1 + 2j", "True, None", "(1, 2), 'a'", "b'a', 1"]
)
def test_a_key_without_a_literal_is_one_of_others(key: str) -> None:
    text = f"""
        import sys
        import torch
        table = {{({key}): torch.zeros(3), (2.0, "b"): torch.ones(3)}}
        print(table[float(sys.argv[1]), "b"] * torch.ones(3).cuda())
        """
    assert clashes(text) == ["5: device"]


REGISTRY = """
import sys
import torch
from torch import nn

KNOWN = {{}}

def register(kind):
    def wrap(cls):
        KNOWN[kind, cls.__name__] = cls
        return cls
    return wrap

@register("net")
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        return self.layer(x)

@register("loss")
class Loss(nn.Module):
    def forward(self, x, y):
        return (x - y).abs().mean()

def build(kind, name):
    return KNOWN[kind, name]()

net = build("net", sys.argv[1]).cuda()
loss = build("loss", sys.argv[2])
print(loss(net(torch.ones(3).cuda()), {target}))
"""


def test_of_a_tuple_the_part_that_is_known_tells_entries_apart() -> None:
    assert clashes(REGISTRY.format(target="torch.ones(3)")) == ["26: device"]
    assert clashes(REGISTRY.format(target="torch.ones(3).cuda()")) == []


HOOKS = """
import weakref
import torch
from torch import nn

class Watch:
    def __init__(self, model):
        self.names = weakref.WeakKeyDictionary()
        self.seen = weakref.WeakKeyDictionary()
        for name, module in model.named_modules():
            if isinstance(module, (nn.ReLU, nn.Tanh)):
                self.names[module] = name
        for module in self.names:
            module.register_forward_hook(self.observe)

    def observe(self, module, args, output):
        seen = self.seen.get(module)
        if seen is None:
            seen = self.seen[module] = torch.zeros(3, device={device})
        seen.add_(output.detach().mean(0))

net = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 3), nn.ReLU()).cuda()
Watch(net)
print(net(torch.ones(2, 3).cuda()).sum())
"""


def test_layers_that_are_weak_keys_are_hooked() -> None:
    assert clashes(HOOKS.format(device='"cpu"')) == ["20: device"]
    assert clashes(HOOKS.format(device="output.device")) == []
