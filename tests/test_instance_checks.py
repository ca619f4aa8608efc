"""``isinstance``: what the analysis says of it is what Python says."""

from __future__ import annotations

import pytest
from reality import lies
from text_program import Ending, clashes

from devfix.analysis.domain.values import Const, Scalar

HEAD = """
import collections.abc
import numbers
import numpy
import torch
import typing
n, x, yes, word = int("3"), float("2.5"), bool(1), str("w")
"""
CLASSES = (
    "int", "float", "bool", "str", "numbers.Number", "numbers.Integral", "numbers.Real", "collections.abc.Sequence",
    "collections.abc.Iterable", "collections.abc.Mapping", "typing.Sequence", "typing.Iterable", "typing.Hashable",
)  # fmt: skip


@pytest.mark.parametrize("asked", CLASSES)
@pytest.mark.parametrize("value", ["1", "2.5", "True", "'a'", "None", "n", "x", "yes", "word"])
def test_numbers_and_texts_are_of_the_classes_that_python_says(value: str, asked: str) -> None:
    text = f"{HEAD}answer = isinstance({value}, {asked})\n"
    names: dict[str, object] = {}
    exec(text, names)
    assert Ending(text)["answer"] == Const(names["answer"])


@pytest.mark.parametrize("asked", [*CLASSES[4:7], "numpy.floating", "numpy.generic", "numpy.float64"])
@pytest.mark.parametrize("value", ["numpy.ones(3)", "numpy.ones(3).sum()", "numpy.float64(1)"])
def test_what_may_be_an_array_or_a_number_is_not_told_apart(value: str, asked: str) -> None:
    text = f"{HEAD}answer = isinstance({value}, {asked})\n"
    names: dict[str, object] = {}
    exec(text, names)
    answer = Ending(text)["answer"]
    assert not isinstance(answer, Const) or answer == Const(names["answer"])


@pytest.mark.parametrize(
    "asked", ["torch.autograd.Variable", "torch.autograd.variable.Variable", "torch._C.TensorBase"]
)
@pytest.mark.parametrize(
    "value",
    [
        "torch.ones(3)",
        "torch.nn.Parameter(torch.ones(3))",
        "torch.autograd.Variable(torch.ones(3))",
        "numpy.ones(3)",
        "n",
        "None",
        "[torch.ones(3)]",
        "(torch.ones(3),)",
    ],
)
def test_every_tensor_is_a_variable_and_nothing_else_is_one(value: str, asked: str) -> None:
    text = f"{HEAD}answer = isinstance({value}, {asked})\n"
    names: dict[str, object] = {}
    exec(text, names)
    answer = Ending(text)["answer"]
    assert answer == Const(names["answer"]) or (names["answer"] is False and not isinstance(answer, Const))


def test_what_makes_arrays_of_variables_makes_arrays_of_tensors() -> None:
    text = """
import numpy as np
import torch
from torch.autograd import Variable
def to_array(x):
    return x.cpu().numpy() if isinstance(x, Variable) else x
def keep(x):
    return x if isinstance(x, Variable) else x.cpu().numpy()
np.array([to_array(torch.ones(3).to("cuda"))])
np.array([keep(torch.ones(3).to("cuda"))])
"""
    assert len(clashes(text)) == 1


@pytest.mark.parametrize(
    "asked", ["torch.float32", "torch.float", "torch.int64", "torch.long", "torch.float64"]
)
@pytest.mark.parametrize("value", ["torch.ones(3)", "torch.arange(3)", "torch.ones(3, dtype=torch.double)"])
def test_there_is_one_object_for_each_dtype(value: str, asked: str) -> None:
    text = f"{HEAD}same, other = {value}.dtype is {asked}, {value}.dtype is not {asked}\n"
    names: dict[str, object] = {}
    exec(text, names)
    end = Ending(text)
    assert (end["same"], end["other"]) == (Const(names["same"]), Const(names["other"]))


