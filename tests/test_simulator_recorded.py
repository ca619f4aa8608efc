"""The simulator answers as an H200 did (for "number" an H100), topic by topic; ``test_recorded_operands.py`` has two of them.

``tests/gpu/record_questions.py`` puts the same questions to a real accelerator.
"""

from __future__ import annotations

import importlib
import json
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch.utils.data._utils as loading
from recorded.questions import TOPICS, Question, answer

from devfix.simulator import Machine, simulated_accelerator

_DATA = Path(__file__).parent / "data"
_RECORDED = {
    **json.loads((_DATA / "h200_answers.json").read_text()),
    **json.loads((_DATA / "h100_answers.json").read_text()),
}
_QUESTIONS = {topic: importlib.import_module(f"recorded.{topic}_questions").QUESTIONS for topic in TOPICS}
#: Topics of so many questions that the words of what is raised are left alone.
_BY_OUTCOME = {"operand", "meeting"}
#: Where the simulator is known to answer otherwise, and why.
_OTHERWISE = {
    "p = nn.Parameter(c); p.sum().backward(); p.data = p.data.cuda(); p.sum().backward(); p.grad.device": (
        "what backward formulas written in C++ meet is not judged"
    ),
    "auto(lambda: g @ d)": "torch 2.13 says m1 and m2 on every device",
    "auto(lambda: F.linear(d, g))": "torch 2.13 says m1 and m2 on every device",
    "auto(lambda: nn.LSTM(2, 3).cuda()(g[None].double()))": "weights are compared before they are cast",
    "f / -1e39": "CUDA multiplies with the inverse, of which the CPU's float32 makes a zero",
    'torch.arange(0, 1e39, 1e39 / 2, dtype=f.dtype, device="cuda")': "ranges beyond float32 are not judged",
    'torch.arange(1e39, 1e39 + 2, dtype=f.dtype, device="cuda")': "ranges beyond float32 are not judged",
    **{
        f"{name}.{call}({name}, {name}, value={number})": "CUDA wraps the number around, and the CPU has no such product"
        for name, number in {"k": "-300", "u": "-300", "n": "-3_000_000_000"}.items()
        for call in ("addcmul", "addcmul_")
    },
    'torch.autocast("cpu")(lambda: (g @ g).dtype)()': "the CPU's autocast knows true devices alone",
    'auto(lambda: torch.autocast("cpu")(lambda: ((g @ g).dtype, (c @ c).dtype))())': (
        "the CPU's autocast knows true devices alone"
    ),
    **dict.fromkeys(
        ("kind(torch.svd_lowrank(w, q=2))", "kind(torch.pca_lowrank(w, q=2))"),
        "torch 2.13 says m1 and m2 on every device",
    ),
    **dict.fromkeys(
        (f"{each}(lambda: kind(torch.linalg.matrix_exp((g @ g))))" for each in ("auto", "brain")),
        "it depends on the numbers whether what autocast widens goes into halves there",
    ),
}


def _asked() -> Iterator[object]:
    for topic in [topic for topic in TOPICS if topic not in _BY_OUTCOME]:
        for name, question in _QUESTIONS[topic].items():
            known = _OTHERWISE.get(name)
            marks = [] if known is None else [pytest.mark.xfail(reason=known)]
            yield pytest.param(question, _RECORDED[topic][name], id=f"{topic}: {name}", marks=marks)


@pytest.fixture(scope="module")
def machine() -> Iterator[Machine]:
    """One machine for all questions, as there was one H200."""
    with pytest.MonkeyPatch.context() as patch, simulated_accelerator() as machine:
        # After an error, loaders wait for their workers for as long as this.
        patch.setattr(loading, "MP_STATUS_CHECK_INTERVAL", 0.2)
        machine.touch()
        yield machine


@pytest.mark.usefixtures("machine")
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
@pytest.mark.parametrize(("question", "recorded"), list(_asked()))
def test_the_simulator_answers_as_the_gpu_did(question: Question, recorded: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert answer(question) == recorded


@pytest.mark.parametrize("topic", TOPICS)
def test_every_question_was_put_to_a_gpu(topic: str) -> None:
    assert list(_QUESTIONS[topic]) == list(_RECORDED[topic])
