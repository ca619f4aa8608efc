"""Runs whole programs, before and after devfix's commands, on a real accelerator, and records what happened.

    python tests/repair/programs.py FOLDER --keep PROGRAMS          # where devfix is
    python tests/gpu/prove_programs.py PROGRAMS --jobs 8 --commit "$(git rev-parse HEAD)" --out programs.json

Needs Python 3.10 and torch, not devfix: all forms of the programs come as files. What is asked of each is what ``programs.py`` asks on the
simulated accelerator. Each also runs where none is to be seen, and where it did so
before the fixes it has to end with the number that it had. Exit code 1 when something is not as it should be, 2 without an accelerator.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from gpu.kept_programs import HIDDEN, accelerator, arguments, proven, run_side
from repair.program_record import BEFORE, SIDES, UNSAFE, ProgramRecord, shortfalls, table
from repair.runs import Ran


def prove(folder: Path, timeout: float) -> ProgramRecord:
    """What became of one program."""
    told = json.loads((folder / "program.json").read_text(encoding="utf-8"))
    forms = [folder / side for side in SIDES if (folder / side).is_dir()]
    ends = _ends(forms, told, timeout, {})
    hidden = _ends([folder / BEFORE, folder / UNSAFE], told, timeout, HIDDEN)
    kept = {name: told[name] for name in ("name", "kind", "changed", "settled", "lines")}
    return ProgramRecord(**kept, ends=ends, hidden=hidden)


def _ends(
    forms: Sequence[Path], told: Mapping[str, Any], timeout: float, settings: Mapping[str, str]
) -> dict[str, Ran]:
    """How each form ends; forms that are the same to the byte run once."""
    known: dict[tuple[tuple[str, bytes], ...], Ran] = {}
    ends = {}
    for form in forms:
        content = tuple((str(path.relative_to(form)), path.read_bytes()) for path in _files(form))
        if content not in known:
            seen = run_side(form, told, timeout, settings)
            known[content] = Ran(seen.run.result, seen.run.error or "", seen.trained_on)
        ends[form.name] = known[content]
    return ends


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def main() -> int:
    """Prove the programs, print what did not go well and a table, write the record."""
    options = arguments(__doc__ or "", "programs.py")
    here = accelerator()
    if here is None:
        return 2
    records, complaints = [], 0
    for _, record in proven(options, here, "program", prove, plain=ProgramRecord.told):
        records.append(record)
        for line in shortfalls(record):
            complaints += 1
            print(line, flush=True)
    print("\n".join(table(records)))
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