BY_DTYPE = """
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(3, 4)
    def forward(self, y):
        return self.table(y) if y.dtype {test} else y
net = Net()
net(torch.ones(2, 4))
net(torch.tensor([0, 1]))
"""


def test_a_layer_is_given_what_its_dtype_lets_through() -> None:
    assert clashes(BY_DTYPE.format(test="is torch.int64")) == []
    assert clashes(BY_DTYPE.format(test="is not torch.float32")) == []
    assert clashes(BY_DTYPE.format(test="is not torch.int64")) == ["9: index-dtype"]


PROTOCOLS = """
import abc
import typing
from typing import Protocol, TypeVar, runtime_checkable

T = TypeVar("T")

@runtime_checkable
class Metric(Protocol):
    name: str
    def update(self, x): ...

@typing.runtime_checkable
class Computed(typing.Protocol[T]):
    def compute(self) -> T: ...

class Anything(type):
    def __instancecheck__(cls, other):
        return True

class Open(metaclass=Anything):
    pass

class Base(abc.ABC):
    @classmethod
    def __subclasshook__(cls, other):
        return True

class Loss:
    name = "loss"
    def update(self, x):
        return x

class Named:
    def __init__(self):
        self.name = "named"
    def update(self, x):
        return x
    def compute(self):
        return 1

class Dynamic:
    def __getattr__(self, name):
        return name

class Own(Metric):
    name = "own"

class Plain:
    pass
"""


@pytest.mark.parametrize(
    ("value", "asked", "known"),
    [
        ("Loss()", "Metric", True),
        ("Named()", "Metric", True),
        ("Own()", "Metric", True),
        ("Loss()", "(Plain, Metric)", True),
        ("Named()", "Computed", True),
        ("Loss()", "Computed", True),
        ("Plain()", "Metric", True),
        ("Plain()", "Own", True),
        ("Loss()", "Own", True),
        ("Dynamic()", "Metric", False),
        ("Loss()", "Open", False),
        ("Loss()", "Base", False),
        ("3", "Metric", False),
    ],
)
def test_of_protocols_are_those_that_have_the_members(value: str, asked: str, known: bool) -> None:
    text = f"{PROTOCOLS}answer = isinstance({value}, {asked})\n"
    names: dict[str, object] = {"__name__": "__main__"}
    exec(text, names)
    answer = Ending(text)["answer"]
    assert answer == Const(names["answer"]) if known else not isinstance(answer, Const)


INHERITED = """
import typing
import torch
from torch import nn
from torch.utils.data import Dataset

@typing.runtime_checkable
class Callable(typing.Protocol):
    size: int
    def __call__(self, x): ...

@typing.runtime_checkable
class Movable(typing.Protocol):
    def to(self, device): ...
    def parameters(self): ...

@typing.runtime_checkable
class Sized(typing.Protocol):
    def __len__(self): ...

@typing.runtime_checkable
class Joined(typing.Protocol):
    def __add__(self, other): ...

@typing.runtime_checkable
class Compared(typing.Protocol):
    def __eq__(self, other): ...
    def __hash__(self): ...

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.size = 3

class Rows(Dataset):
    pass

class Table(dict):
    pass

class Plain:
    size = 3
"""


@pytest.mark.parametrize(
    ("value", "asked", "known"),
    [
        ("Net()", "Callable", True),
        ("Net()", "Movable", True),
        ("Net()", "Sized", True),
        ("Net()", "Compared", True),
        ("Plain()", "Callable", True),
        ("Plain()", "Movable", True),
        ("Plain()", "Compared", True),
        ("Rows()", "Joined", False),
        ("Rows()", "Movable", False),
        ("Table()", "Sized", False),
    ],
)
def test_what_a_class_inherits_from_outside_counts_as_its_own(value: str, asked: str, known: bool) -> None:
    text = f"{INHERITED}answer = isinstance({value}, {asked})\n"
    names: dict[str, object] = {"__name__": "__main__"}
    exec(text, names)
    answer = Ending(text)["answer"]
    assert answer == Const(names["answer"]) if known else not isinstance(answer, Const)


