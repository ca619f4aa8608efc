"""A part of a batch that was left moves after the one that moved in its place; dicts that are one of several are copied."""

from __future__ import annotations

import pytest
from text_program import clashes, files, fix_texts

PROGRAM = """
    import torch
    from torch.utils.data import DataLoader, Dataset

    class Samples(Dataset):
        def __len__(self):
            return 8

        def __getitem__(self, i):
            return {{"x": torch.ones(3), "y": torch.tensor(i % 2), "id": i}}

    device = torch.device("cuda")
    model = torch.nn.Linear(3, 2).to(device)
    criterion = torch.nn.CrossEntropyLoss()
    for batch in DataLoader(Samples(), batch_size=4):
        {body}
"""


def added(body: str) -> list[str]:
    """The lines that the repair adds."""
    texts = files(PROGRAM.format(body=body.replace("\n", "\n        ")))
    after = fix_texts(texts)[0]["main.py"].splitlines()
    return [line.strip() for line in after if line not in texts["main.py"].splitlines()]


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("batch['x'] = batch['x'].to(device)\ncriterion(model(batch['x']), batch['y'])", "batch['y'] = batch['y'].to(device)"),
        (
            'if torch.cuda.is_available():\n    batch["x"] = batch["x"].cuda()\ncriterion(model(batch["x"]), batch["y"])',
            'batch["y"] = batch["y"].cuda()',
        ),
        (
            'batch["y"] = batch["y"].to(device)\ny = batch["y"]\ncriterion(model(batch["x"]), y)',
            'batch["x"] = batch["x"].to(device)',
        ),
    ],
)  # fmt: skip
def test_what_is_left_moves_after_what_moved(body: str, line: str) -> None:
    assert added(body) == [line]


@pytest.mark.parametrize(
    "body",
    [
        'batch["x"] = batch["x"].float().to(device)\ncriterion(model(batch["x"]), batch["y"])',
        'moved = {}\nmoved["x"] = batch["x"].to(device)\ncriterion(model(moved["x"]), batch["y"])',
    ],
)
def test_what_does_more_than_move_a_part_is_no_example(body: str) -> None:
    lines = added(body)
    assert lines
    assert not any(each.startswith('batch["y"] =') for each in lines)


def test_what_is_not_used_beside_it_stays() -> None:
    assert not added('batch["x"] = batch["x"].to(device)\nprint(model(batch["x"]), batch["y"].numpy())')


def test_a_batch_that_nobody_knows_moves_as_its_part_did() -> None:
    text = PROGRAM.format(
        body='batch["x"] = batch["x"].to(device)\n        criterion(model(batch["x"]), batch["y"])'
    )
    texts = files(text.replace("DataLoader(Samples(), batch_size=4)", "read()"), reader="")
    after = fix_texts(texts)[0]["main.py"]
    assert 'batch["x"] = batch["x"].to(device)\n    batch["y"] = batch["y"].to(device)\n' in after


ONE_OF_SEVERAL = """
    import torch

    targets = []
    for k in range(5):
        targets.append({"boxes": torch.ones(k, 4), "labels": torch.ones(k).long()})
    model = torch.nn.Linear(4, 3).cuda()
    for target in targets:
        target = COPY
        target["boxes"] = target["boxes"].cuda()
        torch.nn.functional.cross_entropy(model(target["boxes"]), target["labels"])
"""


@pytest.mark.parametrize("copy", ["dict(target)", "{**target}", "target.copy()"])
def test_a_copy_of_one_of_several_dicts_holds_what_they_hold(copy: str) -> None:
    assert clashes(ONE_OF_SEVERAL.replace("COPY", copy)) == ["11: device"]


def test_of_what_may_be_any_dict_nothing_is_known() -> None:
    some = ONE_OF_SEVERAL.replace("COPY", "dict(target if k else read(k))")
    assert not clashes(some.replace("for target in targets:", "for target in targets * read():"))
