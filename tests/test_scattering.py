"""``DataParallel`` moves what it wraps where there is one accelerator, and scatters what it is called with; what is distributed may not."""

from __future__ import annotations

import pytest
from text_program import clashes

NET = """
import sys
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        return self.layer(x)

"""


@pytest.mark.parametrize(
    "made",
    [
        "net = nn.DataParallel(Net())",
        "net = Net()\nif many:\n    net = nn.DataParallel(net)",
        "net = Net()\nnet.layer = nn.DataParallel(net.layer)",
    ],
)
def test_what_is_wrapped_on_the_cpu_may_have_been_moved(made: str) -> None:
    begin = f"{NET}many = len(sys.argv) > 1\n{made}\n"
    assert not clashes(f"{begin}x = torch.ones(2, 4)\nif many:\n    x = x.cuda()\nnet(x)\n")


def test_what_it_gives_is_where_nobody_knows() -> None:
    assert not clashes(
        NET + "net = nn.DataParallel(Net())\ny = net(torch.ones(2, 4)) + torch.ones(2, 4).cuda()\n"
    )


def test_a_module_that_nothing_wraps_stays_where_it_is() -> None:
    found = clashes(NET + "net = Net()\nnet(torch.ones(2, 4).cuda())\n")
    assert found == ["12: device"]


def test_a_wrapped_module_that_was_moved_has_its_faults() -> None:
    found = clashes(
        NET + "net = nn.DataParallel(Net().cuda())\ny = net(torch.ones(2, 4)) + torch.ones(2, 4)\n"
    )
    assert found == ["15: device"]


PAIRS = """
import sys
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, more):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, pair):
        x, y = pair
        return self.layer(x).cuda() + y

def place(net):
    sys.modules["elsewhere"].place(net)

net = Net(sys.argv[1])
place(net)
{wrapped}
print(net([torch.ones(2, 4), torch.ones(2, 4)]))
"""


@pytest.mark.parametrize(("wrapped", "found"), [("net = nn.DataParallel(net)", 0), ("net.eval()", 1)])
def test_what_a_wrapper_is_given_leaves_the_cpu_though_nobody_knows_for_where(
    wrapped: str, found: int
) -> None:
    assert len(clashes(PAIRS.format(wrapped=wrapped))) == found


BESIDE = """
from clips import Clips, options, rank

def collate(samples):
    clips, targets = zip(*samples)
    clips = [clip for several in clips for clip in several]
    return torch.utils.data.default_collate(clips), torch.utils.data.default_collate(targets)

device = torch.device("cuda")
net = {made}
for x, y in torch.utils.data.DataLoader(Clips(), collate_fn=collate):
    y = y.to(device)
    print(nn.functional.cross_entropy(net({given}), y))
"""


@pytest.mark.parametrize(
    ("made", "found"),
    [
        ("nn.DataParallel(Net()).to(device)", 0),
        ("nn.parallel.DistributedDataParallel(Net().to(device), device_ids=[0])", 0),
        ("nn.parallel.DistributedDataParallel(Net().to(device), [0])", 0),
        ("nn.parallel.DistributedDataParallel(Net().to(device), **options)", 0),
        ("nn.parallel.DistributedDataParallel(Net().to(device), device_ids=[0] if rank else None)", 0),
        ("nn.parallel.DistributedDataParallel(Net().to(device))", 1),
        ("nn.parallel.DistributedDataParallel(Net().to(device), device_ids=None)", 1),
        ("Net().to(device)", 1),
    ],
)
@pytest.mark.parametrize("given", ["x", "x=x"])
def test_what_is_left_beside_what_moves_is_scattered_where_the_wrapper_scatters(
    made: str, given: str, found: int
) -> None:
    assert len(clashes(NET + BESIDE.format(made=made, given=given))) == found
