"""Parts of a batch that are lists or dicts of tensors, as in detection, move at the top of the loop."""

from __future__ import annotations

import pytest
from reality import run
from text_program import check_texts, fix_texts

PROGRAM = """
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

class Boxes(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return torch.ones(3), {item}

def collate(batch):
    images, targets = zip(*batch)
    return torch.stack(images), {targets}

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 4).to(device)
for {names} in {loader}:
    images = images.to(device)
    {rest}
"""
DICT = '{"boxes": torch.ones(2, 4), "labels": torch.ones(2, dtype=torch.long)}'


def program(item: str, use: str, **parts: str) -> str:
    """A loop over batches of an image and something nested."""
    usual = {"names": "images, targets", "loader": "DataLoader(Boxes(), collate_fn=collate)"}
    slots = {**usual, "item": item, "rest": use, "targets": "list(targets)", **parts}
    return PROGRAM.format(**slots)


def inserted(text: str) -> list[str]:
    """The lines that the fixes add."""
    new = fix_texts({"main.py": text})[0]["main.py"].splitlines()
    old = text.splitlines()
    assert len(new) >= len(old)
    return [line.strip() for line in new if line not in old]


@pytest.mark.parametrize(
    ("item", "use", "move"),
    [
        (
            DICT,
            'print(net(images) - targets[0]["boxes"])',
            "targets = [{k: v.to(device) for k, v in t.items()} for t in targets]",
        ),
        (
            '{"boxes": torch.ones(2, 4), "image_id": index}',
            'print(net(images) - targets[0]["boxes"])',
            'targets = [{k: v.to(device) if hasattr(v, "to") else v for k, v in t.items()} for t in targets]',
        ),
        ("torch.ones(4)", "print(net(images) - targets[0])", "targets = [t.to(device) for t in targets]"),
    ],
)
def test_moves_what_is_nested(item: str, use: str, move: str) -> None:
    assert inserted(program(item, use)) == [move]


def test_in_an_enumerated_loop() -> None:
    text = program(
        DICT, 'print(net(images) - targets[0]["boxes"])', names="i, (images, targets)",
        loader="enumerate(DataLoader(Boxes(), collate_fn=collate))",
    )  # fmt: skip
    assert inserted(text) == ["targets = [{k: v.to(device) for k, v in t.items()} for t in targets]"]


def test_the_part_that_is_moved_already_stays() -> None:
    use = 'print(net(torch.stack(images)) - targets[0]["boxes"])'
    text = program(DICT, use, targets="list(targets)").replace(
        "torch.stack(images), list", "list(images), list"
    )
    text = text.replace("images = images.to(device)", "images = [i.to(device) for i in images]")
    assert inserted(text) == ["targets = [{k: v.to(device) for k, v in t.items()} for t in targets]"]


@pytest.mark.parametrize(
    "use",
    [
        'targets = [{k: v.to(device) for k, v in t.items()} for t in targets]\n    print(targets[0]["boxes"] - net(images))',
        'print(targets[0]["boxes"] - net(images).cpu())',
        'print(images[targets[0]["labels"]])',
    ],
)
def test_what_is_right_stays(use: str) -> None:
    assert not check_texts({"main.py": program(DICT, use)})


KEYED = """
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

class Cells(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return {{"image": torch.ones(3), "mask": torch.ones(4), "weight": torch.ones(4)}}

def train(net, device, loader):
    for {names} in {loader}:
        x = sample["image"].to(device)
        y = sample["mask"]{moved}
        w = sample["weight"].to(device)
        print((w * (net(x) - y)).sum())

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
train(nn.Linear(3, 4).to(device), device, DataLoader(Cells(), batch_size=2))
"""
LOOPS = [("sample", "loader"), ("step, sample", "enumerate(loader)")]


@pytest.mark.parametrize(("names", "loader"), LOOPS)
def test_what_is_taken_from_a_batch_moves_as_the_rest_that_is_taken_from_it(names: str, loader: str) -> None:
    text = KEYED.format(names=names, loader=loader, moved="")
    assert fix_texts({"main.py": text})[0]["main.py"] == KEYED.format(
        names=names, loader=loader, moved=".to(device)"
    )


@pytest.mark.parametrize(("names", "loader"), LOOPS)
def test_a_batch_whose_parts_move_where_they_are_taken_stays(names: str, loader: str) -> None:
    assert not check_texts({"main.py": KEYED.format(names=names, loader=loader, moved=".to(device)")})


ITEMS = """
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net, rnn = nn.Linear(3, 1).to(device), nn.GRU(3, 4, batch_first=True).to(device)
counts = torch.zeros(9)
loader = DataLoader(TensorDataset(torch.ones(8, 3), torch.ones(8, 1), torch.ones(8, dtype=torch.long)), batch_size=2)
for batch in loader:
    {moved}{use}
    print(loss)
"""
TWICE = "loss = (net(batch[0]) - batch[1]).sum() + (net(batch[0]) * batch[1]).mean()"
MOVED = "batch = [t.to(device) for t in batch]"


