"""Crosses the ways in which values are carried with mistakes and uses, and measures which devfix repairs.

    python tests/repair/carry.py [NAMES...] [--each N --seed S] [--run] [--keep DIR] [--memory FILE]

Of each carrier (``repair/carriers/``) N programs are made, each with its twin that is right. A program counts when it
dies of a device or dtype on the simulated accelerator and its twin does not. It is repaired when it then ends with the
twin's number. NAMES are parts of carriers' names. Printed are the programs that are not repaired, and a table.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

if __name__ == "__main__":
    root = Path(__file__).resolve().parents[2]
    sys.path[:0] = [str(root), str(root / "tests"), str(root / "codemods")]

from repair import repairs
from repair.carried_program import LAYOUTS, USES, Texts, fits, program
from repair.carried_value import VALUES, CarriedValue
from repair.carrier import Carrier, carriers
from repair.runs import Runs
from repair.working_program import WorkingProgram

#: What a folder's name is cut to.
_LONGEST = 200


@dataclass(frozen=True)
class Cell:
    """One program: what is carried how, where it is used, and its files."""

    carrier: Carrier
    value: CarriedValue
    use: str
    layout: str

    @property
    def mistake(self) -> str:
        """What is wrong in the program."""
        return self.value.mistake

    @property
    def name(self) -> str:
        """What tells it from the others."""
        return f"{self.carrier.name}, {self.value.mistake}, {self.use}, {self.layout}"

    def texts(self, *, wrong: bool) -> Texts:
        """Its files, with the mistake or without."""
        return program(self.carrier, self.value, self.use, self.layout, wrong=wrong)


class Subject(Protocol):
    """A program with a mistake, and its twin without it."""

    @property
    def mistake(self) -> str:
        """What is wrong in the program."""

    @property
    def use(self) -> str:
        """Where that shows."""

    @property
    def name(self) -> str:
        """What tells it from the others."""

    def texts(self, *, wrong: bool) -> Texts:
        """Its files, with the mistake or without."""


@dataclass(frozen=True)
class Outcome:
    """What became of a cell: why it does not count, and what is wrong with its repairs and with its twin's."""

    cell: Subject
    void: str = ""
    error: str = ""
    error_run: str = ""
    harm: str = ""


def cells(chosen: Sequence[Carrier], each: int, seed: int) -> Iterator[Cell]:
    """So many cells of each carrier, with different mistakes as far as there are such."""
    rng = random.Random(seed)
    for carrier in chosen:
        values = [value for value in VALUES if any(fits(carrier, value, use) for use in USES)]
        rng.shuffle(values)
        for value in values[:each]:
            use = rng.choice([use for use in USES if fits(carrier, value, use)])
            yield Cell(carrier, value, use, rng.choice(LAYOUTS))


def tried(cell: Subject, runs: Runs, *, heal: bool = False) -> Outcome:
    """What devfix makes of a cell, and of its twin."""
    texts, right = cell.texts(wrong=True), cell.texts(wrong=False)
    subject = WorkingProgram(cell.name, "", right, "main.py")
    wanted, before = runs.run(subject, right), runs.run(subject, texts)
    if wanted.result is None or not before.mismatched:
        return Outcome(cell, void=wanted.error if wanted.result is None else before.error or "it runs")
    harm = "" if repairs.applied(right) == right else "its twin is changed"
    after = repairs.applied_unsafe(texts)
    ran = runs.run(subject, after)
    if ran.equals(wanted):
        return Outcome(cell, harm=harm)
    error = ran.error or f"RESULT {ran.result} instead of {wanted.result}"
    ran = runs.run(subject, repairs.mended_by_runs(subject, after)) if heal else ran
    return Outcome(
        cell, error=error, error_run="" if ran.equals(wanted) else ran.error or "other numbers", harm=harm
    )


def table(found: Sequence[Outcome]) -> Iterator[str]:
    """How many are repaired, by the mistake and by the use."""
    counted = [each for each in found if not each.void]
    for title in ("mistake", "use"):
        every = Counter(getattr(each.cell, title) for each in counted)
        good = Counter(getattr(each.cell, title) for each in counted if not each.error)
        yield f"{title:24} programs  repaired"
        yield from (
            f"{name:24} {count:8}  {good[name] / count:8.1%}" for name, count in sorted(every.items())
        )
    unsafe, healed = (
        len(counted) - sum(map(bool, bad))
        for bad in ([o.error for o in counted], [o.error_run for o in counted])
    )
    harmed = sum(bool(outcome.harm) for outcome in counted)
    yield f"{len(counted)} programs: apply --unsafe {unsafe}, with run {healed}; twins changed: {harmed}"


def keep(cell: Subject, folder: Path) -> None:
    """Write a program and its twin, to look at and to run elsewhere."""
    for side, wrong in (("wrong", True), ("right", False)):
        texts = cell.texts(wrong=wrong)
        target = folder / cell.name.replace(", ", "--").replace(" ", "-")[:_LONGEST] / side
        WorkingProgram(cell.name, "", texts, "main.py").write(texts, target)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*")
    parser.add_argument("--each", type=int, default=2)
    return with_common_options(parser).parse_args()


def with_common_options(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """The parser that also knows which programs are drawn, and what is done with them."""
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--run", action="store_true", help="what is left is repaired with run --fix --unsafe")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--memory", type=Path)
    return parser


def main() -> None:
    """Measure, and print."""
    options = _options()
    chosen = [c for c in carriers() if not options.names or any(name in c.name for name in options.names)]
    measure((("", cell) for cell in cells(chosen, options.each, options.seed)), options)


def measure(numbered: Iterable[tuple[str, Subject]], options: argparse.Namespace) -> None:
    """Try each program, and print what goes wrong and the table; what has a number is kept and named under it."""
    runs, found = Runs(options.memory), list[Outcome]()
    try:
        for number, cell in numbered:
            found.append(outcome := tried(cell, runs, heal=options.run))
            if options.keep:
                keep(cell, options.keep / number)
            name = f"{number}: {cell.name}" if number else cell.name
            for word in filter(None, (outcome.error, outcome.harm)):
                print(f"{name}: {word}", flush=True)
    finally:
        runs.close()
        print("\n".join(table(found)))


if __name__ == "__main__":
    main()
