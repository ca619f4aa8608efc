"""Findings that differ only in where an operand comes from are one."""

from text_program import check_texts

PROGRAM = """
import torch

def show(x):
    print(x.numpy())

{calls}
"""


def notes(*calls: str) -> list[list[int]]:
    """The lines that the notes point to of each tensor that NumPy cannot read."""
    found = check_texts({"main.py": PROGRAM.format(calls="\n".join(calls))})
    return [[note.span.line for note in finding.notes] for finding in found if finding.code == "DF401"]


def test_one_way() -> None:
    assert notes("show(torch.ones(2).cuda())") == [[7]]


def test_two_ways_are_one_fault_with_the_notes_of_both() -> None:
    assert notes("show(torch.ones(2).cuda())", "show(torch.zeros(2).cuda())") == [[7, 8]]


def test_of_many_ways_the_first_three_are_told() -> None:
    assert notes(*(f"show(torch.ones({size}).cuda())" for size in range(6))) == [[7, 8, 9]]


def test_faults_in_two_places_are_two() -> None:
    place = "print(torch.ones(2).cuda().numpy())"
    assert notes(place, place) == [[7], [8]]
