"""``p.data = t``: a parameter is where its new data is."""

from textwrap import dedent, indent

import pytest
from text_program import clashes, fix_texts

from devfix.findings import Applicability

HEAD = """
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 2)).to(device)
x = torch.ones(2, 4, device=device)
"""
USE = "print(net(x).sum())\n"


def program(change: str) -> str:
    return HEAD + dedent(change).strip() + "\n" + USE


def repaired(change: str) -> str:
    """What becomes of the lines between the head and the use."""
    text = program(change)
    line = len(text.splitlines())
    assert set(clashes(text)) == {f"{line}: device"}
    fixed, _ = fix_texts({"main.py": text})
    assert clashes(fixed["main.py"]) == []
    return fixed["main.py"].removeprefix(HEAD).removesuffix(USE).strip()


def test_data_of_one_layer() -> None:
    assert repaired("net[0].weight.data = torch.eye(8, 4)") == (
        "net[0].weight.data = torch.eye(8, 4, device=device)"
    )


def test_data_of_all_parameters() -> None:
    changed = repaired("""
        for p in net.parameters():
            p.data = torch.zeros(p.shape)
    """)
    assert changed == "for p in net.parameters():\n    p.data = torch.zeros(p.shape, device=device)"


@pytest.mark.parametrize(
    "test", ['"weight" in name', 'name.endswith("weight")', "p.dim() > 1", '"bias" not in name']
)
def test_data_of_some_parameters(test: str) -> None:
    changed = repaired(f"""
        for name, p in net.named_parameters():
            if {test}:
                p.data = torch.zeros(p.shape)
    """)
    assert "p.data = torch.zeros(p.shape, device=device)" in changed


@pytest.mark.parametrize("walk", ["zip(net.parameters(), best)", "list(zip(net.parameters(), best))"])
def test_data_that_was_kept_on_the_cpu(walk: str) -> None:
    changed = repaired(f"""
        best = [p.detach().cpu().clone() for p in net.parameters()]
        for p, q in {walk}:
            p.data = q
    """)
    assert changed.endswith("p.data = q.to(p.device)")


def test_data_in_a_method_of_the_project() -> None:
    text = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(3))

    def restart(self):
        self.scale.data = torch.zeros(3)

    def forward(self, x):
        return x * self.scale