CHECKED = """
import typing
import torch
from torch import nn
@typing.runtime_checkable
class Scorer(typing.Protocol):
    def __call__(self, x): ...
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.shift = {shift}
    def forward(self, x):
        return x + self.shift
def fit(model: Scorer, x):
    if not isinstance(model, Scorer):
        raise TypeError("no scorer")
    return model(x)
fit(Net().cuda(), torch.ones(3, device="cuda"))
"""


def test_a_module_passes_a_check_for_what_can_be_called() -> None:
    assert clashes(CHECKED.format(shift="torch.ones(3)")) == ["13: device"]
    assert clashes(CHECKED.format(shift="nn.Parameter(torch.ones(3))")) == []


DERIVED = """
import datetime
import enum
import pathlib
from dataclasses import dataclass


@dataclass
class Curves:
    recall: float


class Stage(datetime.date):
    pass


curves, stage = Curves(0.5), Stage(2024, 1, 1)
"""


@pytest.mark.parametrize("asked", ["enum.Enum", "pathlib.PurePath", "datetime.date", "datetime.timedelta"])
@pytest.mark.parametrize("value", ["curves", "stage", "[1]", "{}"])
def test_objects_are_of_a_class_of_pythons_that_theirs_derives_from(value: str, asked: str) -> None:
    text = f"{DERIVED}answer = isinstance({value}, {asked})\n"
    names: dict[str, object] = {"__name__": "__main__"}
    exec(text, names)
    answer = Ending(text)["answer"]
    assert answer == Const(names["answer"]) or (value == "stage" and not isinstance(answer, Const))


DISPATCHED = """
import dataclasses
import enum
import functools
import torch


@functools.singledispatch
def encode(value):
    return {field.name: encode(getattr(value, field.name)) for field in dataclasses.fields(value)}


@encode.register
def _(value: enum.Enum):
    return value.name


@encode.register
def _(value: torch.Tensor):
    return value.detach().numpy().tolist()


@dataclasses.dataclass
class Curves:
    recall: torch.Tensor


encode(Curves(torch.ones(3, device="DEVICE")))
"""


def test_what_handles_records_reaches_what_handles_their_fields() -> None:
    assert clashes(DISPATCHED.replace("DEVICE", "cuda")) == ["20: numpy"]
    assert clashes(DISPATCHED.replace("DEVICE", "cpu")) == []


PACKED = """
import collections.abc
import torch
from dataclasses import dataclass
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pack_sequence, pad_packed_sequence
class Own(PackedSequence):
    pass
@dataclass
class Batch:
    words: object
    count: int
class Data(torch.utils.data.Dataset):
    pass
class Later(Data):
    pass
packed = pack_sequence([torch.tensor([1, 2]), torch.tensor([3])])
padded = pack_padded_sequence(torch.ones(2, 3, 1), [3, 2], batch_first=True).to("cpu")
plain = pad_packed_sequence(padded)[0]
batch, data = Batch(packed, 2), Later()
"""
ASKED = (
    "torch.Tensor", "PackedSequence", "tuple", "list", "dict", "object", "torch.nn.Parameter", "torch.nn.Module", "Batch", "Own",
    "torch.optim.Optimizer", "torch.utils.data.Dataset", "(torch.Tensor, PackedSequence)",
)  # fmt: skip


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize(
    "value", ["packed", "padded", "packed.data", "plain", "batch", "batch.words", "data"]
)
def test_packed_sequences_and_objects_of_the_project_are_no_tensors(value: str, asked: str) -> None:
    text = f"{PACKED}answer = isinstance({value}, {asked})\n"
    names: dict[str, object] = {"__name__": "__main__"}
    exec(text, names)
    answer = Ending(text)["answer"]
    unsure = value == "data" or asked == "torch.nn.Parameter"
    assert answer == Const(names["answer"]) or (unsure and not isinstance(answer, Const))


