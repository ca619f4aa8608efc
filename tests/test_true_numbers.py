"""A program without mismatches ends with the numbers of a plain CPU run, bit for bit, in both modes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from ordinary_programs import PROGRAMS, numbers, optimizers
from torch import Tensor, nn

from devfix.simulator import simulated_accelerator


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def same(ours: list[Tensor], theirs: list[Tensor]) -> bool:
    return len(ours) == len(theirs) and all(map(torch.equal, ours, theirs))


@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
@pytest.mark.filterwarnings("ignore:.*nested tensors is in prototype stage:UserWarning")
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_ends_with_the_same_numbers(name: str) -> None:
    plain = numbers(name, "cpu")
    with simulated_accelerator():
        strict = numbers(name, "cuda")
    with simulated_accelerator(heal=True) as machine:
        healed = numbers(name, "cuda")
    assert same(strict, plain)
    assert same(healed, plain)
    assert machine.log.mismatches == []


def stepped(device: str, make: Callable[[Any], torch.optim.Optimizer]) -> list[Tensor]:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3)).to(device)
    optimizer = make(model.parameters())
    for _ in range(3):
        optimizer.zero_grad()
        model(torch.randn(5, 4).to(device)).pow(2).sum().backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        nn.utils.clip_grad_value_(model.parameters(), 0.5)
        optimizer.step()
    return [parameter.detach().cpu() for parameter in model.parameters()]


@pytest.mark.parametrize(("name", "make"), list(optimizers()))
def test_an_optimizer_goes_the_same_way(name: str, make: Callable[[Any], torch.optim.Optimizer]) -> None:
    plain = stepped("cpu", make)
    with simulated_accelerator():
        assert same(stepped("cuda", make), plain)


def test_seeding_the_device_alone_changes_no_numbers() -> None:
    torch.manual_seed(3)
    plain = torch.rand(4)
    with simulated_accelerator():
        torch.manual_seed(3)
        torch.cuda.manual_seed_all(7)
        assert torch.equal(torch.rand(4, device="cuda").cpu(), plain)


def test_a_generator_on_the_device_draws_what_one_on_the_cpu_draws() -> None:
    plain = torch.rand(4, generator=torch.Generator().manual_seed(5))
    with simulated_accelerator():
        drawn = torch.rand(4, device="cuda", generator=torch.Generator("cuda").manual_seed(5))
        assert torch.equal(drawn.cpu(), plain)
