"""Compares the simulated accelerator with what a real one answered, and prints how well they agree.

    python tests/fidelity/compare.py [--part facts|expressions|two_devices|modules|operators] [--quick] [--every N] [--show N]

Facts have to agree but for the explained ones, operators for 99.5 % in each half of PyTorch's database: the rules
were made by looking at one half, and the other shows how general they are. They have to among all questions and among
those of a quick comparison, and nothing may be explained that agrees. Of operators and modules, which are alike, the questions
of every N-th can be asked. Exit code 1 when it is otherwise.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

if __name__ == "__main__":
    root = Path(__file__).resolve().parents[2]
    sys.path[:0] = [str(root), str(root / "tests")]

from fidelity import answers, module_rows, operator_rows, snippets
from fidelity.answers import AGREEING, LEVELS, RECORDED, Answer
from fidelity.explained import EXPLAINED, WITHOUT_A_CPU_KERNEL

from devfix.simulator import simulated_accelerator

#: The least share of rows that agree, of each part.
LEAST = {
    "facts": 1.0,
    "expressions": 0.98,
    "two_devices": 0.95,
    "modules": 0.995,
    "operators, half looked at": 0.995,
    "operators, other half": 0.995,
}


#: So few questions of a part say nothing.
_FEW = 90
#: The samples and variants of an operator that a quick comparison asks.
_QUICK_SAMPLES, _QUICK_VARIANTS = 1, ("",)

_PARTS = ("facts", "expressions", "two_devices", "modules", "operators")


class Row(NamedTuple):
    """One question, the two answers, and how well they agree; a quick comparison asks some of them."""

    part: str
    name: str
    answer: Answer
    recorded: Answer
    quick: bool = True

    @property
    def level(self) -> str:
        """How well the two answers agree; "explained" where they are known to differ."""
        level = answers.level(self.answer, self.recorded)
        return "explained" if level not in AGREEING and self.name in EXPLAINED else level


def compared_snippets(part: str, *, quick: bool = False) -> Iterator[Row]:
    """The rows of facts or expressions; a quick comparison leaves out what starts processes or compilers."""
    recorded = {row["name"]: Answer(row["outcome"], row["text"]) for row in answers.read(_file(part))[1]}
    every: list[snippets.Snippet] = getattr(snippets, part)()
    asked = [one for one in every if not _needs_more(one.code) and not (quick and _is_slow(one.code))]
    # Facts may leave the process changed; to begin a simulation costs more than an expression does.
    together = 1 if part == "facts" else 50
    for first in range(0, len(asked), together):
        with simulated_accelerator(count=2 if part == "two_devices" else 1):
            for snippet in asked[first : first + together]:
                asked_quickly = not _is_slow(snippet.code)
                yield Row(part, snippet.name, snippets.ask(snippet), recorded[snippet.name], asked_quickly)


def _needs_more(code: str) -> bool:
    if "transformers" not in code and "train_t5" not in code:
        return False
    try:
        import transformers  # type: ignore[import-not-found]  # noqa: F401, PLC0415 - asked where it is there
    except ImportError:
        return True
    return False


def _is_slow(code: str) -> bool:
    return any(word in code for word in ("num_workers=", "subprocess", "torch.compile", "train_t5"))


def compared_operators(
    *, samples: int = operator_rows.SAMPLES, variants: Sequence[str] = ("", "inplace"), every: int = 1
) -> Iterator[Row]:
    """The rows of the operators that the recorded machine and this one both have, or of some of them."""
    rows = answers.read(_file("operators"))[1]
    recorded = {tuple(row["case"]): Answer(row["outcome"], row["text"]) for row in rows}
    looked_at = set((snippets.HERE / "looked_at.txt").read_text(encoding="utf-8").split())
    for operator in operator_rows.database()[::every]:
        name = operator_rows.full_name(operator)
        part = "operators, half looked at" if name in looked_at else "operators, other half"
        if name in WITHOUT_A_CPU_KERNEL:
            continue
        wanted = [
            (case, drawn)
            for case, drawn in operator_rows.cases(operator, samples)
            if tuple(case) in recorded and case.variant in variants
        ]
        if wanted:
            with simulated_accelerator():
                for case, drawn in wanted:
                    answer, asked_quickly = operator_rows.ask(case, drawn), _is_quick(case)
                    yield Row(part, case.name, answer, recorded[tuple(case)], asked_quickly)


def _is_quick(case: operator_rows.Case) -> bool:
    return case.sample < _QUICK_SAMPLES and case.variant in _QUICK_VARIANTS


def compared_modules(*, every: int = 1) -> Iterator[Row]:
    """The same for modules."""
    recorded = {
        tuple(row["case"]): Answer(row["outcome"], row["text"]) for row in answers.read(_file("modules"))[1]
    }
    for module in module_rows.database()[::every]:
        with simulated_accelerator():
            for case, built in module_rows.cases(module):
                if tuple(case) in recorded:
                    answer = module_rows.ask(case, built)
                    yield Row("modules", case.name, answer, recorded[tuple(case)], quick=False)


def _file(part: str) -> Path:
    return RECORDED / f"{part}.jsonl.gz"


def shares(rows: Sequence[Row]) -> dict[str, float]:
    """The share of agreeing rows of each part, explained ones left out."""
    judged = [row for row in rows if row.level != "explained"]
    total = Counter(row.part for row in judged)
    agreeing = Counter(row.part for row in judged if row.level in AGREEING)
    return {part: agreeing[part] / count for part, count in total.items()}


def table(rows: Sequence[Row]) -> str:
    """What is printed: a line for each part, with the number of rows of each level."""
    levels = (*LEVELS, "explained")
    counts = Counter((row.part, row.level) for row in rows)
    lines = [f"{'':28}{'agree':>9}" + "".join(f"{level:>14}" for level in levels)]
    for part, share in shares(rows).items():
        lines.append(f"{part:28}{share:9.2%}" + "".join(f"{counts[part, level]:>14}" for level in levels))
    return "\n".join(lines)


def disagreements(rows: Sequence[Row], most: int) -> str:
    """The first rows that do not agree, with both answers."""
    found = [row for row in rows if row.level not in AGREEING and row.level != "explained"]
    shown = [
        f"{row.level}: {row.name}\n  recorded  {_line(row.recorded)}\n  simulated {_line(row.answer)}"
        for row in found
    ]
    rest = [f"and {len(shown) - most} more"] if len(shown) > most else []
    return "\n".join(shown[:most] + rest)


def _line(answer: Answer) -> str:
    return f"{answer.outcome}: {answer.text}".replace("\n", " | ")[:200]


def faults(rows: Sequence[Row], parts: Sequence[str]) -> list[str]:
    """What must not be in the parts that were asked: too few questions or too little agreement, among all of them or
    among those of a quick comparison, and explanations of what agrees.
    """
    found = [f"explained, and agrees: {name}" for name in stale(rows)]
    wanted = [part for part in LEAST if part.partition(",")[0] in parts]
    for which, some in (("all", rows), ("the quick", [row for row in rows if row.quick])):
        asked, agreeing = Counter(row.part for row in some), shares(some)
        for part in wanted if which == "all" else [part for part in wanted if part != "modules"]:
            if asked[part] < _FEW or agreeing[part] < LEAST[part]:
                share = agreeing.get(part, 0.0)
                found.append(f"{part}: of {which} questions, which are {asked[part]}, {share:.2%} agree")
    return found


def stale(rows: Sequence[Row]) -> list[str]:
    """Questions that are explained although the answers agree."""
    agreeing = {row.name for row in rows if answers.level(row.answer, row.recorded) in AGREEING}
    return sorted(agreeing & set(EXPLAINED))


def main() -> int:
    """Compare, print, and judge."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--part", choices=_PARTS, action="append")
    parser.add_argument("--quick", action="store_true", help="the part that the tests hold")
    parser.add_argument(
        "--every", type=int, default=1, metavar="N", help="ask every N-th operator and module"
    )
    parser.add_argument("--show", type=int, default=20, help="how many disagreements are listed (default 20)")
    options = parser.parse_args()
    rows: list[Row] = []
    parts = options.part or _PARTS
    for part in parts:
        header: dict[str, Any] = answers.read(_file(part))[0]
        print(
            f"{part}: recorded on {header['gpu']} with torch {header['torch']}, {header['date']}, {header['commit'][:12]}"
        )
        rows += compared(part, quick=options.quick, every=options.every)
    print(table(rows))
    print(disagreements(rows, options.show))
    found = faults(rows, parts)
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


def compared(part: str, *, quick: bool, every: int = 1) -> list[Row]:
    """The rows of one part."""
    if part == "modules":
        return [] if quick else list(compared_modules(every=every))
    if part != "operators":
        return list(compared_snippets(part, quick=quick))
    if quick:
        return list(compared_operators(samples=_QUICK_SAMPLES, variants=_QUICK_VARIANTS, every=every))
    return list(compared_operators(every=every))


if __name__ == "__main__":
    raise SystemExit(main())
