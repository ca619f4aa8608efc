"""What an H200 said of operands: the simulator says the same, and the analysis claims nothing against it.

Texts of errors differ between kernels and releases: what fails has to fail, and what runs has to give the same dtype on the same
device. ``tests/recorded/operands`` has the questions.
"""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from recorded import meeting_questions, operand_questions, operand_values
from recorded.operand_questions import ASKED, lines
from recorded.questions import Outcomes, answer
from text_program import Ending

from devfix.analysis.domain.values import Tensor
from devfix.analysis.record.facts import Facts
from devfix.simulator import simulated_accelerator

_RECORD = json.loads((Path(__file__).parent / "data" / "h200_answers.json").read_text(encoding="utf-8"))
#: The outcome of each line, by the dtypes that it was asked for.
_OPERANDS = {line: Outcomes(found).by_operands() for line, found in _RECORD["operand"].items()}
_TABLES = ("meetings", *ASKED)

_KERNELS = "the CPU has kernels for it"
#: Where the simulator is known to answer otherwise: the dtypes and why.
_OTHERWISE = {
    "nn.LSTMCell(4, 3).cuda()(m(), (torch.zeros(4, 3, device=D), torch.zeros(4, 3, device=D).to(T)))[0]": (
        "i64, i32, u8, b1, f16, bf16, f64",
        "the CPU computes the cell in several operations, which promote",
    ),
    "torch.histc(v(T), 4)": ("b1", _KERNELS),
    "torch.nested.nested_tensor([m(T), m(T)[:2]]) @ torch.nested.nested_tensor([m(T), m(T)])": (
        "i64, i32, u8",
        _KERNELS,
    ),
    "torch.nested.nested_tensor([m(T), m(T)]) @ torch.nested.nested_tensor([m(U), m(U)])": (
        "i64 i64",
        _KERNELS,
    ),
    'torch.scatter_reduce(v(T), 0, ids(), v(T), "amax")': ("b1", _KERNELS),
    "F.max_unpool2d(image(T)[..., :2, :2].contiguous(), "
    "torch.arange(4, device=D).view(1, 1, 2, 2).expand(1, 4, 2, 2).contiguous(), 2)": ("b1", _KERNELS),
    "F.multilabel_margin_loss(m(), m(T))": (
        "i64",
        "the targets are out of range, which CUDA does not look at",
    ),
    "torch.addmv(v(T), m(U), v(U))": (
        "f32 f64, f64 f32, i64 f32, f16 f32, f32 f16",
        "torch 2.13 refuses two dtypes on every device",
    ),
    "torch.ldexp(v(T), v(U))": ("f32 b1", "torch 2.13 has a kernel of its own, without bool"),
    "F.batch_norm(image(T), v(U), v(U))": (
        "f32 i64, f32 b1, f64 i64",
        "the CPU takes statistics of any dtype",
    ),
    "F.batch_norm(image(T), v(U), v(U), v(T), v(T))": (
        "f16 f32",
        "the CPU wants parameters of float32 beside such statistics",
    ),
    "F.multi_margin_loss(m(T), ids(), weight=v(U))": ("f16 f32", "halves are computed in float32"),
    "m(T).to_sparse_csr() @ m(U)": ("f16 f32", "halves are computed in float32"),
    "torch.func.jvp(lambda z: z * 2, (v(),), (v(f32, C),))": ("", "a tangent stays where it was made"),
    "auto(lambda: F.rms_norm(m(f16), (4,), v()))": ("", "torch 2.13 makes it float32"),
    'torch.autocast("cpu")(lambda: nn.Linear(4, 2).cuda()(m(f16)))()': (
        "",
        "the CPU's autocast knows true devices alone",
    ),
}
#: What the analysis is known to claim against the record, and why.
_CLAIMED = {
    "torch.distributions.MultivariateNormal(v(), m(f32, C))": "what is drawn from it fails, not the making",
    "torch.nn.utils.clip_grad_norm_([v(T)], 1.)": "a norm of no gradients is on the CPU; the analysis takes it that there are some",
    "q = p(); nn.utils.vector_to_parameters(v(f32, C), [q]); q": "pieces of the vector are followed into networks alone",
    "q = p(); nn.utils.vector_to_parameters(v(f64), [q]); q": "as above",
    "q = p(); q.sum().backward(); q.data = v(f64); q.grad": "gradients are of the dtype of what they are of",
}


