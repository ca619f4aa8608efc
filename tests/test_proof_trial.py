"""Verdicts on programs that run for real, on an accelerator that is only a word: what each run decides."""

from __future__ import annotations

import os
import secrets
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from sandbox_children import processes_with, state
from toy_proofs import LAUNCHER, LIMITS, WITNESS, proof_of, write

from devfix.findings import Applicability
from devfix.proof import laboratory
from devfix.proof.inquiry import Wishes
from devfix.proof.verdict import Proof, Stage, Verdict
from devfix.sandbox.limits import Limits
from devfix.sandbox.supervision import strongest_isolation

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the traces of a run are looked for in /proc")

pytest_plugins = ["preloaded"]


@pytest.fixture(autouse=True)
def _toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ready: None) -> None:
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    monkeypatch.setattr(laboratory, "LAUNCHER", LAUNCHER)


def prove(text: str, **conditions: object) -> Proof:
    """The proof of a program; nothing of the user's changes, and nothing goes on running."""
    write(Path.cwd(), {"train.py": f"import torch\n{text}\n"})
    before, token = state(Path.cwd()), secrets.token_hex(8)
    os.environ["DEVFIX_TEST_TOKEN"] = token
    try:
        proof = proof_of(Path("train.py"), **conditions)  # type: ignore[arg-type]
        # The process of the tests itself has it in its environment only since it started.
        assert processes_with(token) == []
    finally:
        del os.environ["DEVFIX_TEST_TOKEN"]
    assert state(Path.cwd()) == before
    return proof


def stages(proof: Proof) -> list[Stage]:
    return [stage for stage, _ in proof.runs]


# ---- what is proven


def test_a_program_that_fails_and_is_repaired() -> None:
    proof = prove("print('RESULT', bad(1.5))")
    assert (proof.verdict, proof.reason, proof.proven) == (Verdict.FIXED, "", True)
    assert stages(proof) == [Stage.BEFORE, Stage.AFTER, Stage.REFERENCE, Stage.BEFORE_ON_CPU]
    before = proof.run(Stage.BEFORE)
    assert before is not None
    assert before.failure is not None
    assert before.failure.place is not None
    assert before.failure.place.file == str(Path.cwd() / "train.py")
    assert before.failure.place.line == 2
    assert (proof.changes.files, proof.changes.findings, proof.changes.safe) == (("train.py",), 1, True)
    assert [(each.by, each.same) for each in proof.comparisons] == [("declared results", True)] * 2


def test_the_same_in_namespaces() -> None:
    write(Path.cwd(), {"helper.py": "value = 2.5\n"})
    proof = prove("import helper\nprint('RESULT', bad(helper.value))", isolation=strongest_isolation())
    assert proof.verdict is Verdict.FIXED
    before = proof.run(Stage.BEFORE)
    assert before is not None
    assert before.failure is not None
    assert before.failure.place is not None
    assert before.failure.place.file == str(Path.cwd() / "train.py")
    assert Path.cwd() / "helper.py" in before.modules


def test_a_program_that_needs_nothing() -> None:
    proof = prove("print('RESULT', good(1.5))")
    assert (proof.verdict, stages(proof)) == (Verdict.WAS_FINE, [Stage.BEFORE])


def test_a_program_that_runs_with_and_without_its_fixes() -> None:
    proof = prove("print('RESULT', good(1.5) if ACCELERATOR else bad(1.5))")
    assert proof.verdict is Verdict.WAS_FINE
    assert len(proof.comparisons) == 2


def test_a_program_that_ends_itself_without_an_error() -> None:
    assert prove("import sys; print('RESULT', bad(1)); sys.exit(0)").verdict is Verdict.FIXED


def test_before_and_after_alone() -> None:
    proof = prove("bad()", wishes=Wishes(on_cpu=False))
    assert (proof.verdict, stages(proof)) == (Verdict.FIXED, [Stage.BEFORE, Stage.AFTER])


# ---- what still fails