@pytest.mark.parametrize(
    "asked", ["collections.abc.Sequence", "collections.abc.Mapping", "collections.abc.Hashable"]
)
def test_what_a_packed_sequence_collects_is_not_claimed_wrongly(asked: str) -> None:
    text = f"{PACKED}answer = isinstance(packed, {asked})\n"
    names: dict[str, object] = {"__name__": "__main__"}
    exec(text, names)
    answer = Ending(text)["answer"]
    assert not isinstance(answer, Const) or answer == Const(names["answer"])


MOVER = """
import torch
from dataclasses import dataclass, fields
from torch import nn
from torch.nn.utils.rnn import PackedSequence, pack_sequence
@dataclass
class Batch:
    words: PackedSequence
    tags: torch.Tensor
    count: int
def moved(obj, device):
    if isinstance(obj, torch.Tensor):
        return obj.to(device)
    if isinstance(obj, PackedSequence):
        {move}
        return obj
    if hasattr(obj, "__dataclass_fields__"):
        for f in fields(obj):
            setattr(obj, f.name, moved(getattr(obj, f.name), device))
    return obj
device = torch.device("cuda")
net = nn.LSTM(4, 4).to(device)
batch = moved(Batch(pack_sequence([torch.ones(3, 4), torch.ones(2, 4)]), torch.ones(3), 2), device)
out, _ = net(batch.words)
out.data.sum() + batch.tags.sum()
"""


def test_a_packed_sequence_whose_move_is_dropped_stays_where_it_was() -> None:
    assert clashes(MOVER.format(move="obj = obj.to(device)")) == []
    assert len(clashes(MOVER.format(move="obj.to(device)"))) == 1


SLICED = """
import torch

class Keys:
    def __getitem__(self, key):
        return key

class Rows:
    def __init__(self, rows):
        self.rows = rows

    def __getitem__(self, key):
        if isinstance(key, slice):
            return Rows(self.rows[key])
        return self.rows[key]

rows, pair = Rows([torch.ones(2), torch.ones(2)]), Rows((torch.ones(2), 4))
part, first, shorter, middle = rows[:1], rows[0], pair[1:], slice(1, 2)
items, ends, last = [1, "b", 3][middle], "word"[middle], (1, "b")[middle]
row, column = torch.ones(3, 4)[middle], torch.ones(3, 4)[:, middle]
"""


@pytest.mark.parametrize("asked", ["slice", "str", "int", "tuple", "list", "(int, slice)"])
@pytest.mark.parametrize("key", ["1:", "'a'", "1", "1:2, 0", "[1]", "..., None", "slice(3)"])
def test_a_slice_is_told_from_other_keys(key: str, asked: str) -> None:
    text = f"{SLICED}answer = isinstance(Keys()[{key}], {asked})\n"
    names: dict[str, object] = {}
    exec(text, names)
    assert Ending(text)["answer"] in (Const(names["answer"]), Scalar("bool"))
    assert asked != "slice" or key == "..., None" or Ending(text)["answer"] == Const(names["answer"])


def test_what_a_slice_takes_out_is_several() -> None:
    assert lies(SLICED) == []
    assert clashes(f"{SLICED}torch.ones(2).cuda() + part[0]\n") == [f"{SLICED.count(chr(10)) + 1}: device"]


def test_a_class_that_another_package_hands_on_may_be_that_of_packed_sequences() -> None:
    text = """
    import torch
    from elsewhere.sequences import Packed
    from torch.nn.utils.rnn import pack_sequence
    x, packed = torch.ones(3), pack_sequence([torch.tensor([1, 2])])
    if {asked}:
        x = x.cuda()
    print(x + torch.ones(3).cuda())
    """
    assert clashes(text.format(asked="isinstance(packed, Packed)")) == []
    assert len(clashes(text.format(asked="isinstance(packed, torch.Tensor)"))) == 1


