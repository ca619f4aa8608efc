"""What is copied from a module's parameters before the module moves is copied after it."""

from __future__ import annotations

import pytest
from text_program import fix_texts

from devfix.findings import Applicability

HEAD = """
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
"""


def mended(body: str) -> str:
    texts, _ = fix_texts({"main.py": HEAD + body}, Applicability.UNSAFE)
    return texts["main.py"]


def test_an_object_copies_after_the_move() -> None:
    body = """

class Shadow:
    def __init__(self, module):
        self.values = {k: v.detach().clone() for k, v in module.state_dict().items()}

    def update(self, module):
        for k, p in module.state_dict().items():
            self.values[k].lerp_(p, 0.1)


class Trainer:
    def __init__(self, model):
        self.model = model
        self.shadow = Shadow(model)
        self.device = device
        self.model.to(self.device)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)


trainer = Trainer(nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 1)))
trainer.shadow.update(trainer.model)
"""
    expected = """        self.model = model
        self.device = device
        self.model.to(self.device)
        self.shadow = Shadow(model)
        self.optimizer"""
    found = mended(body)
    assert expected in found
    assert "nn.Linear(3, 1).to(" not in found


def test_the_move_goes_up_where_it_can() -> None:
    body = """
model = nn.Linear(3, 3)
before = [p.clone().detach() for p in model.parameters()]
model.to(device)
for old, p in zip(before, model.parameters()):
    old.mul_(0.9).add_(p.detach(), alpha=0.1)
"""
    assert "model.to(device)\nbefore = [" in mended(body)


def test_a_function_copies() -> None:
    body = """

def snapshot(net):
    return {n: p.detach().clone() for n, p in net.named_parameters()}


net = nn.Linear(4, 2)
start = snapshot(net)
net = net.to(device)
print(sum((p - start[n]).pow(2).sum() for n, p in net.named_parameters()))
"""
    assert "net = net.to(device)\nstart = snapshot(net)" in mended(body)


def test_copies_that_stay_on_the_host_stay_where_they_are() -> None:
    body = """
model = nn.Linear(3, 3)
backup = {k: v.clone() for k, v in model.state_dict().items()}
first = [p.detach().clone() for p in model.parameters()]
model.to(device)
model.load_state_dict(backup)
print(sum((p.detach().cpu() - old).abs().sum() for p, old in zip(model.parameters(), first)))
"""
    assert mended(body) == HEAD + body


SOLVER = """

class Average:
    def __init__(self, model, decay=0.9):
        self.model, self.decay, self.kept = model, decay, {}
        self.register()

    def register(self):
        for name, param in self.model.named_parameters():
            self.kept[name] = param.data.clone()

    def update(self):
        for name, param in self.model.named_parameters():
            new = (1.0 - self.decay) * param.data + self.decay * self.kept[name]
            self.kept[name] = new.clone()


class Solver:
    def __init__(self, model, options):
        self.options = options
        self.model = model
        self.average = Average(self.model)
        BETWEEN
        self.prepare()

    def prepare(self):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.count = self.options["count"]
        self.model.to(self.device)

    def step(self, x):
        self.model(x.to(self.device)).sum().backward()
        self.average.update()


solver = Solver(nn.Linear(3, 1), {"count": 2})
solver.step(torch.ones(2, 3))
"""


def test_the_call_that_moves_goes_up_where_it_can() -> None:
    found = mended(SOLVER.replace("BETWEEN", "self.steps = 0"))
    assert (
        "        self.prepare()\n        self.average = Average(self.model)\n        self.steps = 0\n"
        in found
    )
    assert "nn.Linear(3, 1), {" in found


def test_what_copies_goes_down_where_the_call_that_moves_needs_what_is_between() -> None:
    found = mended(SOLVER.replace("BETWEEN", 'self.options = {"count": 3, **options}'))
    assert "        self.prepare()\n        self.average = Average(self.model)\n" in found
    assert found.index("self.options = {") < found.index("self.prepare()")


def test_nothing_changes_places_where_the_call_that_moves_needs_the_copy() -> None:
    body = SOLVER.replace("BETWEEN", "self.steps = 0").replace(
        'self.count = self.options["count"]', "self.count = len(self.average.kept)"
    )
    assert found_order(mended(body)) == ["self.average = Average(self.model)", "self.prepare()"]


def test_a_call_that_is_made_elsewhere_as_well_stays() -> None:
    body = SOLVER.replace("BETWEEN", "self.steps = 0") + "solver.prepare()\n"
    assert found_order(mended(body)) == ["self.average = Average(self.model)", "self.prepare()"]


def test_what_copies_after_the_move_stays() -> None:
    body = SOLVER.replace(
        "        self.average = Average(self.model)\n        BETWEEN\n        self.prepare()\n",
        "        self.prepare()\n        self.average = Average(self.model)\n",
    )
    assert mended(body) == HEAD + body


TRAINED = """
class Shadow:
    def update(self, net):
        self.kept = {name: value.detach().clone() for name, value in net.state_dict().items()}

    def evaluate(self, net, x):
        return torch.func.functional_call(net, self.kept, (x,))


def train(net, shadow, x):
    net(x).sum().backward()
    shadow.update(net)
    return 1.0


net, shadow = nn.Linear(3, 3), Shadow()
x = torch.ones(4, 3)
print(train(net, shadow, x))
print(shadow.evaluate(net, x.to(device)))
"""


def test_training_does_not_change_places_with_the_move_of_an_input() -> None:
    after = mended(TRAINED)
    assert after.index("print(train(") < after.index("print(shadow.evaluate(")


def found_order(text: str) -> list[str]:
    """The two statements that may change places, as they stand in a text."""
    return [
        line.strip()
        for line in text.splitlines()
        if line.strip() in ("self.average = Average(self.model)", "self.prepare()")
    ]


FACTORY = """

class Shadow:
    def __init__(self, net):
        self.kept = {{k: v.clone() for k, v in net.state_dict().items()}}

    def update(self, net):
        for k, v in net.state_dict().items():
            self.kept[k].mul_(0.9).add_(v, alpha=0.1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.device = device
        self.first = nn.Linear(3, 4)
        self.last = nn.Linear(4, 2)

    def forward(self, x):
        return self.last(self.first(x))


KINDS = {{"shadow": Shadow}}


def watch(kind, net):
    return KINDS[kind](net)


def told(net):
    print(sum(p.numel() for p in net.parameters()))


{made}
told(net)
print(net)
shadow = {call}
net = net.to(device)
net(torch.ones(2, 3, device=device)).sum().backward()
shadow.update(net)
"""


@pytest.mark.parametrize("call", ['KINDS["shadow"](net)', 'watch("shadow", net)'])
@pytest.mark.parametrize(
    "made",
    [
        "net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))",
        "layers = [nn.Linear(3, 4), nn.Linear(4, 2)]\nnet = nn.Sequential(*layers)",
        "net = Net()",
    ],
)
def test_the_move_goes_up_before_what_copies_though_no_name_tells_that_it_does(made: str, call: str) -> None:
    body = FACTORY.format(made=made, call=call)
    there = body.replace("net = net.to(device)\n", "")
    assert mended(body) == HEAD + there.replace("shadow = ", "net = net.to(device)\nshadow = ")


def test_what_is_made_after_the_move_by_a_call_that_no_name_tells_of_stays() -> None:
    body = FACTORY.format(made="net = Net()", call='KINDS["shadow"](net)')
    right = body.replace("net = net.to(device)\n", "").replace(
        "\ntold(net)", "\nnet = net.to(device)\ntold(net)"
    )
    assert mended(right) == HEAD + right
