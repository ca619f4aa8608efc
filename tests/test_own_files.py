"""A script that goes on from a file of its own has, in the first run, what it makes where there is none."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

from devfix.findings import Applicability

FIRST_RUN = """
import os
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Memory:
    def __init__(self):
        self.centers, self.seen, self.steps, self.best = {{}}, [], 0, None

    def state(self):
        return {{"centers": self.centers, "seen": self.seen, "steps": self.steps, "best": self.best}}

    def load(self, state):
        self.centers = state["centers"]
        self.seen, self.steps, self.best = state["seen"], state["steps"], state["best"]

    def add(self, x):
        self.centers["a"] = x.mean(0)
        self.seen.append(x)


def restore(memory, path):
{restore}


net = nn.Linear(4, 2).to(device)
memory = Memory()
restore(memory, "memory.pt")
for epoch in range(3):
    x = torch.randn(8, 4){moved}
    memory.add(x)
    loss = {use}
    torch.save(memory.state(), "memory.pt")
"""
RESTORES = [
    '    if os.path.exists(path):\n        memory.load(torch.load(path, map_location="cpu"))',
    "    if not os.path.isfile(path):\n        return\n    state = torch.load(path)\n    memory.load(state)",
    "    try:\n        memory.load(torch.load(path))\n    except FileNotFoundError:\n        print('begun anew')",
]
USES = [
    'net(memory.centers["a"]).sum()',
    "net(memory.seen[-1]).sum()",
    "sum(net(x).sum() for x in memory.seen)",
]


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("restore", RESTORES)
def test_a_first_run_has_what_is_made_without_a_file(restore: str, use: str) -> None:
    assert len(clashes(FIRST_RUN.format(restore=restore, use=use, moved=""))) == 1
    assert not clashes(FIRST_RUN.format(restore=restore, use=use, moved=".to(device)"))


@pytest.mark.parametrize("restore", RESTORES)
def test_a_file_that_nothing_writes_may_hold_anything(restore: str) -> None:
    text = FIRST_RUN.format(restore=restore, use=USES[0], moved="")
    given = text.replace('self.centers["a"] = x.mean(0)', "pass").replace(
        "= {}, [], 0", '= {"a": torch.ones(4)}, [], 0'
    )
    assert clashes(given)
    assert not clashes(given.replace("torch.save(", "print("))


def test_what_was_none_or_a_number_in_the_first_run_is_not_so_in_a_later_one() -> None:
    use = "net(memory.best).sum() if memory.best is not None else net(x.to(device)).sum()"
    assert not clashes(FIRST_RUN.format(restore=RESTORES[0], use=use, moved=""))
    use = "net(x.to(device)).sum() if memory.steps else net(x).sum()"
    assert clashes(FIRST_RUN.format(restore=RESTORES[0], use=use, moved=""))
    use = "net(x.to(device)).sum() if memory.steps == 0 else net(x).sum()"
    assert clashes(FIRST_RUN.format(restore=RESTORES[0], use=use, moved=""))


RESUMED = """
import os
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Average:
    def __init__(self, net):
        self.shadow = {begin}

    def update(self, net):
        for name, p in net.named_parameters():
            {update}

    def load(self, state):
        {load}


def run(path):
    net = nn.Linear(4, 2).to(device)
    average = Average(net)
    if os.path.exists(path):
        held = torch.load(path, map_location={where})
        net.load_state_dict(held["net"])
        average.load(held["shadow"])
    net(torch.ones(3, 4, device=device)).sum().backward()
    average.update(net)
    torch.save({{"net": net.state_dict(), "shadow": average.shadow}}, path)


for _ in range(2):
    run("last.pt")