MADE = """
import collections.abc
import enum
import inspect
import torch
import typing

class Plain: pass
class Layer(torch.nn.Dropout): pass
class Kind(enum.Enum):
    A = 1
class Listing(type):
    def __iter__(cls): return iter([1])
class Listed(metaclass=Listing): pass
def function(): pass
"""
OF_CLASSES = (
    "collections.abc.Iterable",
    "collections.abc.Callable",
    "typing.Sequence",
    "typing.Hashable",
    "type",
    "list",
)


@pytest.mark.parametrize("asked", OF_CLASSES)
@pytest.mark.parametrize("cls", ["Plain", "Layer", "Kind", "Listed"])
def test_a_class_is_an_instance_of_what_python_says(cls: str, asked: str) -> None:
    text = f"{MADE}answer = isinstance({cls}, {asked})\n"
    names: dict[str, object] = {}
    exec(text, names)
    answer = Ending(text)["answer"]
    assert answer == Const(names["answer"]) or (answer == Scalar("bool") and cls in ("Kind", "Listed"))


@pytest.mark.parametrize(
    ("value", "told"),
    [
        *((cls, True) for cls in ("Plain", "Layer", "Kind", "Listed")),
        *(
            (value, True)
            for value in ("Plain()", "Layer()", "Kind.A", "function", "1", "'a'", "None", "[Plain]", "(1,)")
        ),
        ("torch.ones(2)", True),
        *((value, False) for value in ("torch.nn.ReLU", "torch.relu", "collections.abc.Iterable")),
    ],
)
def test_whether_something_is_a_class(value: str, told: bool) -> None:
    text = f"{MADE}answer = inspect.isclass({value})\n"
    names: dict[str, object] = {}
    exec(text, names)
    assert Ending(text)["answer"] == (Const(names["answer"]) if told else Scalar("bool"))


@pytest.mark.parametrize("test", ["inspect.isclass(kind)", "isinstance(kind, type)"])
def test_a_layer_is_known_whether_its_class_was_given_or_itself(test: str) -> None:
    text = f"""{MADE}
def built(kind, count):
    kinds = kind if isinstance(kind, collections.abc.Iterable) else [kind] * count
    made = []
    for kind in kinds:
        if {test}:
            kind = kind()
        made.append(kind)
    return made

{{}}
"""
    assert lies(text.format("one, two = built(Layer, 2), built([Layer(), Layer], 2)")) == []
    assert clashes(text.format("torch.ones(2).cuda() + built(Layer, 2)[0](torch.ones(2))")) == [
        f"{text.count(chr(10))}: device"
    ]


UNIONS = [
    "list | tuple",
    "list | tuple | set",
    "int | float",
    "Own | list",
    "str | None",
    "torch.Tensor | list",
    "Many",
]


@pytest.mark.parametrize("asked", UNIONS)
@pytest.mark.parametrize("value", ["[1]", "(1, 2)", "3", "'a'", "None", "Own()", "torch.ones(3)"])
def test_what_is_one_of_several_classes_is_as_python_says(value: str, asked: str) -> None:
    text = f"{HEAD}class Own:\n    pass\nMany = tuple | Own\nvalue = {value}\nanswer = isinstance(value, {asked})\n"
    assert lies(text) == []
    if value != "None":
        assert isinstance(Ending(text)["answer"], Const)


COLLECTED = """
import torch
from torch import nn

class Rows(torch.utils.data.Dataset):
    def __len__(self):
        return 3

    def __getitem__(self, index):
        return {sample}, 1

class Trainer:
    def choose(self, x):
        self.predict = self.of_several if isinstance(x, list | tuple) else self.of_one

    def of_one(self, x):
        return net({one})

    def of_several(self, x):
        for i in range(len(x)):
            x[i] = x[i].to("cuda")
        return net(*x)

net = nn.Linear(3, 3).cuda()
loader = torch.utils.data.DataLoader(Rows())
trainer = Trainer()
trainer.choose(next(iter(loader))[0])
for x, _ in loader:
    trainer.predict(x)
"""


@pytest.mark.parametrize("sample", ["torch.zeros(3)", "[torch.zeros(3)]"])
def test_what_handles_collections_is_given_no_tensor(sample: str) -> None:
    assert not clashes(COLLECTED.format(sample=sample, one='x.to("cuda")'))


