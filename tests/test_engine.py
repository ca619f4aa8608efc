"""Text in, findings and text out: suppressions, the fix loop and its brakes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from fakes import DISPLAY, SAFE, UNSAFE, FixRule, WordRule, identity, toy_engine, toy_program
from hypothesis import given
from hypothesis import strategies as st

from devfix import engine
from devfix.config import Configuration, Glob, Settings
from devfix.engine import Engine
from devfix.file_report import FileReport
from devfix.findings import Applicability, FileEdit, Finding, Fix, InsertBefore, ReplaceExpression, Span
from devfix.project import Program, Project
from devfix.source import Source

BAD = WordRule("T101", "bad", "good")
WORSE = WordRule("T102", "worse", "better", UNSAFE)
ADVICE = WordRule("T103", "hmm", "fine", DISPLAY)
NO_FIX = WordRule("T104", "sad")
TORCH = "import torch\n"


def check(text: str, *rules: Any, **settings: Any) -> FileReport:
    (report,) = toy_engine(*rules, settings=Settings(**settings)).check(toy_program(text))
    return report


def fix(text: str, *rules: Any, wanted: Applicability = SAFE, **settings: Any) -> FileReport:
    (report,) = toy_engine(*rules, settings=Settings(**settings)).fix(toy_program(text), wanted)
    return report


def codes(report: FileReport) -> list[str]:
    return [f"{finding.span.line}:{finding.code}" for finding in report.findings]


def test_findings_come_in_order_and_once() -> None:
    assert codes(check(TORCH + "worse = bad\nbad\n", WORSE, BAD, BAD)) == ["2:T102", "2:T101", "3:T101"]


class ManyReasons(WordRule):
    """Finds a word for several reasons, which it tells one after the other."""

    def check(self, program: Program) -> Iterator[Finding]:
        for found in super().check(program):
            for number in range(20):
                yield replace(found, marks=(replace(found.marks[0], text=f"reason {number}"),))


def test_findings_of_one_place_come_in_the_order_in_which_their_rule_tells_them() -> None:
    found = check(TORCH + "bad\n", ManyReasons("T101", "bad")).findings
    assert [each.marks[0].text for each in found] == [f"reason {number}" for number in range(20)]


def test_a_program_that_has_nothing_to_do_with_torch_is_not_analysed() -> None:
    assert codes(check("bad\n", BAD)) == []


@pytest.mark.parametrize(
    ("wanted", "text"),
    [(SAFE, "good + worse + hmm + sad\n"), (UNSAFE, "good + better + hmm + sad\n")],
)
def test_fixes_are_applied_down_to_what_is_wanted(wanted: Applicability, text: str) -> None:
    report = fix(TORCH + "bad + worse + hmm + sad\n", BAD, WORSE, ADVICE, NO_FIX, wanted=wanted)
    assert report.new_text == TORCH + text
    assert "T101" in [finding.code for finding in report.fixed]
    assert "2:T104" in codes(report)


def test_nothing_to_fix_leaves_no_new_text() -> None:
    report = fix(TORCH + "worse\n", BAD, WORSE)
    assert (report.new_text, report.fixed, codes(report)) == (None, (), ["2:T102"])


def test_fixing_again_changes_nothing() -> None:
    once = fix(TORCH + "bad + bad\nbad\n", BAD)
    assert once.new_text is not None
    assert fix(once.new_text, BAD).new_text is None


def test_a_fix_may_make_the_next_one_possible() -> None:
    chain = [
        WordRule("T101", "a", "b"),
        WordRule("T101", "b", "c", name="b"),
        WordRule("T101", "c", "d", name="c"),
    ]
    assert fix(TORCH + "a\n", *chain).new_text == TORCH + "d\n"


def test_faults_that_were_hidden_are_fixed_too() -> None:
    # The fix of one fault shows another of a rule that had none; in the end both are gone.
    report = fix(TORCH + "bad\n", WordRule("T101", "bad", "next"), WordRule("T105", "next", "good"))
    assert (report.new_text, codes(report)) == (TORCH + "good\n", [])


def test_a_fix_that_causes_a_finding_is_withheld_and_the_others_are_not() -> None:
    harmful = WordRule("T106", "oops", "sad")
    report = fix(TORCH + "oops\nbad\nbad\n", harmful, BAD, NO_FIX)
    assert report.new_text == TORCH + "oops\ngood\ngood\n"
    (left,) = report.findings
    assert left.code == "T106"
    assert left.fix is not None
    assert left.fix.applicability == DISPLAY
    assert "withheld" in left.notes[-1].text


def test_a_fix_that_shows_what_can_be_fixed_is_made_beside_one_that_does_damage() -> None:
    shows = [
        WordRule("T101", "bad", "next"),
        WordRule("T105", "next", "last"),
        WordRule("T107", "last", "good"),
    ]
    report = fix(TORCH + "oops\nbad\n", WordRule("T106", "oops", "sad"), NO_FIX, *shows)
    assert (report.new_text, codes(report)) == (TORCH + "oops\ngood\n", ["2:T106"])


def test_a_fix_that_shows_what_cannot_be_fixed_is_withheld_with_all_that_follows() -> None:
    shows = [WordRule("T101", "bad", "next"), WordRule("T105", "next", "sad")]
    report = fix(TORCH + "bad\n", NO_FIX, *shows)
    assert (report.new_text, codes(report)) == (None, ["2:T101"])


@dataclass
class WithAlternative(WordRule):
    other: str = ""

    def finding(self, path: str, span: Span) -> Finding:
        found = super().finding(path, span)
        edits = (FileEdit(path, ReplaceExpression(span, self.other)),)
        return replace(found, alternatives=(Fix("the other way", edits, SAFE),))


def test_an_alternative_is_taken_when_the_first_fix_does_damage() -> None:
    report = fix(TORCH + "oops\nbad\n", WithAlternative("T106", "oops", "sad", other="ok"), BAD, NO_FIX)
    assert (report.new_text, codes(report)) == (TORCH + "ok\ngood\n", [])


def test_the_first_fix_is_preferred_to_its_alternative() -> None:
    report = fix(TORCH + "oops\n", WithAlternative("T106", "oops", "one", other="two"))
    assert report.new_text == TORCH + "one\n"


class InVain(WithAlternative):
    """Its first fix inserts a line that mends nothing."""

    def finding(self, path: str, span: Span) -> Finding:
        found = super().finding(path, span)
        edits = (FileEdit(path, InsertBefore(span, "again")),)
        return replace(found, fix=Fix("insert", edits, SAFE))


def test_what_would_be_inserted_again_and_again_gives_way_to_its_alternative() -> None:
    report = fix(TORCH + "oops\n", InVain("T107", "oops", "", other="ok"))
    assert (report.new_text, codes(report), report.crash) == (TORCH + "ok\n", [], None)


def test_a_finding_with_no_harmless_fix_stays() -> None:
    report = fix(TORCH + "oops\n", WithAlternative("T106", "oops", "sad", other="ERROR"), NO_FIX)
    assert (report.new_text, codes(report)) == (None, ["2:T106"])
    assert report.findings[0].notes[-1].text.startswith("the fix is withheld")


def test_advice_does_not_count_as_harm() -> None:
    assert fix(TORCH + "x\n", WordRule("T101", "x", "hmm"), ADVICE).new_text == TORCH + "hmm\n"


@pytest.mark.parametrize("replacement", ["ERROR", "(", "bad"])
def test_a_fix_that_fails_or_does_not_parse_or_changes_nothing_is_withheld(replacement: str) -> None:
    report = fix(
        TORCH + "bad\nworse\n", WordRule("T101", "bad", replacement), WordRule("T102", "worse", "ok")
    )
    assert report.new_text == TORCH + "bad\nok\n"
    assert codes(report) == ["2:T101"]


@pytest.mark.parametrize("words", [("a", "b"), ("a", "b", "c"), ("a", "b", "c", "d", "e")])
def test_fixes_that_undo_each_other_are_not_made_and_the_others_are(words: tuple[str, ...]) -> None:
    circle = zip(words, (*words[1:], words[0]), strict=True)
    rules = [WordRule("T101", one, other, name=one) for one, other in circle]
    report = fix(TORCH + "a\nbad\n", *rules, WordRule("T102", "bad", "good"))
    assert (report.crash, report.new_text) == (None, TORCH + "a\ngood\n")
    assert codes(report) == ["2:T101"]
    (left,) = report.findings
    assert left.notes[-1].text == "the fix is withheld: another fix would undo it, without end"


def test_fixes_that_make_work_for_each_other_without_end_leave_the_file_alone() -> None:
    class Growing(WordRule):
        def check(self, program: Program) -> Iterator[Finding]:
            word = program.sources["a.py"].lines[1].strip()
            yield from WordRule("T101", word, word + "a").check(program)

    report = fix(TORCH + "a\n", Growing("T101", "a"))
    assert report.new_text is None
    assert report.crash is not None
    assert "after 10 passes" in report.crash.message
    assert codes(report) == ["2:T101"]


class Restless(WordRule):
    """Finds a word as well where it is left alone, and turns ``b`` and ``c`` into each other for ever."""

    def check(self, program: Program) -> Iterator[Finding]:
        yield from WordRule("T101", "a").check(program)
        yield from WordRule("T101", "b", "c").check(program)
        yield from WordRule("T101", "c", "b").check(program)


ADOPTING = WordRule("DF109", "a", "b", UNSAFE, name="adopting")


def test_a_device_that_fixes_follow_without_end_is_not_adopted_and_the_rest_is_fixed() -> None:
    report = fix(
        TORCH + "a\nbad\n", ADOPTING, Restless("T101", "a"), WordRule("T102", "bad", "good"), adopt=True
    )
    assert (report.new_text, report.crash) == (TORCH + "a\ngood\n", None)
    adopting = next(finding for finding in report.findings if finding.code == "DF109")
    assert adopting.notes[-1].text == "the fix is withheld: what follows on it comes to no end"


def test_neither_a_device_nor_what_undoes_itself_without_one_is_adopted() -> None:
    report = fix(
        TORCH + "a\nc\nbad\n", ADOPTING, Restless("T101", "a"), WordRule("T102", "bad", "good"), adopt=True
    )
    assert (report.crash, report.new_text) == (None, TORCH + "a\nc\ngood\n")


def test_a_fix_that_takes_another_one_back_gives_way_to_its_alternative() -> None:
    report = fix(TORCH + "a\n", WordRule("T101", "a", "b"), WithAlternative("T106", "b", "a", other="c"))
    assert (report.crash, report.new_text) == (None, TORCH + "c\n")


@pytest.mark.parametrize(("length", "converges"), [(10, True), (11, False)])
def test_ten_passes_are_allowed(length: int, converges: bool) -> None:
    def grow(program: Program) -> Iterator[tuple[Span, Fix | None]]:
        number = int(program.sources["a.py"].lines[1])
        if number < length:
            edit = ReplaceExpression(Span(2, 0, 2, len(str(number))), str(number + 1))
            yield Span(2, 0, 2, 1), Fix("count", (FileEdit("a.py", edit),), SAFE)

    report = fix(TORCH + "0\n", FixRule("T107", grow))
    assert (report.crash is None) is converges


WORDS = ["bad", "worse", "oops", "sad", "hmm", "x", "# devfix: ignore", "# devfix: ignore[T101]"]


@given(st.lists(st.sampled_from(WORDS)), st.sampled_from([SAFE, UNSAFE]))
def test_fixing_ends_adds_nothing_and_is_done_after_once(words: list[str], wanted: Applicability) -> None:
    rules = [BAD, WORSE, ADVICE, NO_FIX, WordRule("T106", "oops", "sad")]
    text = TORCH + "".join(f"{word}\n" for word in words)
    before, after = check(text, *rules), fix(text, *rules, wanted=wanted)
    assert after.crash is None
    assert not Counter(left.code for left in after.findings) - Counter(
        found.code for found in before.findings
    )
    again = fix(after.new_text or text, *rules, wanted=wanted)
    assert (again.new_text, again.fixed) == (None, ())


# ---- several files


def two_files(targets: list[str]) -> tuple[Program, FixRule]:
    def both(program: Program) -> Iterator[tuple[Span, Fix | None]]:
        if program.sources["b.py"].text == "x = 1\n":
            insert = FileEdit("a.py", InsertBefore(Span(2, 0, 2, 5), "y = 0"))
            change = FileEdit("b.py", ReplaceExpression(Span(1, 4, 1, 5), "2"))
            yield Span(2, 0, 2, 5), Fix("change both", (insert, change), SAFE)

    program = toy_program({"a.py": "import torch, b\ny = 1\n", "b.py": "x = 1\n"}, targets)
    return program, FixRule("T108", both)


def test_a_fix_may_change_several_files() -> None:
    program, rule = two_files(["a.py", "b.py"])
    first, second = toy_engine(rule).fix(program, SAFE)
    assert (first.new_text, second.new_text) == ("import torch, b\ny = 0\ny = 1\n", "x = 2\n")


def test_a_fix_that_needs_a_file_that_was_not_named_is_not_applied() -> None:
    program, rule = two_files(["a.py"])
    (report,) = toy_engine(rule).fix(program, SAFE)
    (left,) = report.findings
    assert report.new_text is None
    assert left.fix is None
    assert "b.py" in left.notes[-1].text


def test_context_is_not_reported_on() -> None:
    program = toy_program({"a.py": "import torch, b\n", "b.py": "bad\n"}, ["a.py"])
    (report,) = toy_engine(BAD).check(program)
    assert (report.path, report.findings) == ("a.py", ())


def test_a_project_is_reported_on_in_order_of_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_analyse", identity)
    texts = {"b.py": TORCH + "bad\n", "a.py": TORCH + "worse\n", "c.py": TORCH}
    project = Project(Source(path, text) for path, text in texts.items())
    checked = engine.check(project, [BAD, WORSE], Settings())
    assert [(report.path, codes(report)) for report in checked] == [
        ("a.py", ["2:T102"]),
        ("b.py", ["2:T101"]),
        ("c.py", []),
    ]
    fixed = engine.fix(project, [BAD, WORSE], Settings(), SAFE)
    assert [report.new_text for report in fixed] == [None, TORCH + "good\n", None]


# ---- suppressions


@pytest.mark.parametrize(
    "comment",
    ["# devfix: ignore", "# devfix: ignore[T101]", "# devfix: ignore[T1]", "# devfix: ignore[bad-found]"],
)
def test_a_suppressed_finding_is_counted_and_neither_shown_nor_fixed(comment: str) -> None:
    text = f"{TORCH}bad  {comment}\n"
    report = fix(text, BAD)
    assert (report.findings, report.new_text, report.suppressed) == ((), None, 1)


def test_a_file_can_be_suppressed() -> None:
    report = check(f"# devfix: ignore-file[T101]\n{TORCH}bad\nbad\nworse\n", BAD, WORSE)
    assert (codes(report), report.suppressed) == (["5:T102"], 2)


@pytest.mark.parametrize(
    ("comment", "message", "after"),
    [
        ("  # devfix: ignore", "`# devfix: ignore` suppresses nothing", ""),
        ("  # devfix: ignore[T101]", "`# devfix: ignore[T101]` suppresses nothing", ""),
        ("  # devfix: ignore[nonsense]", "`# devfix: ignore[nonsense]` suppresses nothing", ""),
        (
            "  # devfix: ignore[T104, T101] why",
            "`T101` in `# devfix: ignore[T104, T101] why` suppresses nothing",
            "  # devfix: ignore[T104] why",
        ),
    ],
)
def test_an_unused_suppression_is_found_and_removed(comment: str, message: str, after: str) -> None:
    report = check(
        f"{TORCH}x = sad{comment}\n" if "T104" in comment else f"{TORCH}x = 1{comment}\n", BAD, NO_FIX
    )
    (finding,) = report.findings
    assert (finding.code, finding.message) == ("DF901", message)
    value = "sad" if "T104" in comment else "1"
    fixed = fix(f"{TORCH}x = {value}{comment}\n", BAD, NO_FIX)
    assert (fixed.new_text, codes(fixed)) == (f"{TORCH}x = {value}{after}\n", [])


@pytest.mark.parametrize(
    ("comment", "meant"),
    [("T1O1", "no rule is called `T1O1`; did you mean `T101`?"), ("acme-rule", "")],
)
def test_a_misspelt_name_is_told_apart_from_that_of_an_absent_pack(comment: str, meant: str) -> None:
    (finding,) = check(f"{TORCH}x = 1  # devfix: ignore[{comment}]\n", BAD, NO_FIX).findings
    assert finding.message == f"`# devfix: ignore[{comment}]` suppresses nothing" + (
        f": {meant}" if meant else ""
    )


def test_a_malformed_suppression_is_found() -> None:
    (finding,) = check("x = 1  # devfix: ingore\n", BAD).findings
    assert (
        finding.message
        == "`# devfix: ingore` is not a comment devfix understands; write `# devfix: ignore[CODE]`"
    )
    assert finding.fix is None


@pytest.mark.parametrize(
    ("comment", "settings"),
    [
        ("# devfix: ignore[T101]", {"ignore": ("T101",)}),
        ("# devfix: ignore[T101]", {"select": ("T102", "DF901")}),
        ("# devfix: ignore", {"ignore": ("T101",)}),
        ("# devfix: ignore", {"ignore": ("DF901",)}),
        ("# devfix: ignore", {"per_file_ignores": ((Glob("a.py"), ("unused-suppression",)),)}),
    ],
)
def test_a_suppression_of_what_does_not_run_is_not_judged(comment: str, settings: dict[str, Any]) -> None:
    assert codes(check(f"{TORCH}x = 1  {comment}\n", BAD, WORSE, **settings)) == []


def test_removing_a_stale_comment_does_not_stop_fixes() -> None:
    report = fix(f"{TORCH}x = 1  # devfix: ignore\nbad\n# devfix: ignore\nbad\n", BAD)
    assert report.new_text == f"{TORCH}x = 1\ngood\ngood\n"
    assert len(report.fixed) == 4


# ---- adopting a device

ADOPT = WordRule("DF109", "undecided", "bad", UNSAFE, name="no-device-chosen")


def test_a_device_is_adopted_on_request_only() -> None:
    assert fix(TORCH + "undecided\n", ADOPT, BAD).new_text is None
    assert fix(TORCH + "undecided\n", ADOPT, BAD, adopt=True).new_text == TORCH + "good\n"


# ---- the real rewriting


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import torch\r\nx = bad  # é\r\n", "import torch\r\nx = good  # é\r\n"),
        ("import torch\nx = '\\d' + bad", "import torch\nx = '\\d' + good"),
        ("import torch\nif x:\n\ty = [bad,\n  bad]\n", "import torch\nif x:\n\ty = [good,\n  good]\n"),
    ],
)
def test_the_real_rewriting_is_the_default(before: str, after: str) -> None:
    (report,) = Engine([BAD], Settings(), identity).fix(toy_program(before), SAFE)
    assert (report.new_text, report.findings) == (after, ())


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("bad  # devfix: ignore[T101, T102] why", "bad  # devfix: ignore[T101] why"),
        ("bad  # devfix: ignore[T101, T101] why", "bad  # devfix: ignore[T101] why"),
        ("bad  # devfix: ignore[T101, T102, T101]  # noqa", "bad  # devfix: ignore[T101]  # noqa"),
        ("x = 1  # noqa  # devfix: ignore[T102] why", "x = 1  # noqa"),
        ("x = 1  # devfix: ignore[T102]  # noqa", "x = 1  # noqa"),
        (
            "x = (  # devfix: ignore[T102]\n    bad,  # devfix: ignore[T101]\n)",
            "x = (\n    bad,  # devfix: ignore[T101]\n)",
        ),
    ],
)
def test_of_a_comment_what_does_nothing_is_taken_out(before: str, after: str) -> None:
    assert fix(f"{TORCH}{before}\n", BAD, WORSE).new_text == f"{TORCH}{after}\n"


def test_the_outermost_file_says_how_a_program_names_its_device(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("sub").mkdir()
    Path("devfix.toml").write_text('device-policy = "mps-aware"\n', encoding="utf-8")
    Path("sub/devfix.toml").write_text('device-policy = "accelerator"\n', encoding="utf-8")
    engine = Engine([BAD], Settings(), configuration=Configuration())
    assert engine.device_policy(["sub/a.py", "z.py"]) == "mps-aware"
    assert engine.device_policy(["sub/b.py", "sub/a.py"]) == "accelerator"
    sources = [Source("z.py", "import sub.a\n"), Source("sub/a.py", ""), Source("sub/lone.py", "")]
    programs = Project(sources, roots=("",), device_policy=engine.device_policy).programs()
    found = {path: program.device_policy for program in programs for path in program.targets}
    assert found == {"z.py": "mps-aware", "sub/a.py": "mps-aware", "sub/lone.py": "accelerator"}
