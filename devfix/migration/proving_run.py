"""Proving run: the proof that a campaign asks for, in a repository's own files."""

from __future__ import annotations

import io
import shlex
import tempfile
from collections import Counter
from contextlib import redirect_stderr
from pathlib import Path
from typing import Any

from devfix.config import ConfigError
from devfix.migration.campaign import Campaign, Repository
from devfix.migration.rewriting import engine_for, wanted_of, within
from devfix.migration.steps import Made, Outcome, StepEndError
from devfix.proof.document import proofs_document
from devfix.proof.inquiry import Inquiry, Wishes, find_subjects
from devfix.proof.laboratory import Laboratory
from devfix.proof.rewriting import rewrite
from devfix.proof.subject import SubjectError, files_of
from devfix.proof.verdict import Proof, Verdict
from devfix.proof.witness import Witness, find_witness
from devfix.sandbox.limits import Limits

#: Nobody can say that a program was changed for the worse where it cannot be run at all.
_NO_FAULT = (Verdict.FIXED, Verdict.WAS_FINE, Verdict.CANNOT_RUN)


def find_campaign_witness(campaign: Campaign) -> Witness:
    """What proofs are run with; never an interpreter that a repository brings. Raises WitnessError."""
    return find_witness("auto", None, campaign.place)


def prove(campaign: Campaign, repository: Repository, witness: Witness, tree: Path, temporary: Path) -> Made:
    """Run the programs before and after the fixes; ``tree`` holds them as they are. Raises StepEndError."""
    log = io.StringIO()
    usual = tempfile.tempdir
    tempfile.tempdir = str(temporary)
    try:
        with within(tree), redirect_stderr(log):
            proofs = _proofs(campaign, repository, witness)
    except SubjectError as error:
        # The command of a whole campaign need not fit every repository.
        return Made({"verdicts": {}, "programs": [], "note": str(error)}, log=log.getvalue())
    except ConfigError as error:
        raise StepEndError(Outcome.FAILED, f"cannot be proven: {error}", log.getvalue()) from error
    finally:
        tempfile.tempdir = usual
    data: dict[str, Any] = proofs_document(proofs, witness)
    data["verdicts"] = dict(Counter(proof.verdict.value for proof in proofs))
    refuted = [proof for proof in proofs if proof.verdict not in _NO_FAULT]
    if refuted:
        first = refuted[0]
        reason = f"not proven: {first.program} {first.verdict.value}: {first.reason}"
        raise StepEndError(Outcome.FAILED, reason, log.getvalue(), data)
    return Made(data, log=log.getvalue())


def _proofs(campaign: Campaign, repository: Repository, witness: Witness) -> list[Proof]:
    script, *arguments = shlex.split(repository.prove)
    engine, wanted = engine_for(campaign, repository, Path()), wanted_of(campaign)
    target = Path(script)
    subjects = find_subjects(target, arguments, engine)
    limits = Limits(seconds=campaign.limits.prove, memory=campaign.limits.memory)
    laboratory = Laboratory(witness, limits, campaign.limits.repository, campaign.network, None)
    files = [target] if target.is_dir() else files_of(subjects[0])
    return Inquiry(laboratory, Wishes(), engine, wanted).of_programs(
        subjects, rewrite(files, engine, wanted, jobs=1)
    )