def test_what_handles_tensors_is_given_them() -> None:
    assert clashes(COLLECTED.format(sample="torch.zeros(3)", one="x"))
    assert not clashes(COLLECTED.format(sample="[torch.zeros(3)]", one="x"))


BY_CLASS = """
import sys
import torch

class First:
    def step(self, x, i):
        return x + 1

class Second:
    def step(self, i, x):
        return x + {second}

class Pipeline:
    def __init__(self, name):
        self.stepper = First() if name == "first" else Second()

    def run(self, x):
        if {test}:
            return self.stepper.step(x, torch.zeros(3))
        return self.stepper.step(torch.zeros(3), x)

print(Pipeline(sys.argv[1]).run(torch.ones(3).cuda()))
"""


@pytest.mark.parametrize(
    "test",
    [
        "type(self.stepper) == First",
        "type(self.stepper) is First",
        "type(self.stepper) is not Second",
        "not type(self.stepper) != First",
        "self.stepper.__class__ is First",
    ],
)
def test_a_test_of_the_class_tells_which_of_several_objects_is_used(test: str) -> None:
    assert not clashes(BY_CLASS.format(test=test, second="1"))
    assert len(clashes(BY_CLASS.format(test=test, second="torch.ones(3)"))) == 1


def test_a_test_of_another_class_tells_nothing() -> None:
    assert clashes(
        BY_CLASS.format(test="type(name) is First", second="i").replace(
            "run(self, x)", "run(self, x, name=0)"
        )
    )


_REGISTERED = """
import abc
import sys
import torch

class Kept(abc.ABC):
    pass

class Small(Kept):
    pass

class Strict(metaclass=abc.ABCMeta):
    pass

class Plain(abc.ABC):
    pass

class Rate:
    pass

class Slow(Rate):
    pass

@Strict.register
class Note:
    pass

Kept.register(torch.nn.Module)
Small.register(torch.optim.Optimizer)
Strict.register(Rate)
if len(sys.argv) > 5:
    Plain.register(torch.Tensor)

net = torch.nn.Linear(3, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
"""
_ASKED_OF_ABSTRACT = ["Kept", "Small", "Strict", "Plain", "(Plain, Kept)"]


@pytest.mark.parametrize("asked", _ASKED_OF_ABSTRACT)
@pytest.mark.parametrize("value", ["net", "opt", "Rate()", "Slow()", "Note()", "torch.ones(3)", "1", "[]"])
def test_what_is_registered_with_an_abstract_class_is_an_instance_of_it(value: str, asked: str) -> None:
    assert not lies(f"{_REGISTERED}answer = isinstance({value}, {asked})\n")


@pytest.mark.parametrize(
    ("value", "asked", "known"),
    [
        ("net", "Kept", True),
        ("Slow()", "Strict", True),
        ("Note()", "Kept", False),
        ("Rate()", "Small", False),
    ],
)
def test_it_is_known_what_is_registered(value: str, asked: str, known: bool) -> None:
    assert Ending(f"{_REGISTERED}answer = isinstance({value}, {asked})\n")["answer"] == Const(known)


def test_what_only_some_runs_register_is_not_known() -> None:
    end = Ending(f"{_REGISTERED}answer = isinstance(torch.ones(3), Plain)\n")
    assert end["answer"] == Scalar("bool")


_ALIKE = """
from collections import Counter, OrderedDict, UserDict, UserList, defaultdict, deque
import torch

class Fields(UserDict):
    def select(self, name):
        return self.data[name]

class Further(Fields):
    pass

class Rows(UserList):
    pass

class Queue(deque):
    pass

class Own(dict):
    pass

class Ordered(OrderedDict):
    pass

x = torch.zeros(2)
"""
_MADE_ALIKE = (
    "Fields(x=x)", "Further({'x': x})", "Rows([x])", "Queue([x])", "Own(x=x)", "Ordered(x=x)", "deque([x])", "deque(maxlen=3)",
    "deque([x]) + deque([x])", "[x]", "{'x': x}", "OrderedDict(x=x)", "defaultdict(list)", "Counter([1])", "UserDict(x=x)", "UserList([x])",
)  # fmt: skip


