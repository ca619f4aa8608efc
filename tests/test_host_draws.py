"""Draws from tensors with a generator of the CPU, masks that attention adds, and numbers beside tensors."""

from __future__ import annotations

import pytest
from text_program import clashes, files, fix_texts

from devfix.findings import Applicability


@pytest.mark.parametrize("draw", ["bernoulli(p, ", "multinomial(p, 2, "])
def test_what_a_generator_of_the_cpu_draws_is_drawn_there(draw: str) -> None:
    text = f"""
    import torch

    gen = torch.Generator().manual_seed(0)
    p = torch.full((4,), 0.5, device="cuda")
    mask = torch.{draw}generator=gen)
    """
    after, _ = fix_texts(files(text), Applicability.SAFE)
    moved = draw.replace("p,", "p.cpu(),")
    assert f"mask = torch.{moved}generator=gen).to(p.device)\n" in after["main.py"]


_COMPUTED = """
import torch
import torch.nn.functional as F

gen = torch.Generator().manual_seed(0)

def pick(logits, generator):
    return torch.{draw}

logits = torch.zeros(2, 4, device="cuda")
logits.gather(1, pick(logits, gen))
"""


@pytest.mark.parametrize(
    "given",
    [
        "F.softmax(logits, dim=-1)",
        "logits.softmax(-1)",
        "torch.exp(logits)[:, 1:]",
        "(logits.exp() / logits.exp().sum())",
    ],
)
def test_what_is_computed_where_it_is_drawn_from_is_fetched_as_a_whole(given: str) -> None:
    text = _COMPUTED.format(draw=f"multinomial({given}, 1, generator=generator)")
    drawn = f"multinomial({given}.cpu(), 1, generator=generator).to(logits.device)"
    after, _ = fix_texts({"main.py": text}, Applicability.SAFE)
    assert after["main.py"] == _COMPUTED.format(draw=drawn)
    assert not clashes(after["main.py"])


@pytest.mark.usefixtures("long_lines")
def test_two_draws_of_one_generator_are_mended_alike() -> None:
    """One on the CPU and one on the device would want the generator in two places."""
    draws = "multinomial({named}, 1, generator=generator){to} + torch.multinomial(logits.exp(){of}, 1, generator=generator){to}"
    text = _COMPUTED.format(draw=draws.format(named="logits", to="", of=""))
    after, _ = fix_texts({"main.py": text}, Applicability.SAFE)
    drawn = draws.format(named="logits.cpu()", to=".to(logits.device)", of=".cpu()")
    assert after["main.py"] == _COMPUTED.format(draw=drawn)


def test_a_draw_where_tensor_and_generator_are_on_one_device_stays() -> None:
    text = """
    import torch

    gen = torch.Generator("cuda").manual_seed(0)
    mask = torch.bernoulli(torch.full((4,), 0.5, device="cuda"), generator=gen)
    """
    assert clashes(text) == []


_ATTENTION = """
import numpy as np
import torch
import torch.nn.functional as F

q = torch.zeros(1, 2, 3, 4, device="cuda")
{mask}
F.scaled_dot_product_attention(q, q, q, attn_mask=mask)
"""


def test_a_wide_mask_is_no_mask_for_narrow_scores() -> None:
    mask = "mask = torch.from_numpy(np.log(np.ones((3, 3)))).cuda()"
    assert clashes(_ATTENTION.format(mask=mask)) == ["8: dtype"]


@pytest.mark.parametrize("made", ["torch.zeros(3, 3)", "torch.ones(3, 3, dtype=torch.bool)", "unknown()"])
def test_a_mask_of_floats_or_choices_is_one(made: str) -> None:
    assert clashes(_ATTENTION.format(mask=f"mask = {made}.to(q.device)")) == []


_CHOSEN = """
import argparse
import torch


class None_:
    def __call__(self):
        return {other}


class Table:
    def __call__(self):
        return torch.zeros(3)


parser = argparse.ArgumentParser()
parser.add_argument("--bias", default="table")
bias = {{"none": None_, "table": Table}}[parser.parse_args().bias]()
torch.ones(3, device="cuda") + bias()
"""


def test_what_an_option_usually_gives_is_judged_where_all_it_gives_are_tensors() -> None:
    assert clashes(_CHOSEN.format(other="torch.ones(3, device='cuda')")) == ["19: device"]


