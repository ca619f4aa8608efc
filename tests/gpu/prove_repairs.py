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

import argparse
import json
import math
import shutil
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from gpu.prove_corpus import Run, _run, machine

LAUNCH = Path(__file__).resolve().parents[2] / "devfix" / "simulator" / "launch.py"
#: The folders of a mutant that hold what a command made of it.
REPAIRED = ("default", "unsafe", "with_run")


@dataclass(frozen=True)
class Seen:
    """How a program ended, and the kinds of devices of what it trained."""

    run: Run
    trained_on: tuple[str, ...]

    def told(self) -> dict[str, Any]:
        """The same as plain data."""
        return {"result": self.run.result, "error": self.run.error, "trained_on": list(self.trained_on)}


def run_side(folder: Path, told: Mapping[str, Any], timeout: float) -> Seen:
    """Run one side of a mutant in a copy of its files, watched by nothing but what counts parameters."""
    with tempfile.TemporaryDirectory() as temporary:
        logs = Path(temporary).resolve()
        work, report = logs / "work", logs / "report.json"
        shutil.copytree(folder, work)
        options = ["--mode", "plain", "--report", str(report)]
        command = [sys.executable, str(LAUNCH), *options, told["entry"], *told["args"]]
        with (logs / "out").open("wb") as out, (logs / "err").open("wb") as err:
            code = _run(command, work, out.fileno(), err.fileno(), timeout)
        texts = [(logs / name).read_text(encoding="utf-8", errors="replace") for name in ("out", "err")]
        seen = json.loads(report.read_text(encoding="utf-8")) if report.is_file() else {}
    trained = (seen.get("parameters") or {}).get("device_types", ())
    return Seen(Run(code, *texts), tuple(trained))


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


def arguments() -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("mutants", type=Path, help="the folder that `mutate.py --keep` wrote")
    parser.add_argument("names", nargs="*", help="only mutants whose folder's name contains one of these")
    parser.add_argument("--jobs", type=int, default=8, help="how many programs run at a time")
    parser.add_argument("--timeout", type=float, default=120, help="seconds for each program")
    parser.add_argument("--commit", default="", help="the commit of the repairs, for the record")
    parser.add_argument("--out", type=Path, required=True, help="where to write the record")
    return parser.parse_args()


def main() -> int:
    """Prove the repairs, print a table, write the record."""
    options = arguments()
    here = machine()
    if here is None:
        print("no accelerator here, or no torch: nothing can be proven", file=sys.stderr)
        return 2
    folders = [path.parent for path in sorted(options.mutants.glob("*/mutant.json"))]
    wanted = [
        folder
        for folder in folders
        if not options.names or any(part in folder.name for part in options.names)
    ]
    print(f"{len(wanted)} mutants on {here['gpu']}, torch {here['torch']}", flush=True)
    records = {}
    with ThreadPoolExecutor(options.jobs) as pool:
        proven = pool.map(lambda folder: prove(folder, options.timeout), wanted)
        for folder, record in zip(wanted, proven, strict=True):
            records[folder.name] = record
            _show(folder.name, record)
            _write(options, here, records)
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


def _write(options: argparse.Namespace, here: Mapping[str, str], records: Mapping[str, Any]) -> None:
    date = datetime.now(timezone.utc).date().isoformat()
    proof = {**here, "commit": options.commit, "date": date, "mutants": records}
    options.out.write_text(json.dumps(proof, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