def test_a_program_that_no_fix_helps() -> None:
    proof = prove("raise RuntimeError('expected all tensors to be on the same device') if ACCELERATOR else 0")
    assert proof.verdict is Verdict.STILL_FAILS
    assert not proof.proven


def test_unsafe_fixes_that_were_not_tried_are_told() -> None:
    failing = "raise RuntimeError('expected all tensors to be on the same device') if ACCELERATOR else 0"
    proof = prove(f"worse(1)\n{failing}")
    assert (proof.verdict, proof.notes) == (
        Verdict.STILL_FAILS,
        ("1 unsafe fix was not tried; add --unsafe",),
    )
    assert prove(f"worse(1)\n{failing}", wanted=Applicability.UNSAFE).notes == ()


def test_a_failure_in_no_known_words_counts_when_the_cpu_has_none() -> None:
    proof = prove("bad()\nif ACCELERATOR: raise ValueError('never heard of')")
    assert (proof.verdict, proof.reason) == (Verdict.STILL_FAILS, "ValueError: never heard of (train.py:3)")


# ---- results


def test_a_safe_fix_may_not_change_the_result_on_the_cpu() -> None:
    proof = prove("bad()\nprint('RESULT', odd(1))")
    assert proof.verdict is Verdict.CHANGED_RESULT
    assert proof.reason == "before and after on the CPU differ in declared results: 1 against 2 in `RESULT`"


def test_printed_numbers_are_compared_where_nothing_is_declared() -> None:
    proof = prove("bad()\nprint('loss', odd(1.5), 'took 3.1 s')")
    assert proof.verdict is Verdict.CHANGED_RESULT
    assert "printed numbers: 1.5 against 2.5 in `loss 1.5 took 3.1 s`" in proof.reason


def test_parameters_are_compared_where_nothing_is_printed() -> None:
    proof = prove("bad()\ntrained(odd(1), 2)")
    assert proof.verdict is Verdict.CHANGED_RESULT
    assert proof.reason.endswith("in parameters: the trained parameters differ, by up to 1")


def test_the_parameters_tell_what_the_printed_numbers_hide() -> None:
    assert prove("bad()\nprint('loss 0.5')\ntrained(odd(1))").verdict is Verdict.CHANGED_RESULT


def test_where_nothing_can_be_compared_the_proof_says_so() -> None:
    proof = prove("bad()")
    assert proof.verdict is Verdict.FIXED
    assert [note.partition(":")[0] for note in proof.notes] == ["nothing to compare"]


def test_the_witness_has_to_come_to_the_result_of_the_cpu() -> None:
    proof = prove("print('RESULT', bad(1) + 0.00001 * ACCELERATOR)")
    assert proof.verdict is Verdict.CHANGED_RESULT
    assert proof.reason.startswith("after and CPU reference differ")


def test_a_gpu_may_round_otherwise() -> None:
    gpu = replace(WITNESS, gpu="a real one")
    assert prove("print('RESULT', bad(1) + 0.00001 * ACCELERATOR)", witness=gpu).verdict is Verdict.FIXED
    far = prove("print('RESULT', bad(1) + 0.5 * ACCELERATOR)", witness=gpu)
    assert far.verdict is Verdict.CHANGED_RESULT


def test_a_gpu_draws_random_numbers_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DREW_ON_DEVICE", "1")
    proof = prove("print('RESULT', bad(1) + 0.5 * ACCELERATOR)", witness=replace(WITNESS, gpu="a real one"))
    assert proof.verdict is Verdict.FIXED
    assert "random numbers drawn on the GPU" in proof.notes[0]


def test_an_unsafe_fix_may_round() -> None:
    program = "bad()\nprint('RESULT', worse(1.0))"
    assert prove(program, wanted=Applicability.UNSAFE).verdict is Verdict.FIXED
    strict = Wishes(tolerance=1e-6)
    assert prove(program, wanted=Applicability.UNSAFE, wishes=strict).verdict is Verdict.CHANGED_RESULT


