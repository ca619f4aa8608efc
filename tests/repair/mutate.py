"""Makes one mistake at a time in programs that work, and measures how many of them devfix repairs.

    python tests/repair/mutate.py [NAMES...] [--programs FOLDER] [--operator WORD] [--sample N --seed S]
        [--heal-run] [--failed] [--keep DIR] [--json OUT] [--memory FILE]

Programs: what is right in the corpus, or a folder of case folders with ``case.json`` (entry, args, needs, style) that
print ``RESULT <number>``. A mutant counts when it dies of a device or dtype on the simulated accelerator (or, with
all device handling removed, runs without it). It is repaired when it then ends with the original's number. NAMES
are parts of programs' names. Interrupted, it reports what it has; what ran once is remembered in FILE.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    root = Path(__file__).resolve().parents[2]
    sys.path[:0] = [str(root), str(root / "tests"), str(root / "codemods")]

from repair import tables
from repair.mutant import Mutant, mutants_of
from repair.runs import Runs
from repair.trial import UNSAFE, Original, Trial, original, tried
from repair.working_program import WorkingProgram, corpus_programs, programs_of_folder


@dataclass
class Benchmark:
    """What has been tried so far."""

    runs: Runs
    heal: bool = False
    trials: list[Trial] = field(default_factory=list)
    originals: list[Original] = field(default_factory=list)

    def measure(self, programs: Sequence[WorkingProgram], wanted: set[str]) -> Iterator[Trial]:
        """Try the wanted mutants of each program, each as soon as it is asked for."""
        for program in programs:
            chosen = [mutant for mutant in mutants_of(program) if mutant.name in wanted]
            if not chosen:
                continue
            first = original(program, self.runs)
            self.originals.append(first)
            if first.ran.result is None:
                continue
            for mutant in chosen:
                trial = tried(mutant, first.ran, self.runs, heal=self.heal)
                if trial is not None:
                    self.trials.append(trial)
                    yield trial


def chosen_mutants(programs: Sequence[WorkingProgram], options: argparse.Namespace) -> set[str]:
    """The names of the mutants to try: those asked for, or a sample of them."""
    found = [mutant for program in programs for mutant in mutants_of(program) if _is_wanted(mutant, options)]
    names = sorted({mutant.name for mutant in found})
    if options.sample is not None and options.sample < len(names):
        names = random.Random(options.seed).sample(names, options.sample)
    return set(names)


def _is_wanted(mutant: Mutant, options: argparse.Namespace) -> bool:
    words = options.operator
    return not words or any(word in f"{mutant.operator} {mutant.role}" for word in words)


def keep(trial: Trial, folder: Path) -> None:
    """Write a mutant and what was made of it, to look at and to run elsewhere."""
    mutant = trial.mutant
    words = f"{mutant.program.name}--{mutant.operator}--{mutant.line}-{mutant.digest}".replace("/", "--")
    target = folder / words
    if target.exists():
        shutil.rmtree(target)
    mutant.program.write(mutant.program.texts, target / "original")
    mutant.program.write(mutant.texts, target / "mutant")
    for way, repair in trial.repairs.items():
        mutant.program.write(repair.texts, target / way.replace(" ", "_"))
    about = {**record(trial), "entry": mutant.program.entry, "args": list(mutant.program.args)}
    (target / "mutant.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")


def record(trial: Trial) -> dict[str, Any]:
    """A trial as plain data."""
    mutant = trial.mutant
    return {
        "program": mutant.program.name,
        "style": mutant.program.style,
        "operator": mutant.operator,
        "role": mutant.role,
        "place": f"{mutant.path}:{mutant.line}",
        "digest": mutant.digest,
        "adopts": mutant.adopts,
        "error": trial.error,
        "repairs": {
            way: {"good": repair.good, "error": repair.error, "ratio": repair.ratio}
            for way, repair in trial.repairs.items()
        },
    }


def arguments() -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", help="only programs whose name contains one of these")
    parser.add_argument("--programs", type=Path, help="a folder of case folders instead of the corpus")
    parser.add_argument("--operator", action="append", help="only operators or roles with this in their name")
    parser.add_argument("--sample", type=int, help="try only so many mutants")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--heal-run", action="store_true", help="try `run --fix` where `apply` does not do")
    parser.add_argument("--failed", action="store_true", help="show what is not repaired")
    parser.add_argument("--list", action="store_true", help="only list the mutants")
    parser.add_argument("--keep", type=Path, help="write each mutant and what was made of it here")
    parser.add_argument("--json", type=Path, help="write all trials here")
    parser.add_argument(
        "--memory", type=Path, default=Path(tempfile.gettempdir()) / "devfix-mutant-runs.jsonl"
    )
    return parser.parse_args()


def main() -> int:
    """Measure, and print the tables."""
    options = arguments()
    found = programs_of_folder(options.programs) if options.programs else corpus_programs()
    names = options.names
    programs = [program for program in found if not names or any(part in program.name for part in names)]
    wanted = chosen_mutants(programs, options)
    if options.list:
        print("\n".join(sorted(wanted)))
        return 0
    print(f"{len(wanted)} mutants of {len(programs)} programs to try", flush=True)
    benchmark = Benchmark(Runs(options.memory), heal=options.heal_run)
    try:
        for trial in benchmark.measure(programs, wanted):
            _show(trial, options)
    except KeyboardInterrupt:
        print("interrupted; so far:")
    benchmark.runs.close()
    print("\n".join(tables.report(benchmark.trials, benchmark.originals)))
    if options.json:
        text = json.dumps([record(trial) for trial in benchmark.trials], indent=1)
        options.json.write_text(text + "\n", encoding="utf-8")
    return 0


def _show(trial: Trial, options: argparse.Namespace) -> None:
    if options.failed and not trial.good(UNSAFE):
        print("\n".join(tables.failure(trial)), flush=True)
    if options.keep:
        keep(trial, options.keep)


if __name__ == "__main__":
    sys.exit(main())
