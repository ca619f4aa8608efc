"""The simulated accelerator answers what a real one was recorded to answer."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

import torch
from fidelity import answers, compare, explained, make_kernel_table, operator_rows, snippets
from fidelity.answers import Answer

from devfix.simulator import simulated_accelerator


@pytest.fixture(scope="module")
def rows() -> list[compare.Row]:
    """A fixed part of all questions, small enough for every run; tests/fidelity/compare.py asks them all."""
    found = list(compare.compared_snippets("facts", quick=True))
    found += list(compare.compared_snippets("expressions", quick=True))
    found += list(compare.compared_snippets("two_devices", quick=True))
    found += list(compare.compared_operators(samples=1, variants=("",)))
    return found


@pytest.mark.parametrize("part", sorted(set(compare.LEAST) - {"modules"}))
def test_answers_agree_with_the_recorded_ones(rows: list[compare.Row], part: str) -> None:
    asked = [row for row in rows if row.part == part]
    assert len(asked) >= 90
    share = compare.shares(asked)[part]
    assert share >= compare.LEAST[part], compare.disagreements(asked, 20)


def test_no_explanation_is_left_for_what_agrees(rows: list[compare.Row]) -> None:
    assert compare.stale(rows) == []


def test_a_comparison_says_what_is_wrong() -> None:
    right, wrong = Answer("ok", "cuda:0"), Answer("ok", "cpu")
    fine = [compare.Row("facts", f"fact {number}", right, right) for number in range(90)]
    assert compare.faults(fine, ["facts"]) == []
    assert compare.faults(fine[1:], ["facts"]) == [
        f"facts: of {which} questions, which are 89, 100.00% agree" for which in ("all", "the quick")
    ]
    slow = compare.Row("facts", "a slow one", wrong, right, quick=False)
    assert compare.faults([*fine, slow], ["facts"]) == ["facts: of all questions, which are 91, 98.90% agree"]
    known = compare.Row("facts", min(explained.EXPLAINED), right, right)
    assert compare.faults([*fine, known], ["facts"]) == [f"explained, and agrees: {known.name}"]
    assert [line.partition(":")[0] for line in compare.faults(fine, ["facts", "operators"])] == [
        *["operators, half looked at", "operators, other half"] * 2
    ]


def test_every_explanation_is_of_a_question_that_is_asked() -> None:
    asked = {
        snippet.name for snippet in (*snippets.facts(), *snippets.expressions(), *snippets.two_devices())
    }
    recorded = answers.read(answers.RECORDED / "operators.jsonl.gz")[1]
    cases = {operator_rows.Case(*row["case"]).name for row in recorded}
    assert set(explained.EXPLAINED) <= asked | cases
    assert {row["case"][0] for row in recorded} >= explained.WITHOUT_A_CPU_KERNEL


@pytest.mark.parametrize("part", ["facts", "expressions", "two_devices", "modules", "operators"])
def test_recorded_answers_say_where_they_come_from(part: str) -> None:
    machine, recorded = answers.read(answers.RECORDED / f"{part}.jsonl.gz")
    assert set(machine) == {"gpu", "torch", "commit", "date"}
    assert len(recorded) >= 90


@pytest.mark.parametrize("part", ["facts", "expressions", "two_devices"])
def test_questions_are_sound(part: str) -> None:
    recorded = {row["name"]: row for row in answers.read(answers.RECORDED / f"{part}.jsonl.gz")[1]}
    assert set(recorded) == {snippet.name for snippet in getattr(snippets, part)()}
    unsound = ("SyntaxError", "NameError", "AttributeError", "ModuleNotFoundError")
    assert [name for name, row in recorded.items() if row["outcome"] in unsound] == []
    assert [name for name, row in recorded.items() if "unexpected keyword" in row["text"]] == []


def test_the_table_of_kernels_is_what_the_installed_torch_says() -> None:
    written = make_kernel_table.TABLE.read_text(encoding="utf-8")
    assert written == make_kernel_table.table(*make_kernel_table.installed())


@pytest.mark.parametrize(
    ("answer", "recorded", "level"),
    [
        (Answer("ok", "cuda:0"), Answer("ok", "cuda:0"), "exact"),
        (Answer("ok", "cpu"), Answer("ok", "cuda:0"), "other result"),
        (Answer("ok", "cpu"), Answer("RuntimeError", "no"), "wrong"),
        (Answer("TypeError", "no"), Answer("RuntimeError", "no"), "other error"),
        (
            Answer("RuntimeError", "got index is on cpu, different (in method wrapper_CUDA_a)"),
            Answer("RuntimeError", "got self is on cpu, different (in method wrapper_CUDA__b)"),
            "same words",
        ),
        (
            Answer("RuntimeError", "got index is on cpu, different"),
            Answer("RuntimeError", "got index is on cuda:0, different"),
            "same error",
        ),
    ],
)
def test_levels_of_agreement(answer: Answer, recorded: Answer, level: str) -> None:
    assert answers.level(answer, recorded) == level


def test_two_accelerators_are_two_devices() -> None:
    with simulated_accelerator(count=2):
        one, other = torch.ones(2, device="cuda:0"), torch.ones(2, device="cuda:1")
        with pytest.raises(RuntimeError, match="found at least two devices, cuda:0 and cuda:1!"):
            one + other
        with pytest.raises(
            RuntimeError, match="got mat2 is on cuda:1, different from other tensors on cuda:0"
        ):
            one[None] @ other[:, None]


def test_halves_that_the_cpu_has_no_kernel_for_are_computed() -> None:
    with simulated_accelerator():
        total = torch.trace(torch.eye(3, dtype=torch.float16, device="cuda"))
    assert total.dtype == torch.float16
    assert total.item() == 3


def test_lists_have_results_where_each_member_is() -> None:
    with simulated_accelerator():
        members = [torch.ones(2), torch.ones(2, device="cuda")]
        assert [str(tensor.device) for tensor in torch._foreach_add(members, 1)] == ["cpu", "cuda:0"]
        with pytest.raises(RuntimeError, match="found at least two devices"):
            torch._foreach_add(members, [torch.ones(2), torch.ones(2)])


def test_gradients_come_back_over_a_copy_to_the_host() -> None:
    with simulated_accelerator():
        weight = torch.ones(3, device="cuda", requires_grad=True)
        gathered = torch.zeros(2, 3)
        gathered[0] = weight
        gathered.sum().backward()  # type: ignore[no-untyped-call]
        assert weight.grad is not None
        assert str(weight.grad.device) == "cuda:0"
