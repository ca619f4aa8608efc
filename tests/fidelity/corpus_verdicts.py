"""Whether every program of the corpus ends on the simulated accelerator as it ended on the real one.

    python tests/fidelity/corpus_verdicts.py [--jobs 2] [NAME...]

``corpus/proof.json`` says what a GPU said: with which error the faulty program dies, and that the
repaired one (or the one that was right as it is) ends with a finite result. Prints agreement and every
disagreement; exit code 1 when there is one. Programs are forked from one process, so that torch is
imported once. Linux and macOS.
"""

from __future__ import annotations

import argparse
import atexit
import contextlib
import importlib.util
import json
import math
import os
import re
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

_HERE = Path(__file__).resolve()
sys.path[:0] = [str(_HERE.parents[1]), str(_HERE.parents[2])]

from corpus_case import CORPUS, CorpusCase, corpus_cases  # noqa: E402 - as in any script of this folder
from gpu.prove_corpus import Run  # noqa: E402 - as above

#: Seconds that a program may take.
PATIENCE = 120.0
#: Words of the general messages; which of them CUDA chooses depends on the kernel, and on the version.
_FAMILIES = (
    ("same device", r"on the same device|not at the same device|should be the same|same device type"),
    ("numpy", r"can't convert \S+ device type tensor to numpy"),
    ("dtype", r"same dtype|expected scalar type|not implemented for|Found dtype|result type|data ?type"),
)


@dataclass(frozen=True)
class Comparison:
    """One program on both accelerators; ``simulated`` and ``real`` are how it ended there."""

    name: str
    simulated: str
    real: str

    @property
    def agrees(self) -> bool:
        """Whether both ended alike: well, or with an error of one class and family."""
        return family(self.simulated) == family(self.real)


def family(ending: str) -> str:
    """What an error is about: its class and the kind of its message, without devices, names and sizes."""
    error, _, message = ending.partition(":")
    for name, pattern in _FAMILIES:
        if re.search(pattern, message):
            return f"{error}: {name}"
    # Numbers, types and paths differ from machine to machine.
    return re.sub(r"[\d'\"]+|torch\.\S+|/[^\s',]+", "_", ending)[:60]


def comparisons(cases: Sequence[CorpusCase], jobs: int) -> Iterator[Comparison]:
    """Run both sides of the cases and set them beside the record."""
    record = json.loads((CORPUS / "proof.json").read_text(encoding="utf-8"))["cases"]
    wanted = []
    for case in cases:
        if any(importlib.util.find_spec(name) is None for name in case.needs):
            continue
        real = record[case.name]["error"] if case.fails else "well"
        wanted.append((case, "before", real))
        if case.has("after"):
            wanted.append((case, "after", "well"))
    runs = _run_all([(case, side) for case, side, _ in wanted], jobs)
    for (case, side, real), run in zip(wanted, runs, strict=True):
        yield Comparison(
            f"{case.name} {side}", "well" if run.result is not None else run.error or "no result", real
        )


def _run_all(programs: Sequence[tuple[CorpusCase, str]], jobs: int) -> list[Run]:
    _import_torch()
    with tempfile.TemporaryDirectory() as folder:
        started: dict[int, tuple[int, float]] = {}
        codes: dict[int, int | None] = {}
        waiting = list(range(len(programs)))
        while waiting or started:
            while waiting and len(started) < jobs:
                number = waiting.pop(0)
                started[_start(*programs[number], Path(folder).resolve() / str(number))] = (
                    number,
                    time.monotonic(),
                )
            _collect(started, codes)
        return [_read(Path(folder) / str(number), codes[number]) for number in range(len(programs))]


def _collect(started: dict[int, tuple[int, float]], codes: dict[int, int | None]) -> None:
    """Take notice of the programs that ended, and end those that take too long."""
    for pid, (number, since) in list(started.items()):
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            codes[number] = os.waitstatus_to_exitcode(status)
        elif time.monotonic() - since > PATIENCE:
            codes[number] = None
        else:
            continue
        _kill_group(pid)
        if not done:
            os.waitpid(pid, 0)
        del started[pid]
    time.sleep(0.01)


def _kill_group(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)


def _import_torch() -> None:
    import torch.utils.data  # noqa: PLC0415 - the sides that need no torch come first

    import devfix.simulator.launching  # noqa: PLC0415 - imports torch
    import devfix.simulator.simulation  # noqa: F401, PLC0415 - imported once for all programs

    # Threads do not survive a fork.
    torch.set_num_threads(1)


def _start(case: CorpusCase, side: str, folder: Path) -> int:
    case.copy(side, folder / "work")
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        _become(case.entry, folder)
    return pid


def _become(entry: str, folder: Path) -> NoReturn:
    code = 1
    try:
        os.setsid()
        for name, number in (("out", 1), ("err", 2)):
            os.dup2(os.open(folder / name, os.O_WRONLY | os.O_CREAT), number)
        os.chdir(folder / "work")
        sys.dont_write_bytecode = True
        code = _launch(entry, folder)
    except BaseException:  # noqa: BLE001 - a forked copy must not go on as its parent
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _launch(entry: str, folder: Path) -> int:
    from devfix.simulator import launching  # noqa: PLC0415 - imports torch

    # What this process was to clean up at its end (the folder of all programs) is not the program's business.
    atexit._clear()
    try:
        launching.main(["--mode", "strict", "--report", str(folder / "report.json"), entry])
        atexit._run_exitfuncs()
    except SystemExit as ending:
        return ending.code if isinstance(ending.code, int) else int(ending.code is not None)
    except BaseException:  # noqa: BLE001 - a forked copy must not go on as its parent
        traceback.print_exc()
        return 1
    return 0


def _read(folder: Path, code: int | None) -> Run:
    return Run(
        code,
        *(folder.joinpath(name).read_text(encoding="utf-8", errors="replace") for name in ("out", "err")),
    )


def main() -> int:
    """Print how far both agree."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", help="only the cases whose name contains one of these")
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, help="how many programs run at a time"
    )
    options = parser.parse_args()
    cases = [c for c in corpus_cases() if not options.names or any(name in c.name for name in options.names)]
    found = list(comparisons(cases, options.jobs))
    for comparison in found:
        if not comparison.agrees:
            print(f"{comparison.name}\n  simulated: {comparison.simulated}\n  GPU:       {comparison.real}")
    agreeing = sum(comparison.agrees for comparison in found)
    share = 100 * agreeing / len(found) if found else math.nan
    print(
        f"the simulated accelerator and the GPU agree on {agreeing} of {len(found)} programs ({share:.1f}%)"
    )
    return 0 if agreeing == len(found) else 1


if __name__ == "__main__":
    sys.exit(main())
