"""Plain attributes of a module that become buffers and submodules, in the layouts they come in."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from text_program import clashes, fix_texts

from devfix import engine, registry
from devfix.config import Settings
from devfix.findings import Applicability
from devfix.project import load_project

_PROGRAM = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
{body}

    def forward(self, x):
{forward}


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Net().to(device)
print(model(torch.ones(2, 3).to(device)))
"""


def _program(body: str, forward: str) -> str:
    inner = "super().__init__()\n" + textwrap.dedent(body).strip("\n")
    return _PROGRAM.format(body=textwrap.indent(inner, " " * 8), forward=textwrap.indent(forward, " " * 8))


def _fixed(tmp_path: Path, text: str) -> str:
    path = tmp_path / "program.py"
    path.write_text(text)
    project, _ = load_project([str(path)], [str(tmp_path)])
    [report] = engine.fix(project, registry.load_rules(), Settings(), Applicability.UNSAFE)
    assert report.crash is None
    return report.new_text or text


@pytest.mark.parametrize(
    ("body", "after"),
    [
        ("self.a = torch.ones(3)", 'self.register_buffer("a", torch.ones(3), persistent=False)'),
        (
            "self.a = self.b = torch.ones(3)",
            'a = self.b = torch.ones(3)\nself.register_buffer("a", a, persistent=False)',
        ),
        (
            "self.a, self.n = torch.ones(3), 3",
            'a, self.n = torch.ones(3), 3\nself.register_buffer("a", a, persistent=False)',
        ),
        (
            "self.a = None\nself.a = torch.ones(3)",
            'self.register_buffer("a", None, persistent=False)\nself.a = torch.ones(3)',
        ),
    ],
)
def test_a_tensor_attribute_becomes_a_buffer(tmp_path: Path, body: str, after: str) -> None:
    text = _program(body, "return x + self.a")
    assert _fixed(tmp_path, text) == _program(after, "return x + self.a")


def test_a_class_attribute_of_the_name_is_in_the_way(tmp_path: Path) -> None:
    text = _program("self.a = torch.ones(3)", "return x + self.a").replace(
        "class Net(nn.Module):\n", "class Net(nn.Module):\n    a = None\n\n"
    )
    after = _fixed(tmp_path, text)
    assert "register_buffer" not in after
    assert after != text


@pytest.mark.parametrize(
    ("body", "after"),
    [
        ("self.m = [nn.Linear(3, 3)]", "self.m = nn.ModuleList([nn.Linear(3, 3)])"),
        (
            "self.m = []\nself.m.append(nn.Linear(3, 3))",
            "self.m = nn.ModuleList()\nself.m.append(nn.Linear(3, 3))",
        ),
        (
            "parts = [nn.Linear(3, 3)]\nself.m = parts",
            "parts = [nn.Linear(3, 3)]\nself.m = nn.ModuleList(parts)",
        ),
    ],
)
def test_a_list_of_modules_is_registered(tmp_path: Path, body: str, after: str) -> None:
    forward = "for m in self.m:\n    x = m(x)\nreturn x"
    assert _fixed(tmp_path, _program(body, forward)) == _program(after, forward)


def test_a_dict_of_modules_needs_names_as_keys(tmp_path: Path) -> None:
    named = _program('self.m = {"one": nn.Linear(3, 3)}', 'return self.m["one"](x)')
    numbered = _program("self.m = {1: nn.Linear(3, 3)}", "return self.m[1](x)")
    assert 'nn.ModuleDict({"one": nn.Linear(3, 3)})' in _fixed(tmp_path, named)
    assert "ModuleDict" not in _fixed(tmp_path, numbered)


def test_a_list_that_is_sorted_stays_a_list(tmp_path: Path) -> None:
    forward = "self.m.reverse()\nfor m in self.m:\n    x = m(x)\nreturn x"
    assert "ModuleList" not in _fixed(tmp_path, _program("self.m = [nn.Linear(3, 3)]", forward))


def test_a_list_that_is_there_on_one_condition_is_registered_on_it(tmp_path: Path) -> None:
    body = """
    deep = [nn.Linear(3, 3)]
    self.layers = list(deep) if len(deep) > 0 else None
    """
    forward = "if self.layers is not None:\n    for layer in self.layers:\n        x = layer(x)\nreturn x"
    after = _fixed(tmp_path, _program(body, forward))
    assert "self.layers = nn.ModuleList(list(deep)) if len(deep) > 0 else None" in after


def test_what_other_classes_do_with_an_attribute_of_the_name_is_their_own(tmp_path: Path) -> None:
    forward = "for m in self.m:\n    x = m(x)\nreturn x"
    other = """
    class Other(nn.Module):
        def __init__(self):
            super().__init__()
            self.m = [3, 2, 1]
            self.m.sort()


    class Net"""
    text = _program("self.m = [nn.Linear(3, 3)]", forward).replace(
        "class Net", textwrap.dedent(other).lstrip(), 1
    )
    assert "self.m = nn.ModuleList([nn.Linear(3, 3)])" in _fixed(tmp_path, text)


