"""What traces, exports or measures a model runs it with its example."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

_NET = """
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Linear(3, 2)

    def forward(self, x, scale=1.0):
        return self.f(x) * scale


net = Net().to(device)
net(torch.ones(1, 3, device=device))
dummy = torch.zeros(1, 3)
"""


@pytest.mark.parametrize(
    "use",
    [
        "traced = torch.jit.trace(net, dummy)",
        "traced = torch.jit.trace(net.eval(), example_inputs=(dummy, 2.0))",
        "torch.jit.trace(lambda x: net(x).relu(), [dummy]).save('net.pt')",
        "torch.onnx.export(net, (dummy,), 'net.onnx', input_names=['x'])",
        "program = torch.export.export(net, args=(dummy,))",
        "from thop import profile\n\nmacs, count = profile(net, inputs=(dummy,))",
    ],
)
def test_the_example_is_made_where_the_model_is(use: str) -> None:
    text = f"{_NET}{use}\n"
    assert clashes(text) == ["14: device"]
    fixed, _ = fix_texts({"main.py": text})
    assert fixed["main.py"] == text.replace("zeros(1, 3)", "zeros(1, 3, device=device)")


@pytest.mark.parametrize(
    "use",
    [
        "traced = torch.jit.trace(net.cpu(), dummy)",
        "torch.onnx.export(net, dummy.to(device), 'net.onnx')",
        "torch.onnx.export(net, args, 'net.onnx')",
        "torch.jit.script(net, dummy)",
        "torch.jit.trace(net, (dummy.to(device),), check_inputs=[(dummy.to(device),)])",
    ],
)
def test_an_example_that_fits_or_is_not_known_stays(use: str) -> None:
    text = _NET.replace("import torch\n", "import sys\n\nimport torch\n", 1) + f"args = sys.argv\n{use}\n"
    assert clashes(text) == []


def test_what_is_traced_is_called_as_the_model_is() -> None:
    text = _NET + "traced = torch.jit.trace(net, dummy.to(device))\ntraced(dummy)\n"
    assert len(clashes(text)) == 1


_WRITER = _NET + "from {package} import SummaryWriter\n\nwriter = SummaryWriter('runs')\n"


@pytest.mark.parametrize("package", ["torch.utils.tensorboard", "tensorboardX"])
@pytest.mark.parametrize(
    "use", ["writer.add_graph(net, dummy)", "writer.add_graph(net, input_to_model=(dummy,))"]
)
def test_a_graph_is_drawn_of_a_run(package: str, use: str) -> None:
    text = f"{_WRITER.format(package=package)}{use}\n"
    assert clashes(text) == ["14: device"]
    fixed, _ = fix_texts({"main.py": text})
    assert fixed["main.py"] == text.replace("zeros(1, 3)", "zeros(1, 3, device=device)")


@pytest.mark.parametrize(
    "use",
    [
        "writer.add_graph(net, dummy.to(device))",
        "writer.add_graph(net.cpu(), dummy)",
        "writer.add_graph(net)",
        "writer.add_scalar('loss', net(dummy.to(device)).sum(), 1)\nwriter.add_histogram('w', net.f.weight)",
        "writer.close()\nwriter.log_dir",
    ],
)
def test_what_a_writer_is_given_otherwise_is_fine(use: str) -> None:
    assert clashes(f"{_WRITER.format(package='torch.utils.tensorboard')}{use}\n") == []
