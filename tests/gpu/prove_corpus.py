"""Runs the corpus on a real accelerator and records what happened.

    python tests/gpu/prove_corpus.py --jobs 8 --commit "$(git rev-parse HEAD)"

Needs Python 3.10 and torch, not devfix. A case is proven when ``before`` dies with the error that
``case.toml`` announces and ``after`` ends with ``RESULT <finite number>``; a case that is right as it
is, or only slow, has to run. Exit code 1 when a case is not proven, 2 without an accelerator.

``--stale`` runs only the cases whose files are not those that were proven. The records of the others stay,
each with the run that it comes from: a machine of another kind, or a newer torch, is no reason to run all
programs again for the sake of one; without the option they are.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import json
import math
import os
import platform
import re
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from corpus_case import CORPUS, CorpusCase, corpus_cases

PROVEN, SKIPPED = "proven", "skipped"

_PROBE = """
import json, torch
gpu = torch.cuda.get_device_name(0) if torch.cuda.is_available() else None
print(json.dumps({"gpu": gpu, "torch": torch.__version__}))
"""
_HOME = "/home/me"
_ERROR = re.compile(r"^(\w+\.)*\w*(Error|Exception|Interrupt|Exit)\b.*")


@dataclass(frozen=True)
class Run:
    """What became of one program; ``code`` is None when it ran out of time."""

    code: int | None
    output: str
    errors: str

    @property
    def result(self) -> float | None:
        """The finite number on the last line of a program that ended well."""
        lines = self.output.strip().splitlines()
        match = re.fullmatch(r"RESULT\s+(\S+)", lines[-1].strip()) if lines and self.code == 0 else None
        try:
            value = float(match[1]) if match else math.nan
        except ValueError:
            return None
        return value if math.isfinite(value) else None

    @property
    def error(self) -> str | None:
        """The line that names the exception, or the last one that a dead program wrote."""
        if self.code is None:
            return "out of time"
        if self.code == 0:
            return None
        lines = [line.strip() for line in self.errors.strip().splitlines()]
        named = [line for line in lines if _ERROR.match(line)]
        return (named or lines or [f"exit code {self.code}"])[-1][:300]


def run_side(case: CorpusCase, side: str, timeout: float) -> Run:
    """Run one side of a case in a child process of its own, in a copy of its files."""
    with tempfile.TemporaryDirectory() as folder:
        # Names resolved: the folder of temporary files may be a link, which programs could notice.
        work, logs = Path(folder).resolve() / "work", Path(folder).resolve()
        case.copy(side, work)
        with (logs / "out").open("wb") as out, (logs / "err").open("wb") as err:
            code = _run([sys.executable, case.entry], work, out.fileno(), err.fileno(), timeout)
        texts = [(logs / name).read_text(encoding="utf-8", errors="replace") for name in ("out", "err")]
        return Run(code, *texts)


def _run(
    command: list[str],
    folder: Path,
    out: int,
    err: int,
    timeout: float,
    more: Mapping[str, str] | None = None,
) -> int | None:
    settings = {"PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "2", "HF_HUB_OFFLINE": "1"}
    # A session of its own, so that the worker processes of a program that hangs end with it.
    child = subprocess.Popen(
        command,
        cwd=folder,
        env={**os.environ, **settings, **(more or {})},
        stdin=subprocess.DEVNULL,
        stdout=out,
        stderr=err,
        start_new_session=True,
    )
    try:
        return child.wait(timeout)
    except subprocess.TimeoutExpired:
        return None
    finally:
        _end(child)


def _end(child: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def prove(case: CorpusCase, timeout: float) -> tuple[dict[str, Any], str]:
    """The record of one case (its verdict, the error and the result that were seen) and what a failing program said."""
    missing = [name for name in case.needs if importlib.util.find_spec(name) is None]
    if missing:
        error = f"needs {', '.join(missing)}"
        return {"verdict": SKIPPED, "error": error, "result": None, "sha256": case.sha256()}, ""
    before = run_side(case, "before", timeout)
    after = run_side(case, "after", timeout) if case.has("after") else None
    record = {
        "verdict": verdict(case, before, after),
        "error": before.error or (after.error if after else None),
        "result": (after or before).result,
        "sha256": case.sha256(),
    }
    return record, before.errors if case.fails else ""


def anonymous(errors: str) -> str:
    """The traceback in what a program wrote, with the folders named as in tests/data/tracebacks."""
    text = errors[max(errors.find("Traceback (most recent call last)"), 0) :]
    text = re.sub(
        r'(?<=File ")/[^"]*/(?:site|dist)-packages(?=/)', f"{_HOME}/env/lib/python3.12/site-packages", text
    )
    return re.sub(r'(?<=File ")/[^"]*/work(?=/)', f"{_HOME}/project", text)


def verdict(case: CorpusCase, before: Run, after: Run | None) -> str:
    """Whether the two runs are what the case says, and where they are not."""
    if before.code is None or (after and after.code is None):
        return "out-of-time"
    if case.fails:
        if before.code == 0:
            return "before-runs"
        if not re.search(case.error, before.output + "\n" + before.errors):
            return "before-dies-otherwise"
    elif before.result is None:
        return "before-dies"
    if (case.fails and after is None) or (after is not None and after.result is None):
        return "after-dies"
    return PROVEN


def machine() -> dict[str, str] | None:
    """The accelerator and the versions; None where there is no accelerator."""
    # In a child process, since a CUDA context here would only take memory from the programs.
    done = subprocess.run([sys.executable, "-c", _PROBE], capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stderr, file=sys.stderr)
        return None
    found = json.loads(done.stdout)
    return {**found, "python": platform.python_version()} if found["gpu"] else None


@dataclass
class Proof:
    """The records of the cases by name; each tells by its number which of the runs it comes from."""

    runs: list[dict[str, str]]
    cases: dict[str, dict[str, Any]]

    @classmethod
    def kept(cls, file: Path, cases: Sequence[CorpusCase]) -> Proof:
        """What earlier runs proved and what still holds, since the files are the same."""
        if not file.is_file():
            return cls([], {})
        old = json.loads(file.read_text(encoding="utf-8"))
        now = {case.name: case.sha256() for case in cases}
        held = {
            name: record
            for name, record in old["cases"].items()
            if record["verdict"] == PROVEN and record["sha256"] == now.get(name)
        }
        return cls(old["runs"], held)

    def write(self, file: Path) -> None:
        """Write it down, without the runs that nothing comes from any more."""
        numbers = sorted({record["run"] for record in self.cases.values()})
        cases = {
            name: {**record, "run": numbers.index(record["run"])}
            for name, record in sorted(self.cases.items())
        }
        proof = {"runs": [self.runs[number] for number in numbers], "cases": cases}
        file.write_text(json.dumps(proof, indent=1) + "\n", encoding="utf-8")


def arguments() -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", help="prove only the cases whose name contains one of these")
    parser.add_argument("--jobs", type=int, default=4, help="how many programs run at a time")
    parser.add_argument("--timeout", type=float, default=180, help="seconds for each program")
    parser.add_argument(
        "--stale", action="store_true", help="only what is not proven with the files as they are"
    )
    parser.add_argument("--tracebacks", type=Path, help="where to add what the failing programs said")
    parser.add_argument("--commit", default="", help="the commit of the files, for the record")
    parser.add_argument("--corpus", type=Path, default=CORPUS)
    parser.add_argument("--out", type=Path, help="where to write the record (default: CORPUS/proof.json)")
    return parser.parse_args()


def main() -> int:
    """Prove the cases, print a table, write the record."""
    options = arguments()
    here = machine()
    if here is None:
        print("no accelerator here, or no torch: nothing can be proven", file=sys.stderr)
        return 2
    cases = corpus_cases(options.corpus)
    out = options.out or options.corpus / "proof.json"
    partial = options.stale or options.names
    proof = Proof.kept(out, cases) if partial else Proof([], {})
    wanted = [case for case in cases if _is_wanted(case, options, proof.cases)]
    print(f"{len(wanted)} of {len(cases)} cases on {here['gpu']}, torch {here['torch']}", flush=True)
    date = datetime.now(timezone.utc).date().isoformat()
    said: dict[str, str] = {}
    proof.runs.append({**here, "commit": options.commit, "date": date})
    with ThreadPoolExecutor(options.jobs) as pool:
        proven = pool.map(lambda case: prove(case, options.timeout), wanted)
        for case, (record, errors) in zip(wanted, proven, strict=True):
            proof.cases[case.name] = {**record, "run": len(proof.runs) - 1}
            said.update({case.name: anonymous(errors)} if errors else {})
            print(_row(case, record), flush=True)
    proof.write(out)
    if options.tracebacks:
        known = json.loads(options.tracebacks.read_text()) if options.tracebacks.is_file() else {}
        options.tracebacks.write_text(json.dumps(dict(sorted({**known, **said}.items())), indent=0))
    counts = Counter(record["verdict"] for record in proof.cases.values())
    print(", ".join(f"{count} {name}" for name, count in counts.most_common()))
    return 0 if set(counts) <= {PROVEN, SKIPPED} else 1


def _is_wanted(case: CorpusCase, options: argparse.Namespace, records: dict[str, Any]) -> bool:
    named = not options.names or any(name in case.name for name in options.names)
    return named and not (options.stale and case.name in records)


def _row(case: CorpusCase, record: dict[str, Any]) -> str:
    seen = [f"RESULT {record['result']:g}"] if record["result"] is not None else []
    seen += [record["error"][:90]] if record["error"] else []
    return f"{record['verdict']:22}{case.kind:8}{case.name:62}{' | '.join(seen)}"


if __name__ == "__main__":
    sys.exit(main())
