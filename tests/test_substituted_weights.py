"""Weights that a module is given for one call: where they are is told by their own lives."""

import pytest
from text_program import check_texts, clashes, files, fix_texts

from devfix.findings import Applicability

HEAD = """
import copy
import torch
from torch import nn
from torch.func import functional_call, stack_module_state, vmap

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.ones(3, 4, device=device)
"""
ENSEMBLE = """
nets = [nn.Linear(4, 2) for _ in range(5)]
params, buffers = stack_module_state(nets)
template = copy.deepcopy(nets[0]).to("meta")
for net in nets:
    net.to(device)

def single(params, buffers, x):
    return functional_call(template, (params, buffers), (x,))

print(vmap(single, in_dims=(0, 0, None))(params, buffers, x))
"""
FAST = """
net = nn.Linear(4, 2)
fast = {name: p.detach().clone() for name, p in net.named_parameters()}
net.to(device)
print(functional_call(net, fast, (x,)))
"""


@pytest.mark.parametrize(
    ("text", "before", "after"),
    [
        (ENSEMBLE, "[nn.Linear(4, 2) for", "[nn.Linear(4, 2).to(device) for"),
        (FAST, "net = nn.Linear(4, 2)\n", "net = nn.Linear(4, 2).to(device)\n"),
    ],
)
def test_weights_that_were_copied_before_the_move(text: str, before: str, after: str) -> None:
    texts, _ = fix_texts(files(HEAD + text))
    assert texts["main.py"] == (HEAD + text).replace(before, after)
    assert clashes(texts["main.py"]) == []


def test_buffers_that_nobody_knows_do_not_hide_the_parameters() -> None:
    assert [clash.partition(": ")[2] for clash in clashes(HEAD + ENSEMBLE)] == ["device"]


MOVED_FIRST = ENSEMBLE.replace("for net in nets:\n    net.to(device)\n", "").replace(
    "params, buffers", "for net in nets:\n    net.to(device)\nparams, buffers", 1
)


@pytest.mark.parametrize(
    "text",
    [
        MOVED_FIRST,
        ENSEMBLE.replace(
            "\ndef single", "params = {k: v.to(device) for k, v in params.items()}\n\ndef single"
        ),
        FAST.replace(
            "net.to(device)\n", "net.to(device)\nfast = {k: v.to(device) for k, v in fast.items()}\n"
        ),
        # The module itself may be anywhere.
        FAST.replace("net.to(device)\n", "fast = {k: v.to(device) for k, v in fast.items()}\n"),
        FAST.replace("net.to(device)\n", "").replace("clone()", "to(device)"),
    ],
)
def test_weights_that_are_where_the_input_is(text: str) -> None:
    assert clashes(HEAD + text) == []
    assert fix_texts(files(HEAD + text))[0]["main.py"] == HEAD + text


#: Weights that were kept on the host, and run the network once more.
KEPT = """
def snapshot(net):
    return {k: v.detach().cpu().clone() for k, v in net.state_dict().items()}

def score(net, weights, x):
    return functional_call(net, weights, (x,))

net = nn.Sequential(nn.Linear(4, 2), nn.ReLU()).to(device)
kept = [snapshot(net) for _ in range(3)]
mean = {k: torch.stack([each[k] for each in kept]).mean(0) for k in kept[0]}
print(score(net, mean, x))
net.load_state_dict(mean)
"""
IN_LINE = KEPT.replace("score(net, mean, x)", "functional_call(net, mean, (x,))")
IN_PARTS = """
net = nn.BatchNorm1d(4).to(device).eval()
params = {k: v.detach().cpu() for k, v in net.named_parameters()}
buffers = {k: v.detach().cpu() for k, v in net.named_buffers()}

def score(x):
    return functional_call(net, (params, buffers), (x,))

print(score(x))
"""
ON_OBJECT = """
class Average:
    def __init__(self, net):
        self.net = net
        self.weights = {k: v.detach().cpu().clone() for k, v in net.state_dict().items()}

    def __call__(self, x):
        return functional_call(self.net, self.weights, (x,))

print(Average(nn.Linear(4, 2).to(device))(x))
"""


@pytest.mark.parametrize(
    ("text", "given", "moved"),
    [
        (KEPT, "net, weights, (x", "net, {k: v.to(x.device) for k, v in weights.items()}, (x"),
        (IN_LINE, "net, mean, (x", "net, {k: v.to(device) for k, v in mean.items()}, (x"),
        (
            IN_PARTS,
            "net, (params, buffers), (x,)",
            """
        net,
        (
            {k: v.to(x.device) for k, v in params.items()},
            {k: v.to(x.device) for k, v in buffers.items()},
        ),
        (x,),
    """,
        ),
        (ON_OBJECT, "self.weights, (x", "{k: v.to(x.device) for k, v in self.weights.items()}, (x"),
    ],
)
def test_weights_that_are_kept_on_the_host_move_for_the_call(text: str, given: str, moved: str) -> None:
    after = fix_texts(files(HEAD + text))[0]["main.py"]
    assert after == (HEAD + text).replace(given, moved)
    assert fix_texts(files(after))[0]["main.py"] == after


