"""What the simulated accelerator costs, as ratios to plain CPU in one run. Prints; asserts nothing of time.

    python tests/benchmarks/simulator_cost.py [--rounds 7]

Each program does the same training steps on the CPU and on the simulated accelerator, turn by turn; the
fastest turn of each counts, in processor time, since other load on the machine adds little to that. Their parameters must be equal bit for bit, or the numbers would mean nothing.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional

_ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(_ROOT))

from devfix.simulator import simulated_accelerator  # noqa: E402 - the checkout's own

Step = Callable[[], None]
Program = Callable[[str], tuple[nn.Module, Step]]


def _step(
    model: nn.Module, optimizer: torch.optim.Optimizer, data: Tensor, target: Tensor, device: str
) -> Step:
    def step() -> None:
        optimizer.zero_grad()
        loss = functional.cross_entropy(model(data.to(device)), target.to(device))
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()

    return step


def toy(device: str) -> tuple[nn.Module, Step]:
    """A perceptron so small that every operation is overhead: the worst case."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4)).to(device)
    data, target = torch.randn(32, 16), torch.randint(0, 4, (32,))
    return model, _step(model, torch.optim.Adam(model.parameters()), data, target, device)


def convolutions(device: str) -> tuple[nn.Module, Step]:
    """A small residual network on images of 64 x 64."""
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Conv2d(3, 32, 3, padding=1),
        _Residual(32),
        _Residual(32),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(32, 10),
    ).to(device)
    data, target = torch.randn(8, 3, 64, 64), torch.randint(0, 10, (8,))
    optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)
    return model, _step(model, optimizer, data, target, device)


class _Residual(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.first, self.second = (nn.Conv2d(width, width, 3, padding=1) for _ in range(2))
        self.norm = nn.BatchNorm2d(width)

    def forward(self, x: Tensor) -> Tensor:
        return functional.relu(x + self.norm(self.second(functional.relu(self.first(x)))))


def transformer(device: str) -> tuple[nn.Module, Step]:
    """Two encoder layers, 256 wide, over sequences of 64."""
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(256, 4, 512, dropout=0.0, batch_first=True)
    model = nn.Sequential(nn.TransformerEncoder(layer, 2), _Mean(), nn.Linear(256, 10)).to(device)
    data, target = torch.randn(16, 64, 256), torch.randint(0, 10, (16,))
    return model, _step(model, torch.optim.AdamW(model.parameters()), data, target, device)


class _Mean(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x.mean(1)


def ratio(program: Program, steps: int, rounds: int, *, heal: bool) -> float:
    """How many times as long a step takes under the simulation."""
    plain_model, plain = program("cpu")
    plain_best, simulated_best = [], []
    with simulated_accelerator(heal=heal):
        model, simulated = program("cuda")
        simulated()
    plain()
    for _ in range(rounds):
        plain_best.append(_timed(plain, steps))
        with simulated_accelerator(heal=heal):
            simulated_best.append(_timed(simulated, steps))
    if not all(torch.equal(a, b) for a, b in zip(plain_model.parameters(), model.parameters(), strict=True)):
        raise SystemExit(f"{program.__name__}: the numbers differ from plain CPU")
    return min(simulated_best) / min(plain_best)


def _timed(step: Step, steps: int) -> float:
    start = time.process_time()
    for _ in range(steps):
        step()
    return time.process_time() - start


def start_up(rounds: int) -> float:
    """Seconds that a simulation takes to begin, beyond the import of torch."""
    program = (
        "import torch, time; start = time.perf_counter();"
        "from devfix.simulator import simulated_accelerator as s; s().__enter__(); torch.ones(1);"
        "print(time.perf_counter() - start); import os; os._exit(0)"
    )
    command = [
        sys.executable,
        "-c",
        program.replace("os._exit", "__import__('sys').stdout.flush(); os._exit"),
    ]
    runs = [
        subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=True) for _ in range(rounds)
    ]
    return min(float(run.stdout) for run in runs)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    print(f"torch {torch.__version__}, {torch.get_num_threads()} threads; times plain CPU, best of {rounds}")
    for program, steps in ((toy, 100), (convolutions, 2), (transformer, 2)):
        strict, heal = (ratio(program, steps, rounds, heal=heal) for heal in (False, True))
        print(f"{program.__name__:14} strict {strict:5.2f}x   heal {heal:5.2f}x")
    print(f"start-up beyond `import torch`: {start_up(3):.3f} s")


if __name__ == "__main__":
    main()
