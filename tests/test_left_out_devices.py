"""A device that a function can be told, and that the one call of it leaves out, is handed on there."""

from __future__ import annotations

import pytest
from text_program import fix_texts

from devfix.findings import Applicability

HEAD = """
import argparse
from functools import partial

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
"""

ANCHORS = """

def anchors(rows, device="cpu"):
    return torch.ones(rows, 4, device=device)
"""


def mended(*parts: str) -> str:
    texts, _ = fix_texts({"main.py": "".join(parts)}, Applicability.UNSAFE)
    return texts["main.py"]


def test_a_call_names_the_device() -> None:
    body = """

class Table:
    def __init__(self, size, device=None):
        self.values = torch.arange(size, device=device).float()


class Net(nn.Module):
    def __init__(self, device):
        super().__init__()
        self.table = Table(3)
        self.fc = nn.Linear(3, 3)
        self.to(device)

    def forward(self, x):
        return self.fc(x) + self.table.values


print(Net(device)(torch.ones(2, 3, device=device)).sum())
"""
    assert "self.table = Table(3, device=device)" in mended(HEAD, body)


@pytest.mark.parametrize(
    "kept",
    [
        "self.size, self.dev = size, dev",
        "self.dev = torch.device(dev)",
        'self.dev = dev or "cpu"',
    ],
)
def test_what_the_object_keeps_is_what_it_is_told(kept: str) -> None:
    body = f"""

class Net(nn.Module):
    def __init__(self, size=3, dev="cpu"):
        super().__init__()
        {kept}
        self.fc = nn.Linear(3, 3)

    def forward(self, rows):
        return self.fc(torch.tensor(rows).to(self.dev))


net = Net().to(device)
print(net([[1.0, 2.0, 3.0]]).sum())
"""
    assert "net = Net(dev=device).to(device)" in mended(HEAD, body)


def test_the_way_is_gone_through_functions_that_have_the_parameter() -> None:
    body = """

class Assigner:
    def __init__(self, rows, device="cpu"):
        self.anchors = anchors(rows)

    def __call__(self, boxes):
        return self.anchors - boxes


build = partial(Assigner, device=device)
print(build(2)(torch.ones(2, 4, device=device)).sum())
"""
    assert "self.anchors = anchors(rows, device=device)" in mended(HEAD, ANCHORS, body)


def test_who_is_told_nothing_is_told_it_too() -> None:
    body = """

class Assigner:
    def __init__(self, rows, device="cpu"):
        self.anchors = anchors(rows)

    def __call__(self, boxes):
        return self.anchors - boxes


assigner = Assigner(2)
print(assigner(torch.ones(2, 4, device=device)).sum())
"""
    text = mended(HEAD, ANCHORS, body)
    assert "self.anchors = anchors(rows, device=device)" in text
    assert "assigner = Assigner(2, device=device)" in text


REGISTRY = """

class Registry(dict):
    def build(self, name, *args, **kwargs):
        return self[name](*args, **kwargs)


class Table:
    def __init__(self, size, device=None):
        self.values = torch.arange(size, device=device).float()

    def __call__(self):
        return self.values


class Nothing:
    def __init__(self, size{more}):
        pass

    def __call__(self):
        return 0.0


TABLES = Registry(table=Table, nothing=Nothing)
parser = argparse.ArgumentParser()
parser.add_argument("--table", default="table")
made = TABLES.build(parser.parse_args().table, 3)
print((torch.ones(2, 3, device=device) + made()).sum())
"""


def test_a_registry_hands_on_what_it_is_given() -> None:
    text = mended(HEAD, REGISTRY.format(more=", device=None"))
    assert "made = TABLES.build(parser.parse_args().table, 3, device=device)" in text


def test_what_another_of_the_registry_does_not_take_is_not_handed_on() -> None:
    text = HEAD + REGISTRY.format(more="")
    assert mended(text) == text


NUMBER = """
parser = argparse.ArgumentParser()
parser.add_argument("--bias", default="table")
bias = {table} if parser.parse_args().bias == "table" else 0.0
print((torch.ones(2, 3, device=device) + bias).sum())
"""