"""
KEPT = "{name: p.detach().clone() for name, p in net.named_parameters()}"
EMPTY = "{}"
MIXED = "self.shadow[name] = 0.9 * self.shadow[name] + 0.1 * p.detach()"
FILLED = (
    "if self.shadow:\n"
    "                print((self.shadow[name] - p).norm())\n"
    "        self.shadow = {name: p.detach() for name, p in net.named_parameters()}"
)
FILLED_UP = (
    "if name not in self.shadow:\n"
    "                self.shadow[name] = torch.zeros_like(p)\n"
    "            self.shadow[name].mul_(0.9).add_(p.detach(), alpha=0.1)"
)
LOOKED_UP = (
    "held = self.shadow.get(name)\n"
    "            if held is None:\n"
    "                held = self.shadow[name] = torch.zeros_like(p)\n"
    "            held.mul_(0.9).add_(p.detach(), alpha=0.1)"
)
WAYS = [(KEPT, MIXED), (EMPTY, FILLED), (EMPTY, FILLED_UP), (EMPTY, LOOKED_UP)]
COPIED = "self.shadow = {name: held.clone() for name, held in state.items()}"


@pytest.mark.parametrize("load", ["self.shadow = state", "self.shadow = dict(state)", COPIED])
@pytest.mark.parametrize(("begin", "update"), WAYS)
def test_a_resumed_run_has_what_the_first_one_saved(begin: str, update: str, load: str) -> None:
    text = RESUMED.format(begin=begin, update=update, load=load, where='"cpu"')
    assert clashes(text)
    after, _ = fix_texts({"main.py": text}, Applicability.SAFE)
    assert after["main.py"] == text.replace('map_location="cpu"', "map_location=device")


@pytest.mark.parametrize(
    ("load", "where"),
    [
        ("self.shadow = state", "device"),
        ("self.shadow = {name: held.to(device) for name, held in state.items()}", '"cpu"'),
        ("for name, held in state.items():\n            self.shadow[name] = held.to(device)", '"cpu"'),
        ("self.shadow = state", "None"),
        ("self.shadow = dict(state)", "device"),
        ("self.shadow = {name: held.to(device) for name, held in dict(state).items()}", '"cpu"'),
        ("self.shadow.update(state)", "device"),
    ],
)
@pytest.mark.parametrize(("begin", "update"), WAYS)
def test_what_goes_where_it_was_is_left_alone(begin: str, update: str, load: str, where: str) -> None:
    assert not clashes(RESUMED.format(begin=begin, update=update, load=load, where=where))


def test_what_is_kept_on_the_host_by_every_run_is_left_alone() -> None:
    begin = "{name: p.detach().cpu() for name, p in net.named_parameters()}"
    update = "self.shadow[name] = 0.9 * self.shadow[name] + 0.1 * p.detach().cpu()"
    assert not clashes(RESUMED.format(begin=begin, update=update, load="self.shadow = state", where='"cpu"'))


def test_what_is_kept_on_the_host_is_filled_up_there() -> None:
    update = FILLED_UP.replace("zeros_like(p)", "zeros_like(p, device='cpu')").replace(
        "p.detach()", "p.detach().cpu()"
    )
    assert not clashes(RESUMED.format(begin=EMPTY, update=update, load="self.shadow = state", where='"cpu"'))


def test_what_is_filled_up_with_what_meets_nothing_else_is_left_alone() -> None:
    update = FILLED_UP.replace("self.shadow[name].mul_(0.9)", "self.shadow[name].to(device).mul_(0.9)")
    assert not clashes(RESUMED.format(begin=EMPTY, update=update, load="self.shadow = state", where='"cpu"'))


@pytest.mark.parametrize("saved", ["dict(average.shadow)", "average.shadow.copy()"])
@pytest.mark.parametrize("update", [FILLED_UP, LOOKED_UP])
@pytest.mark.parametrize("load", ["self.shadow = state", COPIED])
def test_a_file_holds_a_copy_of_what_was_read_or_made(load: str, update: str, saved: str) -> None:
    text = RESUMED.replace("average.shadow}}", f"{saved}}}}}")
    assert clashes(text.format(begin=EMPTY, update=update, load=load, where='"cpu"'))
    assert not clashes(text.format(begin=EMPTY, update=update, load=load, where="device"))


@pytest.mark.parametrize(
    "update",
    [
        LOOKED_UP.replace("zeros_like(p)", "zeros_like(p, device='cpu')").replace(
            "detach()", "detach().cpu()"
        ),
        LOOKED_UP.replace("held.mul_", "held = held.to(device)\n            held.mul_"),
        LOOKED_UP.replace("p.detach()", "p.detach().to(held.device)"),
    ],
)
@pytest.mark.parametrize("load", ["self.shadow = state", COPIED])
def test_what_is_looked_up_where_it_was_left_meets_nothing_else(load: str, update: str) -> None:
    assert not clashes(RESUMED.format(begin=EMPTY, update=update, load=load, where='"cpu"'))


READ_OR_MADE = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)

    def forward(self, x):
        return self.fc(x){more}

def read(name):
    try:
        model = torch.load(name, weights_only=False)
        return model
    except {error}:
        pass
    return None

def main():
    model = read("model.pt")
    {test}
    model.cuda()
    x = torch.ones(1, 2)
    print(model({x}))

main()
"""
MADE = [
    "if model is None:\n        model = Net()",
    "if not model:\n        model = Net()",
    "if model is not None:\n        print('read')\n    else:\n        model = Net()",
    "if model is None or model.training is None:\n        model = Net()",
]


@pytest.mark.parametrize("error", ["OSError", "Exception", "FileNotFoundError"])
@pytest.mark.parametrize("test", MADE)
def test_what_is_made_where_nothing_could_be_read_tells_what_was_read(test: str, error: str) -> None:
    text = READ_OR_MADE.format(test=test, error=error, more=" @ torch.eye(2)", x="x.cuda()")
    assert clashes(text) == ["11: device"]
    right = text.replace("torch.eye(2)", "torch.eye(2, device=x.device)")
    assert clashes(right) == []


@pytest.mark.parametrize("test", MADE)
def test_what_was_read_is_moved_as_what_is_made_is(test: str) -> None:
    text = READ_OR_MADE.format(test=test, error="OSError", more="", x="x")
    assert clashes(text) == ["11: device"]
    assert clashes(text.replace("model(x)", "model(x.cuda())")) == []
    elsewhere = text.replace("model.cuda()", "model = model.to(device='cpu')")
    assert clashes(elsewhere) == []


@pytest.mark.parametrize(
    "made",
    [
        "read('model.pt') or Net()",
        "read('model.pt') if os.path.exists('model.pt') else Net()",
        "torch.load('model.pt', weights_only=False) if os.path.exists('model.pt') else Net()",
        "Net() if not os.path.isfile('model.pt') else torch.load('model.pt', weights_only=False)",
    ],
)
def test_an_expression_that_makes_what_it_does_not_read_tells_what_it_reads(made: str) -> None:
    text = READ_OR_MADE.format(test=f"model = {made}", error="OSError", more=" @ torch.eye(2)", x="x.cuda()")
    text = text.replace("import torch\n", "import os\nimport torch\n", 1)
    assert clashes(text) == ["12: device"]
    assert clashes(text.replace("torch.eye(2)", "torch.eye(2, device=x.device)")) == []


@pytest.mark.parametrize("test", ["model if model else Net()", "Net() if model is None else model"])
def test_an_expression_that_asks_for_what_was_read_tells_what_that_is(test: str) -> None:
    text = READ_OR_MADE.format(test=f"model = {test}", error="OSError", more=" @ torch.eye(2)", x="x.cuda()")
    assert clashes(text) == ["11: device"]
    assert clashes(text.replace("torch.eye(2)", "torch.eye(2, device=x.device)")) == []
