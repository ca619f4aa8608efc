"""Large programs: those whose analysis takes long, so that it is shared, or goes on from what is known."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from devfix.engine import Engine
from devfix.judgement import is_relevant

if TYPE_CHECKING:
    from devfix.cache.unit_store import UnitStore
    from devfix.file_report import FileReport
    from devfix.project import Program

#: Below this much text a process would take longer to start than to do its work.
SMALL = 200_000


def checked(engine: Engine, program: Program, units: UnitStore | None, jobs: int) -> list[FileReport]:
    """The reports of a program; of a large one those parts alone are analysed that may come to something else now."""
    if units is None or not is_large(program):
        return _with_jobs(engine, program, jobs).check(program)
    from devfix.analysis import analyse  # noqa: PLC0415 - a run without relevant files never needs it

    first = min(program.sources)
    keeper = units.keeper(first)
    found = engine.check(program, partial(analyse, keeper=keeper, jobs=jobs))
    units.keep(first, keeper)
    return found


def fixing(engine: Engine, program: Program, jobs: int) -> Engine:
    """An engine that analyses of a large program, each time that it is another, what may come to something else now."""
    if engine.analyse is not None or not is_large(program):
        return engine
    from devfix.analysis.reuse.successive import Successive  # noqa: PLC0415 - as above

    return replace(engine, analyse=Successive(jobs))


def _with_jobs(engine: Engine, program: Program, jobs: int) -> Engine:
    """An engine that does so many jobs of the analysis of a large program at the same time."""
    if jobs == 1 or engine.analyse is not None or not is_large(program):
        return engine
    from devfix.analysis import analyse  # noqa: PLC0415 - as above

    return replace(engine, analyse=partial(analyse, jobs=jobs))


def is_large(program: Program) -> bool:
    """Whether a program that has to do with accelerators takes long."""
    return sum(len(source.text) for source in program.sources.values()) > SMALL and is_relevant(program)
