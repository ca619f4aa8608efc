"""What ``generate`` of a model from elsewhere answers: tokens, if it is known to be a language model's own."""

from __future__ import annotations

import pytest
from text_program import clashes

PROGRAM = """
import torch
import transformers

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = transformers.{model}.from_pretrained("name"{more}).to(device)
answer = model.generate(torch.ones(2, 5).long().to(device), max_new_tokens=3{asked})
"""


def found(use: str, model: str = "AutoModelForCausalLM", more: str = "", asked: str = "") -> list[str]:
    return clashes(PROGRAM.format(model=model, more=more, asked=asked) + use + "\n")


@pytest.mark.parametrize("model", ["AutoModelForCausalLM", "GPT2LMHeadModel", "AutoModelForSeq2SeqLM"])
def test_a_language_model_answers_with_tokens(model: str) -> None:
    assert found("answer.mean(dim=1)", model) == ["8: float-dtype"]


@pytest.mark.parametrize(
    ("model", "more"),
    [
        ("AutoModelForCausalLM", ", trust_remote_code=True"),  # its own generate may forecast numbers
        ("AutoModelForTextToWaveform", ""),
        ("MusicgenForConditionalGeneration", ""),
    ],
)
def test_other_models_may_answer_with_numbers(model: str, more: str) -> None:
    assert not found("answer.mean(dim=1)", model, more)
    assert found("answer.numpy()", model, more)  # beside the model it is all the same


def test_an_answer_in_parts_has_floats_among_them() -> None:
    assert not found("answer.scores.mean(dim=1)", asked=", return_dict_in_generate=True")
    assert found("answer.scores.numpy()", asked=", return_dict_in_generate=True")
