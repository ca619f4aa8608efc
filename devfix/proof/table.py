"""Table: the proofs of a run as lines of text, one a program."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from devfix.proof.printed import declared
from devfix.proof.run import Run
from devfix.proof.verdict import Proof, Stage, Verdict
from devfix.proof.witness import Witness
from devfix.report.paint import Paint

_TITLES = ("verdict", "program", "before", "after", "on the CPU", "seconds", "witness")
#: Longer cells are cut; JSON has them whole.
_WIDEST = {"program": 60, "before": 72, "after": 40, "on the CPU": 24}
_COLOURS = {
    Verdict.FIXED: "green",
    Verdict.WAS_FINE: "green",
    Verdict.STILL_FAILS: "red",
    Verdict.CHANGED_RESULT: "red",
    Verdict.CANNOT_RUN: "yellow",
}


def render_table(proofs: Sequence[Proof], witness: Witness, paint: Paint) -> str:
    """The table, the reasons below their lines, and the count of each verdict."""
    rows = [_cells(proof, witness) for proof in proofs]
    widths = [max(len(cell) for cell in column) for column in zip(_TITLES, *rows, strict=True)]
    lines = [_line(_TITLES, widths)]
    for proof, row in zip(proofs, rows, strict=True):
        colour = _COLOURS[proof.verdict] if proof.expected else "red"
        lines.append(_line(row, widths).replace(row[0], paint(colour, row[0]), 1))
        lines.extend(f"    {text}" for text in _remarks(proof))
    return "\n".join([*lines, "", f"{summary(proofs)}."]) + "\n"


def summary(proofs: Sequence[Proof]) -> str:
    """How many programs there were, and how many of each verdict."""
    counts = Counter(proof.verdict for proof in proofs)
    words = [f"{counts[verdict]} {verdict.value}" for verdict in Verdict if counts[verdict]]
    unexpected = sum(not proof.expected for proof in proofs)
    if unexpected:
        words.append(f"{unexpected} not as announced")
    return f"{len(proofs)} program{'s' * (len(proofs) != 1)}: {', '.join(words)}"


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()


def _cells(proof: Proof, witness: Witness) -> tuple[str, ...]:
    reference = proof.run(Stage.REFERENCE) or proof.run(Stage.BEFORE_ON_CPU)
    cells = {
        "program": proof.program,
        "before": _outcome(proof.run(Stage.BEFORE)),
        "after": _outcome(proof.run(Stage.AFTER)),
        "on the CPU": _outcome(reference),
    }
    short = (_cut(text, _WIDEST[name]) for name, text in cells.items())
    return (proof.verdict.value, *short, f"{proof.seconds:.1f}", witness.name)


def _outcome(run: Run | None) -> str:
    if run is None:
        return "-"
    if run.failure is not None:
        return str(run.failure)
    results = declared(run.output)
    return f"RESULT {results[-1]}" if results else "runs"


def _cut(text: str, width: int) -> str:
    if len(text) <= width:
        return text
    # What stands last is the place, and matters most.
    start, _, place = text.rpartition(" (")
    tail = f"... ({place}" if start and len(place) < width // 2 else "..."
    return text[: width - len(tail)] + tail


def _remarks(proof: Proof) -> Iterator[str]:
    if proof.reason and not proof.proven:
        yield proof.reason
    yield from (f"note: {note}" for note in proof.notes)