@pytest.mark.parametrize("text", [KEPT, IN_LINE, IN_PARTS, ON_OBJECT])
def test_weights_that_are_kept_where_the_network_is_stay(text: str) -> None:
    right = (HEAD + text).replace(".cpu()", "")
    assert fix_texts(files(right), Applicability.UNSAFE)[0]["main.py"] == right
    on_host = (HEAD + text).replace(", device=device", "").replace(".to(device)", "")
    assert fix_texts(files(on_host), Applicability.UNSAFE)[0]["main.py"] == on_host


def test_weights_that_are_no_dict_by_name_are_not_moved_as_one() -> None:
    text = HEAD + IN_LINE.replace("net, mean, (x", "net, dict(mean), (x")
    assert ".items()}, (x" not in fix_texts(files(text))[0]["main.py"]


MADE = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)

    def forward(self, x):
        return self.body(x)

net = Net().to(device)
fast = {name: torch.zeros(p.shape) for name, p in net.named_parameters()}
print(functional_call(net, fast, (x,)))
"""


def test_weights_that_were_made_for_the_call_are_made_where_its_input_is() -> None:
    after = fix_texts(files(HEAD + MADE))[0]["main.py"]
    assert after == (HEAD + MADE).replace("torch.zeros(p.shape)", "torch.zeros(p.shape, device=device)")
    assert fix_texts(files(after))[0]["main.py"] == after


def test_after_the_call_the_module_has_its_own_weights() -> None:
    text = FAST.replace("net.to(device)\n", "").replace("clone()", "to(device)") + "print(net(x))\n"
    last = len((HEAD + text).splitlines())
    assert clashes(HEAD + text) == [f"{last}: device"]
    assert "net = nn.Linear(4, 2).to(device)" in fix_texts(files(HEAD + text))[0]["main.py"]


#: A module that keeps stacked weights as a plain attribute, of networks that it makes for nothing else.
STACKED = """
import copy
from torch import nn
from torch.func import functional_call, stack_module_state, vmap

class Ensemble(nn.Module):
    def __init__(self, make, count{parameter}):
        super().__init__()
        nets = [make(){moved} for _ in range(count)]
        self.stacked, self.others = stack_module_state(nets)
        self.template = {template}

    def forward(self, x):
        def single(params, others, x):
            return functional_call(self.template{item}, (params, others), (x,))

        return vmap(single, in_dims=(0, 0, None))(self.stacked, self.others, x)
"""
TRAINED = """
import torch
from torch import nn
from stacked import Ensemble

class Member(nn.Linear):
    def __init__(self):
        super().__init__(4, 2)

def main(count=5):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    ensemble = Ensemble(Member, count{given}).to(device)
    print(ensemble(torch.ones(3, 4, device=device)).sum().item())

main()
"""
HIDDEN = {"template": '[copy.deepcopy(nets[0]).to("meta")]', "item": "[0]"}
PLAIN = {"template": 'copy.deepcopy(nets[0]).to("meta")', "item": ""}


def _stacked(
    template: dict[str, str], given: str = "", parameter: str = "", moved: str = ""
) -> dict[str, str]:
    text = STACKED.format(parameter=parameter, moved=moved, **template)
    return {"main.py": TRAINED.format(given=given), "stacked.py": text}


@pytest.mark.parametrize("template", [PLAIN, HIDDEN])
def test_a_constructor_that_is_told_no_device_is_told_one_for_networks_that_it_stacks(
    template: dict[str, str],
) -> None:
    after, _ = fix_texts(_stacked(template))
    assert after == _stacked(template, ", device=device", ', device="cpu"', ".to(device)")
    assert not check_texts(after)


def test_a_constructor_that_is_told_a_device_moves_them_there() -> None:
    before = _stacked(HIDDEN, ", device", ", device")
    after, _ = fix_texts(before)
    assert after == _stacked(HIDDEN, ", device", ", device", ".to(device)")


def test_the_networks_of_other_calls_without_a_device_in_sight_stay() -> None:
    before = _stacked(PLAIN)
    before["main.py"] += "\nmake = {'ensemble': Ensemble}\n"
    assert fix_texts(before, Applicability.UNSAFE)[0] == before


def test_registered_networks_are_not_moved_in_the_constructor() -> None:
    before = _stacked({**PLAIN, "template": "copy.deepcopy(nets[0])"}, ", device", ", device")
    before["stacked.py"] = before["stacked.py"].replace(
        "self.stacked", "self.nets = nn.ModuleList(nets)\n        self.stacked", 1
    )
    assert fix_texts(before)[0] == before