def test_what_is_a_number_in_other_runs_is_made_elsewhere() -> None:
    text = mended(HEAD, NUMBER.format(table="torch.ones(3)"))
    assert "bias = torch.ones(3, device=device) if" in text


def test_what_is_a_number_in_other_runs_is_not_moved() -> None:
    text = HEAD + NUMBER.format(table="torch.ones(3).cpu()")
    assert mended(text) == text


@pytest.mark.parametrize(
    ("call", "moved"),
    [
        # Which of the two is wanted on the CPU is not known.
        ("a, b = anchors(2), anchors(3)\nprint(b.numpy())", "anchors(2).to(device)"),
        # What is written is not the function's call.
        ("a, *_ = map(anchors, [2, 3])", "\na = a.to(device)\n"),
        ("a = (lambda make: make(2))(anchors)", "(anchors).to(device)\n"),
    ],
)
def test_an_unclear_call_stays(call: str, moved: str) -> None:
    text = mended(HEAD, ANCHORS, f"{call}\nprint((a + torch.ones(2, 4, device=device)).sum())\n")
    assert call in text.replace(moved, moved.replace(".to(device)", "").replace("\na = a\n", "\n"))
    assert moved in text


@pytest.mark.parametrize("look", ['device == "cpu"', 'device.startswith("c")', 'f"{device}:0" == "cpu:0"'])
def test_a_parameter_that_must_be_text_is_given_nothing_else(look: str) -> None:
    body = f"""

def make(rows, device="cpu"):
    if {look}:
        print("on the host")
    return torch.ones(rows, 4, device=device)


a = make(2)
print((a + torch.ones(2, 4, device=device)).sum())
"""
    assert "\na = make(2).to(device)\n" in mended(HEAD, body)


def test_what_was_called_from_outside_is_left_alone() -> None:
    text = "import torch\n" + ANCHORS
    assert mended(text) == text


CHOSEN = """

class Table:
    def __init__(self, size, dev="cpu"):
        self.values = torch.arange(size, device=dev).float()


class Nothing:
    def __init__(self, size):
        self.values = 0.0


def build(name, **options):
    cls = {{"table": Table, "nothing": Nothing}}[name]
    {known}
    return cls({given})


print((torch.ones(2, 3, device=device) + build("table", size=3, device=device).values).sum())
print(build("nothing", size=3, device=device).values)
"""


@pytest.mark.parametrize(
    ("known", "given"),
    [
        ("known = inspect.signature(cls).parameters", "**{k: v for k, v in options.items() if k in known}"),
        (
            "known = inspect.getfullargspec(cls.__init__).args",
            "**{k: options[k] for k in known if k in options}",
        ),
        ("rest = dict(options, device=None)", 'size=rest.pop("size")'),
    ],
)
def test_no_class_is_told_what_another_one_takes(known: str, given: str) -> None:
    text = mended(HEAD, "import inspect\n", CHOSEN.format(known=known, given=given))
    assert f"return cls({given})" in text
    assert "device=dev).to(device)" in text


BASE = """

class Weights:
    def draw(self, n, {name}=None):
        return torch.tensor([1.0] * n).float().to({name})


class Late(Weights):
    def draw(self, n, {name}=None):
        return super().draw(n)


print((torch.ones(4, device=device) * Late().draw(4, device)).sum())
"""


def test_what_moves_to_where_it_is_told_is_told_by_the_overriding_method() -> None:
    text = mended(HEAD, BASE.format(name="device"))
    assert text == HEAD + BASE.format(name="device").replace(
        "super().draw(n)", "super().draw(n, device=device)"
    )


def test_what_may_be_a_dtype_is_told_no_device() -> None:
    assert "super().draw(n)\n" in mended(HEAD, BASE.format(name="kind").replace("draw(4, device)", "draw(4)"))


