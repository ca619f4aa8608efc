"""Findings that differ only in where an operand comes from are one."""

from textwrap import dedent

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


def test_a_place_is_told_once_and_by_the_name_of_what_meets_there() -> None:
    text = """\
        import torch

        device = torch.device("cuda")

        class Scaler:
            def fit(self, data):
                self.mean, self.std = data.mean(0), data.std(0)

            def scaled(self, x):
                return (x - self.mean) / self.std

            def restored(self, z):
                return z * self.std + self.mean

        data = torch.randn(64, 3)
        scaler = Scaler()
        scaler.fit(data)
        batch = data[:8].to(device)
        print(scaler.restored(scaler.scaled(batch)).sum())
    """
    (finding,) = check_texts({"main.py": dedent(text)})
    places = [note for note in finding.notes if "meets the accelerator here, too" in note.text]
    assert "`self." in " ".join(note.text for note in places)
    starts = [(note.span.line, note.span.column) for note in places]
    assert len(set(starts)) == len(starts)
