"""Descriptors, properties that are made of functions, metaclasses that are called: what comes out of them is what Python gives."""

from __future__ import annotations

import pytest
from reality import lies
from text_program import Ending, clashes, fix_texts

from devfix.analysis.domain.values import Tensor

HEAD = """import functools
import torch

class Field:
    def __set_name__(self, owner, name):
        self.place = "_" + name

    def __get__(self, instance, owner=None):
        return self if instance is None else getattr(instance, self.place)

    def __set__(self, instance, value):
        setattr(instance, self.place, self.kept(value))

    def kept(self, value):
        return value

class Moved(Field):
    def kept(self, value):
        return value.to("cuda")

class Whole(Field):
    def kept(self, value):
        return value.long()

class lazy:
    def __init__(self, function):
        self.function = function

    def __get__(self, instance, owner):
        value = self.function(instance)
        instance.__dict__[self.function.__name__] = value
        return value

class Once(type):
    made = {}

    def __call__(cls, *args, **kwargs):
        if cls not in cls.made:
            cls.made[cls] = super().__call__(*args, **kwargs)
        return cls.made[cls]

class Shared(metaclass=Once):
    def __init__(self, weight=None):
        self.weight = weight

class Holder:
    plain, moved, whole = Field(), Moved(), Whole()

    def __init__(self, weight):
        self._weight = weight

    @lazy
    def ramp(self):
        return torch.ones(3)

    def _get(self):
        return self._weight

    def _set(self, value):
        self._weight = value * 2

    weight = property(_get, _set)
    read = property(lambda self: self._weight)

holder = Holder(torch.ones(3))
"""
CHOICE = 'import torch\ndevice = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'
DEVICE = 'x = torch.ones(3, device="cuda")\n'


def test_what_is_said_of_them_is_so() -> None:
    assert not lies(f"""{HEAD}
holder.plain = torch.ones(2, 2)
holder.whole = torch.ones(1)
holder.weight = torch.ones(3, dtype=torch.float64)
a, b, c, d, e = holder.plain, holder.whole, holder.weight, holder.ramp, holder.ramp
field = Holder.plain
shared = Shared(torch.ones(4, dtype=torch.int32))
again = Shared()
f = again.weight
same = shared is again
""")


def test_what_is_read_is_known() -> None:
    end = Ending(f"""{HEAD}
holder.whole = torch.ones(1)
a, b = holder.whole, holder.ramp
""")
    whole, ramp = end["a"], end["b"]
    assert isinstance(whole, Tensor)
    assert isinstance(ramp, Tensor)
    assert (whole.dtype, ramp.rank) == ("int64", 1)


@pytest.mark.parametrize(
    "line",
    ["holder.ramp", "holder.weight", "holder.read", "holder.plain", "Shared().weight"],
)
def test_what_stays_on_the_host_is_seen(line: str) -> None:
    made = "holder.plain = torch.ones(3)\nShared(torch.ones(3))\nholder.weight = torch.ones(3)\n"
    assert len(clashes(f"{HEAD}{made}{DEVICE}print(x + {line})\n")) == 1


@pytest.mark.parametrize("made", ["holder.moved = torch.ones(3)", "holder.moved = torch.ones(3).double()"])
def test_what_a_descriptor_moves_is_there(made: str) -> None:
    assert not clashes(f"{HEAD}{made}\n{DEVICE}print(x + holder.moved)\n")


def test_what_passes_a_descriptor_is_mended_where_it_is_made() -> None:
    text = f"{CHOICE}{HEAD}x = torch.ones(3, device=device)\nprint(x + holder.ramp)\nprint(x + holder.ramp)\n"
    fixed = fix_texts({"main.py": text})[0]["main.py"].splitlines()
    changed = [line for line in fixed if line not in text.splitlines()]
    assert changed == ["        return torch.ones(3, device=device)"]


def test_what_a_metaclass_makes_is_mended_where_its_class_is_named() -> None:
    text = f"""{CHOICE}{HEAD}
class Model(torch.nn.Module, metaclass=Once):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 3)

    def forward(self, x):
        return self.layer(x)

model = Model()
print(model(torch.ones(2, 3).to(device)))
"""
    fixed = fix_texts({"main.py": text})[0]["main.py"]
    assert "model = Model().to(device)" in fixed


_LAZY = """
import functools
import torch

def inner(method):
    name = "_" + method.__name__
    @property
    @functools.wraps(method)
    def get(self):
        if not hasattr(self, name):
            setattr(self, name, method(self))
        return getattr(self, name)
    return get

def outer(method):
    return property(functools.wraps(method)(lambda self: method(self)))

class Parts:
    @{lazy}
    def ramp(self):
        return torch.ones(3{device})
"""


@pytest.mark.parametrize("lazy", ["inner", "outer"])
def test_a_decorator_may_make_a_property_of_a_method(lazy: str) -> None:
    text = _LAZY.format(lazy=lazy, device="")
    assert not lies(f"{text}\nparts = Parts()\na, b = parts.ramp, parts.ramp\n")
    assert len(clashes(f"{text}\n{DEVICE}print(x + Parts().ramp)\n")) == 1
    moved = _LAZY.format(lazy=lazy, device=", device='cuda'")
    assert not clashes(f"{moved}\n{DEVICE}print(x + Parts().ramp)\n")