MAKERS_BY_NAME = """

def flat(n, scale=1.0, device="cpu"):
    return scale * torch.ones(n, device=device)


def ramp(n, slope=0.5{last}):
    return slope * torch.arange(n{given})


MAKERS = {{"flat": flat, "ramp": ramp}}


def build(name, n, device="cpu", **options):
    return MAKERS[name](n, **options)


parser = argparse.ArgumentParser()
parser.add_argument("--kind", default="ramp")
kind = parser.parse_args().kind
made = build(kind, 3, device=device, **({{"slope": 0.7}} if kind == "ramp" else {{}}))
print((made * torch.ones(3, device=device)).sum())
"""


def test_a_function_that_names_the_device_itself_hands_it_on_beside_its_other_keywords() -> None:
    text = MAKERS_BY_NAME.format(last=', device="cpu"', given=", device=device")
    assert mended(HEAD, text) == HEAD + text.replace("(n, **options)", "(n, device=device, **options)")


def test_what_one_of_several_functions_cannot_be_told_is_told_to_none() -> None:
    assert "(n, **options)" in mended(HEAD, MAKERS_BY_NAME.format(last="", given=""))


STEPS = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.register_buffer("scale", torch.ones(3))

    def forward(self, x, t):
        return self.fc(x) + t[:, None].float() * self.scale


class Schedule:
    def set_steps(self, count, device=None):
        steps = torch.linspace(99, 0, count).round().long()
        {kept}


class Pipeline:
    def __init__(self, net, schedule):
        self.net, self.schedule = net, schedule
    {own}
    def __call__(self, count):
        {call}
        x = torch.ones(count, 3, device=next(self.net.parameters()).device)
        for t in self.schedule.steps:
            x = self.net(x, t.expand(len(x)))
        return x


net = Net().cuda()
print(Pipeline(net, Schedule())(2).sum())
"""
PROPERTY = """
    @property
    def device(self):
        return next(self.net.parameters()).device
"""


def steps(
    kept: str = "self.steps = steps.to(device)", own: str = PROPERTY, call: str = "self.schedule.set_steps(5)"
) -> str:
    return STEPS.format(kept=kept, own=own, call=call)


@pytest.mark.parametrize(
    "told", ["self.net.fc.weight.device", "self.net.device", "next(self.net.fc.parameters()).device"]
)
def test_a_method_that_moves_what_it_keeps_is_told_where_to(told: str) -> None:
    own = PROPERTY.replace("next(self.net.parameters()).device", told)
    assert mended(steps(own=own)) == steps(own=own, call="self.schedule.set_steps(5, device=self.device)")


def test_a_function_that_returns_what_it_moves_is_told_where_to() -> None:
    kept, call = "return steps.to(device)", "self.schedule.steps = self.schedule.set_steps(5{})"
    text = steps(kept, call=call.format(""))
    assert mended(text) == steps(kept, call=call.format(", device=self.device"))


@pytest.mark.parametrize(
    "kept",
    [
        "self.steps = steps\n        self.others = steps.to(device)",
        "self.steps = steps\n        return steps.to(device)",
        "self.steps = steps.to(count)",
    ],
)
def test_what_is_not_what_the_method_moves_says_nothing(kept: str) -> None:
    assert "device=self.device" not in mended(steps(kept))


def test_a_property_that_tells_of_another_module_is_not_asked() -> None:
    own = PROPERTY.replace("self.net", "self.network")
    assert "device=self.device" not in mended(steps(own=own))


_COORDS = """

def coords(rows, columns, device=None):
    ys, xs = torch.meshgrid(torch.arange(rows, device=device), torch.arange(columns, device=device))
    return torch.stack([xs, ys]).float().unsqueeze(0)


def warp(image, shift):
    grid = coords(4, 4)
    return image + grid - shift


print(warp(torch.ones(1, 2, 4, 4).to(device), torch.ones(1, 2, 4, 4).to(device)))
"""


def test_what_computes_its_result_where_it_is_told_is_told() -> None:
    assert "grid = coords(4, 4, device=" in mended(HEAD, _COORDS)


def test_what_makes_a_part_elsewhere_is_not_told() -> None:
    fixed = mended(HEAD, _COORDS.replace("columns, device=device)", "columns)"))
    assert "grid = coords(4, 4).to(image.device)" in fixed