@pytest.mark.parametrize(
    "asked", ["dict", "list", "(list, tuple)", "UserDict", "UserList", "deque", "Fields"]
)
@pytest.mark.parametrize("made", _MADE_ALIKE)
def test_what_behaves_as_a_list_or_dict_is_one_where_it_descends_from_it(made: str, asked: str) -> None:
    assert not lies(f"{_ALIKE}answer = isinstance({made}, {asked})\n")


@pytest.mark.parametrize(
    ("made", "asked", "known"),
    [
        ("Further(x=x)", "dict", False),
        ("Further(x=x)", "UserDict", True),
        ("Rows([x])", "list", False),
        ("deque([x])", "list", False),
        ("deque([x])", "deque", True),
        ("deque([x]) + deque([x])", "deque", True),
        ("Own(x=x)", "dict", True),
        ("Own(x=x)", "UserDict", False),
    ],
)
def test_it_is_known_what_only_behaves_as_a_list_or_dict(made: str, asked: str, known: bool) -> None:
    assert Ending(f"{_ALIKE}answer = isinstance({made}, {asked})\n")["answer"] == Const(known)


@pytest.mark.parametrize("made", ["deque([x])", "[x]", "{'x': x}"])
def test_the_type_of_a_container_is_the_one_that_python_says(made: str) -> None:
    assert not lies(f"{_ALIKE}same = type({made}) is deque, type({made}) is list\n")


DISTRIBUTIONS = {
    "Bernoulli(0.5 * half)": "Bernoulli",
    "Categorical(half)": "Categorical",
    "Chi2(half)": "Chi2",
    "Dirichlet(half)": "Dirichlet",
    "Independent(Normal(half, half), 1)": "Independent",
    "LogNormal(half, half)": "LogNormal",
    "Normal(half, half)": "Normal",
    "OneHotCategoricalStraightThrough(half)": "OneHotCategoricalStraightThrough",
    "TransformedDistribution(Normal(half, half), [ExpTransform()])": "TransformedDistribution",
    "Uniform(0, 1)": "Uniform",
}


@pytest.mark.parametrize("made", DISTRIBUTIONS)
def test_distributions_are_told_apart(made: str) -> None:
    head = "from torch.distributions import *\nimport torch\nhalf = torch.ones(3) / 2\n"
    asked = sorted({*DISTRIBUTIONS.values(), "Distribution", "Gamma", "OneHotCategorical"})
    imported = head.replace("*", ", ".join([*asked, "ExpTransform"]))
    text = f"{imported}drawn = {made}\n" + "".join(
        f"is_{name} = isinstance(drawn, {name})\n" for name in asked
    )
    assert lies(text) == []
    other = "Normal" if "Uniform" in made else "Uniform"
    assert Ending(text)[f"is_{other}"] == Const(False)


CHOSEN = """
import torch
import torch.nn.functional as F
from torch.distributions import {own}, Categorical

class Agent(torch.nn.Module):
    def __init__(self, device):
        super().__init__()
        self.device = device
        self.drawn = {own}(torch.ones(3))

    def forward(self, n):
        alphas = self.drawn.sample((n,)).to(self.device)
        if {test}:
            alphas = F.one_hot(alphas, num_classes=3).float()
        return alphas
"""


def test_what_is_done_with_numbers_of_classes_is_not_done_with_others() -> None:
    test = "isinstance(self.drawn, Categorical)"
    assert clashes(CHOSEN.format(own="Dirichlet", test=test)) == []
    assert clashes(CHOSEN.format(own="Categorical", test=test)) == []
    assert clashes(CHOSEN.format(own="Dirichlet", test=f"not {test}")) == ["15: index-dtype"]
