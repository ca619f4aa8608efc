"""Mending what runs show: the search for a program that runs through, with runs that are made up."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest
from observed_reports import Report, locate, operand, record
from text_program import files, rules

from devfix.config import Settings
from devfix.differences import lines_before
from devfix.engine import Engine
from devfix.findings import Applicability
from devfix.observation.pruning import pruned
from devfix.observation.record import ObservedMismatch, parse_record
from devfix.observation.repair import Repair, Repairer
from devfix.observation.search import Search, State
from devfix.observation.trial import Trial
from devfix.project import Program, Project
from devfix.source import Source

#: What a run of a program shows, by its texts.
Shown = Callable[[Mapping[str, str]], Trial]

TEXTS = files("""
    import torch

    device = torch.device("cuda")

    def shifted(x):
        offset = getattr(torch, input())(4)
        return x + offset

    print(shifted(torch.ones(4).to(device)))
""")


class FakeStage:
    """Shows what it is told to, and remembers what was run."""

    def __init__(self, shown: Shown) -> None:
        self.shown = shown
        self.runs: list[tuple[str, Mapping[str, str]]] = []

    def run(self, texts: Mapping[str, str], mode: str, kind: str = "cuda") -> Trial:
        """Show what was made up for the texts."""
        self.runs.append((mode, texts))
        return self.shown(texts)

    def locate(self, file: str) -> str | None:
        """The path of a file in the made-up folder."""
        return locate(file)


def _trial(*mismatches: ObservedMismatch, **outcome: object) -> Trial:
    return Trial(replace(parse_record(record([], **outcome)), mismatches=mismatches))


def _clash(texts: Mapping[str, str], *, count: int = 1) -> ObservedMismatch:
    """``offset`` is on the CPU, wherever it is written."""
    report = Report(texts)
    text = texts["main.py"]
    made = text.split("offset = ")[1].splitlines()[0]
    return report.mismatch(
        "aten::add",
        [report.place(text.split("return ")[1].splitlines()[0])],
        [
            operand("self", "cuda:0", ["x"], report.made("move", "Tensor.to", "torch.ones(4).to(device)")),
            operand("other", "cpu", ["offset"], report.made("factory", "torch.arange", made)),
        ],
        [{"x": "tensor:cuda:0 float32 4", "offset": "tensor:cpu float32 4"}],
        count=count,
    )


def _program(texts: Mapping[str, str]) -> Program:
    return Project([Source(path, text) for path, text in texts.items()], roots=("",)).whole()


def _repaired(stage: FakeStage, texts: Mapping[str, str] = TEXTS, **options: object) -> Repair:
    repairer = Repairer(Engine(rules(), Settings()), stage, **options)  # type: ignore[arg-type]
    return repairer.repair(_program(texts), stage.run(texts, "heal"))


def _text(repair: Repair) -> str:
    return repair.end.texts["main.py"]


def test_a_program_without_a_mismatch_is_not_touched_and_not_run_again() -> None:
    stage = FakeStage(lambda _texts: _trial())
    repair = _repaired(stage)
    assert repair.verdict == "clean"
    assert repair.end.texts == TEXTS
    assert len(stage.runs) == 1


@pytest.mark.parametrize(
    ("status", "verdict", "reason"), [(2, "cannot-run", "it exited with status 2"), (0, "clean", "")]
)
def test_a_program_may_say_by_its_status_that_it_failed(status: int, verdict: str, reason: str) -> None:
    stage = FakeStage(lambda _texts: _trial(how="exited", status=status))
    repair = _repaired(stage)
    assert (repair.verdict, repair.reason) == (verdict, reason)
    assert repair.end.texts == TEXTS


def test_a_program_that_leaves_has_the_last_word() -> None:
    said = replace(
        _trial(how="exited", status=2),
        output="hello\n",
        errors="usage: main.py\nmain.py: error: --data is missing\n\n",
    )
    repair = _repaired(FakeStage(lambda _texts: said))
    assert repair.reason == "it exited with status 2 and said `main.py: error: --data is missing`"


def test_what_one_run_showed_is_mended_and_proven_by_a_strict_run() -> None:
    stage = FakeStage(
        lambda texts: _trial() if "device=x.device" in texts["main.py"] else _trial(_clash(texts))
    )
    repair = _repaired(stage)
    assert repair.verdict == "fixed"
    assert [mode for mode, _ in stage.runs] == ["heal", "heal", "strict"]
    [mended] = repair.end.mended
    assert mended.witness == "run"
    assert mended.finding.fix is not None
    assert "seen in a run" in mended.finding.fix.title


def test_a_fix_that_breaks_the_program_gives_way_to_the_next() -> None:
    def shown(texts: Mapping[str, str]) -> Trial:
        if "device=x.device" in texts["main.py"]:
            error = {"type": "TypeError", "message": "unexpected keyword", "frames": []}
            return _trial(how="raised", status=1, error=error)
        return _trial() if "(4).to(x.device)\n" in texts["main.py"] else _trial(_clash(texts))

    repair = _repaired(FakeStage(shown))
    assert repair.verdict == "fixed"
    assert _text(repair) == TEXTS["main.py"].replace("())(4)", "())(4).to(x.device)")


def test_a_fix_after_which_the_program_leaves_with_another_status_gives_way_to_the_next() -> None:
    def shown(texts: Mapping[str, str]) -> Trial:
        text = texts["main.py"]
        if "device=x.device" in text:
            return _trial(how="exited", status=1)
        return _trial() if "offset.to(" in text else _trial(_clash(texts))

    repair = _repaired(FakeStage(shown))
    assert repair.verdict == "fixed"
    assert "offset.to(" in _text(repair)


@pytest.mark.parametrize(
    ("before", "last", "verdict"),
    [(0, 0, "fixed"), (3, 3, "fixed"), (0, 1, "still-fails"), (3, 1, "still-fails")],
)
def test_a_repaired_program_ends_with_the_status_that_it_had(before: int, last: int, verdict: str) -> None:
    class Ending(FakeStage):
        def run(self, texts: Mapping[str, str], mode: str, kind: str = "cuda") -> Trial:
            if mode == "strict":
                return _trial(how="exited", status=last)
            return super().run(texts, mode, kind)

    def shown(texts: Mapping[str, str]) -> Trial:
        left = [] if "device=x.device" in texts["main.py"] else [_clash(texts)]
        return _trial(*left, how="exited", status=before)

    repair = _repaired(Ending(shown))
    assert repair.verdict == verdict
    assert bool(repair.reason) == (last != 0)


def test_a_fix_that_does_not_help_is_taken_back() -> None:
    stage = FakeStage(lambda texts: _trial() if "offset.to(" in texts["main.py"] else _trial(_clash(texts)))
    repair = _repaired(stage)
    assert repair.verdict == "fixed"
    assert _text(repair) == TEXTS["main.py"].replace("x + offset", "x + offset.to(x.device)")


def test_a_line_that_is_reached_less_often_has_got_better() -> None:
    def shown(texts: Mapping[str, str]) -> Trial:
        if "offset.to(" in texts["main.py"]:
            return _trial()
        return _trial(_clash(texts, count=3 if "device=x.device" in texts["main.py"] else 7))

    repair = _repaired(FakeStage(shown))
    assert repair.verdict == "fixed"
    assert "x + offset.to(x.device)" in _text(repair)


def test_what_is_not_needed_in_the_end_is_taken_back() -> None:
    def shown(texts: Mapping[str, str]) -> Trial:
        text = texts["main.py"]
        if "offset.to(" in text:
            return _trial()
        return _trial(_clash(texts, count=3 if "device=x.device" in text else 7))

    assert "device=x.device" not in _text(_repaired(FakeStage(shown)))


def test_nothing_is_changed_where_nothing_helps() -> None:
    stage = FakeStage(lambda texts: _trial(_clash(texts)))
    repair = _repaired(stage)
    assert repair.verdict == "still-fails"
    assert repair.end.texts == TEXTS
    assert len(stage.runs) < 40


def test_a_program_that_fails_for_reasons_of_its_own_cannot_be_run() -> None:
    error = {"type": "FileNotFoundError", "message": "no such file", "frames": []}
    repair = _repaired(FakeStage(lambda _texts: _trial(how="raised", status=1, error=error)))
    assert (repair.verdict, repair.reason) == ("cannot-run", "FileNotFoundError: no such file")
    assert repair.end.texts == TEXTS


class Catching(FakeStage):
    """Its program catches what its mismatch raises, and fails later; only an insisting run shows it."""

    def run(self, texts: Mapping[str, str], mode: str, kind: str = "cuda") -> Trial:
        shown = super().run(texts, mode, kind)
        caught = shown.record is not None and shown.record.mismatches and mode != "insist"
        return _trial(how="exited", status=1) if caught else shown


def test_what_a_program_catches_before_it_fails_is_looked_for_as_well() -> None:
    stage = Catching(
        lambda texts: _trial() if "device=x.device" in texts["main.py"] else _trial(_clash(texts))
    )
    repair = _repaired(stage)
    assert repair.verdict == "fixed"
    assert [mode for mode, _ in stage.runs] == ["heal", "insist", "insist", "strict"]


def test_a_program_that_catches_and_ends_well_has_its_way() -> None:
    class Answering(FakeStage):
        def run(self, texts: Mapping[str, str], mode: str, kind: str = "cuda") -> Trial:
            return super().run(texts, mode, kind) if mode == "insist" else _trial()

    repair = _repaired(Answering(lambda texts: _trial(_clash(texts))))
    assert (repair.verdict, repair.end.texts) == ("clean", TEXTS)


def test_a_run_without_a_report_says_why() -> None:
    repair = _repaired(FakeStage(lambda _texts: Trial(None, problem="it did not end in time")))
    assert (repair.verdict, repair.reason) == ("cannot-run", "it did not end in time")


def test_what_the_analysis_knows_goes_first() -> None:
    texts = files("""
        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

        def masked(x):
            return x * torch.ones(3)

        print(masked(torch.ones(3).to(device)))
    """)

    def shown(texts: Mapping[str, str]) -> Trial:
        report = Report(texts)
        if "torch.ones(3, device=" in texts["main.py"]:
            return _trial()
        operands = [operand("self", "cuda:0", ["x"]), operand("other", "cpu")]
        return _trial(report.mismatch("aten::mul", [report.place("x * torch.ones(3)")], operands))

    repair = _repaired(FakeStage(shown), texts)
    assert repair.verdict == "fixed"
    assert [mended.witness for mended in repair.end.mended] == ["analysis"]


def test_casts_are_left_out_where_only_safe_fixes_are_wanted() -> None:
    def shown(texts: Mapping[str, str]) -> Trial:
        if ".float()" in texts["main.py"]:
            return _trial()
        report = Report(texts)
        odd = operand("mat1", "cuda:0", ["offset"], dtype="float64", blamed=True)
        operands = [odd, operand("mat2", "cuda:0", ["x"])]
        return _trial(
            report.mismatch(
                "aten::mm", [report.place("x + offset")], operands, kind="dtype", wanted="float32"
            )
        )

    assert _repaired(FakeStage(shown)).verdict == "fixed"
    assert _repaired(FakeStage(shown), wanted=Applicability.SAFE).verdict == "still-fails"


def test_lines_are_told_by_what_they_were() -> None:
    before = ["a\n", "b\n", "c\n"]
    assert lines_before(before, ["a\n", "new\n", "b\n", "c\n"]) == [1, 2, 2, 3]
    assert lines_before(before, ["a\n", "B\n", "c\n"]) == [1, 2, 3]
    assert lines_before(before, ["c\n"]) == [3]


def test_when_the_time_is_up_nothing_more_is_tried() -> None:
    stage = FakeStage(lambda texts: _trial(_clash(texts)))
    repair = _repaired(stage, is_late=lambda: True)
    assert (repair.verdict, repair.is_late) == ("still-fails", True)
    assert len(stage.runs) == 1
    assert not _repaired(FakeStage(lambda texts: _trial(_clash(texts)))).is_late


def test_many_changes_are_taken_back_in_shares() -> None:
    lines = [f"x{number} = {number}" for number in range(20)]
    needed = lines[7]

    def shown(texts: Mapping[str, str]) -> Trial:
        return _trial() if f"{needed} + 1" in texts["main.py"] else _trial(_clash(TEXTS))

    stage = FakeStage(shown)
    before = State(_program({"main.py": "\n".join(lines)}), _trial(_clash(TEXTS)))
    after = before.after(stage, {"main.py": "\n".join(f"{line} + 1" for line in lines)}, [])
    found = pruned(before, after, stage)
    assert found.texts["main.py"].count("+ 1") == 1
    assert len(stage.runs) <= 13


def test_a_line_that_another_made_needless_is_taken_back() -> None:
    put_in = ["x = x.to(device)", "y = y.to(device)", "x = x.to(x.device)"]

    def shown(texts: Mapping[str, str]) -> Trial:
        needed = all(line in texts["main.py"] for line in put_in[:2])
        return _trial() if needed else _trial(_clash(TEXTS))

    stage = FakeStage(shown)
    before = State(_program({"main.py": "first()\nlast()\n"}), _trial(_clash(TEXTS)))
    after = before.after(stage, {"main.py": "\n".join(["first()", *put_in, "last()", ""])}, [])
    found = pruned(before, after, stage)
    assert found.texts["main.py"].splitlines() == ["first()", *put_in[:2], "last()"]


@pytest.mark.parametrize(
    "answered",
    [
        replace(_trial(how="exited", status=1), output="sum 3\n"),
        replace(_trial(), output="failed: name 'device' is not defined\n"),
        replace(_trial(), output="sum 3\n", errors="step failed\n"),
    ],
)
def test_a_line_stays_without_which_the_program_answers_an_error(answered: Trial) -> None:
    parameter, use = "def made(device):", "made(device=device)"

    def shown(texts: Mapping[str, str]) -> Trial:
        text = texts["main.py"]
        well = replace(_trial(), output="sum 3.5\n", errors="  text of a line\n")
        return answered if use in text and parameter not in text else well

    stage = FakeStage(shown)
    before = State(_program({"main.py": "def made():\n    pass\nmade()\n"}), _trial(_clash(TEXTS)))
    after = before.after(stage, {"main.py": f"{parameter}\n    pass\n{use}\n"}, [])
    found = pruned(before, after, stage).texts["main.py"]
    assert parameter in found or use not in found


def test_lines_of_one_statement_stay_together() -> None:
    put_in = ["if x.is_cpu:", "    x = x.to(device)", "z = 1"]

    def shown(texts: Mapping[str, str]) -> Trial:
        return _trial() if put_in[1] in texts["main.py"] else _trial(_clash(TEXTS))

    stage = FakeStage(shown)
    before = State(_program({"main.py": "first()\nlast()\n"}), _trial(_clash(TEXTS)))
    after = before.after(stage, {"main.py": "\n".join(["first()", *put_in, "last() + 1", ""])}, [])
    assert put_in[0] in pruned(before, after, stage).texts["main.py"]


PAIRS = files("""
    import torch

    device = torch.device("cuda")

    for x, y in vars(torch)[input()]:
        print(x, y)
""")


def _with_moves(*lines: str) -> str:
    return PAIRS["main.py"].replace(
        "        print", "".join(f"        {line}\n" for line in lines) + "        print"
    )


def _ended(monkeypatch: pytest.MonkeyPatch, shown: Shown, moved: str) -> str:
    """What becomes of a program for which several runs have led to a text."""
    stage = FakeStage(shown)
    monkeypatch.setattr(Search, "run", lambda self, state: state.after(self.stage, {"main.py": moved}, []))
    return _text(_repaired(stage, PAIRS))


def test_what_several_runs_moved_moves_on_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    moved = _with_moves("x = x.to(device)", "y = y.to(device)")

    def shown(texts: Mapping[str, str]) -> Trial:
        return _trial() if texts["main.py"].count(".to(device)") == 2 else _trial(_clash(TEXTS))

    assert _ended(monkeypatch, shown, moved) == _with_moves("x, y = x.to(device), y.to(device)")


def test_it_stays_on_several_where_the_program_runs_through_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    moved = _with_moves("x = x.to(device)", "y = y.to(device)")
    assert (
        _ended(
            monkeypatch, lambda texts: _trial() if texts["main.py"] == moved else _trial(_clash(TEXTS)), moved
        )
        == moved
    )
