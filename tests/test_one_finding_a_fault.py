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


def test_of_many_ways_few_are_tried_in_the_place_of_all() -> None:
    made = "\n".join(f"a{n} = torch.ones(3) * {n}\nprint(total(a{n}))" for n in range(12))
    text = f"""
import torch

dev = torch.device("cuda" if torch.cuda.is_available() else "cpu")
w = torch.ones(3, device=dev)

def total(x):
    return (x * w).sum()

{made}
"""
    [finding] = check_texts({"main.py": text})
    assert finding.fix is not None
    assert len(finding.fix.edits) == 12
    alone = [fix for fix in finding.alternatives if set(fix.edits) < set(finding.fix.edits)]
    assert 0 < len(alone) <= 3
