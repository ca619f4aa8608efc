"""Document: the proofs of a run as JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from devfix.proof.printed import declared
from devfix.proof.run import Run
from devfix.proof.verdict import Proof, Stage
from devfix.proof.witness import Witness

#: Raised when a key changes its meaning or goes; new keys do not raise it.
SCHEMA_VERSION = 1


def render_document(proofs: Sequence[Proof], witness: Witness, exit_code: int) -> str:
    """One object: the witness, the programs with their runs, and the counts."""
    document = {"version": SCHEMA_VERSION, **proofs_document(proofs, witness)}
    document["summary"]["exit_code"] = exit_code
    return json.dumps(document, indent=2) + "\n"


def proofs_document(proofs: Sequence[Proof], witness: Witness) -> dict[str, Any]:
    """The same as plain values."""
    return {
        "witness": {
            "name": witness.name,
            "kind": witness.kind,
            "gpu": witness.gpu,
            "interpreter": witness.python,
            "python": witness.python_version,
            "torch": witness.torch,
            "note": witness.note,
        },
        "programs": [_program(proof) for proof in proofs],
        "summary": {
            "programs": len(proofs),
            "proven": sum(proof.proven for proof in proofs),
            **Counter(proof.verdict.value for proof in proofs),
        },
    }


def _program(proof: Proof) -> dict[str, Any]:
    names = {Stage.BEFORE_ON_CPU: "before_on_cpu"}
    return {
        "program": proof.program,
        "verdict": proof.verdict.value,
        "proven": proof.proven,
        "expected": proof.expected,
        "reason": proof.reason,
        "notes": list(proof.notes),
        "seconds": round(proof.seconds, 3),
        "changes": asdict(proof.changes),
        "comparisons": [{**asdict(each), "same": each.same} for each in proof.comparisons],
        **{names.get(stage, stage.value): _run(proof.run(stage)) for stage in Stage},
    }


def _run(run: Run | None) -> dict[str, Any] | None:
    if run is None:
        return None
    ending, record = run.ending, run.record
    return {
        "finished": run.finished,
        "failure": None if run.failure is None else asdict(run.failure),
        "results": declared(run.output),
        "status": ending.status,
        "limit": ending.limit,
        "seconds": round(ending.seconds, 3),
        "peak_memory": ending.peak_memory,
        "peak_processes": ending.peak_processes,
        "network_off": ending.network_off,
        "isolation": asdict(ending.isolation),
        "steps": 0 if record is None else record.steps,
        "mismatches": 0 if record is None else len(record.mismatches),
    }
