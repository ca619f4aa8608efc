"""Collate functions that hand all they made to a function that moves it: they no longer do."""

import pytest
from text_program import check_texts, files, fix_texts

PROGRAM = """
import torch
from torch import nn
from torch.utils.data import DataLoader

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def send(*tensors):
    return {moved}


def collate(rows):
    x = torch.stack([r[0] for r in rows])
    y = torch.stack([r[1] for r in rows])
    {result}


def run(model, loader):
    for x, y in loader:
        print(((model(x) - y) ** 2).mean())


data = [(torch.randn(4), torch.randn(2)) for _ in range(16)]
run(nn.Linear(4, 2).cuda(), DataLoader(data, 4, collate_fn=collate, {option}))
"""
MOVED = "tuple(t.to(device) for t in tensors)"


def program(result: str, moved: str = MOVED, option: str = "pin_memory=True") -> str:
    return files(PROGRAM.format(result=result, moved=moved, option=option))["main.py"]


@pytest.mark.parametrize(
    ("result", "written"),
    [
        ("return send(x, y)", "return x, y"),
        ("x, y = send(x, y)\n    return x, y", "return x, y"),
        ("batch = send(x, y)\n    return batch", "batch = x, y\n    return batch"),
        ("return [*send(x, y)]", "return [*(x, y)]"),
    ],
)
@pytest.mark.parametrize("option", ["pin_memory=True", "num_workers=2"])
def test_what_is_handed_to_a_mover_of_any_number_stays_and_moves_in_the_loop(
    result: str, written: str, option: str
) -> None:
    before = program(result, option=option)
    texts, _ = fix_texts({"main.py": before})
    after = texts["main.py"]
    assert f"    y = torch.stack([r[1] for r in rows])\n    {written}\n" in after
    assert f"return {MOVED}" in after  # others may move by it
    assert check_texts(texts) == []


def test_the_names_that_are_about_to_move_do_not_tell_the_device() -> None:
    texts, _ = fix_texts({"main.py": program("return send(x, y)")})
    assert "x, y = x.to(device), y.to(device)\n" in texts["main.py"]
    plain = program("return send(x, y)").replace("device = torch.device", "where = torch.device")
    texts, _ = fix_texts({"main.py": plain.replace("to(device)", "to(where)")})
    assert "x.to(x.device)" not in texts["main.py"]
    assert "y.to(x.device)" not in texts["main.py"]


@pytest.mark.parametrize(
    "moved", ["tuple(t.to(device) * 2 for t in tensors)", "tuple(t.sum() for t in tensors)"]
)
def test_what_does_more_than_move_is_still_called(moved: str) -> None:
    texts, _ = fix_texts({"main.py": program("return send(x, y)", moved)})
    assert "return send(x, y)" in texts["main.py"]


def test_a_loader_that_does_not_mind_keeps_what_moves() -> None:
    before = program("return send(x, y)", option="shuffle=False")
    assert fix_texts({"main.py": before})[0]["main.py"] == before
