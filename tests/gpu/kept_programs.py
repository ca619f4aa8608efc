"""Kept programs: folders that hold forms of one program side by side, run on a real accelerator, several at a time."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, TypeVar

from gpu.prove_corpus import Run, _run, machine
from repair.runs import trained_on

LAUNCH = Path(__file__).resolve().parents[2] / "devfix" / "simulator" / "launch.py"
#: What hides the accelerators from torch.
HIDDEN = {"CUDA_VISIBLE_DEVICES": ""}

_Record = TypeVar("_Record")


@dataclass(frozen=True)
class Seen:
    """How a program ended, and the kinds of devices of what it trained."""

    run: Run
    trained_on: tuple[str, ...]

    def told(self) -> dict[str, Any]:
        """The same as plain data."""
        return {"result": self.run.result, "error": self.run.error, "trained_on": list(self.trained_on)}


def run_side(
    folder: Path, told: Mapping[str, Any], timeout: float, settings: Mapping[str, str] | None = None
) -> Seen:
    """Run one form of a program in a copy of its files, watched by nothing but what counts parameters."""
    with tempfile.TemporaryDirectory() as temporary:
        logs = Path(temporary).resolve()
        work, report = logs / "work", logs / "report.json"
        shutil.copytree(folder, work)
        options = ["--mode", "plain", "--report", str(report)]
        command = [sys.executable, str(LAUNCH), *options, told["entry"], *told["args"]]
        with (logs / "out").open("wb") as out, (logs / "err").open("wb") as err:
            code = _run(command, work, out.fileno(), err.fileno(), timeout, settings or {})
        texts = [(logs / name).read_text(encoding="utf-8", errors="replace") for name in ("out", "err")]
        seen = json.loads(report.read_text(encoding="utf-8")) if report.is_file() else {}
    return Seen(Run(code, *texts), trained_on(seen))


def arguments(about: str, writer: str) -> argparse.Namespace:
    """The options of the command line of what proves the folders that ``writer`` wrote."""
    parser = argparse.ArgumentParser(description=about.partition("\n")[0])
    parser.add_argument("folder", type=Path, help=f"the folder that `{writer} --keep` wrote")
    parser.add_argument("names", nargs="*", help="only programs whose folder's name contains one of these")
    parser.add_argument("--jobs", type=int, default=8, help="how many programs run at a time")
    parser.add_argument("--timeout", type=float, default=120, help="seconds for each program")
    parser.add_argument("--commit", default="", help="the commit of the repairs, for the record")
    parser.add_argument("--out", type=Path, required=True, help="where to write the record")
    return parser.parse_args()


def accelerator() -> Mapping[str, str] | None:
    """The machine, where it has an accelerator; where not, that is said."""
    here = machine()
    if here is None:
        print("no accelerator here, or no torch: nothing can be proven", file=sys.stderr)
    return here


def proven(
    options: argparse.Namespace,
    here: Mapping[str, str],
    kind: str,
    prove: Callable[[Path, float], _Record],
    plain: Callable[[_Record], Mapping[str, Any]],
) -> Iterator[tuple[str, _Record]]:
    """Each folder that tells of a ``kind``, and what became of it; what is known is written after each."""
    folders = [path.parent for path in sorted(options.folder.glob(f"*/{kind}.json"))]
    names = options.names
    wanted = [folder for folder in folders if not names or any(part in folder.name for part in names)]
    print(f"{len(wanted)} {kind}s on {here['gpu']}, torch {here['torch']}", flush=True)
    date = datetime.now(timezone.utc).date().isoformat()
    told: dict[str, Mapping[str, Any]] = {}
    with ThreadPoolExecutor(options.jobs) as pool:
        found = pool.map(lambda folder: prove(folder, options.timeout), wanted)
        for folder, record in zip(wanted, found, strict=True):
            told[folder.name] = plain(record)
            proof = {**here, "commit": options.commit, "date": date, f"{kind}s": told}
            options.out.write_text(json.dumps(proof, indent=1) + "\n", encoding="utf-8")
            yield folder.name, record
