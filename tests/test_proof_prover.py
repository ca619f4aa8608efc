"""Several proofs at a time, and what is left when devfix is told to stop: nothing."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from sandbox_children import eventually, processes_with
from toy_proofs import LAUNCHER

from devfix.proof.prover import Prover
from devfix.proof.verdict import Proof, Verdict

_PROVING = """
import sys
from pathlib import Path
from toy_proofs import LAUNCHER, WITNESS
from devfix.proof import laboratory
from devfix.proof.case import Version
from devfix.proof.prover import Prover
from devfix.proof.subject import script_subject
from devfix.proof.trial import Trial
from devfix.sandbox.limits import Limits
laboratory.LAUNCHER = LAUNCHER
subject = script_subject(Path("wait.py"), sys.argv[1:], Path.cwd())
trial = Trial(laboratory.Laboratory(WITNESS, Limits()), Version(subject), None, lambda _before: None)
list(Prover(2).run(lambda trial: trial.proof(), [trial] * 4))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for in /proc")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_every_child_ends_with_devfix(tmp_path: Path, number: signal.Signals) -> None:
    for name in ("project", "boxes"):
        (tmp_path / name).mkdir()
    (tmp_path / "project" / "wait.py").write_text("import time\ntime.sleep(600)\n")
    token = secrets.token_hex(8)
    paths = [str(LAUNCHER.parent), str(LAUNCHER.parents[1])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "TMPDIR": str(tmp_path / "boxes")}
    command = [sys.executable, "-c", _PROVING, token]
    devfix = subprocess.Popen(command, cwd=tmp_path / "project", env=environment, stderr=subprocess.DEVNULL)
    assert eventually(lambda: len(set(processes_with(f"wait.py\0{token}"))) >= 2)
    devfix.send_signal(number)
    assert devfix.wait() != 0
    assert processes_with(token) == []
    assert list((tmp_path / "boxes").iterdir()) == []


def test_proofs_come_in_the_order_of_the_works() -> None:
    met = threading.Barrier(2)

    def prove(name: str) -> Proof:
        met.wait(20)
        return Proof(name, Verdict.WAS_FINE)

    assert [proof.program for proof in Prover(2).run(prove, ["b", "a"])] == ["b", "a"]
