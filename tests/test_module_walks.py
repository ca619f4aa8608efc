"""Walks over a module's parts by name, and what ``isinstance`` says of them, are PyTorch's."""

from __future__ import annotations

import inspect
from textwrap import dedent

import pytest
import torch
from reality import lies
from text_program import clashes
from torch import nn

from devfix.analysis.text import counts
from devfix.analysis.torch_model.python.instance_checks import SUBCLASSES

HEAD = """
import torch
from torch import nn

class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.v = nn.Linear(2, 2), nn.Linear(2, 2)

class Gated(nn.Linear):
    pass

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([Attention() for _ in range(2)])
        self.stem = nn.Sequential(nn.Conv2d(1, 1, 1), nn.BatchNorm2d(1), nn.ReLU6())
        self.head = Gated(2, 2)
        self.again = self.head

net = Net()
"""

EXPRESSIONS = """
[name for name, _ in net.layers.named_modules()]
[name for name, _ in net.named_children()]
[name for name, _ in net.stem.named_children()]
len(list(net.children()))
[isinstance(part, nn.Linear) for part in net.children()]
[isinstance(part, nn.ReLU6) for part in net.stem]
[isinstance(part, nn.Hardtanh) for part in net.stem]
[isinstance(part, (nn.Conv2d, nn.ConvTranspose2d)) for part in net.stem]
[isinstance(part, nn.modules.batchnorm._BatchNorm) for part in net.stem]
isinstance(net, nn.Linear)
[type(part) is nn.Linear for part in net.modules()]
[type(part) in (nn.Conv2d, Gated) for part in net.modules()]
[type(part) is not Attention for part in net.modules()]
[type(getattr(net.stem, str(n))) is nn.BatchNorm2d for n in range(3)]
type(getattr(getattr(net.layers, "1"), "q")) is nn.Linear
type(nn.LazyLinear(2)) is nn.Linear
[".".join(name.split(".")[:-1]) for name, _ in net.named_modules()]
"/".join(["a", "b"] + ["c"])
"-".join(())
["q" in {"q", "v"}, "k" in {"q", "v"}, "q" not in set(["v"])]
[torch.is_tensor(net.head.weight), torch.is_tensor(net), torch.is_tensor([1])]
isinstance(net, Attention)
[name.rpartition(".")[2] for name, _ in net.layers.named_modules()]
[name.endswith(("q", "v")) for name, _ in net.layers.named_modules()]
"layers.0.q".split(".")[:-1]
[net.head.in_features, net.stem[0].out_channels, net.stem[1].num_features]
torch.zeros(net.head.out_features, net.layers[0].q.in_features)
isinstance(net.layers, nn.ModuleList)
isinstance(net.layers, nn.Sequential)
isinstance(torch.rand(3).split(1), tuple)
isinstance(torch.rand(3).split(1), list)
""".strip().splitlines()


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_nothing_false_is_said(expression: str) -> None:
    assert lies(f"{HEAD}result = {expression}\n") == []


def _layers() -> dict[str, type]:
    found = {name: kind for name, kind in vars(torch.nn).items() if inspect.isclass(kind)}
    return {name: kind for name, kind in found.items() if issubclass(kind, torch.nn.Module)}


def test_the_layers_are_instances_of_what_the_table_says() -> None:
    """Lazy layers change their class, and of them nothing is said."""
    inner = {name: kind for module in vars(torch.nn.modules).values() if inspect.ismodule(module)
             for name, kind in vars(module).items() if inspect.isclass(kind)}  # fmt: skip
    layers = {name: kind for name, kind in _layers().items() if not name.startswith("Lazy")}
    del layers["Module"]
    for name in {*layers, *SUBCLASSES}:
        base = inner.get(name) or layers[name]
        below = {other for other, kind in layers.items() if issubclass(kind, base) and other != name}
        assert below == set(SUBCLASSES.get(name, ())), name


def test_a_part_replaced_by_name_after_the_move_stays_on_the_cpu() -> None:
    faulty = """
    import torch
    from torch import nn

    class Adapter(nn.Module):
        def __init__(self, base):
            super().__init__()
            self.base = base
            self.down = nn.Parameter(torch.zeros(2, 2))

        def forward(self, x):
            return self.base(x) + x @ self.down

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.q, self.body = nn.Linear(2, 2), nn.Sequential(nn.Linear(2, 2), nn.ReLU())

        def forward(self, x):
            return self.body(self.q(x))

    def inject(model):
        for module in list(model.modules()):
            for name, child in module.named_children():
                if isinstance(child, nn.Linear):
                    setattr(module, name, Adapter(child))

    net = Net().cuda()
    inject(net)
    net(torch.zeros(1, 2).cuda())
    """
    assert set(clashes(faulty)) == {"12: device"}
    assert clashes(faulty.replace("inject(net)", "inject(net)\n    net.cuda()")) == []
    assert clashes(faulty.replace("nn.Linear):", "nn.Conv2d):")) == []