@pytest.mark.parametrize("loop", ["for batch in loader:", "for i, batch in enumerate(loader):"])
def test_a_list_of_which_items_are_read_moves_at_the_top_of_the_loop(loop: str) -> None:
    text = ITEMS.replace("for batch in loader:", loop)
    after = fix_texts({"main.py": text.format(moved="", use=TWICE)})[0]["main.py"]
    assert after == text.format(moved=f"{MOVED}\n    ", use=TWICE)
    run(after)


@pytest.mark.parametrize(
    "use",
    [
        "loss = (net(batch[0]) - batch[1]).sum() + counts[batch[2]].sum()",
        "loss = (net(batch[0]) - batch[1]).sum() + batch[2].numpy().sum()",
        "loss = rnn(pack_padded_sequence(batch[0][:, None], batch[2], batch_first=True))[1].sum() + (net(batch[0]) - batch[1]).sum()",
        "loss = sum((net(batch[0]) - batch[1]).sum() for part in batch)",
        "loss = net(batch[0]).sum()",
        "x = batch[0]\n    loss = (net(x) - batch[1]).sum()",
        "loss = (net(batch[0].to(device)) - batch[1]).sum()",
        "loss = (net(batch[0]) - batch[-1]).sum()",
    ],
)
def test_a_list_that_serves_other_ends_does_not_move_as_a_whole(use: str) -> None:
    after = fix_texts({"main.py": ITEMS.format(moved="", use=use)})[0]["main.py"]
    assert MOVED not in after
    assert ".to(device)" in after.partition("for batch")[2]
    run(after)


def test_a_list_that_moved_stays() -> None:
    assert not check_texts({"main.py": ITEMS.format(moved=f"{MOVED}\n    ", use=TWICE)})


SWITCHED = """
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

MASKED = True

class Features(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        if MASKED:
            return [torch.ones(3), torch.ones(3)], 0
        return torch.ones(3), 0

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 1).to(device)
for x, _ in DataLoader(Features(), batch_size=2):
    if MASKED:
        loss = net(x[0] * x[1]).sum() + (net(x[0]) * x[1]).sum()
    {otherwise}
"""


@pytest.mark.parametrize(
    "otherwise",
    [
        "else:\n        loss = net(x).sum()",
        "elif len(x) > 3:\n        loss = 0\n    else:\n        x, mask = x, None\n        loss = net(x).sum()",
    ],
)
def test_what_is_one_tensor_by_another_setting_does_not_move_as_a_list(otherwise: str) -> None:
    after = fix_texts({"main.py": SWITCHED.format(otherwise=otherwise)})[0]["main.py"]
    assert "for t in x" not in after
    assert ".to(device)" in after.partition("    if MASKED:\n        loss")[2]
    for program in (after, after.replace("MASKED = True", "MASKED = False")):
        assert "loss" in run(program)


def test_a_list_by_every_setting_moves_as_a_whole() -> None:
    after = fix_texts({"main.py": SWITCHED.format(otherwise="else:\n        loss = net(x[1]).sum()")})[0][
        "main.py"
    ]
    assert "    x = [t.to(device) for t in x]\n" in after


@pytest.mark.parametrize(
    ("others", "taken"),
    [
        (DICT, "[{k: v.to(device) for k, v in o.items()} for o in others]"),
        ("torch.ones(4)", "[o.cuda() for o in others]"),
        ("torch.ones(4)", "tuple(o.to(device) for o in others)"),
    ],
)
@pytest.mark.parametrize("times", [1, 2])
def test_what_moves_wherever_it_is_read_stays(others: str, taken: str, times: int) -> None:
    use = f'print(net(images) - targets[0]["boxes"], {", ".join([taken] * times)})'
    text = program(
        f"{DICT}, {others}", use, names="images, targets, others", targets="list(targets), list(others)"
    )
    text = text.replace("images, targets = zip", "images, targets, others = zip")
    assert inserted(text) == ["targets = [{k: v.to(device) for k, v in t.items()} for t in targets]"]


@pytest.mark.parametrize(
    "taken",
    [
        "[o.cpu() for o in others]",
        "[o.to(device) for o in others], net(images) - others[0]",
        "[o.to(device) for o in others if o.sum() > 0], [o - net(images) for o in others]",
        "[images.to(device) - o for o in others]",
    ],
)
def test_what_moves_here_and_there_moves_at_the_top(taken: str) -> None:
    use = f'print(net(images) - targets[0]["boxes"], {taken})'
    text = program(
        f"{DICT}, torch.ones(4)", use, names="images, targets, others", targets="list(targets), list(others)"
    )
    text = text.replace("images, targets = zip", "images, targets, others = zip")
    assert inserted(text)[-1] == "others = [t.to(device) for t in others]"
