"""Optimizers whose state is where their parameters were before they moved."""

from __future__ import annotations

from textwrap import dedent

import pytest
from text_program import analyse_text, fix_texts

from devfix.findings import Applicability


def test_a_state_that_steps_made_follows_the_model() -> None:
    text = dedent("""\
    import torch


    class Pipeline:
        def __init__(self):
            self.net = torch.nn.Linear(4, 1)
            self.opt = torch.optim.SGD(self.net.parameters(), lr=0.1, momentum=0.9)

        def step(self, x):
            self.opt.zero_grad()
            self.net(x).sum().backward()
            self.opt.step()

        def fit(self, device):
            self.net.to(device)
            self.step(torch.ones(2, 4, device=device))


    pipeline = Pipeline()
    pipeline.step(torch.ones(2, 4))
    pipeline.fit("cuda" if torch.cuda.is_available() else "cpu")
    """)
    fixed = fix_texts({"main.py": text})[0]["main.py"]
    moved = "        self.net.to(device)\n"
    assert fixed == text.replace(moved, f"{moved}        self.opt.load_state_dict(self.opt.state_dict())\n")


OPTIMIZERS = """
import argparse
import torch

class Optimizer:
    def __init__(self, params, kind):
        if kind == "adam":
            self.optimizer = torch.optim.Adam(params)
        elif kind == "{other}":
            self.optimizer = torch.optim.{cls}(params)

    def step(self):
        self.optimizer.step()

parser = argparse.ArgumentParser()
parser.add_argument("--kind", default="adam")
args = parser.parse_args()
model = torch.nn.Linear(2, 1)
{lines}
model(torch.ones(1, 2).cuda()).sum().backward()
optimizer.step()
"""


@pytest.mark.parametrize(
    ("cls", "moved_first", "kinds"),
    [("Adagrad", False, ["optimizer-state"]), ("Adagrad", True, []), ("RMSprop", False, [])],
)
def test_one_of_several_optimizers_that_an_option_chooses(
    cls: str, moved_first: bool, kinds: list[str]
) -> None:
    lines = ["optimizer = Optimizer(model.parameters(), args.kind)", "model.cuda()"]
    text = OPTIMIZERS.format(cls=cls, other=cls.lower(), lines="\n".join(lines[:: -1 if moved_first else 1]))
    assert [found.kind for found in analyse_text(text).mismatches()] == kinds


RESTORED = """
import torch

class Run:
    def __init__(self, gpu):
        self.gpu = gpu
        self.net = torch.nn.Linear(2, 1)
        self.optim = torch.optim.Adam(self.net.parameters())

    def restore(self, path):
        self.optim.load_state_dict(torch.load(path, map_location="cpu"))
        return self

    def place(self):
        if self.gpu is not None:
            self.net.cuda(self.gpu)
        return self

run = Run(0 if torch.cuda.is_available() else None).restore("optim.pt").place()
run.net(torch.ones(1, 2).cuda(run.gpu)).sum().backward()
run.optim.step()
"""


def test_a_choice_that_the_program_does_not_know_is_not_safe() -> None:
    """``Run(None)`` stays on the CPU, and a model that is moved where it is made does not."""
    assert fix_texts({"main.py": RESTORED}, Applicability.SAFE)[0]["main.py"] == RESTORED
    after = fix_texts({"main.py": RESTORED}, Applicability.UNSAFE)[0]["main.py"]
    assert 'Linear(2, 1).to("cuda" if torch.cuda.is_available() else "cpu")' in after


STEPS = """
import torch

def steps(model, optimizer, device, count):
    for _ in range(count):
        optimizer.zero_grad()
        model(torch.ones(8, 4).to(device)).sum().backward()
        optimizer.step()

def place(model, device):
    print("to the device")
    model.to(device)

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
"""
BUILT = """
def build():
    net = torch.nn.Linear(4, 2)
    opt = torch.optim.Adam(net.parameters())
    return net, opt

model, optim = build()
"""
CHOSEN = """
def choose(params, kind):
    if kind == "adam":
        return torch.optim.Adam(params)
    return torch.optim.RMSprop(params)

model = torch.nn.Linear(4, 2)
optim = choose(model.parameters(), "adam")
"""
HELD = """
class Trainer:
    def __init__(self):
        self.net = torch.nn.Linear(4, 2)
        self.build()

    def build(self):
        self.opt = torch.optim.Adam(self.net.parameters())

trainer = Trainer()
model = trainer.net
"""
OWN = """
class Heavy(torch.optim.Optimizer):
    def __init__(self, params, lr=0.1):
        super().__init__(params, dict(lr=lr))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                state = self.state[p]
                if "speed" not in state:
                    state["speed"] = torch.zeros_like(p)
                state["speed"].mul_(0.9).add_(p.grad)
                p.sub_(state["speed"] * group["lr"])

model = torch.nn.Linear(4, 2)
optim = Heavy(model.parameters())
"""


@pytest.mark.parametrize("move", ["model.to(device)", "place(model, device)"])
@pytest.mark.parametrize(
    ("making", "name"), [(BUILT, "optim"), (CHOSEN, "optim"), (HELD, "trainer.opt"), (OWN, "optim")]
)
def test_the_state_of_steps_elsewhere_follows_by_the_name_of_who_moves(
    making: str, name: str, move: str
) -> None:
    stepping = f'steps(model, {name}, "cpu", 2)\n{move}\n'
    text = f"{STEPS}{making}{stepping}steps(model, {name}, device, 2)\n"
    loaded = f"{move}\n{name}.load_state_dict({name}.state_dict())\n"
    assert fix_texts({"main.py": text})[0]["main.py"] == text.replace(f"{move}\nsteps", f"{loaded}steps")


@pytest.mark.parametrize(
    "making",
    [
        "optim = torch.optim.SGD(model.parameters(), lr=0.1)",
        "optim = [torch.optim.Adam(model.parameters())][0]",
        "if len(__file__) > 3:\n    optim = torch.optim.Adam(model.parameters())",
        "optim = None\noptim = torch.optim.Adam(model.parameters())",
    ],
)
def test_an_optimizer_without_state_or_without_one_sure_name_loads_nothing(making: str) -> None:
    text = f'{STEPS}model = torch.nn.Linear(4, 2)\n{making}\nsteps(model, optim, "cpu", 2)\nmodel.to(device)\nsteps(model, optim, device, 2)\n'
    assert "load_state_dict" not in fix_texts({"main.py": text})[0]["main.py"]


def test_an_own_optimizer_that_loaded_its_state_on_the_accelerator_is_right() -> None:
    after = f'steps(model, optim, "cpu", 2)\nmodel.to(device)\n{"{}"}\nsteps(model, optim, device, 2)\n'
    right = f"{STEPS}{OWN}{after.format('optim.load_state_dict(optim.state_dict())')}"
    wrong = f"{STEPS}{OWN}{after.format('')}"
    assert not analyse_text(right).mismatches()
    assert [found.kind for found in analyse_text(wrong).mismatches()] == ["optimizer-state"]
