"""Records what a real accelerator answers to the questions of tests/fidelity.

    python tests/gpu/record_answers.py OUT --commit "$(git rev-parse HEAD)" [--part facts|expressions|two_devices|operators|modules]

Needs Python 3.10 and torch, not devfix. Writes OUT/<part>.jsonl.gz; copied to tests/fidelity/recorded they are what
tests/fidelity/compare.py compares the simulator with. Exit code 2 without an accelerator.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import torch
from fidelity import answers, module_rows, operator_rows, snippets

_PROCESSES = 12


def machine(commit: str) -> dict[str, Any]:
    """What was asked, and which project asked."""
    return {
        "gpu": torch.cuda.get_device_name(0),
        "torch": torch.__version__,
        "commit": commit,
        "date": datetime.now(timezone.utc).date().isoformat(),
    }


def asked(questions: list[snippets.Snippet]) -> Iterator[dict[str, Any]]:
    """The answers to short programs."""
    for question in questions:
        answer = snippets.ask(question)
        yield {"name": question.name, "outcome": answer.outcome, "text": answer.text}
        if _is_broken(answer):
            raise RuntimeError(f"the device does not work any more after {question.name!r}")


def _is_broken(answer: answers.Answer) -> bool:
    return (
        "CUDA error" in answer.text
        and "invalid device ordinal" not in answer.text
        and answer.outcome != "RuntimeError"
    )


def operators(shard: int) -> list[dict[str, Any]]:
    """The answers of every _PROCESSES-th operator, from the shard-th on."""
    return _answered(operator_rows, shard, lambda case: case.operand == -1)


def modules(shard: int) -> list[dict[str, Any]]:
    """The same of modules."""
    return _answered(module_rows, shard, lambda case: case.mode == "fine")


def _answered(rows: Any, shard: int, is_undisplaced: Callable[[Any], bool]) -> list[dict[str, Any]]:
    found = []
    for subject in rows.database()[shard::_PROCESSES]:
        works = True
        for case, drawn in rows.cases(subject):
            if works or is_undisplaced(case):
                answer = rows.ask(case, drawn)
                # What fails with nothing displaced says nothing of devices.
                works = answer.outcome == "ok" or not is_undisplaced(case)
                if works:
                    found.append({"case": list(case), "outcome": answer.outcome, "text": answer.text})
    return found


def main() -> int:
    """Ask, and write down the answers."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("--commit", required=True)
    parser.add_argument(
        "--part", choices=("facts", "expressions", "two_devices", "operators", "modules"), action="append"
    )
    options = parser.parse_args()
    if not torch.cuda.is_available():
        print("there is no accelerator here", file=sys.stderr)
        return 2
    for part in options.part or ("operators", "modules", "facts", "expressions"):
        if part in ("operators", "modules"):
            with multiprocessing.get_context("spawn").Pool(_PROCESSES) as pool:
                asked_all = operators if part == "operators" else modules
                rows = [row for shard in pool.map(asked_all, range(_PROCESSES)) for row in shard]
            rows.sort(key=lambda row: row["case"])
        else:
            rows = list(asked(getattr(snippets, part)()))
        answers.write(options.out / f"{part}.jsonl.gz", machine(options.commit), rows)
        print(part, len(rows), flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
