"""Trial: one mutant, what it dies of, and what devfix makes of it."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from repair import repairs
from repair.mutant import Mutant
from repair.repairs import Texts, changed_lines
from repair.runs import Ran, Runs
from repair.working_program import WorkingProgram

#: The ways of repair, in the order of the table.
DEFAULT, UNSAFE, HEALED = "default", "unsafe", "with run"


@dataclass(frozen=True)
class Repair:
    """What one command made of a mutant: does it do what the original does, and if not, why."""

    texts: Texts
    good: bool
    error: str
    ratio: float


@dataclass(frozen=True)
class Trial:
    """A mutant that fails, and its repairs by the command that made them."""

    mutant: Mutant
    error: str
    repairs: Mapping[str, Repair] = field(default_factory=dict)

    def good(self, way: str) -> bool:
        """Whether the program is repaired by this command or an earlier one."""
        ways = {DEFAULT: (DEFAULT,), UNSAFE: (UNSAFE,), HEALED: (UNSAFE, HEALED)}[way]
        return any(self.repairs[each].good for each in ways if each in self.repairs)


@dataclass(frozen=True)
class Original:
    """A working program, how it ends, and whether devfix leaves it alone."""

    program: WorkingProgram
    ran: Ran
    changed: bool = False
    broken: str = ""


def original(program: WorkingProgram, runs: Runs) -> Original:
    """What becomes of a program that nothing is wrong with; ``broken`` says what ``--unsafe`` did to it."""
    ran = runs.run(program, program.texts)
    if ran.result is not None and not runs.run(program, program.texts, time=2).equals(ran):
        ran = replace(ran, result=None, error="ends with another number each time")
    if ran.result is None:
        return Original(program, ran)
    after, crashed = repairs.guarded(repairs.applied, program.texts)
    unsafe, crashed_unsafe = repairs.guarded(repairs.applied_unsafe, program.texts)
    again = runs.run(program, unsafe)
    broken = "" if again.equals(ran) else again.error or f"RESULT {again.result} was {ran.result}"
    return Original(program, ran, after != program.texts, crashed or crashed_unsafe or broken)


def fails(mutant: Mutant, ran: Ran, first: Ran) -> bool:
    """Whether the mistake shows: it dies of a device or dtype, or it runs without the accelerator."""
    if mutant.adopts:
        return first.adopted and ran.result is not None and ran.trained_on == ("cpu",)
    return ran.mismatched


def tried(mutant: Mutant, first: Ran, runs: Runs, *, heal: bool = False) -> Trial | None:
    """The trial of a mutant, or None when the mistake does not show."""
    ran = runs.run(mutant.program, mutant.texts)
    if not fails(mutant, ran, first):
        return None
    found: dict[str, Repair] = {}
    for way, repair in _ways(mutant):
        found[way] = _judged(mutant, first, runs, repair)
    if heal and not mutant.adopts and not found[UNSAFE].good:
        found[HEALED] = _judged(
            mutant, first, runs, lambda: repairs.mended_by_runs(mutant.program, mutant.texts)
        )
    return Trial(mutant, ran.error, found)


def _ways(mutant: Mutant) -> Iterator[tuple[str, Callable[[], Texts]]]:
    if not mutant.adopts:
        yield DEFAULT, lambda: repairs.applied(mutant.texts)
    yield UNSAFE, lambda: repairs.applied_unsafe(mutant.texts, adopt=mutant.adopts)


def _judged(mutant: Mutant, first: Ran, runs: Runs, repair: Callable[[], Texts]) -> Repair:
    try:
        texts = repair()
    except Exception:  # noqa: BLE001 - a crash is a result too
        return Repair(mutant.texts, good=False, error=traceback.format_exc(), ratio=0.0)
    own = max(1, changed_lines(mutant.program.texts, mutant.texts))
    ratio = changed_lines(mutant.texts, texts) / own
    ran = runs.run(mutant.program, texts)
    good = ran.equals(first) and (ran.adopted or not mutant.adopts)
    return Repair(
        texts, good, "" if good else _reason(mutant, ran, first, untouched=texts == mutant.texts), ratio
    )


def _reason(mutant: Mutant, ran: Ran, first: Ran, *, untouched: bool) -> str:
    if ran.result is None:
        return f"{'nothing found: ' if untouched else ''}{ran.error}"
    if not ran.equals(first):
        return f"other numbers: {ran.result} instead of {first.result}"
    return f"trained on {', '.join(ran.trained_on)}"
