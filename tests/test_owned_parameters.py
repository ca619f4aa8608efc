"""Parameters and buffers: what is mended is the module that keeps them, not each of them."""

from __future__ import annotations

from textwrap import dedent

import pytest
from text_program import analyse_text, clashes, fix_texts

from devfix.findings import Applicability

PROGRAM = """
import torch
from solvers import integrated
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        {own}

    def forward(self, x):
        {use}
        return x

net = {made}
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
print(net(torch.ones(2, 3, device=device)))
"""


def mended(own: str, use: str, made: str = "Net()") -> tuple[str, str]:
    """The changed line, before and after."""
    text = dedent(PROGRAM).format(own=own, use=use, made=made)
    fixed = fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"]
    lines = zip(text.splitlines(), fixed.splitlines(), strict=True)
    ((before, after),) = [pair for pair in lines if pair[0] != pair[1]]
    return before.strip(), after.strip()


@pytest.mark.parametrize(
    ("own", "use"),
    [
        ("self.w = nn.Parameter(torch.randn(3))", "x = x * self.w"),
        ("self.w = nn.Parameter(torch.randn(3))", "x = x * self.w.exp()"),
        ("self.register_buffer('w', torch.ones(3))", "x = x * self.w.view(1, 3)"),
        (
            "self.w = nn.ParameterList([nn.Parameter(torch.ones(3)) for _ in range(2)])",
            "for w in self.w: x = x * w",
        ),
        ("self.w, self.l = nn.Parameter(torch.ones(3)), nn.Linear(3, 3)", "x = self.l(x * self.w)"),
        ("self.w = nn.ParameterDict({'a': nn.Parameter(torch.ones(3))})", "x = x * self.w['a'].exp()"),
        (
            "self.k, self.l = nn.Linear(3, 3), nn.Linear(3, 3)",
            "x = self.l(x + integrated(self.k, x).to(x.device))",
        ),
    ],
)
def test_a_module_that_nobody_moved_is_moved(own: str, use: str) -> None:
    assert mended(own, use) == ("net = Net()", "net = Net().to(device)")


@pytest.mark.parametrize(
    ("plain", "registered"),
    [
        ("[nn.Parameter(torch.ones(3)) for _ in range(2)]", "nn.ParameterList({})"),
        ("list(nn.Parameter(torch.ones(3)) for _ in range(2))", "nn.ParameterList({})"),
        ("[nn.Parameter(torch.ones(1, 3)) for _ in range(2)]", "nn.ParameterList({})"),
        ("[nn.Linear(3, 3) for _ in range(2)]", "nn.ModuleList({})"),
        ("list(nn.Linear(3, 3) for _ in range(20))", "nn.ModuleList({})"),
    ],
)
def test_what_a_plain_list_keeps_is_registered(plain: str, registered: str) -> None:
    use = "part(x)" if "Linear" in plain else "x * torch.exp(-part)" if "1, 3" in plain else "x * part"
    use = f"for part in self.parts: x = {use}"
    _, after = mended(f"self.parts = {plain}", use, "Net().to(device)")
    assert after == f"self.parts = {registered.format(plain)}"


def test_a_parameter_of_a_moved_module_is_blamed_on_where_it_was_made() -> None:
    """Its module moved: what came later has to be made on the device."""
    text = PROGRAM.format(own="pass", use="x = x * self.w", made="Net().to(device)").replace(
        "optimizer", "net.w = nn.Parameter(torch.ones(3))\nnet.l = nn.Linear(3, 3).to(device)\noptimizer"
    )
    (mismatch,) = analyse_text(text).mismatches()
    assert mismatch.operands[0].trail[0].kind == "factory"


PLACEHOLDER = """
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.dummy_param = nn.Parameter(torch.empty(0)).to(device)

    def forward(self, x):
        return x.to(self.dummy_param.device) * torch.ones(1, 3, device=device)


scaled = Scaled(){moved}
print(scaled(torch.ones(2, 3)).sum().item())
"""


