"""Proving: the commands that run the user's code, from options to an exit code."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from devfix.commands import Options, UsageError, engine_of, guarded, paint_for, rendered, write_bytes
from devfix.findings import Applicability
from devfix.proof.application import Application, apply_proven
from devfix.proof.document import proofs_document, render_document
from devfix.proof.inquiry import Wishes, exit_code, inquire
from devfix.proof.subject import SubjectError
from devfix.proof.table import render_table
from devfix.proof.witness import WitnessError
from devfix.report.diff import render_diff
from devfix.report.faults import render_faults


def prove(options: Options, target: Path, arguments: Sequence[str], wishes: Wishes) -> int:
    """Run programs as they are and as rewritten, and say what that proves. Writes nothing."""
    return guarded(lambda: _told(lambda: _prove(options, target, arguments, wishes)))


def apply_if_proven(options: Options, commands: Sequence[str], wishes: Wishes) -> int:
    """Apply fixes to the programs that are proven with them, or show them as a patch."""
    return guarded(lambda: _told(lambda: _apply(options, commands, wishes)))


def _told(command: Callable[[], int]) -> int:
    try:
        return command()
    except (SubjectError, WitnessError) as error:
        raise UsageError(str(error)) from error


def _prove(options: Options, target: Path, arguments: Sequence[str], wishes: Wishes) -> int:
    proofs, witness, faults = inquire(target, arguments, wishes, engine_of(options), _wanted(options))
    code = exit_code(proofs, faults)
    if options.output_format == "json":
        sys.stdout.write(render_document(proofs, witness, code))
    else:
        sys.stdout.write(render_table(proofs, witness, paint_for(options, sys.stdout)))
    sys.stdout.flush()
    sys.stderr.write("".join(f"error: {fault}\n" for fault in faults))
    return code


def _apply(options: Options, commands: Sequence[str], wishes: Wishes) -> int:
    if options.filters:
        raise UsageError("`-` cannot be proven; name a script")
    done = apply_proven(
        commands, options.paths, wishes, engine_of(options), _wanted(options), write=not options.diff
    )
    stream = sys.stderr if options.diff else sys.stdout
    if options.diff:
        write_bytes(render_diff(done.results, paint_for(options, sys.stdout)))
    code = max(
        done.results.exit_code, int(not all(proof.proven for proof in done.proofs)), int(bool(done.held_back))
    )
    if options.output_format == "json":
        stream.write(_document(done, options, code))
    else:
        stream.write(render_table(done.proofs, done.witness, paint_for(options, stream)))
        stream.writelines(f"not written, since it is not proven: {path}\n" for path in done.held_back)
        stream.write(rendered(done.results, options, stream))
    stream.flush()
    sys.stderr.write(render_faults(done.results, paint_for(options, sys.stderr)))
    return code


def _document(done: Application, options: Options, code: int) -> str:
    document = json.loads(rendered(done.results, options, sys.stdout))
    document["summary"]["exit_code"] = code
    document["proof"] = {**proofs_document(done.proofs, done.witness), "held_back": list(done.held_back)}
    return json.dumps(document, indent=2) + "\n"


def _wanted(options: Options) -> Applicability:
    return Applicability.UNSAFE if options.unsafe else Applicability.SAFE
