"""Hooks: functions that modules and tensors call with what passes through them."""

from __future__ import annotations

import pytest
from reality import lies
from text_program import clashes

HEAD = """
import torch
from torch import nn

noise = torch.ones(1, 2)

"""


def test_a_hook_before_forward_meets_the_inputs_and_may_replace_them() -> None:
    text = """
def add(module, args):
    return (args[0] + noise,)

def double(module, args):
    return args[0] * 2.0

net = nn.Linear(2, 2){move}
net.register_forward_pre_hook(double)
net.register_forward_pre_hook(add)
y = net(torch.ones(1, 2){move})
"""
    assert clashes(HEAD + text.format(move=".cuda()")) == ["9: device"]
    assert clashes((HEAD + text.format(move=".cuda()")).replace("+ noise", "+ noise.cuda()")) == []
    assert lies(HEAD + text.format(move="")) == []


def test_a_hook_of_a_tensor_gets_a_gradient_that_is_where_the_tensor_is() -> None:
    text = "net = nn.Linear(2, 1){}\nnet.weight.register_hook(lambda grad: grad * noise)\n"
    assert clashes(HEAD + text.format(".cuda()")) == ["8: device"]
    assert clashes(HEAD + text.format("")) == []
    assert clashes(HEAD + text.format("") + "net.cuda()\n") == []


HOOKED = """
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
seen = []


def keep(module, inner, outer):
    seen.append(inner[0])


net = torch.nn.Linear(3, 1){move}
net.register_{kind}_hook(keep)
net(torch.ones(2, 3{where}, requires_grad=True)).sum().backward()
print(seen[0].data.numpy())
"""


@pytest.mark.parametrize("kind", ["full_backward", "backward"])
def test_gradients_that_a_module_shows_are_where_it_is(kind: str) -> None:
    moved = HOOKED.format(kind=kind, move=".to(device)", where=", device=device")
    assert clashes(moved) == ["15: numpy"]
    assert clashes(HOOKED.format(kind=kind, move="", where="")) == []


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("net.register_full_backward_hook(keep)", "net.to(device)", ["14: numpy"]),
        ("net.to(device)\nnet.register_full_backward_hook(keep)", "net.cpu()", []),
        ("net.register_full_backward_hook(keep)\nnet.to(device)", "torch.set_grad_enabled(False)", []),
    ],
    ids=["moved later", "moved back", "without gradients"],
)
def test_where_a_module_is_when_it_is_called_says_where_its_gradients_are(
    before: str, after: str, found: list[str]
) -> None:
    text = f"""
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = torch.nn.Linear(3, 1)


def host(gradients):
    print(gradients)


def keep(module, inner, outer):
    host(inner)
    outer[0].numpy()


{before}
{after}
net(torch.ones(2, 3, device=next(net.parameters()).device))
"""
    assert clashes(text) == found


def test_a_part_of_a_model_whose_code_is_not_here_shows_gradients_where_it_is() -> None:
    text = """
    import torch
    import torchvision

    def keep(module, inner, outer):
        print(inner[0].numpy())

    model = torchvision.models.alexnet().cuda()
    model.features[0].register_full_backward_hook(keep)
    """
    assert clashes(text) == ["6: numpy"]
    assert clashes(text.replace(".cuda()", "")) == []


REMOVED = """
import torch
from torch import nn
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
layer = nn.Linear(4, 4)
direction = torch.ones(4)
def add(module, inputs, output):
    return output + direction
{hooked}
layer.to(device)
print(layer(torch.ones(2, 4, device=device)).sum().item())
"""


@pytest.mark.parametrize(
    "hooked",
    [
        "handle = layer.register_forward_hook(add)\nlayer(torch.ones(2, 4))\nhandle.remove()",
        "handles = [layer.register_forward_hook(add)]\nlayer(torch.ones(2, 4))\nfor each in handles:\n    each.remove()",
        "with layer.register_forward_hook(add):\n    layer(torch.ones(2, 4))",
    ],
)
def test_a_hook_that_was_removed_is_called_no_more(hooked: str) -> None:
    assert not clashes(REMOVED.replace("{hooked}", hooked))


@pytest.mark.parametrize(
    "hooked",
    [
        "handle = layer.register_forward_hook(add)",
        "handle = layer.register_forward_hook(print)\nlayer.register_forward_hook(add)\nhandle.remove()",
        "with layer.register_forward_hook(print):\n    layer.register_forward_hook(add)",
    ],
)
def test_a_hook_that_stays_is_called(hooked: str) -> None:
    assert clashes(REMOVED.replace("{hooked}", hooked))
