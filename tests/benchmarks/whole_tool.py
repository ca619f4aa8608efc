"""How devfix compares as a whole: one run, the same files, and ratios.

    python tests/benchmarks/whole_tool.py [FOLDER] [--ruff RUFF] [--torchfix PYTHON] [--growth 1000 10000] [--repeat 3]

Beside `ast.parse` and one core: a cold check. Beside Ruff, and all cores: a cold check, one of an unchanged tree
with a cache, and one after one file has changed (the median over some files). Beside TorchFix: some of the files,
since it takes minutes for all. Then memory and time of generated packages, of one size after the other: what is known of
all files when they have been read, and the most of all, in one process. Prints a table and judges nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from check_speed import devfix, environment, parse_seconds, peak_memory, python_files, seconds

#: Of so many files one goes to TorchFix.
_SAMPLE = 12
#: So many files are changed, one after the other.
_CHANGES = 3

_MODULE = """
class Block{0}(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = nn.Linear(width, 2 * width)
        self.second = nn.Linear(2 * width, width)
        self.norm = nn.LayerNorm(width)

    def forward(self, x):
        scale = torch.ones(x.shape[-1], device=x.device)
        return self.norm(x + self.second(torch.relu(self.first(x)))) * scale


def train{0}(loader, steps):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Block{0}(16).to(device)
    optimizer = torch.optim.Adam(model.parameters())
    for step, (inputs, targets) in zip(range(steps), loader):
        inputs, targets = inputs.to(device), targets.to(device)
        loss = torch.nn.functional.mse_loss(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""


def wall(command: list[str], repeat: int) -> float:
    """The least time on the clock that a command takes."""
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        subprocess.run(
            command, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False
        )
        times.append(time.perf_counter() - start)
    return min(times)


def generate(folder: Path, lines: int) -> None:
    """A package of about so many lines, in files of 250, each of which imports the one before."""
    each = _MODULE.count("\n")
    for number in range(max(1, lines // 250)):
        above = f"from package.part{number - 1} import Block0\n" if number % 10 else ""
        parts = "".join(_MODULE.format(part) for part in range(250 // each))
        (folder / f"part{number}.py").write_text(f"import torch\nfrom torch import nn\n{above}\n{parts}")
    (folder / "__init__.py").touch()


class Bench:
    """The commands and what they took."""

    def __init__(self, folder: Path, scratch: Path, repeat: int) -> None:
        self.tree = scratch / folder.name
        shutil.copytree(folder, self.tree)
        self.cache = scratch / "cache"
        self.repeat = repeat
        self.files = python_files([self.tree])
        self.lines = sum(path.read_bytes().count(b"\n") for path in self.files)

    def check(self, *more: str) -> list[str]:
        """A check of the tree."""
        return devfix("check", "--isolated", *more, str(self.tree))

    def one_core(self) -> None:
        """A cold check beside parsing alone: processor time."""
        parsing = parse_seconds(self.files, self.repeat)
        command = self.check("--no-cache", "--jobs", "1")
        checking = seconds(command, self.repeat)
        print(f"ast.parse, one core               {parsing:8.2f} s")
        print(f"cold check, one core              {checking:8.2f} s  {checking / parsing:6.2f} x ast.parse")
        print(f"memory of it                      {peak_memory(command):8.0f} MiB")

    def all_cores(self, ruff: str | None) -> None:
        """Cold, unchanged and changed a little: time on the clock, with processor time behind it."""
        cached = self.check("--cache-dir", str(self.cache))
        cold = self._told("cold check, all cores", self.check("--no-cache"))
        beside = None
        if ruff is not None:
            command = [ruff, "check", "--no-cache", "--isolated", "--quiet", str(self.tree)]
            beside = self._told("Ruff without a cache, all cores", command)
        wall(cached, 1)
        time.sleep(5)  # files that were new are read again
        wall(cached, 1)
        unchanged = self._told("check of the unchanged tree", cached)
        changed = list(self._after_changes(cached))
        median, spent = (statistics.median(each) for each in zip(*changed, strict=True))
        print(f"one file changed (median of {_CHANGES})     {median:8.2f} s  processor {spent:6.2f} s")
        print(
            f"  of the cold check               {median / cold[0]:8.2f}    processor {spent / cold[1]:6.2f}"
        )
        if beside is not None:
            for name, mine in (("cold", cold), ("unchanged", unchanged)):
                print(
                    f"  {name + ' / Ruff':31} {mine[0] / beside[0]:8.2f}    processor {mine[1] / beside[1]:6.2f}"
                )

    def _told(self, name: str, command: list[str]) -> tuple[float, float]:
        clock, processor = wall(command, self.repeat), seconds(command, self.repeat)
        print(f"{name:33} {clock:8.2f} s  processor {processor:6.2f} s", flush=True)
        return clock, processor

    def _after_changes(self, command: list[str]) -> Iterator[tuple[float, float]]:
        for path in random.Random(1).sample(self.files, _CHANGES):
            text = path.read_bytes()
            path.write_bytes(text + b"\nCHANGED = True\n")
            begun = os.times()
            clock = wall(command, 1)
            ended = os.times()
            spent = ended.children_user + ended.children_system - begun.children_user - begun.children_system
            yield clock, spent
            path.write_bytes(text)
            wall(command, 1)

    def torchfix(self, python: str) -> None:
        """TorchFix on some of the files, and devfix on the same: processor time."""
        names = [str(path) for path in self.files[::_SAMPLE]]
        lines = sum(Path(name).read_bytes().count(b"\n") for name in names)
        fixing = seconds([python, "-m", "torchfix", "--jobs", "1", *names], 1)
        whole = seconds(self.check("--no-cache", "--jobs", "1"), 1)
        print(f"TorchFix, {lines} of the lines        {fixing:8.2f} s  {fixing / lines * 1e6:8.1f} us a line")
        print(f"  of the cold check, by line      {fixing / lines / (whole / self.lines):8.1f}")


def growth(sizes: list[int], scratch: Path) -> None:
    """What generated packages cost."""
    for size in sizes:
        folder = scratch / f"generated{size}" / "package"
        folder.mkdir(parents=True)
        generate(folder, size)
        lines = sum(path.read_bytes().count(b"\n") for path in python_files([folder]))
        command = devfix(
            "check", "--isolated", "--no-cache", "--jobs", "1", "--show-timing", "--output-format=json"
        )
        begun = os.times()
        done = subprocess.run(
            [*command, str(folder)],
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            check=True,
        )
        ended = os.times()
        spent = ended.children_user + ended.children_system - begun.children_user - begun.children_system
        memory = json.loads(done.stdout)["timing"]["memory"]
        known, most = memory["reading and parsing"], max(memory.values())
        print(
            f"{lines:9} generated lines  {spent:8.2f} s  {spent / lines * 1e6:8.1f} us a line"
            f"  {known:6.0f} MiB when read  {most:6.0f} MiB at most",
            flush=True,
        )


def compare(bench: Bench, options: argparse.Namespace) -> None:
    """What a folder costs, beside other tools."""
    print(f"{len(bench.files)} files, {bench.lines} lines")
    bench.one_core()
    bench.all_cores(options.ruff)
    if options.torchfix is not None:
        bench.torchfix(options.torchfix)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--ruff", help="a Ruff to compare with")
    parser.add_argument("--torchfix", metavar="PYTHON", help="a Python that has TorchFix")
    parser.add_argument("--growth", type=int, nargs="*", default=[], metavar="LINES")
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores")
        if options.folder is not None:
            compare(Bench(options.folder.resolve(), Path(scratch), options.repeat), options)
        growth(options.growth, Path(scratch))


if __name__ == "__main__":
    main()
