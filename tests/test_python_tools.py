"""Tensors that pass through Python's own tools are still known."""

from __future__ import annotations

import pytest
from text_program import Ending, clashes

from devfix.analysis.domain.values import Const, Scalar, Tensor

_HEAD = """\
import bisect, heapq, itertools, functools, operator, random, sys
from collections import Counter, OrderedDict, defaultdict, deque
import numpy as np
import torch

x = torch.zeros(3, device="cuda")
"""
#: Expressions that stand for ``x``, or for what is computed from it alone.
_STANDS_FOR_X = """\
[a for a, b in itertools.product([x], range(3))][0]
[b for a, b in itertools.product([x], repeat=2)][0]
[a for a, b in itertools.combinations([x, x], 2)][0]
[b for a, b in itertools.permutations([x, x], 2)][0]
[b for a, b in itertools.pairwise([x, x])][0]
next(itertools.repeat(x))
next(itertools.takewhile(lambda a: True, [x]))
next(itertools.compress([x], [True]))
next(itertools.accumulate([x, x]))
next(itertools.starmap(lambda a, b: a + b, [(x, x)]))
[a for k, group in itertools.groupby([x]) for a in group][0]
next(itertools.tee([x])[1])
next(itertools.batched([x], 2))[0]
functools.reduce(operator.add, [x, x, x])
functools.reduce(lambda a, b: a * b, [x] * 20)
functools.reduce(operator.mul, [2.0, 3.0], x)
operator.truediv(x, 2)
random.Random(0).choice([x, x])
random.Random(0).sample([x, x], 2)[0]
random.choices([x], k=2)[0]
heapq.nlargest(1, [x])[0]
defaultdict(lambda: torch.zeros(2, device="cuda"))["k"]
""".splitlines()


@pytest.mark.parametrize("expression", _STANDS_FOR_X)
def test_a_tensor_that_passes_through_is_still_known(expression: str) -> None:
    assert _device(f"result = {expression}\n") == "cuda"


def _device(program: str) -> str:
    """Where the tensor ``result`` is in the end."""
    result = Ending(_HEAD + program)["result"]
    assert isinstance(result, Tensor)
    assert result.dtype == "float32"
    return str(result.device)


_NUMBERS = {
    "random.Random(0).randint(0, 3)": "int",
    "random.Random(0).random()": "float",
    "random.randrange(4)": "int",
    "np.finfo(np.float32).eps.item()": "float",
    "torch.finfo(x.dtype).min": "float",
    "torch.iinfo(torch.int64).max": "int",
    "torch.finfo(x.dtype).bits": "int",
    "sys.float_info.epsilon": "float",
    "sys.maxsize": "int",
    "Counter([1, 2])[3]": "int",
    "bisect.bisect([1, 2], 1)": "int",
}


@pytest.mark.parametrize(("expression", "kind"), _NUMBERS.items())
def test_what_gives_a_number_is_a_number(expression: str, kind: str) -> None:
    result = Ending(f"{_HEAD}result = {expression}\n")["result"]
    known = type(result.value).__name__ if isinstance(result, Const) else None
    assert (known or (isinstance(result, Scalar) and result.type)) == kind


def test_entries_of_a_default_dict_appear_when_asked_for() -> None:
    assert _device("d = defaultdict(list)\nd['a'].append(x)\nresult = torch.stack(d['a'])\n") == "cuda"


def test_sums_in_a_default_dict_stay_where_they_are_computed() -> None:
    program = """\
        total = defaultdict(float)
        for k in ("a", "b"):
            total[k] += x.mean()
        total["a"] + torch.zeros(3)
    """
    assert clashes(_HEAD + "\n".join(line[8:] for line in program.splitlines())) == ["10: device"]


def test_entries_under_keys_that_nobody_knows_are_one_for_all() -> None:
    program = "d = defaultdict(list)\nfor key in input():\n    d[key].append(x)\nresult = d[input()][0]\n"
    assert _device(program) == "cuda"


def test_a_default_dict_with_entries_to_begin_with_may_hold_anything() -> None:
    ending = Ending(_HEAD + "d = defaultdict(list, load())\nresult = d['a']\n")
    assert not isinstance(ending["result"], Tensor)


def test_what_is_popped_from_a_heap_was_pushed() -> None:
    program = "h = []\nheapq.heappush(h, (0.5, x))\nresult = heapq.heappop(h)[1]\n"
    assert _device(program) == "cuda"


def test_where_one_of_several_is_at_its_end_something_else_stands() -> None:
    program = "a, b = list(itertools.zip_longest([x], [1, 2], fillvalue=x))[0]\nresult = a\n"
    assert _device(program) == "cuda"


@pytest.mark.parametrize("expression", ["operator.concat(x, x)", "functools.reduce(unknown, [x, x])"])
def test_what_nobody_knows_stays_unknown(expression: str) -> None:
    assert not isinstance(Ending(f"{_HEAD}result = {expression}\n")["result"], Tensor)


_TEXTS = {
    '"enc_{:d}".format(1 + 1)': "enc_2",
    '"{name}.{k}".format(name="a", k=3)': "a.3",
    '"layer%d_%s" % (2, "b")': "layer2_b",
    '"layer%02d" % 2': "layer02",
    '"7".zfill(3)': "007",
}


@pytest.mark.parametrize(("expression", "text"), _TEXTS.items())
def test_texts_put_together_from_known_parts_are_known(expression: str, text: str) -> None:
    assert Ending(f"result = {expression}\n")["result"] == Const(text)