def test_methods_that_no_list_has_are_no_reason_to_keep_it(tmp_path: Path) -> None:
    body = "self.m = [nn.Linear(3, 3)]\nif hasattr(self.m, 'apply'):\n    self.m.apply(print)"
    forward = "for m in self.m:\n    x = m(x)\nreturn x"
    assert "self.m = nn.ModuleList([nn.Linear(3, 3)])" in _fixed(tmp_path, _program(body, forward))


def test_a_buffer_is_registered_although_it_takes_a_line_more_and_an_input_was_forgotten_too() -> None:
    text = """import torch
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
class Normalization(torch.nn.Module):
    def __init__(self, mean, std):
        super().__init__()
        self.mean = mean.view(-1, 1, 1)
        self.std = std.view(-1, 1, 1)
    def forward(self, image):
        return (image - self.mean) / self.std
norm = Normalization(torch.ones(3), torch.ones(3)).to(device)
conv = torch.nn.Conv2d(3, 4, 3).to(device)
content = torch.rand(1, 3, 8, 8).to(device)
style = torch.rand(1, 3, 8, 8)
target = conv(norm(style))
print(conv(norm(content)) - target, norm(content).cpu().numpy())
"""
    after = fix_texts({"train.py": text})[0]["train.py"]
    assert 'self.register_buffer("mean", mean.view(-1, 1, 1), persistent=False)' in after
    assert "style = torch.rand(1, 3, 8, 8).to(device)" in after
    assert "image.device" not in after


_NAMELESS = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.layers = [nn.Linear(3, 3) for _ in range(n)]
        for i, layer in enumerate(self.layers):
            self.keep(layer.parameters(), f"layer{i}")
        self.kernels = [nn.Parameter(torch.ones(3, 3)) for _ in range(n)]
        self.keep(self.kernels, "kernel")

    def keep(self, parameters, name):
        for i, parameter in enumerate(parameters):
            self.register_parameter(f"{name}_{i}", parameter)

    def forward(self, x):
        for layer, kernel in zip(self.layers, self.kernels):
            x = layer(x) @ kernel
        return self.layers[0](x) @ self.kernels[0]


net = Net(int(input())).cuda()
net(torch.ones(2, 3).cuda())
"""


def test_parameters_that_are_registered_under_computed_names_move_with_the_module() -> None:
    assert not clashes(_NAMELESS)


@pytest.mark.parametrize(
    "forgotten", ['self.keep(layer.parameters(), f"layer{i}")', 'self.keep(self.kernels, "kernel")']
)
def test_what_is_registered_of_one_list_says_nothing_of_another(forgotten: str) -> None:
    assert clashes(_NAMELESS.replace(forgotten, "pass"))


_EITHER = """
learned = len(sys.argv) > 1
if {test}:
    self.a = nn.Parameter(torch.ones(3))
else:
    self.a = torch.ones(3)
"""


@pytest.mark.parametrize("test", ["learned", "not learned"])
def test_what_is_a_parameter_on_the_other_path_stays_one(tmp_path: Path, test: str) -> None:
    body = _EITHER.format(test=test)
    after = body.replace(
        "self.a = torch.ones(3)", 'self.register_buffer("a", torch.ones(3), persistent=False)'
    )
    texts = [
        _program(each, "return x * self.a").replace("import torch\n", "import sys\n\nimport torch\n", 1)
        for each in (body, after)
    ]
    assert _fixed(tmp_path, texts[0]) == texts[1]


def test_what_is_a_parameter_where_nobody_went_stays_one(tmp_path: Path) -> None:
    body = _EITHER.format(test="learned").replace("len(sys.argv) > 1", "False")
    after = body.replace(
        "self.a = torch.ones(3)", 'self.register_buffer("a", torch.ones(3), persistent=False)'
    )
    assert _fixed(tmp_path, _program(body, "return x * self.a")) == _program(after, "return x * self.a")


@pytest.mark.parametrize(
    "layers",
    [
        "[nn.Linear(3, 3) for _ in range(2)] + [nn.ReLU()]",
        "[nn.ReLU()] + [make() for _ in range(2)]",
        "[nn.Linear(3, 3), nn.ReLU()] * 2",
    ],
)
def test_lists_that_are_put_together_are_registered(tmp_path: Path, layers: str) -> None:
    forward = "for layer in self.layers:\n    x = layer(x)\nreturn x"
    body = f"def make():\n    return nn.Linear(3, 3)\nself.layers = {layers}"
    assert f"self.layers = nn.ModuleList({layers})" in _fixed(tmp_path, _program(body, forward))


def test_what_is_put_together_of_others_is_no_list(tmp_path: Path) -> None:
    body = "self.layers = tuple([nn.Linear(3, 3)]) + (nn.ReLU(),)"
    forward = "for layer in self.layers:\n    x = layer(x)\nreturn x"
    assert "ModuleList" not in _fixed(tmp_path, _program(body, forward))


HANDED_ON = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.anchors = torch.ones(3)

    def forward(self, x):
        return {use}

class Loss(nn.Module):
    def __init__(self, anchors):
        super().__init__()
        self.anchors = anchors

    def forward(self, x):
        return (x * self.anchors).sum()

net = Net().cuda()
loss = Loss(net.anchors).cuda()
print(loss(net(torch.ones(2, 3).cuda())))
"""