@dataclass(frozen=True)
class _Row:
    """One question, of a table, and its answer."""

    line: str
    dtypes: str
    outcome: str

    @property
    def fails(self) -> bool:
        """Whether it raises."""
        return not self.outcome.startswith("ok")

    def statement(self, name: str) -> str:
        """The statements of the question in a row, the last of which gives its value a name."""
        *first, last = self.line.split("; ")
        for letter, dtype in zip("TU", self.dtypes.split(), strict=False):
            last = re.sub(rf"\b{letter}\b", dtype, last)
        is_value = isinstance(ast.parse(last).body[0], ast.Expr)
        return "; ".join([*first, f"{name} = {last}" if is_value else last])


def _rows(table: str) -> list[_Row]:
    if table == "meetings":
        return [_Row(line, "", _RECORD["meeting"][line]) for line in lines(table)]
    return [
        _Row(line, " ".join(dtypes), _OPERANDS[line][" ".join(dtypes)])
        for line in lines(table)
        for dtypes in ASKED[table]
    ]


def _simulated(table: str) -> list[str]:
    """The outcomes of a table's rows."""
    if table == "meetings":
        return [str(answer(meeting_questions.QUESTIONS[line])) for line in lines(table)]
    found = {line: operand_questions.QUESTIONS[line]().by_operands() for line in lines(table)}
    return [found[row.line][row.dtypes] for row in _rows(table)]


@pytest.mark.parametrize("table", _TABLES)
def test_the_simulator_runs_and_refuses_what_the_gpu_did(table: str) -> None:
    with simulated_accelerator() as machine, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        machine.touch()
        simulated = _simulated(table)
    differing: dict[str, list[str]] = {}
    for row, outcome in zip(_rows(table), simulated, strict=True):
        if not (row.outcome == outcome or (row.fails and not outcome.startswith("ok"))):
            differing.setdefault(row.line, []).append(row.dtypes)
    known = {line: dtypes for line, (dtypes, _) in _OTHERWISE.items() if line in lines(table)}
    assert {line: ", ".join(dtypes) for line, dtypes in differing.items()} == known


_HEAD = """
import copy
import torch
import torch.nn.functional as F
import torch.nn.utils.prune
from torch import nn
from operand_values import *

def auto(function):
    with torch.autocast("cuda"):
        return function()

"""
#: One program has so many questions: what is bound in a long one costs more to look up.
_AT_ONCE = 100


@dataclass(frozen=True)
class _Claims:
    """What the analysis says of rows: which fail, and what the others give."""

    failing: frozenset[int]
    values: dict[int, Tensor]


def _analysed(rows: list[_Row]) -> _Claims:
    text = _HEAD + "".join(f"{row.statement(f'r{number}')}\n" for number, row in enumerate(rows))
    values = Path(operand_values.__file__).read_text(encoding="utf-8")
    end = Ending(text, operand_values=values)
    first = _HEAD.count("\n") + 1
    # What is said of the width of a target is no fault by itself.
    failing = {
        each.sink.line - first
        for each in Facts(end.interpreter.program, end.interpreter.recorder).mismatches()
        if each.path == "main.py" and each.kind != "target-width"
    }
    return _Claims(frozenset(failing), dict(_tensors(end, len(rows))))


def _tensors(end: Ending, count: int) -> Iterator[tuple[int, Tensor]]:
    for number in range(count):
        try:
            value = end[f"r{number}"]
        except AssertionError:
            continue  # it fails, or is a statement
        if isinstance(value, Tensor):
            yield number, value


def _contradicts(row: _Row, claims: _Claims, number: int) -> bool:
    if number in claims.failing:
        return not row.fails
    claimed, found = claims.values.get(number), re.match(r"ok: (\w+) (cuda|cpu)\b(?!.*,)", row.outcome)
    if claimed is None or found is None:
        return False
    device = str(claimed.device) if claimed.device.is_known else found[2]
    return (claimed.dtype or found[1], device) != found.groups()


def test_the_analysis_claims_nothing_against_the_gpu() -> None:
    rows = [row for table in _TABLES for row in _rows(table)]
    contradicted: set[str] = set()
    failing = known = 0
    for start in range(0, len(rows), _AT_ONCE):
        part = rows[start : start + _AT_ONCE]
        claims = _analysed(part)
        contradicted.update(row.line for number, row in enumerate(part) if _contradicts(row, claims, number))
        failing += len(claims.failing)
        known += sum(value.dtype is not None for value in claims.values.values())
    assert contradicted == set(_CLAIMED)
    # It is silent of others, but says something of most.
    assert failing > len([row for row in rows if row.fails]) * 2 / 3
    assert known > len([row for row in rows if not row.fails]) * 2 / 3
