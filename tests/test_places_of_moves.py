"""Where moves are written: beside what is made, before views are, and before a leaf becomes one."""

from __future__ import annotations

import pytest
from text_program import files, fix_texts

from devfix.findings import Applicability

_START = """
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = torch.nn.Linear(4, 4).to(device)


"""


def _fixed(body: str, *, adopt: bool = False) -> str:
    after, _ = fix_texts(files(_START + body), adopt=adopt)
    return after["main.py"].removeprefix(_START.lstrip("\n"))


def test_what_is_made_beside_others_is_told_the_device_there() -> None:
    body = "def total(n):\n    out, run = {}, 0.0\n    out[0] = run\n    return net({}).sum() + run\n\n\ntotal(3)\n"
    made = "torch.zeros(2, 4)"
    after = _fixed(body.format(made, "out * 2"))
    assert "    out, run = torch.zeros(2, 4, device=device), 0.0\n" in after


@pytest.mark.parametrize("made", ["torch.cat([p, p])", "(p * 2).clone()"])
def test_a_leaf_becomes_one_after_it_moved(made: str) -> None:
    body = f"p = torch.rand(3, 4)\nq = {made}.requires_grad_()\nprint(net(q).sum(), p.numpy())\n"
    assert f"q = {made}.to(device).requires_grad_()\n" in _fixed(body)


_SHARES = """
class Mixer:
    def __init__(self, alpha):
        self.dist = torch.distributions.Beta(alpha, alpha)

    def __call__(self, x, t):
        share = self.dist.sample((len(x),))
        {views}
        return x * a, {last}


Mixer(0.4)(torch.ones(3, 2).to(device), torch.ones(3).to(device))
"""


@pytest.mark.parametrize(
    "views", ["a, b = share.view(-1, 1), share.view(-1)", "a = share[:, None]\n        b = share.view(-1)"]
)
def test_what_views_are_taken_of_moves_once(views: str) -> None:
    after = _fixed(_SHARES.format(views=views, last="t * b"))
    assert "share = self.dist.sample((len(x),)).to(x.device)\n" in after
    assert after.count(".to(x.device)") == 1
    assert views in after


def test_what_is_drawn_of_numbers_moves_once_where_its_views_have_no_names() -> None:
    after = _fixed(_SHARES.format(views="a = 1 - share.view(-1, 1)", last="t * share + (1 - share) * t"))
    assert "share = self.dist.sample((len(x),)).to(x.device)\n" in after
    assert after.count(".to(x.device)") == 1


@pytest.mark.parametrize(
    ("views", "last"),
    [
        ("a, b = share.view(-1, 1), share.view(-1)", "b.numpy()"),
        ("a, b = share.view(-1, 1), t", "t * b + share.numpy().sum()"),
        ("a = 1 - share.view(-1, 1)", "t + share.numpy().sum()"),
    ],
)
def test_what_is_read_on_the_host_as_well_stays_there(views: str, last: str) -> None:
    after = _fixed(_SHARES.format(views=views, last=last))
    assert "share = self.dist.sample((len(x),))\n" in after


_WORKERS = """
from torch.utils.data import DataLoader, Dataset


def onehot(kinds, n):
    return torch.eye(n, device=kinds.device)[kinds]


class Kinds(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, i):
        kinds = torch.arange(4){moved}
        return onehot(kinds, 4)


for x in DataLoader(Kinds(), batch_size=4, num_workers=2):
    x = x.to(device)
    print(net(x).sum())
"""


def test_what_is_made_where_a_sample_is_comes_along() -> None:
    after = _fixed(_WORKERS.format(moved=".to(device)"))
    assert after == _fixed(_WORKERS.format(moved=""))
    assert "torch.eye(n, device=kinds.device)[kinds]" in after


_CALLS = """
def steps(f, start, times):
    path = [start]
    for t, s in zip(times[:-1].unsqueeze(1), times[1:].unsqueeze(1)):
        path.append(f(path[-1] * t) * (s - t))
    return path


start = torch.ones(2, 4, device=device)
{near}
print(steps(net, start, torch.linspace(0, 3, 18)))
"""


