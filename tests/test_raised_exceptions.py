"""Exceptions of the program's own carry values from where they are raised to the handler that catches them."""

from __future__ import annotations

from textwrap import dedent

import pytest
from reality import lies
from text_program import Ending, clashes

from devfix.analysis.domain.values import UNKNOWN, Const
from devfix.analysis.language import calls

_FOUND = """
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Found(Exception):
    def __init__(self, value, model=None):
        super().__init__("found")
        self.value = value
        self.model = model


class Better(Found, RuntimeError):
    pass

"""


def _clashes(text: str) -> list[str]:
    return [each.partition(": ")[2] for each in clashes(_FOUND + dedent(text))]


_SEARCH = """
def search(limit):
    for step in range(10):
        candidate = {made}
        if candidate.sum() > limit:
            raise {error}(candidate)
    raise LookupError(limit)


try:
    search(1.0)
except {caught} as found:
    weight = {taken}
(torch.ones(4, device=device) * weight).sum()
"""


@pytest.mark.parametrize(
    ("error", "caught"),
    [
        ("Found", "Found"),
        ("Better", "Found"),
        ("Better", "RuntimeError"),
        ("Better", "(KeyError, Found)"),
        ("Found", "Exception"),
    ],
)
def test_what_an_exception_carries_is_where_it_was_made(error: str, caught: str) -> None:
    text = _SEARCH.format(made="torch.ones(4)", error=error, caught=caught, taken="found.value")
    assert _clashes(text) == ["device"]


@pytest.mark.parametrize(
    ("made", "caught", "taken"),
    [
        ("torch.ones(4, device=device)", "Found", "found.value"),
        ("torch.ones(4).to(device)", "Found", "found.value"),
        ("torch.ones(4)", "Found", "found.value.to(device)"),
        ("torch.ones(4)", "Found", "torch.ones(4, device=device)"),
        ("torch.ones(4)", "Found", "found.value.sum()"),
        ("torch.ones(4)", "Better", "found.value"),
        ("torch.ones(4)", "KeyError", "found.value"),
    ],
)
def test_what_is_moved_or_is_not_caught_stays(made: str, caught: str, taken: str) -> None:
    assert _clashes(_SEARCH.format(made=made, error="Found", caught=caught, taken=taken)) == []


def test_what_several_places_raise_is_anywhere() -> None:
    text = """
    def first(x):
        if x.sum() > 3:
            raise Found(x)

    def second(x):
        if x.sum() > 2:
            raise Found(x.to(device))

    def search(x):
        first(x)
        second(x)
        raise LookupError

    try:
        search(torch.ones(4))
    except Found as found:
        weight = found.value
    weight + torch.ones(4, device=device)
    """
    assert _clashes(text) == []


def test_a_handler_that_is_always_reached_begins_where_the_exception_is_raised() -> None:
    text = """
    def train(model):
        model.to(device)
        raise Found(torch.ones(4, device=device), model)

    model = torch.nn.Linear(4, 2)
    try:
        train(model)
    except Found as found:
        found.model(found.value)
        found.model(found.value.cpu())
    model(torch.ones(4, device=device))
    model(torch.ones(4))
    """
    assert _clashes(text) == ["device", "device"]


def test_the_first_handler_that_fits_catches() -> None:
    text = """
    def inner():
        try:
            raise Found(torch.ones(4))
        except Found:
            pass
        raise Better(torch.ones(4, device=device))

    try:
        inner()
    except Better as better:
        weight = better.value
    except Found as found:
        weight = found.value
    weight + torch.ones(4, device=device)
    weight + torch.ones(4)
    """
    assert _clashes(text) == ["device"]


def test_what_a_handler_takes_is_one_of_two_where_there_need_not_be_an_exception() -> None:
    text = """
    def search(x):
        if x.sum() > 3:
            raise Found({raised})

    weight = {before}
    try:
        search(torch.ones(4))
    except Found as found:
        weight = found.value
    weight + torch.ones(4, device=device)
    """
    assert _clashes(text.format(before="None", raised="x")) == ["device"]
    assert _clashes(text.format(before="torch.ones(4)", raised="x.to(device)")) == []
    assert _clashes(text.format(before="torch.ones(4, device=device)", raised="x")) == []


def test_a_hook_ends_a_forward_with_what_it_was_given() -> None:
    text = """
    def stop(module, inputs, output):
        raise Found(output)

    def features(net, x):
        try:
            net(x)
        except Found as found:
            return found.value

    net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Linear(8, 2)).to(device)
    net[0].register_forward_hook(stop)
    features(net, torch.ones(3, 4, device=device)) * {scale}
    """
    assert _clashes(text.format(scale="torch.ones(8)")) == ["device"]
    assert _clashes(text.format(scale="torch.ones(8, device=device)")) == []


def test_calls_that_raise_are_not_taken_for_one_another() -> None:
    text = """
    def check(x):
        if x.sum() > 3:
            raise Found(x.to(device))
        return x

    def use(net, x, y):
        check(x)
        try:
            check(y)
            raise Found(y)
        except Found as found:
            weight = found.value
        return weight + torch.ones(4, device=device)

    def apart(net):
        return use(net, torch.ones(4), torch.ones(4))
    """
    assert _clashes(text) == []