def test_a_parameter_of_a_module_that_never_moves_stays_on_the_device() -> None:
    texts = {"main.py": PLACEHOLDER.format(moved="")}
    assert fix_texts(texts)[0] == texts
    after, _ = fix_texts(texts, Applicability.UNSAFE)
    assert "self.dummy_param = nn.Parameter(torch.empty(0, device=device))" in after["main.py"]


def test_a_parameter_of_a_module_that_moves_is_moved_by_it() -> None:
    after, _ = fix_texts({"main.py": PLACEHOLDER.format(moved=".to(device)")})
    assert "self.dummy_param = nn.Parameter(torch.empty(0))\n" in after["main.py"]


UNPACKED = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.tables, self.sizes = self.weights()

    def weights(self):
        tables = {made}
        tables.update({{"first": nn.Parameter(torch.ones(3, 2))}})
        return tables, [3, 2]

    def forward(self, x):
        return x @ self.tables["first"]

device = torch.device("cuda")
print(Net().to(device)(torch.ones(2, 3, device=device)))
"""


@pytest.mark.parametrize("made", ["dict()", "{}", 'dict({"second": nn.Parameter(torch.ones(2, 2))})'])
def test_a_dict_of_parameters_that_was_unpacked_is_registered_after_that(made: str) -> None:
    text = UNPACKED.format(made=made)
    line = "        self.tables, self.sizes = self.weights()\n"
    fixed = fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"]
    assert fixed == text.replace(line, f"{line}        self.tables = nn.ParameterDict(self.tables)\n")


def test_a_registered_dict_that_is_unpacked_stays() -> None:
    assert clashes(UNPACKED.format(made="nn.ParameterDict()")) == []


LAYERS = """
import torch
from solvers import rounded
from torch import nn
from torch.nn import functional as F

class Rounded(nn.Linear):
    def forward(self, x):
        return F.linear(x, rounded(self.weight), {bias})

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(3)
        self.body = Rounded(3, 3)

    def forward(self, x):
        return self.body(self.norm(x))

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = []
        for _ in range(3):
            self.blocks.append(Block())

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x

print(Net().cuda()(torch.ones(2, 3).cuda()))
"""


@pytest.mark.parametrize("bias", ["self.bias", "self.bias.exp()"])
def test_what_a_layer_of_a_plain_list_uses_of_its_own_is_registered_with_it(bias: str) -> None:
    """The layer itself is no model that somebody forgot to move."""
    text = LAYERS.format(bias=bias)
    assert fix_texts({"main.py": text})[0]["main.py"] == text  # to register something is not safe
    fixed = fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"]
    assert fixed == text.replace("self.blocks = []", "self.blocks = nn.ModuleList()")


def test_layers_of_a_list_that_somebody_moves_are_not_registered() -> None:
    text = LAYERS.format(bias="self.bias").replace("append(Block())", "append(Block().cuda())")
    assert fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"] == text


SCALES = """
import torch
from torch import nn

