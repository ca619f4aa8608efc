"""A module that takes over the tensors of a state that was loaded to the CPU goes back to where it was."""

from __future__ import annotations

import pytest
from text_program import fix_texts

from devfix.findings import Applicability

PROGRAM = """import io
import torch
from torch import nn


def fetch(blob):
    return torch.load(io.BytesIO(blob), map_location="cpu", weights_only=True)


def warm_start(target, blob):
    state = fetch(blob)
    LOAD
    return target


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = nn.Linear(3, 2).to(device)
    buffer = io.BytesIO()
    torch.save(net.state_dict(), buffer)
    net = MADE
    print(net(torch.ones(1, 3, device=device)))


main()
"""
STARTED = "warm_start(net, buffer.getvalue())"
LOAD = "    target.load_state_dict(state, assign=True)\n"


def fixed(load: str, made: str) -> tuple[str, str, int]:
    """The program, what becomes of it, and how many findings are left."""
    text = PROGRAM.replace("    LOAD\n", load).replace("MADE", made)
    texts, (report,) = fix_texts({"main.py": text}, Applicability.UNSAFE)
    return text, texts["main.py"], len(report.findings)


@pytest.mark.parametrize("load", [LOAD, LOAD.replace("target.load", "report = target.load")])
def test_a_module_goes_back_to_where_it_was(load: str) -> None:
    text, after, left = fixed(load, STARTED)
    wanted = f"    device = next(target.parameters()).device\n{load}    target.to(device)\n"
    assert (after, left) == (text.replace(load, wanted), 0)


@pytest.mark.parametrize(
    ("load", "made"),
    [
        (LOAD, STARTED + ".to(device)"),
        (LOAD.replace(", assign=True", ""), STARTED),
        (LOAD + "    target.cuda()\n", STARTED),
        (LOAD, "warm_start(nn.Linear(3, 2), buffer.getvalue()).to(device)"),
    ],
)
def test_what_is_moved_or_copied_is_left_alone(load: str, made: str) -> None:
    text, after, left = fixed(load, made)
    assert (after, left) == (text, 0)


def test_a_module_that_was_never_moved_does_not_go_back() -> None:
    text, after, left = fixed(LOAD, "warm_start(nn.Linear(3, 2), buffer.getvalue())")
    assert (after, left) == (text, 1)
