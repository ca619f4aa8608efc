"""What a block undoes at its end is undone where ``return``, ``break`` and ``continue`` leave it before, too."""

from __future__ import annotations

import pytest
from reality import lies
from text_program import Ending, clashes

from devfix.analysis.domain.values import Const

_START = """\
import contextlib
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(2, 2).to(device)
host = torch.zeros(1, 2)
there = host.to(device)

class OnHost:
    def __init__(self, net):
        self.net = net

    def __enter__(self):
        self.net.cpu()
        return self.net

    def __exit__(self, *error):
        self.net.to(device)

@contextlib.contextmanager
def on_host(net):
    net.cpu()
    try:
        yield net
    finally:
        net.to(device)

"""

_BLOCKS = {
    "a class": "with OnHost(net):",
    "a generator": "with on_host(net):",
    "a stack": "with contextlib.ExitStack() as stack:\n{0}stack.enter_context(OnHost(net))",
    "a try": "net.cpu()\n{1}try:",
}
_WAYS = {
    "return": "def score():\n    {block}\n        {use}\n        return 1\n{last}score()\n",
    "return of it": "def score():\n    {block}\n        return {use}\n{last}score()\n",
    "return at times": "def score():\n    {block}\n        if net({given}).sum() > 0:\n            return 1\n        {use}\n{last}score()\n",
    "break": "for i in range(9):\n    {block}\n        {use}\n        if i == 3:\n            break\n{last}",
    "continue": "for i in range(9):\n    {block}\n        {use}\n        if i == 3:\n            continue\n        {use}\n{last}",
}


def _program(kind: str, way: str, given: str) -> str:
    last = "    finally:\n        net.to(device)\n" if kind == "a try" else ""
    block = _BLOCKS[kind].format(" " * 8, " " * 4)
    return _START + _WAYS[way].format(block=block, use=f"net({given})", given=given, last=last)


@pytest.mark.parametrize("way", _WAYS)
@pytest.mark.parametrize("kind", _BLOCKS)
def test_what_a_block_moved_is_back_however_it_is_left(kind: str, way: str) -> None:
    assert clashes(_program(kind, way, "host") + "net(there)\n") == []


@pytest.mark.parametrize("way", _WAYS)
@pytest.mark.parametrize("kind", _BLOCKS)
def test_what_no_longer_fits_behind_the_block_is_found(kind: str, way: str) -> None:
    text = _program(kind, way, "host") + "net(host)\n"
    assert clashes(text) == [f"{text.count(chr(10))}: device"]


@pytest.mark.parametrize("way", _WAYS)
@pytest.mark.parametrize("kind", _BLOCKS)
def test_what_does_not_fit_within_the_block_is_found(kind: str, way: str) -> None:
    text = _program(kind, way, "there")
    found = {int(each.partition(":")[0]) for each in clashes(text)}
    assert found == {n for n, line in enumerate(text.splitlines(), 1) if "net(there)" in line}


def test_the_default_device_of_a_block_ends_where_a_function_returns_within_it() -> None:
    body = """\
def score():
    with device:
        return net(torch.zeros(1, 2))

score()
net(torch.zeros(1, 2))
"""
    text = _START + body
    assert clashes(text) == [f"{text.count(chr(10))}: device"]


def test_what_a_handler_leaves_early_is_cleaned_up_as_well() -> None:
    body = """\
for each in range(9):
    try:
        net.cpu()
        net(host)
    except RuntimeError:
        continue
    finally:
        net.to(device)
    net(there)
"""
    assert clashes(_START + body) == []


_TOLD = """\
import contextlib

class Log:
    def __init__(self):
        self.last, self.got = "made", 0

log = Log()

class Inside:
    def __enter__(self):
        log.last = "in"
    def __exit__(self, *error):
        log.last = "out"

@contextlib.contextmanager
def inside():
    log.last = "in"
    yield
    log.last = "out"

{way}
last = log.last
"""


