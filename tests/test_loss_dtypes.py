"""Float64 beside float32 in losses: refused in the backward pass, or where class weights are."""

from __future__ import annotations

from contextlib import nullcontext

import pytest
import torch
from reality import run
from text_program import clashes, files, fix_texts

from devfix.findings import Applicability
from devfix.simulator import simulated_accelerator

HEAD = """
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
device = torch.device("cuda")
net = nn.Linear(3, 2).to(device)
x = torch.ones(4, 3, device=device)
wide, narrow = torch.from_numpy(np.ones((4, 2))).to(device), torch.ones(4, 2, device=device)
ids, weight = torch.zeros(4, dtype=torch.long, device=device), torch.from_numpy(np.ones(2)).to(device)
"""


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("F.mse_loss(net(x), wide)", ["11: dtype"]),
        ("nn.HuberLoss()(net(x), wide)", ["11: dtype"]),
        ("F.binary_cross_entropy(net(x).sigmoid(), wide)", ["11: dtype"]),
        ("F.mse_loss(wide, net(x))", ["11: dtype"]),
        ("nn.HuberLoss()(wide, net(x))", ["11: dtype"]),
        ("F.mse_loss(narrow, net(x))", []),
        ("F.smooth_l1_loss(wide, net(x))", []),
        ("F.mse_loss(wide, net(x).detach())", []),
        ("F.mse_loss(net(x), net(x).double().detach())", ["11: dtype"]),
        ("F.mse_loss(net(x).double().detach(), net(x))", ["11: dtype"]),
        ("F.mse_loss(net(x).double(), net(x))", ["11: dtype"]),
        ("F.mse_loss(net(x), narrow)", []),
        ("F.mse_loss(net(x).detach(), wide)", ["11: target-width"]),
        ("with torch.no_grad(): F.mse_loss(net(x), wide)", ["11: target-width"]),
        ("F.smooth_l1_loss(net(x), wide)", ["11: target-width"]),
        ("F.mse_loss(narrow, wide)", ["11: target-width"]),
        ("F.cross_entropy(net(x), ids, weight=weight)", ["11: dtype"]),
        ("nn.NLLLoss(weight)(net(x), ids)", ["11: dtype"]),
        ("F.cross_entropy(net(x), ids, weight=weight.float())", []),
    ],
)
def test_what_is_refused(statement: str, expected: list[str]) -> None:
    assert clashes(HEAD + statement) == expected


@pytest.mark.parametrize(("logits", "found"), [("out", True), ("out[2]", False), ("out[0][1]", False)])
def test_probabilities_of_one_sample_are_no_list_of_classes(logits: str, found: bool) -> None:
    text = f"""
import torch
from torch import nn
from elsewhere import points

out = nn.Linear(3, 5)(points())
one_hot = torch.zeros(5)
one_hot[2] = 1
print(nn.CrossEntropyLoss()({logits}, one_hot))
"""
    assert clashes(text) == (["9: target-dtype"] if found else [])


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("F.mse_loss(net(x), whole)", ["12: target-dtype"]),
        ("nn.MSELoss()(net(x), whole > 0)", ["12: target-dtype"]),
        ("nn.HuberLoss()(net(x), whole)", ["12: target-dtype"]),
        ("F.mse_loss(whole, net(x))", ["12: target-dtype"]),
        ("F.l1_loss(whole, net(x))", []),
        ("F.mse_loss(net(x), whole.float())", []),
        ("F.l1_loss(net(x), whole)", []),
        ("F.smooth_l1_loss(net(x), whole)", []),
        ("F.mse_loss(net(x).detach(), whole)", []),
        ("with torch.no_grad(): F.mse_loss(net(x), whole)", []),
        ("F.mse_loss(net.cpu()(x.cpu()), whole.cpu())", []),
    ],
)
def test_whole_numbers_give_no_gradient_where_nothing_promotes(statement: str, expected: list[str]) -> None:
    """Facts: "mse: long target then backward"."""
    whole = "whole = torch.zeros(4, 2, dtype=torch.long, device=device)\n"
    assert clashes(HEAD + whole + statement) == expected


TABLE = """
table = F.one_hot(ids, 2)
pictures = nn.Conv2d(3, 2, 1).to(device)(torch.ones(2, 3, 4, 4, device=device))
classes = F.one_hot(torch.zeros(2, 4, 4, dtype=torch.long), 2).permute(0, 3, 1, 2).to(device)
"""


