"""What a library's model is given: parts of a batch that nobody knows, and what ``**batch`` has under names that nobody knows."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

PROGRAM = """
import torch
from torch.utils.data import DataLoader
from transformers import AutoModelForSequenceClassification as Auto

device = torch.device("cuda")
student = Auto.from_pretrained("small").to(device)
teacher = Auto.from_pretrained("large"){moved}

def run(loader):
{body}

run(DataLoader(rows))
"""
_NAMED = """    for batch in loader:
        batch = {k: v.to(device) for k, v in batch.items()}
        out = student(**batch)
        with torch.no_grad():
            soft = teacher(**batch)
        (out.logits - soft.logits).mean().backward()"""
_ALONE = """    for ids, mask in loader:
        teacher(ids.to(device), attention_mask=mask.to(device))"""
_PARTS = """    for batch in loader:
        ids = batch["ids"].to(device)
        teacher(ids)"""


@pytest.mark.parametrize("body", [_NAMED, _ALONE, _PARTS])
def test_a_model_comes_to_the_batch_that_was_moved(body: str) -> None:
    text = PROGRAM.format(moved="", body=body)
    moved = PROGRAM.format(moved=".to(device)", body=body)
    assert fix_texts({"main.py": text})[0]["main.py"] == moved
    assert clashes(moved) == []


def test_a_batch_of_tensors_under_any_names_is_moved() -> None:
    body = """    for batch in DataLoader(rows, collate_fn=lambda each: {k: torch.tensor(each[0][k]) for k in each[0]}):
        student(**batch)"""
    text = PROGRAM.format(moved="", body=body)
    moved = "        batch = {k: v.to(device) for k, v in batch.items()}\n        student(**batch)"
    fixed = fix_texts({"main.py": text})[0]["main.py"]
    assert fixed == text.replace("        student(**batch)", moved)
    assert clashes(fixed) == []


_LABELS = """    for ids, y in loader:
        ids = ids.to(device)
        student({given})"""


def test_labels_that_were_left_behind_are_moved() -> None:
    text = PROGRAM.format(moved="", body=_LABELS.format(given="input_ids=ids, labels=y"))
    assert clashes(text)
    fixed = fix_texts({"main.py": text})[0]["main.py"]
    assert "y = y.to(device)" in fixed
    assert clashes(fixed) == []


@pytest.mark.parametrize(
    "body",
    [
        # What stands in a place of its own, or under another name, need be no tensor.
        _LABELS.format(given="ids, y"),
        _LABELS.format(given="input_ids=ids, names=y"),
        # Of the entries nobody knows anything, or where they are.
        "    for batch in loader:\n        student(**batch)",
        "    for batch in loader:\n        student(**{k: v.long() for k, v in batch.items()})",
        "    for batch in loader:\n        student(**{k: v.to(device) for k, v in batch.items()})",
    ],
)
def test_what_may_be_right_stays(body: str) -> None:
    assert clashes(PROGRAM.format(moved="", body=body)) == []


_READ = """
import numpy as np
import torch
{imported}

model = {made}
{ran}
"""
_MADE = {
    "transformers": ('Auto.from_pretrained("small").cuda()', "out = model(x).logits"),
    "torchvision": ("resnet18().cuda()", "out = model(x)"),
    "detection": ("fasterrcnn_resnet50_fpn().cuda().eval()", 'out = model([x])[0]["boxes"]'),
}
_IMPORTED = {
    "transformers": "from transformers import AutoModelForSequenceClassification as Auto",
    "torchvision": "from torchvision.models import resnet18",
    "detection": "from torchvision.models.detection import fasterrcnn_resnet50_fpn",
}


@pytest.mark.parametrize("kind", list(_MADE))
@pytest.mark.parametrize(("mode", "fetched"), [("no_grad", ".cpu()"), ("enable_grad", ".detach().cpu()")])
def test_a_model_records_nothing_where_nothing_is_recorded(kind: str, mode: str, fetched: str) -> None:
    made, called = _MADE[kind]
    ran = f'x = torch.zeros(3, 8, 8, device="cuda")\nwith torch.{mode}():\n    {called}\nnp.sum(out{{}}.numpy())'
    text = _READ.format(imported=_IMPORTED[kind], made=made, ran=ran.format(""))
    fixed = fix_texts({"main.py": text})[0]["main.py"]
    assert fixed == _READ.format(imported=_IMPORTED[kind], made=made, ran=ran.format(fetched))