def test_what_is_raised_beyond_what_is_followed_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
    def moved(x):
        raise Found(x.to(device))

    def checked(x):
        moved(x)

    def search(x):
        if x.sum() > 3:
            raise Found(x)
        checked(x)

    try:
        search(torch.ones(4))
    except Found as found:
        weight = found.value
    weight + torch.ones(4, device=device)
    """
    assert _clashes(text.replace("        moved(x)", "        pass")) == ["device"]
    monkeypatch.setattr(calls, "MAX_DEPTH", 2)
    assert _clashes(text) == []


_GENERATOR = """
def totals():
    total = {made}
    for step in range(3):
        yield step
    return total


steps = totals()
while True:
    try:
        next(steps)
    except StopIteration as stop:
        total = stop.value
        break
total + torch.ones(4, device=device)
"""


def test_a_generator_that_ends_says_so_with_what_it_returns() -> None:
    assert _clashes(_GENERATOR.format(made="torch.zeros(4)")) == ["device"]
    assert _clashes(_GENERATOR.format(made="torch.zeros(4, device=device)")) == []


def test_python_agrees() -> None:
    text = """
    import torch

    class Found(Exception):
        def __init__(self, value):
            self.value = value

    def search(x, limit):
        if x.sum() > limit:
            raise Found(x.double())
        return x

    def numbers():
        yield 1
        return torch.zeros(3)

    try:
        kept = search(torch.ones(2), 1)
    except Found as found:
        kept = found.value
    try:
        raise Found(torch.ones(3))
    except Found as other:
        always = other.value
    given = numbers()
    try:
        first = next(given)
        next(given)
    except StopIteration as stop:
        last = stop.value
    """
    assert lies(text) == []
    assert Ending(text)["always"] != UNKNOWN
    assert Ending(text)["last"] != UNKNOWN


_LEAVING = """
import contextlib


@contextlib.contextmanager
def on_host(model):
    model.cpu()
    try:
        yield
    finally:
        model.to(device)


class Host:
    def __enter__(self):
        model.cpu()

    def __exit__(self, *error):
        model.to(device)


def search(x):
    {begin}
        for _ in range(30):
            if x.sum() > 3:
                raise Found(x)
        raise Found(x)
    {end}


model = torch.nn.Linear(3, 3).to(device)
try:
    search(torch.ones(3))
except Found as found:
    model(found.value.to(device))
"""


@pytest.mark.parametrize(
    ("begin", "end", "expected"),
    [
        ("model.cpu()\n    try:", "finally: model.to(device)", []),
        ("with on_host(model):", "", []),
        ("with Host():", "", []),
        ("model.cpu()\n    with torch.no_grad():", "", ["device"]),
        ("model.cpu()\n    try:", "finally: print('done')", ["device"]),
    ],
)
def test_what_is_done_where_a_block_is_left_is_done_before_the_handler(
    begin: str, end: str, expected: list[str]
) -> None:
    assert _clashes(_LEAVING.format(begin=begin, end=end)) == expected


def test_a_handler_begins_before_what_is_done_behind_it() -> None:
    text = """
    x = torch.ones(3)
    try:
        try:
            raise strange(Found(x))
        except strange.Error as found:
            x = x.to(device)
            raise Found(x)
        finally:
            x = x.to(device)
    except Found as found:
        found.value + x
    """
    assert _clashes(text) == []


@pytest.mark.parametrize(("times", "expected"), [(3, ["device"]), (30, [])])
def test_where_very_many_are_raised_in_a_block_that_does_something_at_its_end_nothing_is_known(
    times: int, expected: list[str]
) -> None:
    step = "if strange(): raise Found(x)"
    text = _LEAVING.format(begin="model.cpu()\n    try:", end="finally: print('done')")
    steps = "\n            ".join([step] * times)
    assert _clashes(text.replace("if x.sum() > 3:\n                raise Found(x)", steps)) == expected


PARTLESS = """
import torch
from torch import nn

class Product(nn.Module):
    def __init__(self, trained):
        super().__init__()
        self.w = torch.tensor([1.0, 2.0])
        if trained:
            self.scale = nn.Parameter(torch.ones(2))

    def forward(self, x):
        return x * self.w

def where(model, x):
    try:
        device = next({asked}).device
        found = "parameter"
    except StopIteration:
        device = x.device
        found = "input"
    return device, found

model = Product({trained})
x = torch.ones(2)
device, found = where(model, x)
dtype = x.to(device).dtype
"""


@pytest.mark.parametrize("asked", ["model.parameters()", "iter(model.parameters())"])
def test_what_has_no_parameter_is_asked_for_one_in_vain(asked: str) -> None:
    text = PARTLESS.format(asked=asked, trained=False)
    assert lies(text) == []
    assert Ending(text)["found"] == Const("input")
    assert not clashes(text + "model(x.to(device))\n")


def test_the_first_parameter_is_given() -> None:
    text = PARTLESS.format(asked="model.parameters()", trained=True)
    assert lies(text) == []
    assert Ending(text)["found"] == Const("parameter")


def test_a_default_is_given_where_there_is_none() -> None:
    text = PARTLESS.format(asked="model.parameters(), x", trained=False)
    assert lies(text) == []
    assert Ending(text)["found"] == Const("parameter")


def test_a_handler_that_takes_something_is_judged_where_a_test_of_data_leads_to_it() -> None:
    text = """
    def search():
        for i in range(9):
            if {test}:
                raise Found(torch.ones(4){made})

    try:
        search()
    except Found as found:
        print(found.value + torch.ones(4, device=device))
    """
    assert _clashes(text.format(test="i == 3", made="")) == ["device"]
    assert _clashes(text.format(test="i * i > 9", made="")) == ["device"]
    assert _clashes(text.format(test="i == 3", made=", device=device")) == []
    assert _clashes(text.format(test="device.type == 'cpu'", made="")) == []
