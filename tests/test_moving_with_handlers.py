"""Functions that move what can be moved and give back the rest, by catching what they are told when it cannot."""

from __future__ import annotations

import pytest
from text_program import clashes

TEXT = """
import torch
from torch import nn

def to_device(item, device):
    try:
        {body}
    except {caught}:
        {other}

device = torch.device("cuda")
batch = {{"x": torch.ones(2, 3), "y": torch.zeros(2).long(), "name": "first"}}
net = nn.Linear(3, 2){moved}
batch = {{key: to_device(value, device) for key, value in batch.items()}}
nn.functional.cross_entropy(net(batch["x"]), batch["y"])
"""
CAUGHT = ["AttributeError", "Exception", "(AttributeError, TypeError)"]


def found(caught: str, body: str, other: str, moved: str) -> list[str]:
    """The mismatches of the program with these parts."""
    return clashes(TEXT.format(caught=caught, body=body, other=other, moved=moved))


@pytest.mark.parametrize("caught", CAUGHT)
def test_tensors_are_moved(caught: str) -> None:
    body, other = "return item.to(device)", "return item"
    assert found(caught, body, other, ".to(device)") == []
    assert found(caught, body, other, "") == ["15: device"]


def test_a_handler_may_look_for_what_is_in_a_list() -> None:
    other = "return [to_device(each, device) for each in item]"
    assert found("AttributeError", "return item.to(device)", other, "") == ["15: device"]


@pytest.mark.parametrize("body", ["return item.cuda().reshape(7)", "return place(item).to(device)"])
def test_what_may_go_wrong_with_a_tensor_is_no_move(body: str) -> None:
    assert found("Exception", body, "return item", "") == []


def test_what_a_handler_makes_when_there_is_none_is_made() -> None:
    text = """
    import torch

    class Net(torch.nn.Module):
        def forward(self, x):
            try:
                mask = self.mask
            except AttributeError:
                mask = self.mask = torch.ones(3)
            return x * mask

    Net()(torch.ones(3).cuda())
    """
    assert clashes(text) == ["10: device"]


TRIES = """
import torch
from torch import nn

device = torch.device("cuda")
here, there = torch.ones(4), torch.ones(4, device=device)
wide, net = torch.ones(4, dtype=torch.float64, device=device), nn.Linear(4, 4).to(device)

def shifted(a, b):
    try:
        return a + b
    except RuntimeError:
        return a + b.to(a.device)

try:
    made = {body}
except {caught}:
    {other}
"""


@pytest.mark.parametrize("caught", ["RuntimeError", "Exception as error", "(ValueError, RuntimeError)"])
@pytest.mark.parametrize(
    ("body", "other"),
    [
        ("there + here", "made = there + here.to(device)"),
        ("there + here", "here = here.cuda(); made = there + here"),
        ("net(wide)", "made = net(wide.float())"),
        ("net(here)", "made = net.cpu()(here)"),
        ("there + here", "made = there.cpu() + here\nmade.numpy()"),
        ("shifted(there, here)", "pass"),
    ],
)
def test_what_a_handler_makes_of_what_it_moved_need_not_fit_before(
    caught: str, body: str, other: str
) -> None:
    assert clashes(TRIES.format(caught=caught, body=body, other=other)) == []


@pytest.mark.parametrize(
    ("caught", "other"),
    [
        ("ValueError", "made = there + here.to(device)"),
        ("RuntimeError as error", "print(error); here = here.to(device)"),
        ("RuntimeError", "made = there + here.to(device); raise"),
        ("RuntimeError", "made = None; there = there.to('cpu')"),
    ],
)
def test_other_handlers_do_not_help_what_does_not_fit(caught: str, other: str) -> None:
    assert clashes(TRIES.format(caught=caught, body="there + here", other=other)) == ["16: device"]


def test_a_handler_may_fail_in_its_turn() -> None:
    text = TRIES.format(caught="RuntimeError", body="there + here", other="made = there + here.float()")
    assert clashes(text) == ["18: device"]


READS = """
import numpy as np
import torch

there, here = torch.ones(4, device="cuda"), torch.ones(4)
errors = (TypeError, ValueError)
try:
    found = {body}
except {caught}:
    found = {other}
"""


@pytest.mark.parametrize(
    ("body", "other", "expected"),
    [
        ("np.stack([here, there])", "np.stack([here, there.cpu()])", []),
        ("there + here", "there.cpu() + here", ["8: device"]),
        ("np.stack([here, there])", "np.zeros(4)", ["8: numpy"]),
    ],
)
def test_what_numpy_cannot_read_is_what_a_handler_of_type_errors_fetches(
    body: str, other: str, expected: list[str]
) -> None:
    assert clashes(READS.format(body=body, other=other, caught="TypeError")) == expected


@pytest.mark.parametrize(
    ("caught", "expected"),
    [("Exception", []), ("errors", []), ("RuntimeError", ["8: numpy"]), ("AttributeError", ["8: numpy"])],
)
@pytest.mark.parametrize(
    ("body", "other"),
    [
        ("there.numpy()", "there.cpu().numpy()"),
        ("np.asarray(there)", "np.asarray(there.detach().cpu())"),
    ],
)
def test_it_is_fetched_only_where_the_error_gets_to_the_handler(
    body: str, other: str, caught: str, expected: list[str]
) -> None:
    assert clashes(READS.format(body=body, other=other, caught=caught)) == expected
