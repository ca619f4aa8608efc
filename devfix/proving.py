"""Proving: the commands that run the user's code, from options to an exit code."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from devfix.commands import Options, engine_of, output_of
from devfix.findings import Applicability
from devfix.guard import guarded
from devfix.proof.application import Application, apply_proven
from devfix.proof.document import proofs_document, render_document
from devfix.proof.inquiry import Wishes, exit_code, inquire
from devfix.proof.subject import SubjectError
from devfix.proof.table import render_table
from devfix.proof.witness import WitnessError
from devfix.report.diff import render_diff
from devfix.report.formats import FOR_PEOPLE
from devfix.reporting import Output, rendered, report_faults, write_bytes, write_report
from devfix.usage import UsageError


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
    if options.output.format == "json":
        text = render_document(proofs, witness, code)
    else:
        text = render_table(proofs, witness, options.output.paint_of_report(sys.stdout))
    write_report(text, options.output, sys.stdout)
    sys.stderr.write("".join(f"error: {fault}\n" for fault in faults))
    return code


def _apply(options: Options, commands: Sequence[str], wishes: Wishes) -> int:
    if options.filters:
        raise UsageError("`-` cannot be proven; name a script")
    engine = engine_of(options)
    output = output_of(options, engine)
    done = apply_proven(
        commands,
        options.paths,
        wishes,
        engine,
        _wanted(options),
        write=not options.diff,
        baseline=options.wishes,
    )
    done = replace(done, results=replace(done.results, policy=output.policy))
    sys.stderr.writelines(f"{line}\n" for line in done.said)
    stream = sys.stderr if options.diff else sys.stdout
    if options.diff:
        write_bytes(render_diff(done.results, output.paint_of_patch(sys.stdout)))
    code = _exit_code(done)
    text = rendered(done.results, output, engine, stream)
    if output.format == "json" and not output.statistics:
        text = _document(done, text, code)
    else:
        # Other programs read their format alone.
        _tell_proofs(done, output, stream if output.format in FOR_PEOPLE else sys.stderr)
    write_report(text, output, stream)
    report_faults(done.results, output)
    return code


def _exit_code(done: Application) -> int:
    unproven = int(not all(proof.proven for proof in done.proofs) or bool(done.held_back))
    return max(done.results.exit_code, 0 if done.results.policy.exit_zero else unproven)


def _tell_proofs(done: Application, output: Output, stream: TextIO) -> None:
    stream.write(render_table(done.proofs, done.witness, output.paint_for(stream)))
    stream.writelines(f"not written, since it is not proven: {path}\n" for path in done.held_back)


def _document(done: Application, text: str, code: int) -> str:
    document = json.loads(text)
    document["summary"]["exit_code"] = code
    document["proof"] = {**proofs_document(done.proofs, done.witness), "held_back": list(done.held_back)}
    return json.dumps(document, indent=2) + "\n"


def _wanted(options: Options) -> Applicability:
    return Applicability.UNSAFE if options.unsafe else Applicability.SAFE
