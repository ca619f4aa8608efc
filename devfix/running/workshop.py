"""Workshop: where a program is run again and again while it is mended, each time in a fresh copy of its folder."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from devfix.discovery import short_path
from devfix.observation.record import parse_record
from devfix.observation.trial import Trial
from devfix.proof.run import Run, read_run
from devfix.proof.subject import Subject
from devfix.running.cells import in_program
from devfix.running.child import RunError
from devfix.running.request import Request
from devfix.sandbox.box import Box, boxed
from devfix.sandbox.limits import Limits
from devfix.sandbox.replica import TooLargeError
from devfix.sandbox.supervision import SandboxError
from devfix.source import Source

_REPORT = "report.json"
#: What a run is for, as it is told to the user.
_PURPOSES = {
    "heal": "to see what is wrong",
    "insist": "to see what is wrong where it catches errors",
    "strict": "as an accelerator would",
    "plain": "on the CPU",
}


@dataclass
class Workshop:
    """Runs one program; ``encode`` gives the bytes of a file's new text, ``tell`` hears what is being run."""

    subject: Subject
    request: Request
    python: str
    limits: Limits
    sources: Mapping[str, Source] = field(default_factory=dict)
    tell: Callable[[str], None] = lambda _text: None
    #: How often the program was run.
    count: int = 0

    def run(self, texts: Mapping[str, str], mode: str, kind: str = "") -> Trial:
        """Run the program with other text in some files; raises RunError when that cannot be done at all."""
        run = self.executed(texts, mode, kind or self.request.kind)
        problem = "" if run.record is not None and not run.hit_limit else str(run.failure)
        changed = {path: self.sources[path].with_text(text) for path, text in texts.items()}
        record = None if run.hit_limit else in_program(run.record, changed)
        return Trial(record, run.output, problem, run.ending.errors)

    def executed(self, texts: Mapping[str, str], mode: str, kind: str) -> Run:
        """Run the program with other text in some files and tell how the process ended; raises RunError when that cannot be done at all."""
        self.count += 1
        self.tell(f"run {self.count}, {_PURPOSES[mode]}")
        try:
            with boxed(self.subject.root) as box:
                for path, text in texts.items():
                    if text != self.sources[path].text:
                        box.write(Path(os.path.realpath(path)), self.sources[path].encode(text))
                return self._run_in(box, mode, kind)
        except (TooLargeError, SandboxError, ValueError, OSError) as error:
            raise RunError(str(error)) from error

    def _run_in(self, box: Box, mode: str, kind: str) -> Run:
        report = box.results / _REPORT
        request = replace(self.request, kind=kind)
        words, own = self.subject.command(box.inside), box.inside(self.subject.root)
        command = request.command(self.python, report, mode, words, own=own)
        ending = box.run(command, self.subject.folder, self.limits)
        return _located(read_run(ending, report, self.limits), report, box)

    def locate(self, file: str) -> str | None:
        """The project's path of a file of the run; None for one that is none of its own."""
        path = short_path(file)
        return path if path in self.sources else None


def _located(run: Run, report: Path, box: Box) -> Run:
    """The run with its places as the user knows them."""
    if run.record is None or box.inside(box.original) == box.original:
        return run
    text = report.read_text(encoding="utf-8").replace(
        json.dumps(str(box.copy))[1:-1], json.dumps(str(box.original))[1:-1]
    )
    return replace(run, record=parse_record(json.loads(text)))