net = Net().cuda()
net.restart()
print(net(torch.ones(3).cuda()))
"""
    assert clashes(text) == ["14: device"]
    fixed, _ = fix_texts({"main.py": text})
    assert clashes(fixed["main.py"]) == []


RIGHT = {
    "made there": """
        for p in net.parameters():
            p.data = torch.zeros(p.shape, device=p.device)
    """,
    "made alike": """
        for p in net.parameters():
            p.data = torch.zeros_like(p)
    """,
    "moved": """
        for name, p in net.named_parameters():
            if "weight" in name:
                p.data = torch.zeros(p.shape).to(p)
    """,
    "moved again": """
        for p in net.parameters():
            p.data = torch.zeros(p.shape)
        net.to(device)
    """,
    "one layer moved again": """
        net[0].weight.data = torch.eye(8, 4)
        net.to(device)
    """,
    "before the move": """
        net.cpu()
        for p in net.parameters():
            p.data = torch.zeros(p.shape)
        net.to(device)
    """,
    "taken to the CPU, and back": """
        for p in net.parameters():
            p.data = p.data.cpu()
        for p in net.parameters():
            p.data = p.data.to(device)
    """,
    "taken to the CPU to be used there": """
        for p in net.parameters():
            p.data = p.data.cpu()
        x = x.cpu()
    """,
    "swapped": """
        shadow = [p.detach().clone() for p in net.parameters()]
        kept = [p.data for p in net.parameters()]
        for p, q in zip(net.parameters(), shadow):
            p.data = q
        for p, q in zip(net.parameters(), kept):
            p.data = q
    """,
    "put back after a stay on the CPU": """
        kept = [p.data for p in net.parameters()]
        for p in net.parameters():
            p.data = torch.zeros(p.shape)
        for p, q in zip(net.parameters(), kept):
            p.data = q
    """,
    "a part that is not used": """
        net = nn.ModuleDict({"a": nn.Linear(4, 2), "b": nn.Linear(4, 2)}).to(device)
        unused = [p for name, p in net.named_parameters() if "b" in name]
        for p in unused:
            p.data = torch.zeros(p.shape)
        net = net["a"]
    """,
    "a choice that an option makes": """
        import sys
        for p in net.parameters():
            if len(sys.argv) > 5:
                p.data = torch.zeros(p.shape)
        if len(sys.argv) > 5:
            net.to(device)
    """,
}


@pytest.mark.parametrize("case", RIGHT)
def test_what_is_right(case: str) -> None:
    text = program(RIGHT[case])
    assert clashes(text) == []
    inside = HEAD + "def main(net, x):\n" + indent(dedent(RIGHT[case]).strip(), "    ")
    assert clashes(f"{inside}\n    print(net(x).sum())\n\nmain(net, x)\n") == []


NUMBERS = "import numpy as np\n"


def recast(change: str) -> str:
    """What becomes of the lines between the head and the use, where the dtype does not fit."""
    text = NUMBERS + program(change)
    assert {clash.partition(": ")[2] for clash in clashes(text)} == {"dtype"}
    fixed, _ = fix_texts({"main.py": text}, Applicability.UNSAFE)
    assert clashes(fixed["main.py"]) == []
    return fixed["main.py"].removeprefix(NUMBERS + HEAD).removesuffix(USE).strip()


@pytest.mark.parametrize(
    ("change", "written"),
    [
        (
            "net[0].weight.data = torch.from_numpy(np.random.randn(8, 4)).to(device)",
            "net[0].weight.data = torch.from_numpy(np.random.randn(8, 4)).float().to(device)",
        ),
        (
            "net[1].bias.data = torch.tensor(np.random.randn(2), device=device)",
            "net[1].bias.data = torch.tensor(np.random.randn(2), device=device, dtype=torch.float32)",
        ),
        (
            "net[0].weight = nn.Parameter(torch.from_numpy(np.random.randn(8, 4)).to(device))",
            "net[0].weight = nn.Parameter(torch.from_numpy(np.random.randn(8, 4)).float().to(device))",
        ),
    ],
)
def test_data_of_a_width_that_nobody_chose(change: str, written: str) -> None:
    assert recast(change) == written


def test_data_of_all_parameters_that_went_through_numpy() -> None:
    changed = recast("""
        for p in net.parameters():
            w = p.detach().cpu().numpy()
            p.data = torch.from_numpy(w * (np.abs(w) > 0.1).astype(float)).to(p.device)
    """)
    assert "p.data = torch.from_numpy(w * (np.abs(w) > 0.1).astype(float)).float().to(p.device)" in changed


@pytest.mark.parametrize(
    "change",
    [
        "net[0].weight.data = torch.from_numpy(np.random.randn(8, 4)).to(net[0].weight)",
        "net[0].weight.data = torch.from_numpy(np.random.randn(8, 4).astype(np.float32)).to(device)",
        "net[0].weight.data.copy_(torch.from_numpy(np.random.randn(8, 4)))",
        "net[1].weight = nn.Parameter(torch.zeros(2, 8, device=device))",
        "net.double()\nnet[0].weight.data = torch.from_numpy(np.random.randn(8, 4)).to(device)\nx = x.double()",
        "net[0].weight.data = torch.from_numpy(np.random.randn(8, 4)).to(device)\nnet.float()",
    ],
)
def test_data_that_the_layer_can_work_with(change: str) -> None:
    text = NUMBERS + program(change)
    assert clashes(text) == []
    assert fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"] == text


def test_a_width_that_somebody_chose_is_that_of_the_input() -> None:
    change = "for p in net.parameters():\n    p.data = p.data.double()"
    text = NUMBERS + program(change)
    fixed, _ = fix_texts({"main.py": text}, Applicability.UNSAFE)
    assert change in fixed["main.py"]
    assert clashes(fixed["main.py"]) == []
    assert "print(net(x.to(next(net.parameters()).dtype)).sum())" in fixed["main.py"]


HALVED = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(8, 8)
        self.attention = nn.MultiheadAttention(8, 2)
        self.scale = nn.Parameter(torch.ones(8, 8))

    def forward(self, x):
        x = self.first(x)
        return self.attention(x, x, x)[0] @ self.scale

def halve(layer):
    if isinstance(layer, nn.Linear):
        layer.weight.data = layer.weight.data.half()
        layer.bias.data = layer.bias.data.half()
    if isinstance(layer, nn.MultiheadAttention):
        for name in [*[f"{{each}}_proj_weight" for each in ("in", "q", "k", "v")], "in_proj_bias"]:
            tensor = getattr(layer, name)
            if tensor is not None:
                tensor.data = tensor.data.half()
    {scale}

net = Net().cuda()
net.apply(halve)
print(net(torch.ones(2, 3, 8, dtype=torch.float16, device="cuda")))
"""


@pytest.mark.parametrize("data", ["part.data.half()", "part.data.to(torch.float16)", "part.half()"])
def test_a_width_that_parameters_were_given_by_names_of_their_own(data: str) -> None:
    scale = f"""for name in ("scale", "projection"):
        if hasattr(layer, name):
            part = getattr(layer, name)
            part.data = {data}"""
    assert clashes(HALVED.format(scale=scale)) == []


def test_what_had_another_width_before_has_it_still() -> None:
    change = """
        net[1].double()
        weight = net[0].weight
        weight.data = weight.data.half()
        print(net[1](torch.ones(2, 8, device=device)))
    """
    assert clashes(program(change)) == ["11: dtype"]


AVERAGE = """
import torch
from torch import nn

class Average:
    def __init__(self, model):
        self.shadow = {{name: p.detach().clone() for name, p in model.named_parameters()}}

    def update(self, model):
        for name, p in model.named_parameters():
            self.shadow[name] = 0.9 * self.shadow[name] + 0.1 * {new}

    def swap_in(self, model):
        for name, p in model.named_parameters():
            p.data = self.shadow[name]

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(2, 2)
average = Average(model)
model.to(device)
average.update(model)
average.swap_in(model)
model(torch.ones(1, 2, device=device))
"""


def test_an_average_that_is_kept_on_the_cpu_stays_there() -> None:
    text = AVERAGE.format(new="p.detach().cpu()")
    fixed, _ = fix_texts({"main.py": text})
    assert fixed["main.py"] == text.replace(
        "p.data = self.shadow[name]", "p.data = self.shadow[name].to(p.device)"
    )


def test_an_average_that_meets_the_parameters_is_copied_where_they_are() -> None:
    text = AVERAGE.format(new="p.detach()")
    fixed, _ = fix_texts({"main.py": text})
    assert fixed["main.py"] == text.replace(
        "average = Average(model)\nmodel.to(device)", "model.to(device)\naverage = Average(model)"
    )
