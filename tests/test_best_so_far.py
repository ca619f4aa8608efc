"""What is kept of the best so far takes the place of what stood there before the loop: a record begins with less than all."""

from __future__ import annotations

import pytest
from text_program import clashes

ROWS = """
import torch
from torch import nn

net = nn.Linear(3, 3).cuda()

def choose(xs, count):
    best = [{least} for _ in range(count)]
    kept = [torch.zeros(3) for _ in range(count)]
    for x in xs:
        out = net(x.cuda())
        scores = out.mean(1).{numbers}
        for i in range(count):
            if {test}:
                {record}
                kept[i] = {given}
    return torch.stack(kept)

print(choose([torch.ones(2, 3) for _ in range(4)], 2){used})
"""
_PROGRAM = {
    "least": "-1.0",
    "numbers": "tolist()",
    "test": "best[i] < scores[i]",
    "record": "best[i] = scores[i]",
    "given": "out[i]",
    "used": "",
}


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"numbers": "detach().cpu().numpy()"},
        {"test": "scores[i] > best[i]"},
        {"least": "float('inf')", "test": "scores[i] <= best[i]"},
    ],
)
def test_each_record_of_a_list_is_beaten(changes: dict[str, str]) -> None:
    assert not clashes(ROWS.format(**(_PROGRAM | changes)))


@pytest.mark.parametrize(
    "changes",
    [
        # It is no record that is held against something: some entries stay what they were.
        {"test": "scores[i] > 0.5", "record": "pass"},
        {"record": "best[i] = 1.0"},
        # What was the best comes to the CPU, and meets there what did not.
        {"given": "out[i].cpu()", "used": " + net.weight"},
    ],
)
def test_what_may_stay_is_found(changes: dict[str, str]) -> None:
    assert clashes(ROWS.format(**(_PROGRAM | changes)))


BEST = """
import torch
from torch import nn

net = nn.Linear(3, 3).cuda()
best = 0.0
for x in torch.ones(4, 2, 3):
    score = net(x.cuda()).sum().item()
    if score > best:
        best = score
        {kept}
"""


def test_a_model_that_the_best_round_takes_to_the_cpu_is_missing_in_the_next() -> None:
    assert clashes(BEST.format(kept="net.cpu()"))
    assert not clashes(
        BEST.format(kept="state = {name: value.cpu() for name, value in net.state_dict().items()}")
    )
