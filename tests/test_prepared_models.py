"""Models that are placed by others than the program: by what prepares them, or part by part."""

from __future__ import annotations

import pytest
from text_program import clashes

LOADED = """
import torch
from accelerate import Accelerator
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("tiny"{how})
"""


@pytest.mark.parametrize("how", [", load_in_8bit=True", ', device_map="auto"'])
@pytest.mark.parametrize("name", ["prepare", "prepare_model"])
def test_what_was_placed_when_it_was_loaded_may_be_prepared(how: str, name: str) -> None:
    assert not clashes(LOADED.format(how=how) + f"model = Accelerator().{name}(model)\n")


def test_what_was_placed_when_it_was_loaded_must_not_be_moved() -> None:
    assert clashes(LOADED.format(how=", load_in_8bit=True") + "model.to('cuda')\n") == ["7: dispatched"]


def test_a_model_of_which_a_part_was_moved_is_not_judged() -> None:
    moved = "model.model.decoder.embed = model.model.decoder.embed.to('cuda')\n"
    assert not clashes(LOADED.format(how="") + moved + "model(torch.ones(2, 3).long().to('cuda'))\n")


def test_a_model_whose_parts_are_only_looked_at_is() -> None:
    seen = "layers = model.model.decoder.layers\n"
    found = clashes(LOADED.format(how="") + seen + "model(torch.ones(2, 3).long().to('cuda'))\n")
    assert found == ["8: device"]