@pytest.mark.parametrize(("use", "owner"), [("x - self.anchors", "Net"), ("x * len(self.anchors)", "Loss")])
def test_what_a_module_keeps_and_hands_on_is_registered_once(use: str, owner: str) -> None:
    after = fix_texts({"main.py": HANDED_ON.format(use=use)}, Applicability.UNSAFE)[0]["main.py"]
    assert after.count("register_buffer") == 1
    assert "register_buffer" in after.partition(f"class {owner}")[2].partition("def forward")[0]


@pytest.mark.parametrize("way", [".type(torch.FloatTensor)", ".cpu()", ".to('cpu')", ".float()"])
def test_what_is_registered_moves_with_its_module_wherever_it_was_put_before(way: str) -> None:
    text = f"""
import torch
from torch import nn

class Warp(nn.Module):
    def __init__(self, size):
        super().__init__()
        grid = torch.arange(size){way}
        self.register_buffer("grid", grid)

    def forward(self, flow):
        return self.grid + flow

device = torch.device("cuda")
warp = Warp(4)
print(warp(torch.ones(4).to(device)))
"""
    assert fix_texts({"main.py": text})[0]["main.py"] == text.replace(
        "warp = Warp(4)", "warp = Warp(4).to(device)"
    )


#: A part with a move of its own, which the move of the whole never calls.
PART = """
import torch
from torch import nn

class Tide(nn.Module):
    def __init__(self):
        super().__init__()
        self.omega = torch.tensor([1.0, 2.0, 3.0])

    def {method}(self, *args, **kwargs):
        super().{method}(*args, **kwargs)
        self.omega = self.omega.{method}(*args, **kwargs)
        return self

    def forward(self, x):
        return torch.sin(x * self.omega)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.tide = Tide()

    def forward(self, x):
        return self.tide(x)

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = Net().to(device)
print(net(torch.ones(2, 3, device=device)))
"""


@pytest.mark.parametrize("method", ["to", "cuda"])
def test_what_only_a_move_of_its_own_moves_is_registered(method: str) -> None:
    text = PART.format(method=method)
    after = fix_texts({"main.py": text})[0]["main.py"]
    registered = 'self.register_buffer("omega", torch.tensor([1.0, 2.0, 3.0]), persistent=False)'
    assert after == text.replace("self.omega = torch.tensor([1.0, 2.0, 3.0])", registered)
    assert clashes(after) == []


@pytest.mark.parametrize(
    "value", ["omega", "omega.to(self.omega)", "self.other.to(omega)", "self.omega.tolist()"]
)
def test_what_a_method_sets_to_something_else_is_not_registered(value: str) -> None:
    setter = f"    def use(self, omega):\n        self.omega = {value}\n\n    def forward"
    text = PART.format(method="to").replace("    def forward", setter, 1)
    assert "register_buffer" not in fix_texts({"main.py": text})[0]["main.py"]


def test_a_part_whose_move_the_whole_calls_stays_as_it_is() -> None:
    whole = """        self.tide = Tide()

    def to(self, *args, **kwargs):
        super().to(*args, **kwargs)
        self.tide.to(*args, **kwargs)
        return self
"""
    text = PART.format(method="to").replace("        self.tide = Tide()\n", whole)
    assert fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"] == text


_COUNTED = """
import torch
from torch import nn


class Smooth(nn.Module):
    def __init__(self, table):
        super().__init__()
        self.table = table
        self.last = nn.Linear(3, 3)

    def forward(self, x):
        return self.table @ self.last(x)


edges = torch.tensor([[0, 1], [1, 2], [2, 0]])
table = edges[:, :1].float() @ torch.ones(1, 3)
net = Smooth(table).cuda()
torch.save({saved}, "saved.pt")
print(net(torch.ones(3, 3).cuda()))
"""


def test_what_is_computed_from_a_tensor_that_is_saved_becomes_a_buffer() -> None:
    after = fix_texts({"train.py": _COUNTED.format(saved="edges")})[0]["train.py"]
    assert 'self.register_buffer("table", table, persistent=False)' in after
    assert "x.device" not in after


def test_what_is_saved_itself_stays_on_the_host() -> None:
    after = fix_texts({"train.py": _COUNTED.format(saved="net.table")})[0]["train.py"]
    assert "self.table = table" in after
    assert "self.table.to(x.device) @" in after
