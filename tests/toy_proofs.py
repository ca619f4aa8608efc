"""Proofs without torch: a fake launcher, toy rules, and programs in a folder of their own."""

from __future__ import annotations

import sys
import textwrap
from dataclasses import replace
from pathlib import Path

from fakes import UNSAFE, WordRule, toy_engine

from devfix.engine import Engine
from devfix.findings import Applicability
from devfix.proof.inquiry import Inquiry, Wishes, find_subjects
from devfix.proof.laboratory import Laboratory
from devfix.proof.rewriting import rewrite
from devfix.proof.subject import files_of
from devfix.proof.verdict import Proof
from devfix.proof.witness import Witness
from devfix.registry import Rule
from devfix.sandbox.enclosure import OPEN
from devfix.sandbox.limits import MIB, Limits

LAUNCHER = Path(__file__).with_name("fake_launcher.py")
#: `bad` fails on an accelerator; `worse` may be rounded; `odd` is "fixed" to something that gives another number.
RULES: list[Rule] = [
    WordRule("DF101", "bad", "good"),
    WordRule("DF102", "worse", "better", UNSAFE),
    WordRule("DF103", "odd", "even"),
]
WITNESS = Witness(sys.executable, "3.11", "2.13", note="there is no GPU here")
LIMITS = Limits(seconds=30, memory=400 * MIB, processes=40, output=4 * MIB, grace=0.3)


def write(folder: Path, texts: dict[str, str]) -> None:
    """Programs in a folder, with a torch that takes no time to import."""
    for name, text in {"torch.py": "", **texts}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))


def engine() -> Engine:
    return toy_engine(*RULES)


def proof_of(
    script: Path,
    *arguments: str,
    limits: Limits = LIMITS,
    witness: Witness = WITNESS,
    wanted: Applicability = Applicability.SAFE,
    wishes: Wishes | None = None,
    **conditions: object,
) -> Proof:
    """The proof of one script with what the toy rules make of it."""
    # Without namespaces a run takes half the time, and has as much to withstand.
    laboratory = replace(Laboratory(witness, limits, isolation=OPEN), **conditions)  # type: ignore[arg-type]
    subjects = find_subjects(script, arguments, engine())
    rewriting = rewrite(files_of(subjects[0]), engine(), wanted, 1)
    inquiry = Inquiry(laboratory, wishes or Wishes(), engine(), wanted)
    return inquiry.of_programs(subjects, rewriting)[0]
