"""Measures what devfix makes of whole programs, each in a folder of its own, as they are.

    python tests/repair/programs.py FOLDER [NAMES...] [--keep OUT] [--json OUT] [--memory FILE]

Each folder of FOLDER holds a program and a ``case.json`` with its ``entry``, perhaps ``args`` and ``needs``, and what is
expected of it (``expect_before``): ``device_error`` or ``dtype_error`` (it fails on an accelerator), ``ok`` (it is right) or
``adopt`` (it never chooses a device). A program that works ends by printing ``RESULT <number>``. Asked are ``apply`` and ``apply
--unsafe`` (with ``--adopt`` for the last kind), and ``run --fix --unsafe`` where these do not do; all forms are run on the
simulated accelerator. NAMES are parts of folders' names. Interrupted, it reports what it has.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

if __name__ == "__main__":
    root = Path(__file__).resolve().parents[2]
    sys.path[:0] = [str(root), str(root / "tests"), str(root / "codemods")]

from repair import repairs
from repair.program_record import (
    ADOPTED,
    BEFORE,
    DEFAULT,
    FAILING,
    HEALED,
    UNSAFE,
    ProgramRecord,
    shortfalls,
    table,
)
from repair.repairs import Texts
from repair.runs import Runs
from repair.working_program import WorkingProgram, cases_of_folder

#: The kinds of programs by what a case expects of them.
KINDS = {"device_error": FAILING, "dtype_error": FAILING, "ok": "correct", "adopt": ADOPTED}


@dataclass(frozen=True)
class Measured:
    """A program's record, and its files before and after each command."""

    program: WorkingProgram
    record: ProgramRecord
    forms: Mapping[str, Texts]

    def keep(self, folder: Path) -> None:
        """Write all forms, to look at and to run elsewhere."""
        target = folder / self.program.name
        if target.exists():
            shutil.rmtree(target)
        for side, texts in self.forms.items():
            self.program.write(texts, target / side)
        about = {**self.record.told(), "entry": self.program.entry, "args": list(self.program.args)}
        (target / "program.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")


def measured(program: WorkingProgram, kind: str, runs: Runs) -> Measured:
    """What devfix makes of a program."""
    before, adopt = program.texts, kind == ADOPTED
    forms = {BEFORE: before, DEFAULT: repairs.guarded(repairs.applied, before)[0]}
    forms[UNSAFE], crash = repairs.guarded(lambda texts: repairs.applied_unsafe(texts, adopt=adopt), before)
    again = repairs.guarded(lambda texts: repairs.applied_unsafe(texts, adopt=adopt), forms[UNSAFE])[0]
    ends = {side: runs.run(program, texts) for side, texts in forms.items()}
    if crash:
        ends[UNSAFE] = replace(ends[UNSAFE], result=None, error=crash.strip().splitlines()[-1])
    if kind == FAILING and ends[BEFORE].result is None and ends[UNSAFE].result is None:
        forms[HEALED] = repairs.mended_by_runs(program, forms[UNSAFE])
        ends[HEALED] = runs.run(program, forms[HEALED])
    lines = repairs.changed_lines(before, forms[UNSAFE])
    changed, settled = forms[DEFAULT] != before, again == forms[UNSAFE]
    return Measured(program, ProgramRecord(program.name, kind, changed, settled, lines, ends), forms)


def arguments() -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, help="a folder of case folders")
    parser.add_argument("names", nargs="*", help="only programs whose name contains one of these")
    parser.add_argument("--keep", type=Path, help="write each program and what was made of it here")
    parser.add_argument("--json", type=Path, help="write all records here")
    parser.add_argument(
        "--memory", type=Path, default=Path(tempfile.gettempdir()) / "devfix-program-runs.jsonl"
    )
    return parser.parse_args()


def main() -> int:
    """Measure, and print what did not go well and the table."""
    options = arguments()
    runs, records = Runs(options.memory), list[ProgramRecord]()
    try:
        for expected, program in cases_of_folder(options.folder):
            named = not options.names or any(part in program.name for part in options.names)
            if not named or expected not in KINDS:
                continue
            found = measured(program, KINDS[expected], runs)
            records.append(found.record)
            if options.keep:
                found.keep(options.keep)
            for line in shortfalls(found.record):
                print(line.splitlines()[0], flush=True)
    except KeyboardInterrupt:
        print("interrupted; so far:")
    runs.close()
    print("\n".join(table(records)))
    if options.json:
        text = json.dumps([record.told() for record in records], indent=1)
        options.json.write_text(text + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