@pytest.mark.parametrize(
    "way",
    [
        "def f():\n    with Inside():\n        return 1\nf()",
        "def f():\n    with contextlib.ExitStack() as s:\n        s.enter_context(Inside())\n        return 1\nf()",
        "def f():\n    try:\n        return 1\n    finally:\n        log.last = 'out'\nf()",
        "def f():\n    try:\n        log.last = 'in'\n    finally:\n        return log.last\nlog.last = f()",
        "def f():\n    try:\n        return 'in'\n    finally:\n        return 'out'\nlog.last = f()",
        "for i in (1, 2):\n    with Inside():\n        break",
        "for i in (1, 2):\n    with Inside():\n        continue",
        "for i in (1, 2):\n    try:\n        break\n    finally:\n        log.last = 'out'",
        "def f():\n    for i in (1, 2):\n        with Inside():\n            for j in (1, 2):\n                break\n            return 1\nf()",
    ],
)
def test_what_python_does_on_the_way_out_is_what_is_claimed(way: str) -> None:
    text = _TOLD.format(way=way)
    assert lies(text) == []
    assert isinstance(Ending(text)["last"], Const)


def test_a_manager_that_waits_while_its_body_returns_goes_on_afterwards() -> None:
    text = _TOLD.format(way="def f():\n    with inside():\n        return log.last\nwithin = f()")
    end = Ending(text)
    assert (
        lies(text.replace("    yield\n    log", "    try:\n        yield\n    finally:\n        log")) == []
    )
    assert (end["within"], end["last"]) == (Const("in"), Const("out"))


_MARKED = """
import contextlib
import torch

class Switch:
    on = False

    @classmethod
    def off(cls):
        cls.on = False

class Counter:
    def __init__(self):
        self.busy, self.rounds = False, 0

on = False
counter = Counter()

@contextlib.contextmanager
def once():
    global on
    if {0}:
        raise RuntimeError("not within another one")
    {1}
    try:
        yield
    finally:
        {2}

model = torch.nn.Linear(3, 1).cuda()
for i in range(3):
    with once():
        {3}
        x = torch.ones(4, 3)
model(x)
"""
_MARKS = [
    ("Switch.on", "Switch.on = True", "Switch.on = False"),
    ("Switch.on", "Switch.on = True", "Switch.off()"),
    ("on", "on = True", "on = False"),
    ("counter.busy", "counter.busy = True", "counter.busy = False"),
]


@pytest.mark.parametrize("mark", _MARKS)
@pytest.mark.parametrize("body", ["pass", "counter.rounds += 1"])
def test_what_a_manager_marks_while_it_is_entered_is_as_before_once_it_is_left(
    mark: tuple[str, str, str], body: str
) -> None:
    program = _MARKED.format(*mark, body)
    assert clashes(program) == ["35: device"]
    assert lies(program.replace(".cuda()", "")) == []


@pytest.mark.parametrize("mark", _MARKS)
def test_a_manager_that_leaves_its_mark_is_not_entered_again(mark: tuple[str, str, str]) -> None:
    assert clashes(_MARKED.format(*mark[:2], "pass", "pass")) == []


@pytest.mark.parametrize("body", ["device = 'cpu'", "pass"])
def test_the_name_of_a_device_that_a_manager_changes_at_its_end(body: str) -> None:
    program = f"""\
    import contextlib
    import torch

    device = "cpu"

    @contextlib.contextmanager
    def chosen():
        global device
        yield
        device = "cuda"

    def run():
        global device
        with chosen():
            {body}
        return device

    device = run()
    """
    assert lies(program) == []
    assert (Ending(program)["device"] == Const("cuda")) == (body == "pass")


#: What is made behind the block is where things were made before it.
_DEFAULT = """\
import contextlib
import torch

@contextlib.contextmanager
def made_on(device):
    before = torch.get_default_device()
    torch.set_default_device(device)
    {}
    {}torch.set_default_device(before)

with made_on("cuda"):
    x = torch.ones(2)
    x + torch.ones(2, device="cpu")
host = torch.zeros(2)
host += x{}
"""


@pytest.mark.parametrize("waiting", [("yield", ""), ("try:\n        yield", "finally:\n        ")])
def test_a_default_device_that_a_manager_sets_back_at_its_end_is_what_it_was(
    waiting: tuple[str, str],
) -> None:
    program = _DEFAULT.format(*waiting, "{}")
    late = len(program.splitlines())
    assert clashes(program.format("")) == [f"{late - 2}: device", f"{late}: device"]
    assert clashes(program.format(".cpu()")) == [f"{late - 2}: device"]