def test_sizes_of_layers_are_whole_numbers() -> None:
    attention, norm = nn.MultiheadAttention(4, 2), nn.GroupNorm(2, 4)
    layers = [nn.Linear(2, 3), nn.Conv2d(1, 1, 1), nn.Embedding(3, 2), nn.LSTM(2, 3), attention, norm]
    layers += [nn.BatchNorm1d(2), nn.PixelShuffle(2)]
    for name in counts.OF_LAYERS:
        found = [getattr(layer, name) for layer in layers if hasattr(layer, name)]
        assert found, name
        assert all(type(value) is int for value in found), name


def test_the_submodules_as_a_dict() -> None:
    text = """
        import torch
        from torch import nn


        class Chain(nn.Sequential):
            def forward(self, x):
                for module in self._modules.values():
                    x = module(x)
                return x


        net = Chain(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2))
        net{move}
        y = net(torch.rand(3, 4, device="cuda"))
        """
    assert clashes(text.replace("{move}", ""))
    assert not clashes(text.replace("{move}", ".cuda()"))


def test_no_layer_has_two_names() -> None:
    layers = [value for name, value in vars(nn).items() if name[:1].isupper() and isinstance(value, type)]
    assert len(layers) == len(set(layers))


HELD = """
import torch
from torch import nn

class Bank(nn.Module):
    def __init__(self):
        super().__init__()
        for number in range(2):
            self.register_buffer(f"row_{number}", torch.ones(2))
        self._buffers["late"] = torch.ones(2)
        self.scale = nn.Parameter(torch.ones(2))
        self.plain = torch.ones(2)
        self.layer, self.norm = nn.Linear(2, 2), nn.BatchNorm1d(2)
        self.register_parameter("none", None)

bank = Bank()
"""
HELD_EXPRESSIONS = """
list(bank._buffers)
list(bank._parameters)
bank._buffers["row_1"]
bank._parameters["scale"]
bank._parameters["none"]
bank.layer._parameters["weight"]
bank.norm._buffers["running_mean"]
list(bank.norm._buffers)
"late" in bank._buffers
"plain" in bank._buffers
"none" in bank._parameters
[value is None for value in bank._parameters.values()]
[value.dtype for value in bank._buffers.values()]
bank._buffers.get("plain")
""".strip().splitlines()


@pytest.mark.parametrize("expression", HELD_EXPRESSIONS)
def test_nothing_false_is_said_of_the_tensors_of_a_module(expression: str) -> None:
    assert lies(f"{HELD}result = {expression}\n") == []


@pytest.mark.parametrize("name", ["row_0", "late", "scale"])
def test_tensors_of_a_module_are_found_in_its_dicts(name: str) -> None:
    held = f'bank._{"parameters" if name == "scale" else "buffers"}["{name}"]'
    used = f"torch.ones(2).cuda() + {held}\n"
    assert clashes(HELD + used) == [f"{HELD.count(chr(10)) + 1}: device"]
    assert clashes(f"{HELD}bank.cuda()\n{used}") == []


MOVED = """
for key, value in bank._buffers.items():
    bank._buffers[key] = value.cuda()
for key in bank._parameters:
    if bank._parameters[key] is not None:
        bank._parameters[key] = nn.Parameter(bank._parameters[key].cuda())
"""


def test_what_is_put_into_the_dicts_of_a_module_belongs_to_it() -> None:
    used = "bank.scale + bank.row_1 + bank.late + torch.ones(2).cuda()\n"
    assert clashes(f"{HELD}{MOVED}{used}") == []
    assert clashes(f'{HELD}bank.cuda()\nbank._buffers["late"] = torch.ones(2)\n{used}') != []


KEPT = """
parameters, buffers = bank._parameters, bank._buffers
{change}
torch.ones(2).cuda() + parameters["scale"] + buffers["row_1"] + buffers.get("late")
for value in buffers.values():
    torch.ones(2).cuda() + value
"""


