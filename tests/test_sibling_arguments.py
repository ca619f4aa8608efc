"""What a call is handed moves in the call, as the others that it is handed there do."""

from __future__ import annotations

import pytest
from text_program import fix_texts

from devfix.findings import Applicability

START = """
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(9, 4)
        self.tags = nn.Linear(4, 3)

    def forward(self, words, mask):
        return self.tags(self.words(words)) * mask

    def loss(self, words, mask, tags):
        return nn.functional.cross_entropy(self(words, mask).transpose(1, 2), tags)

model = Tagger()
"""
WORDS, MASK, TAGS = "torch.ones(2, 5).long()", "torch.ones(2, 5, 1)", "torch.zeros(2, 5).long()"


def repaired(text: str) -> str:
    return fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("model.loss(words.cuda(), mask, tags.cuda())", "model.loss(words.cuda(), mask.cuda(), tags.cuda())"),
        ("model.loss(words, mask.cuda(), tags.cuda())", "model.loss(words.cuda(), mask.cuda(), tags.cuda())"),
        (
            "model.loss(words=words.cuda(), mask=mask, tags=tags.cuda())",
            "model.loss(words=words.cuda(), mask=mask.cuda(), tags=tags.cuda())",
        ),
        (
            "model(words.cuda(non_blocking=True), mask).sum()",
            "model(words.cuda(non_blocking=True), mask.cuda(non_blocking=True)).sum()",
        ),
    ],
)
def test_what_is_handed_on_beside_moved_arguments_moves_with_them(before: str, after: str) -> None:
    text = f"{START}model.cuda()\nwords, mask = {WORDS}, {MASK}\ntags = {TAGS}\nprint({before})\n"
    assert repaired(text) == text.replace(before, after)


def test_only_the_branch_that_moves_the_others_moves_it() -> None:
    text = f"""{START}
use_gpu = torch.cuda.is_available()
if use_gpu:
    model.cuda()
for words, tags in DataLoader(TensorDataset({WORDS}, {TAGS})):
    mask = torch.ones(words.size(0), 5, 1)
    if use_gpu:
        loss = model.loss(words.cuda(), mask, tags.cuda())
    else:
        loss = model.loss(words, mask, tags)
    loss.backward()
"""
    assert repaired(text) == text.replace("words.cuda(), mask,", "words.cuda(), mask.cuda(),")


def test_what_an_operation_is_handed_moves_there() -> None:
    text = f"""{START}
model.cuda()
criterion = nn.CrossEntropyLoss()
words, mask, tags = {WORDS}, {MASK}, {TAGS}
print(criterion(model(words.cuda(), mask.cuda()).transpose(1, 2), tags))
"""
    assert "tags.cuda()" not in repaired(text)  # nothing else that it is handed moves there


def test_a_name_that_has_another_use_first_is_left_to_other_ways() -> None:
    text = f"""{START}
model.cuda()
words, mask = {WORDS}, {MASK}
print(mask.sum())
print(model(words.cuda(), mask).sum())
"""
    fixed = repaired(text)
    assert fixed != text
    assert "mask.cuda()" not in fixed


def test_what_is_right_stays() -> None:
    text = f"""{START}
words, mask = {WORDS}, {MASK}
print(model(words, mask).sum())
model.cuda()
print(model(words.cuda(), mask.cuda()).sum())
"""
    assert repaired(text) == text
