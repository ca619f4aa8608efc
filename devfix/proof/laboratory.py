"""Laboratory: where programs are run, each time in a fresh copy of their folder."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import devfix
from devfix.proof.run import Run, read_run
from devfix.proof.subject import Subject
from devfix.proof.witness import ON_CPU, Witness
from devfix.sandbox.box import MAX_COPY, Box, boxed
from devfix.sandbox.enclosure import Isolation
from devfix.sandbox.limits import Limits
from devfix.sandbox.replica import TooLargeError
from devfix.sandbox.supervision import SandboxError

#: What runs a program in the user's interpreter and reports on it.
LAUNCHER = Path(devfix.__file__).resolve().parent / "simulator" / "launch.py"
_REPORT = "report.json"


class CannotRunError(Exception):
    """A program could not even be started; the message says why."""


@dataclass(frozen=True, slots=True)
class Laboratory:
    """What all runs have in common; ``steps`` stops each after so many steps of an optimizer."""

    witness: Witness
    limits: Limits
    max_copy: int = MAX_COPY
    network: bool = False
    steps: int | None = None
    isolation: Isolation | None = None

    def run(self, subject: Subject, texts: Mapping[Path, bytes], *, on_cpu: bool = False) -> Run:
        """Run a program with ``texts`` in place of its files; raises CannotRunError."""
        try:
            with boxed(subject.root, self.isolation, max_copy=self.max_copy, network=self.network) as box:
                for path, data in texts.items():
                    box.write(path, data)
                return self._run_in(box, subject, on_cpu=on_cpu)
        except (TooLargeError, SandboxError, ValueError, OSError) as error:
            raise CannotRunError(str(error)) from error

    def _run_in(self, box: Box, subject: Subject, *, on_cpu: bool) -> Run:
        report = box.results / _REPORT
        options = [*(ON_CPU if on_cpu else self.witness.mode), "--report", str(report)]
        if self.steps is not None:
            options += ["--max-steps", str(self.steps)]
        command = [self.witness.python, str(LAUNCHER), *options, *subject.command(box.inside)]
        ending = box.run(command, subject.folder, self.limits, self._paths(box))
        return _located(read_run(ending, report, self.limits), box)

    def _paths(self, box: Box) -> dict[str, str]:
        """Where modules are found, where the copy does not lie at the original's place.

        Folders of the project that are on Python's path, such as one that is installed to be edited, go
        before the originals.
        """
        named = os.environ.get("PYTHONPATH", "")
        inside = [box.inside(Path(path)) for path in self.witness.paths]
        moved = [str(path) for path in inside if path.is_relative_to(box.copy) and path.is_dir()]
        return {"PYTHONPATH": os.pathsep.join([*moved, *filter(None, [named])])} if moved else {}


def _located(run: Run, box: Box) -> Run:
    """The run with its places as the user knows them."""
    failure, record = run.failure, run.record
    if failure is not None and failure.place is not None:
        place = replace(failure.place, file=str(box.outside(Path(failure.place.file))))
        failure = replace(failure, place=place)
    if record is not None:
        modules = tuple((name, str(box.outside(Path(file)))) for name, file in record.modules)
        record = replace(record, modules=modules)
    return replace(run, failure=failure, record=record)
