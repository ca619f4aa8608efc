"""Proves on many files that devfix damages no code: generated programs, the standard library, packages.

``python tests/trust/run.py --packages FOLDER --library --programs 300 --seconds 900`` prints figures. The folder
holds wheels or unpacked packages; ``--download NAME ...`` fetches wheels into it first.
"""

from __future__ import annotations

import argparse
import random
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
import traceback
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

sys.path[:0] = [
    str(Path(__file__).parents[1]),
    str(Path(__file__).parents[2]),
    str(Path(__file__).parents[2] / "codemods"),
]

from trust.properties import Account, examine, examine_text  # noqa: E402 - the path comes first

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

#: Processor time for all of the properties of one file.
_SECONDS = 120
_APART = {"site-packages", "lib2to3", "idlelib", "__pycache__"}
#: Moves that a mutant of a program lacks.
_MOVES = (".to(device)", ".cuda()", ".to(self.device)", ", device=device", ".to(args.device)")


class Overtime(BaseException):
    """A file took too long."""


class Tally:
    """The figures of a run."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.faults: list[str] = []
        self.slowest: tuple[float, str] = (0.0, "")

    def add(self, name: str, examined: Callable[[], Account]) -> None:
        """Examine one text and count what became of it."""
        begun = time.process_time()
        signal.setitimer(signal.ITIMER_VIRTUAL, _SECONDS)
        try:
            account = examined()
        except Overtime:
            account = Account(faults=(f"took more than {_SECONDS} s",))
        except RecursionError:
            account = Account(skipped="is nested too deeply to be analysed")
        except Exception:  # noqa: BLE001 - a crash is what is looked for
            account = Account(faults=(traceback.format_exc(),))
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        self.slowest = max(self.slowest, (time.process_time() - begun, name))
        self.counts["files"] += 1
        self.counts["lines"] += account.lines
        self.counts["skipped"] += bool(account.skipped)
        self.counts["findings"] += account.findings
        self.counts["fixes"] += account.fixed
        self.counts["rewritten texts"] += account.changed
        self.counts["faults"] += len(account.faults)
        for fault in account.faults:
            self.faults.append(f"{name}: {fault}")
            print("FAULT", self.faults[-1], flush=True)

    def show(self, title: str) -> None:
        """Print the figures."""
        told = ", ".join(f"{count:,} {what}" for what, count in self.counts.items())
        print(f"{title}: {told}; slowest {self.slowest[0]:.1f} s ({self.slowest[1]})", flush=True)


def files_of(path: Path) -> Iterator[tuple[str, bytes]]:
    """The Python files of a wheel or folder."""
    if path.suffix in (".whl", ".zip"):
        with zipfile.ZipFile(path) as archive:
            for name in sorted(archive.namelist()):
                if name.endswith(".py"):
                    yield f"{path.name}/{name}", archive.read(name)
    else:
        for file in sorted(path.rglob("*.py")):
            if not _APART & set(file.relative_to(path).parts):
                yield str(file), file.read_bytes()


def variants(name: str, data: bytes, chance: random.Random) -> Iterator[tuple[str, bytes]]:
    """A file made relevant, and where it moves things the same without some of its moves."""
    yield name, data if b"torch" in data else data.rstrip() + b"\nimport torch\n"
    text = data.decode("utf-8", "replace")
    moves = [move for move in _MOVES if move in text]
    for number in range(2 if moves and b"torch" in data else 0):
        mutant = text
        for move in moves:
            parts = mutant.split(move)
            joints = [move if chance.random() < 0.5 else "" for _ in parts[1:]]
            mutant = parts[0] + "".join(a + b for a, b in zip(joints, parts[1:], strict=True))
        yield f"{name} (without moves {number + 1})", mutant.encode()


def examine_files(tally: Tally, found: list[tuple[str, bytes]], until: float, seed: int) -> None:
    """Examine files in random order until the time is over."""
    chance = random.Random(seed)
    chance.shuffle(found)
    for name, data in found:
        for title, variant in variants(name, data, chance):
            if time.monotonic() > until:
                tally.counts["not reached"] += 1
                continue
            tally.add(title, lambda variant=variant: examine(variant))  # type: ignore[misc]


def examine_programs(tally: Tally, count: int, until: float) -> None:
    """Examine programs that Hypothesis and hypothesmith make up."""
    import hypothesmith
    from generated_programs import PROGRAMS
    from hypothesis import HealthCheck, given, settings

    def run(strategy: SearchStrategy[str], share: int, name: str) -> None:
        @settings(max_examples=share, deadline=None, database=None, suppress_health_check=list(HealthCheck))
        @given(strategy)
        def one(text: str) -> None:
            if time.monotonic() < until:
                try:
                    compile(text, "main.py", "exec", dont_inherit=True)
                except (SyntaxError, ValueError, RecursionError):
                    return
                tally.add(f"{name} {text!r}", lambda: examine_text(text))

        one()

    run(PROGRAMS, count, "generated")
    run(
        hypothesmith.from_grammar().map(lambda text: text + "\nimport torch\n"), count, "hypothesmith grammar"
    )
    run(hypothesmith.from_node().map(lambda text: text + "\nimport torch\n"), count, "hypothesmith nodes")


def main() -> int:
    """Run what is asked for; the exit code is 1 where a property does not hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--packages", type=Path, help="a folder of wheels and unpacked packages")
    parser.add_argument("--download", nargs="*", default=[], help="packages to fetch, which are not kept")
    parser.add_argument("--library", action="store_true", help="the standard library of this Python")
    parser.add_argument("--programs", type=int, default=0, help="so many of each kind of generated program")
    parser.add_argument("--seconds", type=float, default=600, help="for each part of the run")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    signal.signal(signal.SIGVTALRM, _overtime)
    tallies = []
    with tempfile.TemporaryDirectory() as folder:
        sources = [options.packages] if options.packages else []
        if options.download:
            command = [
                sys.executable,
                "-m",
                "pip",
                "download",
                "-q",
                "--no-deps",
                "--only-binary=:all:",
                "-d",
                folder,
            ]
            for name in options.download:
                subprocess.run(
                    [*command, name], check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
                )
            sources.append(Path(folder))
        for source in sources:
            wheels = sorted(
                part for part in source.iterdir() if part.is_dir() or part.suffix in (".whl", ".zip")
            )
            tally, share = Tally(), options.seconds / max(len(wheels), 1)
            for wheel in wheels:
                before = Counter(tally.counts)
                examine_files(tally, list(files_of(wheel)), time.monotonic() + share, options.seed)
                gained = tally.counts - before
                print(
                    f"  {wheel.name}: {gained['files']} files, {gained['lines']:,} lines, {gained['fixes']} fixes",
                    flush=True,
                )
            tally.show(f"{len(wheels)} packages")
            tallies.append(tally)
    if options.library:
        tally, library = Tally(), Path(sysconfig.get_path("stdlib"))
        examine_files(tally, list(files_of(library)), time.monotonic() + options.seconds, options.seed)
        tally.show(f"standard library of Python {sys.version.split()[0]}")
        tallies.append(tally)
    if options.programs:
        tally = Tally()
        examine_programs(tally, options.programs, time.monotonic() + options.seconds)
        tally.show("generated programs")
        tallies.append(tally)
    return int(any(tally.faults for tally in tallies))


def _overtime(_number: int, _frame: FrameType | None) -> None:
    raise Overtime


if __name__ == "__main__":
    sys.exit(main())
