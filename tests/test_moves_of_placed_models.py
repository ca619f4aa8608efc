"""A model that its device map places is not moved; a file that is given models moves those that have none."""

from __future__ import annotations

import pytest
from text_program import clashes

MAIN = """
from transformers import AutoModelForCausalLM
{imported}

model = AutoModelForCausalLM.from_pretrained("any", device_map="auto")
{use}
"""
HELPER = """
def prepare(model, device):
    return model.to(device)
"""


def test_the_move_beside_the_map_is_one_too_many() -> None:
    assert clashes(MAIN.format(imported="", use='model.to("cuda")')) == ["6: dispatched"]
    assert clashes(MAIN.format(imported=HELPER, use='prepare(model, "cuda")')) == ["5: dispatched"]


def test_what_other_files_do_with_any_model_is_theirs() -> None:
    main = MAIN.format(imported="from helper import prepare", use='prepare(model, "cuda")')
    assert not clashes(main, helper=HELPER)


TRAINED = """
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

class Own(Trainer):
    def __init__(self, model, rate):
        super().__init__(model=model)
        self.rate = rate

model = AutoModelForCausalLM.from_pretrained("tiny", {how})
trainer = {trainer}
{use}
"""
HOW = ('device_map="auto"', "load_in_8bit=True")


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("trainer", ["Trainer(model, TrainingArguments('out'))", "Own(model, 0.1)"])
def test_a_trainer_leaves_it_where_it_is(how: str, trainer: str) -> None:
    assert clashes(TRAINED.format(how=how, trainer=trainer, use="trainer.train()")) == []
    assert clashes(TRAINED.format(how=how, trainer=trainer, use="model.cuda()")) == ["11: dispatched"]
