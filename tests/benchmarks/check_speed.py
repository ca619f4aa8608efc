"""How fast `devfix check` is, beside parsing alone and beside TorchFix.

    python tests/benchmarks/check_speed.py FOLDER... [--each] [--torchfix PYTHON] [--repeat 3]

Prints numbers and judges nothing: what they are worth depends on the machine. Everything runs in
one process after the other, without a cache; processor time counts, and the best of some runs.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

#: Reads and parses the files named on standard input, and says how long the parsing took.
_PARSE = """
import ast, sys, time, warnings
warnings.simplefilter("ignore")
texts = []
for path in sys.stdin.read().splitlines():
    try:
        texts.append(open(path, encoding="utf-8").read())
    except (OSError, UnicodeDecodeError):
        pass
start = time.process_time()
for text in texts:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError):
        pass
print(time.process_time() - start)
"""


def python_files(folders: Sequence[Path]) -> list[Path]:
    """The Python files in some folders."""
    found = {path for folder in folders for path in ([folder] if folder.is_file() else folder.rglob("*.py"))}
    return sorted(path for path in found if path.is_file())


def environment() -> dict[str, str]:
    """Where the commands find this checkout's devfix, which Python compiles once as it does an installed one."""
    usual = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**usual, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "codemods")])}


def seconds(command: list[str], repeat: int) -> float:
    """The least processor time of a command and its children; other load on the machine adds little to it."""
    times = []
    for _ in range(repeat):
        before = _children()
        subprocess.run(
            command, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False
        )
        times.append(_children() - before)
    return min(times)


def _children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def parse_seconds(files: list[Path], repeat: int) -> float:
    """The least time of ``ast.parse`` on the files, without the start of Python."""
    names = "\n".join(map(str, files))
    runs = [
        subprocess.run(
            [sys.executable, "-c", _PARSE], input=names, capture_output=True, text=True, check=True
        )
        for _ in range(repeat)
    ]
    return min(float(run.stdout) for run in runs)


def peak_memory(command: list[str]) -> float:
    """The largest memory of a command, in MiB."""
    probe = (
        "import json, resource, subprocess, sys\n"
        "subprocess.run(json.loads(sys.argv[1]), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", probe, json.dumps(command)],
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    # Linux counts kibibytes, macOS bytes.
    return int(done.stdout) / (2**20 if sys.platform == "darwin" else 2**10)


def devfix(*arguments: str) -> list[str]:
    """The command line of this checkout's devfix."""
    return [sys.executable, "-m", "devfix", *arguments]


def report_check(folders: Sequence[Path], torchfix: str | None, repeat: int) -> None:
    """Print what a check of the folders costs."""
    files = python_files(folders)
    lines = sum(path.read_bytes().count(b"\n") for path in files)
    names = [str(folder) for folder in folders]
    print(f"{len(files)} files, {lines} lines")
    parsing = parse_seconds(files, repeat)
    command = devfix("check", "--no-config", "--no-cache", "--jobs", "1", *names)
    checking = seconds(command, repeat)
    print(f"ast.parse     {parsing:8.2f} s  {_each_line(parsing, lines)}")
    print(
        f"devfix check  {checking:8.2f} s  {_each_line(checking, lines)}  {checking / parsing:6.1f} x ast.parse"
    )
    print(f"peak memory   {peak_memory(command):8.0f} MiB")
    if torchfix is None or not _has_torchfix(torchfix):
        print("TorchFix is not there (--torchfix takes a Python that has it): not compared")
        return
    fixing = seconds([torchfix, "-m", "torchfix", "--jobs", "1", *names], repeat)
    print(
        f"TorchFix      {fixing:8.2f} s  {_each_line(fixing, lines)}  {fixing / checking:6.1f} x devfix check"
    )


def report_each(folders: Sequence[Path], repeat: int) -> None:
    """Print a line for each folder: its size, what parsing and a check of it cost, and the memory of the check."""
    for folder in folders:
        files = python_files([folder])
        lines = sum(path.read_bytes().count(b"\n") for path in files)
        command = devfix("check", "--no-config", "--no-cache", "--jobs", "1", str(folder))
        parsing, checking = parse_seconds(files, repeat), seconds(command, repeat)
        print(
            f"{folder.name:20} {lines:8} lines  ast.parse {parsing:6.2f} s  devfix check {checking:7.2f} s"
            f"  {checking / parsing:5.1f} x  {peak_memory(command):6.0f} MiB",
            flush=True,
        )


def _each_line(spent: float, lines: int) -> str:
    return f"{spent / max(lines, 1) * 1e6:8.1f} us a line"


def _has_torchfix(python: str) -> bool:
    probe = [python, "-c", "import torchfix"]
    try:
        return subprocess.run(probe, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def report_start(repeat: int) -> None:
    """Print what starting costs."""
    bare = [seconds([sys.executable, "-c", "pass"], 1) for _ in range(4 * repeat)]
    helps = [seconds(devfix("--help"), 1) for _ in range(4 * repeat)]
    nothing, help_ = statistics.median(bare), statistics.median(helps)
    print(
        f"start-up: python {nothing * 1e3:.0f} ms, devfix --help {help_ * 1e3:.0f} ms, {help_ - nothing:.3f} s more"
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--torchfix", metavar="PYTHON", help="a Python that has TorchFix")
    parser.add_argument("--each", action="store_true", help="one line for each folder, and nothing else")
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    print(f"Python {sys.version.split()[0]} on {os.cpu_count()} cores")
    if options.each:
        report_each(options.folders, options.repeat)
        return
    report_check(options.folders, options.torchfix, options.repeat)
    report_start(options.repeat)


if __name__ == "__main__":
    main()