class Scale(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return x * self.gain{use}

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.scales = {made}
        self.first = Scale(3)
        for width in (3, 3):
            self.scales.append(Scale(width))

    def forward(self, x):
        x = self.first(x)
        for index in range(2):
            x = self.scales[index](x)
        return x

net = Net().cuda()
print(net(torch.ones(2, 3).cuda()))
"""


@pytest.mark.parametrize("use", ["", ".exp()"])
def test_the_list_that_keeps_modules_with_parameters_of_their_own_is_mended(use: str) -> None:
    text = SCALES.format(made="[]", use=use)
    fixed = fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"]
    assert fixed == text.replace("self.scales = []", "self.scales = nn.ModuleList()")
    assert fix_texts({"main.py": text})[0]["main.py"] == text


def test_a_registered_list_of_such_modules_moves_along() -> None:
    assert not clashes(SCALES.format(made="nn.ModuleList()", use=""))


SCALED = """
import torch
import torch.nn as nn

class Scaled(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.temperature = nn.Parameter(torch.ones(1) * 1.5)

    def forward(self, x):
        logits = self.model(x)
        return logits / {temperature}

scaled = Scaled(nn.Linear(3, 3).cuda())
for x in [torch.ones(2, 3)]:
    scaled(x.cuda())
"""


@pytest.mark.parametrize(
    "temperature",
    ["self.temperature", "self.temperature.unsqueeze(1).expand(2, 3)", "self.temperature.exp()"],
)
def test_what_is_computed_of_a_parameter_goes_back_to_where_that_is_made(temperature: str) -> None:
    before = SCALED.format(temperature=temperature)
    after = before.replace("torch.ones(1)", "torch.ones(1, device=next(model.parameters()).device)")
    assert fix_texts({"main.py": before})[0]["main.py"] == after


HELD = """
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Gaussian:
    def __init__(self, mean, scale):
        self.mean, self.scale = mean, [scale]

    def sample(self):
        return self.mean + self.scale[0].exp() * torch.randn_like(self.mean)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        {own}
        self.weight = Gaussian(self.mean, self.layer.bias)

    def forward(self, x):
        return x * self.weight.sample()


net = Net(){moved}
print(net(torch.ones(2, 3, device=device)))
"""
OWN = "self.layer, self.mean = nn.Linear(3, 3), nn.Parameter(torch.zeros(3))"


def test_a_plain_object_holds_the_parameter_that_its_module_moves() -> None:
    assert not clashes(HELD.format(own=OWN, moved=".to(device)"))


def test_a_plain_object_keeps_what_its_module_does_not_move() -> None:
    """A buffer is another tensor after a move, and what nobody moves stays."""
    assert clashes(HELD.format(own=OWN, moved=""))
    buffer = OWN.replace("self.mean =", "mean =").replace("nn.Parameter(torch.zeros(3))", "torch.zeros(3)")
    text = HELD.format(own=buffer + "; self.register_buffer('mean', mean)", moved=".to(device)")
    assert clashes(text)


@pytest.mark.parametrize(
    ("own", "held"),
    [
        ("nn.Parameter(torch.ones(3))", "net.mean"),
        ("nn.Linear(3, 3)", "net.mean.bias"),
        ("nn.Parameter(torch.ones(3)) if size == 3 else None", "net.mean"),
    ],
)
def test_a_variable_holds_the_parameter_that_its_module_moves(own: str, held: str) -> None:
    text = f"""
        import sys
        import torch
        from torch import nn

        class Net(nn.Module):
            def __init__(self, size):
                super().__init__()
                self.mean = {own}

        net = Net(int(sys.argv[1]))
        mean = {held}
        copied = mean.clone()
        net.cuda()
        x = torch.ones(2, 3).cuda()
        print(x * mean)
    """
    assert not clashes(dedent(text))
    assert clashes(dedent(text).replace("x * mean", "x * copied"))
    assert clashes(dedent(text).replace("net.cuda()\n", "\n"))


def test_an_object_may_hold_a_parameter_or_nothing() -> None:
    """As when one of two ways to keep weights is chosen: those of the other are none."""
    own = OWN + "\n        self.mean = self.mean if len(sys.argv) > 1 else None"
    text = "import sys\n" + HELD.format(own=own, moved=".to(device)")
    assert not clashes(text)
    assert clashes("import sys\n" + HELD.format(own=own, moved=""))


NORMED = """
import torch
from torch import nn

class Norm(nn.Module):
    def __init__(self, mean):
        super().__init__()
        self.bn = {made}
        self.bn.{name} = torch.tensor([mean])

    def forward(self, x):
        return x * self.bn.{name}

net = Norm(2.0).cuda()
print(net(torch.ones(3, 1).cuda()))
"""


def test_what_is_assigned_to_a_buffer_of_a_norm_is_one() -> None:
    assert not clashes(NORMED.format(made="nn.BatchNorm1d(1)", name="running_mean"))
    assert clashes(NORMED.format(made="nn.BatchNorm1d(1)", name="mean"))
    assert clashes(NORMED.format(made="nn.Linear(1, 1)", name="running_mean"))
