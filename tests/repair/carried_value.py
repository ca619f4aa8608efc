"""CarriedValue: something on its way through a program, made wrongly and made right."""

from __future__ import annotations

from dataclasses import dataclass

_NUMPY = "import numpy as np"


@dataclass(frozen=True)
class Making:
    """An expression, the statements before it, and the imports that they need."""

    expression: str
    before: tuple[str, ...] = ()
    imports: tuple[str, ...] = ()


@dataclass(frozen=True)
class CarriedValue:
    """One mistake; ``kind`` is the initial of what is carried, ``early`` whether it can be made before the data is there."""

    mistake: str
    kind: str
    wrong: Making
    right: Making
    early: bool = True


def _saved(rest: str) -> Making:
    return Making(f'torch.load("ramp.pt"{rest})', ('torch.save(torch.linspace(0.5, 1.5, 4), "ramp.pt")',))


def _of_numpy(rest: str) -> Making:
    return Making(f"torch.from_numpy(np.linspace(0.5, 1.5, 4)){rest}", imports=(_NUMPY,))


def _moved(statement: str) -> Making:
    return Making("ramp", ("ramp = torch.linspace(0.5, 1.5, 4)", statement))


def _of_mean(rest: str) -> Making:
    return Making(f"torch.from_numpy(means){rest}", ("means = features.mean(0).cpu().numpy()",))


VALUES = (
    CarriedValue(
        "made on the CPU",
        "t",
        Making("torch.linspace(0.5, 1.5, 4)"),
        Making("torch.linspace(0.5, 1.5, 4, device=device)"),
    ),
    CarriedValue("move discarded", "t", _moved("ramp.to(device)"), _moved("ramp = ramp.to(device)")),
    CarriedValue("loaded as saved", "t", _saved(""), _saved(", map_location=device")),
    CarriedValue("float64 of NumPy", "t", _of_numpy(".to(device)"), _of_numpy(".float().to(device)")),
    CarriedValue(
        "fetched and used", "t", Making("features.std(0).cpu()"), Making("features.std(0)"), early=False
    ),
    CarriedValue("back from NumPy", "t", _of_mean(""), _of_mean(".to(device)"), early=False),
    CarriedValue(
        "of a list", "j", Making("torch.tensor(values)"), Making("torch.tensor(values, device=device)")
    ),
    CarriedValue(
        "labels on the CPU",
        "l",
        Making("torch.tensor([0, 1, 2, 3] * 8)"),
        Making("torch.tensor([0, 1, 2, 3] * 8).to(device)"),
    ),
    CarriedValue(
        "labels of floats",
        "l",
        Making("torch.tensor([0, 1, 2, 3] * 8, dtype=torch.float32, device=device)"),
        Making("torch.tensor([0, 1, 2, 3] * 8, device=device)"),
    ),
    CarriedValue("module not moved", "m", Making("nn.Linear(4, 4)"), Making("nn.Linear(4, 4).to(device)")),
    CarriedValue(
        "generator of the CPU",
        "g",
        Making("torch.Generator().manual_seed(7)"),
        Making("torch.Generator(device=device).manual_seed(7)"),
    ),
)
TYPES = {"m": "nn.Module", "g": "torch.Generator"}