@pytest.mark.parametrize(
    "expression", ['"a{}".format(unknown)', '"a%d" % unknown', '"a%d" % "b"', '"{1}".format(2)']
)
def test_texts_with_unknown_or_wrong_parts_are_some_text(expression: str) -> None:
    result = Ending(f"result = {expression}\n")["result"]
    assert isinstance(result, Scalar)
    assert result.type == "str"


def test_layers_that_are_looked_up_by_number_are_found() -> None:
    program = """
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.enc_1, self.enc_2 = torch.nn.Linear(3, 3), torch.nn.Linear(3, 3)

    def forward(self, x):
        for k in range(2):
            x = getattr(self, "enc_{:d}".format(k + 1))(x)
        return x

result = Net().cuda()(x)
"""
    assert _device(program) == "cuda"


def test_modules_added_by_name_to_a_list_are_gone_through() -> None:
    program = """
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = torch.nn.ModuleList()
        for k in range(3):
            self.parts.add_module("part_%d" % k, torch.nn.Linear(3, 3))

    def forward(self, x):
        return [part(x) for part in self.parts]

result = sum(Net().cuda()(x))
"""
    assert _device(program) == "cuda"


@pytest.mark.parametrize(
    "made", ["torch.cuda.amp.GradScaler()", 'torch.amp.GradScaler("cuda", enabled=True)']
)
def test_a_scaled_loss_is_where_it_was(made: str) -> None:
    assert _device(f"scaler = {made}\nresult = scaler.scale(x)\n") == "cuda"


def test_images_and_classes_of_a_dataset_as_a_whole() -> None:
    program = "from torchvision import datasets\nd = datasets.MNIST('.')\ne = datasets.CIFAR10('.')\n"
    ending = Ending(_HEAD + program + "a, b, c = d.data, d.targets, torch.tensor(e.targets)\n")
    kinds = [value.dtype for value in map(ending.__getitem__, "abc") if isinstance(value, Tensor)]
    assert kinds == ["uint8", "int64", "int64"]


def test_layers_by_name_are_gone_through_by_their_names() -> None:
    program = """
layers = torch.nn.ModuleDict({f"{i}_{j}": torch.nn.Linear(3, 3) for j in range(1, 3) for i in range(j)}).cuda()
weights = [torch.ones(3, device="cuda") for _ in layers]
result = sum(weights)
"""
    assert _device(program) == "cuda"


def test_a_slice_beyond_what_was_followed_holds_what_the_list_holds() -> None:
    program = """
rows = []
for k in range(100):
    rows += [x, x]
result = torch.stack([row for row in rows[60:]])
"""
    assert _device(program) == "cuda"


def test_a_slice_right_behind_the_last_item_is_empty() -> None:
    program = "rest = [x][1:]\nresult = 0\nfor row in rest:\n    result = row\n"
    assert Ending(_HEAD + program)["result"] == Const(0)


def test_subclasses_are_those_that_were_made() -> None:
    program = """
class Metric:
    pass

class Mean(Metric):
    name = "mean"

class Window(Metric):
    name = "window"

    def __init__(self):
        self.kernel = torch.ones(3)

table = {c.name: c for c in Metric.__subclasses__()}
result = [table[n]() for n in ["mean", "window"]][1].kernel
"""
    assert _device(program) == "cpu"


def test_the_first_state_of_a_recurrent_layer_is_the_one_that_fits_it() -> None:
    program = """
    import argparse
    import torch
    from torch import nn

    parser = argparse.ArgumentParser()
    parser.add_argument("--cell", default="lstm")
    pair = parser.parse_args().cell == "lstm"
    zeros = torch.zeros(1, 2, 4)
    state = (zeros, zeros) if pair else zeros
    state = tuple(part.detach() for part in state) if isinstance(state, tuple) else state.detach()
    nn.LSTM(4, 4).cuda()(torch.ones(3, 2, 4, device="cuda"), state)
    """
    assert [found.partition(": ")[2] for found in clashes(program)] == ["device"]


_ACCUMULATED = """\
import itertools
import torch

def filtered(rows, start):
    found = itertools.accumulate(rows, lambda state, row: 0.5 * state + row, initial=start)
    return torch.stack(list(itertools.islice(found, 1, None)))

rows = torch.rand(20, 3, device="cuda")
"""


@pytest.mark.parametrize("start", ["torch.zeros(3)", "torch.zeros(rows.shape[1:])", "torch.rand(3)"])
@pytest.mark.parametrize("taken", ["rows", "rows.unbind(0)", "[row for row in rows]"])
def test_what_many_items_are_accumulated_upon_meets_the_first(taken: str, start: str) -> None:
    assert clashes(f"{_ACCUMULATED}filtered({taken}, {start})\n") == ["5: device"]


@pytest.mark.parametrize(
    "start", ["rows.new_zeros(3)", "torch.zeros(())", "0.0", "torch.zeros_like(rows[0])"]
)
def test_what_fits_the_first_item_may_begin_an_accumulation(start: str) -> None:
    assert clashes(f"{_ACCUMULATED}filtered(rows.unbind(0), {start})\n") == []


def test_nothing_of_an_accumulation_is_known_that_begins_elsewhere_than_it_goes_on() -> None:
    text = f"{_HEAD}result = list(itertools.accumulate(x.unbind(0), lambda a, b: b, initial=torch.zeros(3)))[5]\n"
    result = Ending(text)["result"]
    assert not isinstance(result, Tensor) or str(result.device) not in ("cuda", "cpu")
