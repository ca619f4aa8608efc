"""Lists of tensors that are joined: each of them moves, for a list has no way to."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

from devfix.findings import Applicability

MIXED = """\
import torch

net = torch.nn.Linear(3, 3).cuda()
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.rand(4, 3), torch.rand(4, 3)))
images = []
for low, high in loader:
    made = net(low.cuda())
    images.extend([high.cuda().squeeze(0), made.data.cpu().squeeze(0)])
images = torch.stack(images)
"""


def test_a_list_of_tensors_that_are_on_two_sides_has_no_device_of_its_own() -> None:
    fixed = fix_texts({"main.py": MIXED}, Applicability.UNSAFE)[0]["main.py"]
    changed = set(fixed.splitlines()) - set(MIXED.splitlines())
    assert changed == {"images = torch.stack([part.to(next(net.parameters()).device) for part in images])"}


COLLECTED = """
import random
import torch

def encode(place):
    row = torch.zeros(1, 4)
    row[0, place] = 1
    return row

kept = []
for episode in range(9):
    state, done = encode(0).cuda(), False
    while not done:
        done = random.random() < 0.2
        kept.append(state)
        state = {then}
print(torch.cat(kept))
"""


@pytest.mark.parametrize("then", ["encode(1)", "None if done else encode(1)"])
def test_what_other_rounds_put_into_a_list_is_left_behind_beside_nothing(then: str) -> None:
    text = COLLECTED.format(then=then)
    assert clashes(text) == ["17: device"]
    assert clashes(text.replace("encode(1)", "encode(1).cuda()")) == []
    assert clashes(text.replace(".cuda()", "")) == []
    assert clashes(text.replace("encode(1)", "made(1)")) == []


FLAGGED = """
import torch

device = torch.device("cuda")
net = torch.nn.Linear(3, 1).to(device)
x = torch.ones(2, 3)
todo = [({first}, x)] * 9 + [({second}, x.to(device))] * 9
{loop}
    {use}
"""


@pytest.mark.parametrize("more", ["", " + [({first}, x)] * 9"])
@pytest.mark.parametrize("loop", ["while todo:\n    flag, item = todo.pop()", "for flag, item in todo:"])
@pytest.mark.parametrize(
    ("first", "second", "use", "expected"),
    [
        ("False", "True", "net(item if flag else item.to(device))", []),
        ("False", "True", "if not flag:\n        item = item.to(device)\n    net(item)", []),
        ("len(x) < 2", "len(x) > 1", "net(item)", ["device"]),
        ("True", "True", "net(item)", ["device"]),
        ("False", "False", "net(item)", ["device"]),
        ('"first"', '"second"', "net(item)", ["device"]),
        ("1", "2", "net(item)", ["device"]),
    ],
)
def test_a_flag_beside_a_tensor_may_tell_where_it_is(
    loop: str, more: str, first: str, second: str, use: str, expected: list[str]
) -> None:
    lists = FLAGGED.replace("[({second}, x.to(device))] * 9", "[({second}, x.to(device))] * 9" + more)
    text = lists.format(first=first, second=second, loop=loop, use=use)
    assert [each.partition(": ")[2] for each in clashes(text)] == expected
