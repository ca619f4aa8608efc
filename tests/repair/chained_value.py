"""ChainedValue: something that a package makes in one file and uses in another, made wrongly and made right."""

from __future__ import annotations

from dataclasses import dataclass

from repair.carried_value import VALUES, Making

_NUMPY = ("import numpy as np",)
#: Modules of the package's own that hold something which does not move with them, or does.
_SHIFT = """class Shift(nn.Module):
    def __init__(self):
        super().__init__()
        {}

    def forward(self, x):
        return x + self.offset"""
_STACK = """class Stack(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = {}

    def forward(self, x):
        for layer in self.layers:
            x = torch.tanh(layer(x))
        return x"""
_LAYERS = "[nn.Linear(4, 4) for _ in range(2)]"


@dataclass(frozen=True)
class ChainedValue:
    """One mistake. ``form`` says how it is used; ``blocks`` are classes that it needs, wrong and right; what is wrong may
    also be the order of the package's statements, or how the value is read; ``late`` is what moves where it is used.
    """

    mistake: str
    form: str
    wrong: Making
    right: Making
    blocks: tuple[str, str] = ("", "")
    late: bool = False


def _offset(target: str, statement: str) -> str:
    return _SHIFT.format(statement.format(target))


def _batch(rest: str) -> Making:
    return Making(f"torch.from_numpy(np.linspace(-1, 1, 128).reshape(32, 4)){rest}", imports=_NUMPY)


def _same(expression: str) -> tuple[Making, Making]:
    return Making(expression), Making(expression)


_PAIRS = "[(torch.randn(8, 4), torch.randn(8, 4)) for _ in range(2)]"
_LOADER = "DataLoader(TensorDataset(torch.randn(16, 4), torch.randn(16, 4)), batch_size=8)"
_DICTS = '[{"inputs": torch.randn(8, 4), "targets": torch.randn(8, 4)} for _ in range(2)]'
_DATA = ("from torch.utils.data import DataLoader, TensorDataset",)


def _late(mistake: str, form: str, expression: str) -> ChainedValue:
    making = Making(expression, imports=_DATA)
    return ChainedValue(mistake, form, making, making, late=True)


_FORMS = {"t": "tensor", "l": "labels", "m": "module"}
CHAINED = (
    *(
        ChainedValue(value.mistake, _FORMS[value.kind], value.wrong, value.right)
        for value in VALUES
        if value.kind in _FORMS
    ),
    ChainedValue(
        "mask on the CPU",
        "mask",
        Making("torch.tensor([True, False, True, False])"),
        Making("torch.tensor([True, False, True, False], device=device)"),
    ),
    ChainedValue(
        "noise on the CPU", "noise", Making("torch.randn(32, 4)"), Making("torch.randn(32, 4).to(device)")
    ),
    ChainedValue(
        "state on the CPU", "state", Making("torch.zeros(32, 4)"), Making("torch.zeros(32, 4, device=device)")
    ),
    ChainedValue(
        "batch not moved", "batch", Making("torch.randn(32, 4)"), Making("torch.randn(32, 4).to(device)")
    ),
    ChainedValue("batch of float64", "batch", _batch(".to(device)"), _batch(".float().to(device)")),
    ChainedValue(
        "buffer as attribute",
        "module",
        *_same("Shift().to(device)"),
        blocks=(
            _offset("offset", "self.{} = torch.linspace(0, 1, 4)"),
            _offset("offset", 'self.register_buffer("{}", torch.linspace(0, 1, 4))'),
        ),
    ),
    ChainedValue(
        "list of modules",
        "module",
        *_same("Stack().to(device)"),
        blocks=(_STACK.format(_LAYERS), _STACK.format(f"nn.ModuleList({_LAYERS})")),
    ),
    _late("tensor not moved in use", "tensor", "torch.linspace(0.5, 1.5, 4)"),
    _late("mask not moved in use", "mask", "torch.tensor([True, False, True, False])"),
    _late("labels not moved in use", "labels", "torch.tensor([0, 1, 2, 3] * 8)"),
    _late("batch not moved in use", "batch", "torch.randn(32, 4)"),
    _late("inputs of a loader", "inputs of pairs", _LOADER),
    _late("targets of a loader", "targets of pairs", _LOADER),
    _late("both of a loader", "pairs", _LOADER),
    _late("targets of pairs", "targets of pairs", _PAIRS),
    _late("dicts not moved", "dicts", _DICTS),
    ChainedValue("model not moved", "model", Making("Net()"), Making("Net().to(device)")),
    ChainedValue(
        "optimizer before move", "optimizer", *_same("torch.optim.Adagrad(model.parameters(), lr=0.05)")
    ),
    ChainedValue("read on the host", "host", *_same("torch.linspace(0.5, 1.5, 4, device=device)")),
)
#: What a file may do with what it takes from another before it hands it on.
STEPS = {
    "tensor": (
        "{0} * 2.0",
        "{0}.clone()",
        "torch.stack([{0}, {0}]).mean(0)",
        "nn.functional.normalize({0}, dim=0)",
        "{0}.view(2, 2).flip(0).reshape(-1)",
        "{0}.sort(descending=True).values",
        "torch.roll({0}, 1, 0)",
        "{0}.detach().requires_grad_(False)",
        "{0}.cumsum(0) / {0}.sum()",
        "torch.cat([{0}[2:], {0}[:2]])",
    ),
    "mask": ("~{0}", "{0}.clone()", "{0} | {0}.flip(0)", "{0}.logical_not()"),
    "labels": ("{0}.clone()", "{0}.view(-1)", "{0}.flip(0)"),
    **dict.fromkeys(
        ("noise", "state", "batch"), ("{0} * 0.5", "{0}.clamp(-1, 1)", "{0} - {0}.mean(0)", "{0}.flip(0)")
    ),
    "module": (
        "nn.Sequential({0}, nn.Tanh())",
        "copy.deepcopy({0})",
        "{0}.eval()",
        "{0}.requires_grad_(False)",
    ),
    "model": ("{0}.train()", "copy.deepcopy({0})"),
    "host": ("{0} * 2.0", "{0}.clone()", "{0}.flip(0)"),
}
#: Forms that may go through their files in a record with something that is right, and are multiplied by it.
SCALED = ("tensor", "noise", "state", "batch")