def test_a_program_that_differs_from_itself_is_not_said_to_be_changed() -> None:
    proof = prove("import os\nbad()\nprint('RESULT', int.from_bytes(os.urandom(6), 'big'))")
    assert proof.verdict is Verdict.FIXED
    assert "changes from run to run" in proof.notes[0]


def test_a_fix_that_breaks_a_program_changes_its_result() -> None:
    proof = prove("odd('text')")
    assert proof.verdict is Verdict.CHANGED_RESULT
    assert proof.reason.startswith("it ran before, and as rewritten fails: TypeError")


def test_a_fix_that_breaks_a_program_on_the_cpu_alone() -> None:
    proof = prove("bad()\nif not ACCELERATOR: odd('text')")
    assert proof.verdict is Verdict.CHANGED_RESULT
    assert proof.reason.startswith("on the CPU it ran before, and as rewritten fails: TypeError")


def test_a_program_that_needs_an_accelerator_has_no_reference() -> None:
    proof = prove("print('RESULT', bad(1))\nassert ACCELERATOR")
    assert proof.verdict is Verdict.FIXED
    assert proof.notes[0].startswith("no reference: on the CPU it AssertionError")


# ---- what cannot be proven

SMALL = replace(LIMITS, output=1 << 20)


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("while True: pass", "it did not end in time (2 s)"),
        ("if bad() == 0:\n  while True: pass", "as rewritten it did not end in time (2 s)"),
    ],
)
def test_a_program_that_does_not_end(program: str, reason: str) -> None:
    proof = prove(program, limits=replace(LIMITS, seconds=2.0))
    assert (proof.verdict, proof.reason) == (Verdict.CANNOT_RUN, reason)


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("import os\nwhile True: os.fork()", "it started more processes than it may (40)"),
        ("kept = []\nwhile True: kept.append(bytearray(1 << 20))", "it took more memory than it may (400 MiB)"),
        ("while True: print('spam' * 999)", "it printed more than it may (1 MiB)"),
        ("import sys; sys.exit(3)", "it exits with status 3"),
        ("import sys; sys.exit('no data')", "it exits with status 1: no data"),
        ("import os; os._exit(4)", "it was gone before it could say how it ended"),
        ("import os; os.kill(os.getpid(), 9)", "it was killed by SIGKILL"),
        ("input()", "EOFError: EOF when reading a line (train.py:2); it reads standard input, which is empty"),
        ("import nowhere", "ModuleNotFoundError: No module named 'nowhere' (train.py:2); it needs the package `nowhere`"),
        ("open('data.csv')", "FileNotFoundError: [Errno 2] No such file or directory: 'data.csv' (train.py:2); it needs a file that is not there"),
        ("raise KeyError('mine')", "KeyError: 'mine' (train.py:2)"),
        ("bad(); raise KeyError('mine')", "KeyError: 'mine' (train.py:2)"),
    ],
)  # fmt: skip
def test_a_program_that_misbehaves(program: str, reason: str) -> None:
    proof = prove(program, limits=SMALL)
    assert (proof.verdict, proof.reason) == (Verdict.CANNOT_RUN, reason)


def test_a_program_that_cannot_be_parsed() -> None:
    proof = prove("def (:")
    assert proof.verdict is Verdict.CANNOT_RUN
    assert proof.reason.startswith("SyntaxError: ")


def test_a_folder_that_is_too_large_is_not_copied() -> None:
    (Path.cwd() / "large.bin").write_bytes(bytes(1 << 16))
    proof = prove("bad()", max_copy=1 << 10)
    assert proof.verdict is Verdict.CANNOT_RUN
    assert "its largest file is large.bin (64 KiB)" in proof.reason


def test_an_interpreter_that_is_not_there() -> None:
    proof = prove("bad()", witness=replace(WITNESS, python="/no/such/python"), limits=Limits())
    assert proof.verdict is Verdict.CANNOT_RUN
    assert proof.reason.startswith("/no/such/python cannot be run")