@pytest.mark.parametrize(
    ("loss", "refused"),
    [
        ("F.cross_entropy(net(x), table)", True),
        ("nn.CrossEntropyLoss()(net(x), table)", True),
        ("F.cross_entropy(pictures, classes)", True),
        ("F.cross_entropy(net(x), table.float())", False),
        ("F.cross_entropy(net(x), table.argmax(1))", False),
        ("F.cross_entropy(net(x), table[:, 0])", False),
        ("F.cross_entropy(pictures, classes[:, 1])", False),
        ("F.l1_loss(net(x), table)", False),
    ],
)
def test_a_table_of_classes_is_taken_as_floats(loss: str, refused: bool) -> None:
    text = HEAD + TABLE + loss
    with pytest.raises(RuntimeError) if refused else nullcontext():
        run(text.replace('"cuda"', '"cpu"'))
    assert clashes(text) == (["15: target-dtype"] if refused else [])
    if refused:
        expected = loss.replace("table", "table.float()").replace("classes", "classes.float()")
        assert fix_texts(files(text), Applicability.UNSAFE)[0]["main.py"] == HEAD + TABLE + expected


@pytest.mark.parametrize("loss", ["huber_loss", "mse_loss"])
@pytest.mark.parametrize("dtype", [torch.float64, torch.int64])
def test_either_operand_of_these_may_be_the_prediction(loss: str, dtype: torch.dtype) -> None:
    """The simulated accelerator says of both orders what PyTorch says on the CPU, where it promotes nothing there."""
    given = torch.ones(3, dtype=dtype)
    prediction = torch.zeros(3, requires_grad=True)
    compare = getattr(torch.nn.functional, loss)
    for operands in ((prediction, given), (given, prediction)):
        with simulated_accelerator(), pytest.raises(RuntimeError):
            compare(*(each.cuda() for each in operands)).backward()


@pytest.mark.parametrize("used", ["F.cross_entropy({}, ids, weight=share)", "nn.NLLLoss(share)({}, ids)"])
def test_autocast_widens_scores_to_the_weights_of_classes(used: str) -> None:
    """Halves as well as their weights become float32; float64 stays what it is."""
    head = (
        f"{HEAD}share = torch.ones(2, device=device)\nwith torch.autocast('cuda', dtype=torch.float16):\n    "
    )
    assert clashes(head + used.format("net(x)")) == []
    assert clashes(head + used.format("net(x)").replace("share", "share.half()")) == []
    assert clashes(head + used.format("net(x)").replace("share", "share.double()")) == ["13: dtype"]
    scores, ids = torch.zeros(4, 2, dtype=torch.bfloat16), torch.zeros(4, dtype=torch.long)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert torch.nn.functional.cross_entropy(scores, ids, torch.ones(2)).dtype == torch.float32
        with pytest.raises(RuntimeError, match="expected scalar type"):
            torch.nn.functional.cross_entropy(scores, ids, torch.ones(2, dtype=torch.float64))


#: Predictions and targets of two dtypes, of which one is neither float32 nor what NumPy makes.
OF_OTHER_WIDTHS = """
F.mse_loss(half, narrow)
F.mse_loss(half.detach(), narrow)
F.mse_loss(half, narrow.half())
F.mse_loss(net(x), narrow.half())
F.mse_loss(double, narrow)
F.mse_loss(double, wide)
F.huber_loss(half, narrow)
F.huber_loss(double, narrow)
F.smooth_l1_loss(half, narrow)
F.l1_loss(half, narrow)
F.binary_cross_entropy(half.detach().sigmoid(), narrow)
F.binary_cross_entropy(half.sigmoid(), narrow.half())
F.binary_cross_entropy(double.sigmoid(), narrow)
F.binary_cross_entropy(narrow, wide)
F.binary_cross_entropy_with_logits(half, narrow)
F.kl_div(narrow.log_softmax(1), F.one_hot(ids, 2), reduction="batchmean")
F.kl_div(narrow.log_softmax(1), F.one_hot(ids, 2).float(), reduction="batchmean")
F.kl_div(net(x).log_softmax(1), narrow > 0, reduction="batchmean")
"""


@pytest.mark.parametrize("loss", OF_OTHER_WIDTHS.strip().splitlines())
def test_losses_of_two_widths_are_told_where_they_are_refused(loss: str) -> None:
    made = "nn.Linear(3, 2).to(device)"
    head = f"{HEAD}half, double = {made}.half()(x.half()), {made}.double()(x.double())\n"
    text = f"{head}loss = {loss}\nif loss.requires_grad:\n    loss.backward()\n"
    with simulated_accelerator():
        try:
            exec(text, {})
            refused = False
        except RuntimeError:
            refused = True
    found = [clash for clash in clashes(text) if "width" not in clash]
    assert bool(found) is refused, found
    under_autocast = f"{head}with torch.autocast('cuda'):\n    F.mse_loss(half, narrow)\n"
    assert clashes(under_autocast) == []


def test_classes_that_are_stored_as_two_bytes_are_cast() -> None:
    text = f"{HEAD}kept = np.zeros(4, dtype=np.uint16)\nloss = F.cross_entropy(net(x), torch.from_numpy(kept).to(device))\n"
    after, _ = fix_texts({"main.py": text}, Applicability.UNSAFE)
    assert clashes(text) == ["12: target-dtype"]
    assert clashes(after["main.py"]) == []