def test_what_is_made_as_an_argument_is_made_where_other_calls_have_theirs() -> None:
    near = "print(steps(net, start, torch.linspace(0, 2, 12, device=device)))"
    after = _fixed(_CALLS.format(near=near))
    assert "print(steps(net, start, torch.linspace(0, 3, 18, device=device)))" in after
    assert "t = t.to(" not in after


def test_where_no_call_has_it_there_the_function_moves_it() -> None:
    after = _fixed(_CALLS.format(near="print(steps(net, start, torch.linspace(0, 2, 12)))"))
    assert "torch.linspace(0, 3, 18)))" in after


_TOLD = """
import torch
from torch.utils.data import DataLoader, Dataset

def grid(n, device=None):
    return torch.arange(n, device=device)

class Points(Dataset):
    def __init__(self, device):
        self.device = device

    def __len__(self):
        return 8

    def __getitem__(self, i):
        return grid(4, device=self.device) + grid(4, device=self.device)

device = torch.device("cuda")
for x in DataLoader(Points(device), batch_size=4, num_workers=2):
    print(x.sum())
"""


def test_what_data_sets_alone_tell_a_function_is_no_longer_told() -> None:
    after = fix_texts({"main.py": _TOLD})[0]["main.py"]
    assert "return torch.arange(n)\n" in after
    assert "    x = x.to(device)\n" in after


def test_a_function_that_others_tell_where_to_make_something_is_told_as_before() -> None:
    text = _TOLD + "print(grid(4, device=device) * torch.rand(4, device=device))\n"
    assert fix_texts({"main.py": text})[0]["main.py"] == text


_MIXED = """
import torch

device = torch.device("cuda")
ratio = torch.distributions.Beta(torch.tensor(0.4), torch.tensor(0.4))


def mix(photo, soft):
    {share}
    photo = photo * share.view(-1, 1, 1)
    soft = soft * {second}
    return {given}


print(mix(torch.ones(4, 3, 3, device=device), torch.ones(4, 5, device=device)))
"""
_DRAWN = "share = ratio.sample((len(photo),))"
_TWICE = f"{_DRAWN}\n    share = torch.maximum(share, 1 - share)"


@pytest.mark.parametrize(
    "second", ["share.view(-1, 1)", "share[:, None]", "share.unsqueeze(1).expand_as(soft)"]
)
@pytest.mark.parametrize("share", [_DRAWN, _TWICE])
def test_what_is_used_as_views_alone_moves_once(share: str, second: str) -> None:
    text = _MIXED.format(share=share, second=second, given="photo, soft")
    assert fix_texts({"main.py": text})[0]["main.py"] == text.replace(share, f"{share}.to(photo.device)")


@pytest.mark.parametrize(
    ("share", "second", "given"),
    [
        (_DRAWN, "share.view(-1, 1)", "photo, soft, share.numpy()"),
        (_DRAWN, "float(share.mean())", "photo, soft"),
        (
            f"{_DRAWN}\n    if len(soft) > 3:\n        share = share.sqrt()",
            "share.view(-1, 1)",
            "photo, soft",
        ),
    ],
)
def test_what_is_something_else_as_well_stays_where_it_is(share: str, second: str, given: str) -> None:
    after = fix_texts({"main.py": _MIXED.format(share=share, second=second, given=given)})[0]["main.py"]
    assert share in after
    assert "share.view(-1, 1, 1).to(photo.device)" in after


def test_a_leaf_of_which_views_are_used_stays_the_tensor_that_an_optimizer_has() -> None:
    made = "share = torch.ones(4, requires_grad=True)\n    steps = torch.optim.SGD([share], 0.1)"
    text = _MIXED.format(share=made, second="share.view(-1, 1)", given="photo, soft, steps")
    after = fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"]
    assert "requires_grad=True).to(" not in after
