"""Masks go through torchvision's second transforms beside pictures: one dtype is for these alone, a dict says what becomes of which."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

from devfix.findings import Applicability

PROGRAM = """\
import torch
from torchvision import tv_tensors
from torchvision.transforms import v2

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
picture = tv_tensors.Image(torch.zeros(3, 4, 4, dtype=torch.uint8))
mask = {mask}
options = open("options").read()
steps = [v2.RandomHorizontalFlip(), v2.ToDtype({told})]
picture, mask = v2.Compose(steps)(picture, mask)
logits = torch.nn.Conv2d(3, 5, 1).to(device)(picture.to(device)[None])
torch.nn.functional.cross_entropy(logits, mask.to(device)[None]).backward()
"""
MASK = "tv_tensors.Mask(torch.zeros(4, 4, dtype=torch.int32))"
PICTURE = "tv_tensors.Image: torch.float32"
REFUSED = [
    "torch.float32, scale=True",
    f'{{{PICTURE}, "others": None}}, scale=True',
    f'{{{PICTURE}, tv_tensors.Mask: torch.int16, "others": torch.int64}}',
    f'{{{PICTURE}, tv_tensors.Mask: None, "others": torch.int64}}',
]
TAKEN = [
    f'{{{PICTURE}, tv_tensors.Mask: torch.int64, "others": None}}',
    f'{{{PICTURE}, "others": torch.int64}}',
    f'{{{PICTURE}, type(mask): torch.int64, "others": None}}',
    f'{{{PICTURE}, **dict(options), "others": None}}',
    "options",
]


@pytest.mark.parametrize("told", REFUSED[:2])
def test_a_mask_stays_what_it_is_and_is_cast_where_a_loss_refuses_it(told: str) -> None:
    text = PROGRAM.format(mask=MASK, told=told)
    assert clashes(text) == ["12: target-dtype"]
    after = fix_texts({"main.py": text}, wanted=Applicability.UNSAFE)[0]["main.py"]
    assert after == text.replace("mask.to(device)[None]", "mask.to(device)[None].long()")


@pytest.mark.parametrize("told", REFUSED[2:])
def test_a_mask_is_what_the_entry_of_its_class_makes_of_it(told: str) -> None:
    text = PROGRAM.format(mask=MASK, told=told)
    assert clashes(text) == (["12: target-dtype"] if "None, " in told else [])


@pytest.mark.parametrize("told", TAKEN)
def test_a_mask_that_is_cast_or_may_be_is_left_alone(told: str) -> None:
    text = PROGRAM.format(mask=MASK, told=told)
    assert clashes(text) == []
    assert fix_texts({"main.py": text}, wanted=Applicability.UNSAFE)[0]["main.py"] == text


@pytest.mark.parametrize(
    "mask", ["torch.zeros(4, 4, dtype=torch.int32)", f"{MASK} * 1", MASK[:-1] + ").long()"]
)
def test_what_is_no_mask_of_narrow_numbers_is_not_known_to_stay_one(mask: str) -> None:
    assert clashes(PROGRAM.format(mask=mask, told=REFUSED[1])) == []


ALONE = """\
import torch
from torchvision import tv_tensors
from torchvision.transforms import v2

mask = tv_tensors.Mask(torch.zeros(4, 4, dtype=torch.uint8))
mask = v2.ToDtype(torch.float32)({part})
logits = torch.nn.Linear(4, 4)(torch.rand(4, 4))
torch.nn.functional.binary_cross_entropy_with_logits(logits, mask)
"""
KEEPING = ["mask", "mask.clone()", "mask.detach()"]
LOSING = [
    "mask[None][0]",
    "mask.unsqueeze(0)[0]",
    "mask.reshape(4, 4)",
    "mask.contiguous()",
    "mask.index_select(0, torch.arange(4))",
]


@pytest.mark.parametrize("part", [*KEEPING, *LOSING])
def test_what_is_taken_of_a_mask_has_no_class_by_which_it_stays(part: str) -> None:
    assert clashes(ALONE.format(part=part)) == (["8: target-dtype"] if part in KEEPING else [])
