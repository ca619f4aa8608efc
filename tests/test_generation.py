"""What ``generate`` of transformers calls at each step is given tokens and scores that are beside the model."""

from __future__ import annotations

import pytest
from text_program import clashes

PROGRAM = """
import torch
from transformers import (
    GPT2Config, GPT2LMHeadModel, LogitsProcessor, LogitsProcessorList, StoppingCriteria, StoppingCriteriaList
)

class Bias(LogitsProcessor):
    def __init__(self, bias):
        self.bias = bias

    def __call__(self, input_ids, scores):
        return scores + self.bias

class Enough(StoppingCriteria):
    def __init__(self, ends):
        self.ends = ends

    def __call__(self, input_ids, scores, **kwargs):
        return torch.isin(input_ids[:, -1], self.ends)

model = GPT2LMHeadModel(GPT2Config()).cuda()
prompt = torch.tensor([[1, 2]]).cuda()
model.generate(prompt, {given})
"""
_BIAS = "logits_processor={}Bias(torch.zeros(9){})]{}"
_ENDS = "stopping_criteria={}Enough(torch.tensor([1]){})]{}"
_AS = [("[", ""), ("LogitsProcessorList([", ")")]


@pytest.mark.parametrize("form", _AS)
@pytest.mark.parametrize("role", [_BIAS, _ENDS.replace("Logits", "Stopping")])
def test_what_it_keeps_meets_the_scores(role: str, form: tuple[str, str]) -> None:
    opened, closed = form
    assert clashes(PROGRAM.format(given=role.format(opened, "", closed)))
    assert clashes(PROGRAM.format(given=role.format(opened, ".cuda()", closed))) == []


def test_what_nothing_is_told_of_is_not_called() -> None:
    assert clashes(PROGRAM.format(given="max_length=9") + "\nBias(torch.zeros(9))\n") == []
    assert clashes(
        PROGRAM.format(given="max_length=9") + "\nBias(torch.zeros(9))(prompt, torch.zeros(9).cuda())\n"
    )


OUTPUTS = """
import torch
from torch import nn
from transformers import BertConfig, BertModel

model = BertModel(BertConfig()).cuda(){cast}
found = model(torch.zeros(2, 3, dtype=torch.int64).cuda())
head = nn.Linear(9, 3).cuda()
head(torch.cat([{taken}, torch.zeros(2, 9, dtype=torch.float64).cuda()], dim=1))
"""


@pytest.mark.parametrize(
    "taken", ["found.pooler_output", 'found["pooler_output"]', "found.last_hidden_state[:, 0]"]
)
def test_what_its_last_layers_make_has_their_dtype(taken: str) -> None:
    assert clashes(OUTPUTS.format(cast="", taken=taken))


@pytest.mark.parametrize(
    ("cast", "taken"), [("", "found[0]"), ("", "found.loss"), (".half()", "found.logits")]
)
def test_of_the_rest_nobody_knows_it(cast: str, taken: str) -> None:
    assert clashes(OUTPUTS.format(cast=cast, taken=taken)) == []


PROMPTED = """
import torch
import transformers
from transformers import StoppingCriteria, StoppingCriteriaList

class Enough(StoppingCriteria):
    def __call__(self, input_ids, scores, **kwargs):
        return {answer}

class Cut(transformers.LogitsProcessor):
    def __call__(self, input_ids, scores):
        return {scores}

model = transformers.{model}.from_pretrained("tiny").cuda()
ids = torch.zeros(2, 3, dtype=torch.int64)
model.generate({given}, stopping_criteria=StoppingCriteriaList([Enough()]), logits_processor=[Cut()])
"""
_ENCODING = (
    "BartForConditionalGeneration T5ForConditionalGeneration MarianMTModel AutoModelForSeq2SeqLM".split()
)


def _prompted(model: str, given: str, answer: str = "False", scores: str = "scores") -> list[str]:
    return clashes(PROMPTED.format(model=model, given=given, answer=answer, scores=scores))


@pytest.mark.parametrize("model", _ENCODING)
@pytest.mark.parametrize("given", ["{}", "input_ids={}", "inputs={}", "**{{'input_ids': {}}}"])
def test_a_prompt_that_is_encoded_has_to_be_where_the_model_is(model: str, given: str) -> None:
    assert _prompted(model, given.format("ids"))
    assert _prompted(model, given.format("ids.cuda()")) == []


@pytest.mark.parametrize(
    "model", ["GPT2LMHeadModel", "LlavaForConditionalGeneration", "AutoModelForCausalLM"]
)
def test_others_may_take_it_there(model: str) -> None:
    assert _prompted(model, "ids") == []


def test_a_model_in_several_places_takes_the_prompt_there() -> None:
    text = PROMPTED.format(model=_ENCODING[0], given="ids", answer="False", scores="scores")
    assert clashes(text.replace('"tiny").cuda()', '"tiny", device_map="auto")')) == []


_COUNTING = "GPT2LMHeadModel OPTForCausalLM MistralForCausalLM Qwen3ForCausalLM AutoModelForCausalLM".split()
_MASKED = "ids{}, attention_mask=torch.ones_like(ids)"


@pytest.mark.parametrize("model", _COUNTING)
def test_a_mask_that_tells_positions_has_to_be_beside_the_prompt(model: str) -> None:
    assert _prompted(model, _MASKED.format(".cuda()"))
    assert _prompted(model, "input_ids=" + _MASKED.format(".cuda()"))
    assert _prompted(model, _MASKED.format(".cuda()") + ".cuda()") == []


def test_it_may_stay_where_the_prompt_is_on_the_cpu() -> None:
    assert _prompted(_COUNTING[0], _MASKED.format("")) == []


@pytest.mark.parametrize("model", ["BloomForCausalLM", "MambaForCausalLM", "GPTJForCausalLM"])
def test_a_mask_of_which_no_positions_are_told_may_be_anywhere(model: str) -> None:
    assert _prompted(model, _MASKED.format(".cuda()")) == []


def test_a_model_in_several_places_takes_the_mask_there() -> None:
    text = PROMPTED.format(
        model=_COUNTING[0], given=_MASKED.format(".cuda()"), answer="False", scores="scores"
    )
    assert clashes(text.replace('"tiny").cuda()', '"tiny", device_map="auto")')) == []


def test_where_the_mask_is_tells_nothing_about_the_scores() -> None:
    given = _MASKED.format(".cuda()")
    assert len(_prompted("BloomForCausalLM", given, scores="scores + torch.ones(9)")) == 1
    assert _prompted("BloomForCausalLM", given, scores="scores + torch.ones(9).cuda()") == []


@pytest.mark.parametrize(
    ("answer", "apart"),
    [
        ("torch.full((2,), input_ids.size(1) > 9)", True),
        ("(input_ids[:, -1] == 1).cpu()", True),
        ("torch.full((2,), True, device=input_ids.device)", False),
        ("torch.tensor(True)", False),
        ("input_ids[0, -1].item() == 1", False),
    ],
)
def test_what_stops_it_answers_beside_the_tokens(answer: str, apart: bool) -> None:
    assert bool(_prompted("GPT2LMHeadModel", "ids.cuda()", answer)) is apart


@pytest.mark.parametrize(("scores", "apart"), [("scores.cpu()", True), ("scores - 1", False)])
def test_scores_stay_beside_the_tokens(scores: str, apart: bool) -> None:
    assert bool(_prompted("GPT2LMHeadModel", "ids.cuda()", scores=scores)) is apart
