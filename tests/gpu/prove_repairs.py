"""Runs mutants and what devfix made of them on a real accelerator, and records what happened.

    python tests/repair/mutate.py --keep MUTANTS          # where devfix is
    python tests/gpu/prove_repairs.py MUTANTS --jobs 8 --commit "$(git rev-parse HEAD)" --out repairs.json

Needs Python 3.10 and torch, not devfix: the mutants and their repairs come as files. A mutant counts when its original
ends with ``RESULT <finite number>`` here and the mutant dies of a device or a dtype (or, with all device handling
removed, runs without training anything on the accelerator). A repair is good when it ends with a result (and trains on
the accelerator alone, where that was the question). Numbers are compared, too, but loosely, and said apart: what
is drawn on the accelerator is not what the CPU draws. Exit code 1 when a repair is not good, 2 without an accelerator.
"""

from __future__ import annotations

import json
import math
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from gpu.kept_programs import Seen, accelerator, arguments, proven, run_side

#: The folders of a mutant that hold what a command made of it.
REPAIRED = ("default", "unsafe", "with_run")


def prove(folder: Path, timeout: float) -> dict[str, Any]:
    """The record of one mutant."""
    told = json.loads((folder / "mutant.json").read_text(encoding="utf-8"))
    seen = {
        side: run_side(folder / side, told, timeout)
        for side in ("original", "mutant", *REPAIRED)
        if (folder / side).is_dir()
    }
    counts = _counts(seen["original"], seen["mutant"], adopts=told["adopts"])
    sides = [side for side in REPAIRED if side in seen]
    return {
        "program": told["program"],
        "operator": told["operator"],
        "role": told["role"],
        "style": told["style"],
        "counts": counts,
        "good": {side: _good(seen[side], adopts=told["adopts"]) for side in sides},
        "equal": {side: _equal(seen[side], seen["original"]) for side in sides},
        "runs": {side: found.told() for side, found in seen.items()},
    }


def _counts(original: Seen, mutant: Seen, *, adopts: bool) -> bool:
    if original.run.result is None:
        return False
    if adopts:
        return mutant.run.result is not None and "cuda" not in mutant.trained_on
    return mutant.run.code != 0 and mutant.run.result is None


def _good(seen: Seen, *, adopts: bool) -> bool:
    return seen.run.result is not None and (not adopts or seen.trained_on == ("cuda",))


def _equal(seen: Seen, original: Seen) -> bool:
    one, other = seen.run.result, original.run.result
    return one is not None and other is not None and math.isclose(one, other, rel_tol=0.02, abs_tol=1e-3)


def summary(records: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Lines of a table by operator: what counts, and the shares that are good and equal."""
    groups: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for record in records.values():
        if record["counts"]:
            groups[record["operator"]].append(record)
    groups["all"] = [record for name in sorted(groups) for record in groups[name]]
    yield f"{'operator':30}{'mutants':>8}" + "".join(f"{side:>10}" for side in REPAIRED) + f"{'equal':>10}"
    for name, group in groups.items():
        shares = [_share(group, "good", side) for side in REPAIRED]
        yield f"{name:30}{len(group):8}" + "".join(
            f"{share:>10}" for share in (*shares, _share(group, "equal", "unsafe"))
        )


def _share(group: list[Mapping[str, Any]], what: str, side: str) -> str:
    asked = [record[what][side] for record in group if side in record[what]]
    return f"{100 * sum(asked) / len(asked):.1f}%" if asked else ""


def main() -> int:
    """Prove the repairs, print a table, write the record."""
    options = arguments(__doc__ or "", "mutate.py")
    here = accelerator()
    if here is None:
        return 2
    records = {}
    for name, record in proven(options, here, "mutant", prove, plain=dict):
        records[name] = record
        _show(name, record)
    print("\n".join(summary(records)))
    bad = [record for record in records.values() if record["counts"] and not record["good"].get("unsafe")]
    return 1 if bad else 0


def _show(name: str, record: Mapping[str, Any]) -> None:
    if not record["counts"]:
        print(f"does not count  {name}", flush=True)
    elif not record["good"]["unsafe"]:
        print(f"NOT REPAIRED    {name}  {record['runs']['unsafe']['error']}", flush=True)
    elif not record["equal"]["unsafe"]:
        results = [record["runs"][side]["result"] for side in ("unsafe", "original")]
        print(f"other numbers   {name}  {results[0]} instead of {results[1]}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