@pytest.mark.parametrize("change", ["bank.cuda()", "bank.to('cuda')", "nn.Sequential(bank).cuda()"])
def test_a_dict_of_a_module_that_is_kept_has_what_the_module_has_by_now(change: str) -> None:
    assert clashes(HELD + KEPT.format(change=change)) == []
    assert clashes(HELD + KEPT.format(change="bank.train()")) != []


TAKEN_OUT = """
class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("a", torch.ones(2))
        self.register_buffer("b", torch.ones(2))
        self.scale = nn.Parameter(torch.ones(2))

def changed(change):
    small = Small()
    change(small)
    return small

def remove(small):
    del small._buffers["a"]
    small._parameters.pop("scale")

def some(small):
    for key in list(small._buffers):
        del small._buffers[key]

def put(small):
    small._buffers.update({"a": torch.ones(2, dtype=torch.float64)}, b=torch.ones(2, 2))
    small._parameters.update(scale=nn.Parameter(torch.ones(2, 2)))

removed, cleared, emptied, filled = changed(remove), Small(), changed(some), changed(put)
cleared._buffers.clear()
a, b, c = hasattr(removed, "a"), hasattr(removed, "b"), hasattr(removed, "scale")
d, e, f = hasattr(cleared, "a"), hasattr(emptied, "a"), hasattr(emptied, "b")
g, h, i = filled.a, filled.b, filled.scale
"""


def test_what_is_taken_out_of_the_dicts_of_a_module_is_not_the_modules_any_more() -> None:
    assert lies(HELD + TAKEN_OUT) == []


def test_what_the_dicts_of_a_module_are_given_at_once_belongs_to_it() -> None:
    text = """
    bank._buffers.update({"row_0": torch.ones(2).cuda()}, row_1=torch.ones(2).cuda())
    bank._parameters.update(scale=nn.Parameter(torch.ones(2).cuda()))
    bank.scale + bank.row_0 + bank.row_1
    """
    assert clashes(HELD + dedent(text)) == []


VISITED = """
import torch
from torch import nn

def visit(part):
    {visit}

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = nn.ReLU()
        self.fc = nn.Linear(3, 3)

    def forward(self, x):
        return self.fc(self.act(x))

net = nn.ModuleList([Block() for _ in range(6)])
net.apply(visit)
x = torch.ones(2, 3){given}
for block in net:
    x = block(x)
last = net[5]
last(torch.ones(2, 3){given})
"""


@pytest.mark.parametrize(
    ("visit", "given", "found"),
    [
        (
            "if isinstance(part, nn.Linear): part.weight.data = part.weight.data.cuda(); part.bias.data = part.bias.data.cuda()",
            ".cuda()",
            False,
        ),
        ("if isinstance(part, nn.Linear): part.cuda()", ".cuda()", False),
        ("if isinstance(part, nn.ReLU): part.cuda()", ".cuda()", True),
        ("if isinstance(part, nn.Linear): nn.init.zeros_(part.bias)", ".cuda()", True),
        ("if isinstance(part, nn.Linear): part.half()", ".half()", False),
        ("print(part)", ".half()", True),
    ],
)
def test_every_part_of_a_large_module_is_visited(visit: str, given: str, found: bool) -> None:
    assert bool(clashes(VISITED.format(visit=visit, given=given))) is found


#: Either of two networks of other layers, of which the one has an activation, and the other a layer more.
EITHER = """
import argparse
import torch
from torch import nn

def narrow():
    return nn.Sequential(nn.Linear(2, 2), {activation})

def deep():
    return nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 2))

parser = argparse.ArgumentParser()
parser.add_argument("--kind", default="deep")
args = parser.parse_args()
net = {{"narrow": narrow, "deep": deep}}[args.kind](){moved}
for name, part in net.named_modules():
    for parameter in part.parameters(recurse=False):
        print(name, parameter.detach().numpy().shape)
for part in net.modules():
    print([parameter.detach().numpy().shape for _, parameter in part.named_parameters()])
"""


@pytest.mark.parametrize(
    ("activation", "moved", "found"),
    [
        ("nn.ReLU()", ".cuda()", 2),
        ("nn.Sequential(nn.Dropout(0.1), nn.Flatten())", ".cuda()", 2),
        ("nn.ReLU()", "", 0),
        ("nn.ReLU()", ".to(args.kind)", 0),
        ("nn.PReLU()", ".cuda()", 2),
    ],
)
def test_layers_without_weights_do_not_hide_where_the_others_are(
    activation: str, moved: str, found: int
) -> None:
    assert len(clashes(EITHER.format(activation=activation, moved=moved))) == found
