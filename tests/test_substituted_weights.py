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