def test_where_another_option_gives_a_number_nothing_can_move_there() -> None:
    text = _CHOSEN.format(other="0.0")
    assert clashes(text) == ["19: device"]
    assert fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"] == text


_DRAWN_FROM = """
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.ones(2, 4).to(device)
y = x + {drawn}
print(y.sum())
"""


@pytest.mark.parametrize(
    "drawn",
    [
        "torch.normal(torch.zeros(2, 4))",
        "torch.rand_like(torch.zeros(2, 4))",
        "torch.full((2, 4), 0.5).bernoulli()",
    ],
)
def test_what_is_drawn_of_a_tensor_made_on_the_spot_is_moved_after_the_draw(drawn: str) -> None:
    text = _DRAWN_FROM.format(drawn=drawn)
    after = fix_texts({"main.py": text}, Applicability.SAFE)[0]["main.py"]
    assert after == _DRAWN_FROM.format(drawn=f"{drawn}.to(device)")


@pytest.mark.parametrize(
    "drawn", ["torch.normal(x, torch.ones(2, 4{}))", "torch.normal(torch.ones(2, 4{}), x)"]
)
def test_what_is_drawn_of_tensors_on_two_devices_is_drawn_of_tensors_on_one(drawn: str) -> None:
    text = _DRAWN_FROM.format(drawn=drawn.format(""))
    after = fix_texts({"main.py": text}, Applicability.SAFE)[0]["main.py"]
    assert after == _DRAWN_FROM.format(drawn=drawn.format(", device=device"))


def test_what_is_only_computed_of_it_is_made_on_the_device() -> None:
    after = fix_texts({"main.py": _DRAWN_FROM.format(drawn="torch.zeros(2, 4).add(1)")}, Applicability.SAFE)[
        0
    ]
    assert "torch.zeros(2, 4, device=device).add(1)" in after["main.py"]


#: A generator that is made before there is another default device than the CPU.
_EARLY = """
import torch

class Orders:
    def __init__(self, n):
        self.n, self.rng = n, torch.Generator({told})

    def __iter__(self):
        order = torch.randperm(self.n, generator=self.rng{where})
        yield from torch.arange(self.n){there}[order].tolist()

def run(kind):
    orders = Orders(8)
    with torch.device(kind):
        net = torch.nn.Linear(1, 1)
        for place in orders:
            noise = torch.randn(1, generator=orders.rng{where}){moved}
            print(net(noise), place)

run("cuda" if torch.cuda.is_available() else "cpu")
"""


def _early(*, told: str = "", where: str = "", moved: str = "", there: str = "") -> str:
    text = _EARLY.replace("{told}", told).replace("{where}", where)
    return text.replace("{moved}", moved).replace("{there}", there)


def test_a_generator_that_is_older_than_the_default_device_draws_on_the_cpu() -> None:
    text = _early()
    assert clashes(text) == ["9: generator", "17: generator"]
    after, _ = fix_texts({"main.py": text}, Applicability.SAFE)
    assert 'torch.randperm(self.n, generator=self.rng, device="cpu")' in after["main.py"]
    assert clashes(after["main.py"]) == []


@pytest.mark.parametrize(
    "right",
    [
        _early(told='"cuda"'),
        _early(where=', device="cpu"', moved=".to(kind)", there=".cpu()"),
    ],
)
def test_draws_that_go_with_their_generator_stay(right: str) -> None:
    assert clashes(right) == []


def test_a_device_that_is_at_hand_where_it_is_made_goes_into_the_generator() -> None:
    text = """
    import torch

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    rng = torch.Generator()
    with device:
        print(torch.rand(2, generator=rng))
    """
    after, _ = fix_texts(files(text), Applicability.SAFE)
    assert after["main.py"] == files(text.replace("Generator()", "Generator(device=device)"))["main.py"]


@pytest.mark.parametrize("drawn", ["w.normal_(generator=rng)", "w.uniform_(0, 1, generator=rng)"])
def test_what_draws_into_a_tensor_asks_for_no_default_device(drawn: str) -> None:
    text = files(f"""
    import torch

    rng = torch.Generator()
    torch.set_default_device("cuda" if torch.cuda.is_available() else "cpu")
    w = torch.empty(3)
    {drawn}
    print(w)
    """)
    assert [each.partition(": ")[2] for each in clashes(text["main.py"])] == ["generator"]
    assert fix_texts(text, Applicability.UNSAFE)[0] == text
