"""States of random generators are read on the CPU, and a file that is loaded to the accelerator brings them along."""

from __future__ import annotations

import pytest
from text_program import Ending, clashes, files, fix_texts

HEAD = """
import torch
from torch import nn
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(2, 2).to(device)
"""
LOAD = 'state = torch.load("last.pt", map_location=device)\n'


def _fixed(body: str) -> list[str]:
    """The lines that the fixes write."""
    before = files(HEAD + body)
    after, _ = fix_texts(before)
    return [line for line in after["main.py"].splitlines() if line not in before["main.py"].splitlines()]


@pytest.mark.parametrize(
    ("use", "fixed"),
    [
        ('torch.set_rng_state(state["rng"])', 'torch.set_rng_state(state["rng"].cpu())'),
        ('torch.random.set_rng_state(state.get("rng"))', 'torch.random.set_rng_state(state.get("rng").cpu())'),
        ('torch.set_rng_state(state["rng"]["torch"])', 'torch.set_rng_state(state["rng"]["torch"].cpu())'),
        (
            'torch.cuda.set_rng_state(new_state=state["cuda"])',
            'torch.cuda.set_rng_state(new_state=state["cuda"].cpu())',
        ),
        (
            'torch.cuda.set_rng_state_all(state["cuda"])',
            'torch.cuda.set_rng_state_all([t.cpu() for t in state["cuda"]])',
        ),
        ('torch.Generator().set_state(state["own"])', 'torch.Generator().set_state(state["own"].cpu())'),
        ("torch.set_rng_state(torch.get_rng_state().cuda())", None),
    ],
)  # fmt: skip
def test_a_state_from_the_accelerator_is_copied_to_the_cpu(use: str, fixed: str | None) -> None:
    assert [each.partition(": ")[2] for each in clashes(f"{HEAD}{LOAD}{use}\n")] == ["host-only"]
    assert _fixed(f"{LOAD}{use}\n") == [fixed or use[:-1] + ".cpu())"]


def test_a_function_that_is_given_the_file_is_mended() -> None:
    body = """
def restore(states):
    torch.set_rng_state(states["cpu"])
class Trainer:
    def resume(self, path):
        state = torch.load(path, device)
        model.load_state_dict(state["model"])
        restore(state["random"])
Trainer().resume("a.pt")
"""
    assert _fixed(body) == ['    torch.set_rng_state(states["cpu"].cpu())']


def test_what_the_program_saved_itself_is_known_to_be_a_state() -> None:
    body = """
def save(path):
    state = {"rng": torch.get_rng_state(), "cuda": torch.cuda.get_rng_state_all(), "epoch": 3}
    torch.save(state, path)
def load(path):
    state = torch.load(path, map_location=device)
    torch.set_rng_state(state["rng"])
    torch.cuda.set_rng_state_all(state["cuda"])
save("a.pt")
load("a.pt")
"""
    assert [each.partition(": ")[2] for each in clashes(HEAD + body)] == ["host-only"] * 2


@pytest.mark.parametrize(
    "use",
    [
        'torch.set_rng_state(state["rng"].cpu())',
        'torch.set_rng_state(state["rng"].to("cpu"))',
        'torch.set_rng_state(state["rng"].type(torch.ByteTensor))',
        'torch.set_rng_state(torch.ByteTensor(state["rng"].tolist()))',
        'torch.cuda.set_rng_state_all([each.cpu() for each in state["cuda"]])',
        "torch.set_rng_state(torch.get_rng_state())",
        "g = torch.Generator()\ng.set_state(torch.Generator().get_state())",
        'import random\nrandom.setstate(state["python"])',
        'model.load_state_dict(state["model"])\nepoch = state["epoch"] + 1',
        'x = torch.ones(2, 2) * state["scale"]',
    ],
)
def test_what_is_on_the_cpu_or_no_state_is_left_alone(use: str) -> None:
    assert not clashes(f"{HEAD}{LOAD}{use}\n")


@pytest.mark.parametrize(
    "load",
    ['torch.load("last.pt", map_location="cpu")', 'torch.load("last.pt")', 'torch.load("last.pt", where())'],
)
def test_a_file_that_may_be_on_the_cpu_is_left_alone(load: str) -> None:
    assert not clashes(f'{HEAD}from there import where\nstate = {load}\ntorch.set_rng_state(state["rng"])\n')


def test_a_state_is_made_of_bytes_on_the_cpu() -> None:
    end = Ending("import torch\ns = torch.get_rng_state()\nd, t = s.device.type, s.dtype == torch.uint8\n")
    assert [end[name].value for name in "dt"] == ["cpu", True]  # type: ignore[attr-defined]
