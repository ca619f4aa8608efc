"""The lattices obey their laws, and promotion is what PyTorch does."""

from __future__ import annotations

import itertools

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from devfix.analysis.domain.lattice import (
    ACCELERATOR,
    AT_LEAST_1,
    CPU,
    DTYPE_ALIASES,
    DTYPES,
    META,
    UNKNOWN_DEVICE,
    Device,
    join_devices,
    join_dtypes,
    join_ranks,
    parse_device,
    promote,
    rank_of_broadcast,
    same_as,
)

devices = st.sampled_from(
    [
        CPU,
        ACCELERATOR,
        Device("accelerator", "1"),
        Device("accelerator", "?"),
        META,
        UNKNOWN_DEVICE,
        same_as("a"),
        same_as("b"),
    ]
)
dtypes = st.sampled_from([*sorted(DTYPES), None])
ranks = st.sampled_from([0, 1, 2, 3, AT_LEAST_1, None])

LATTICES = [(devices, join_devices, UNKNOWN_DEVICE), (dtypes, join_dtypes, None), (ranks, join_ranks, None)]
each_lattice = pytest.mark.parametrize("lattice", LATTICES, ids=["devices", "dtypes", "ranks"])


@each_lattice
@given(data=st.data())
def test_joining_obeys_the_laws(lattice, data) -> None:  # type: ignore[no-untyped-def]
    values, join, top = lattice
    a, b, c = (data.draw(values) for _ in range(3))
    assert join(a, a) == a
    assert join(a, b) == join(b, a)
    assert join(join(a, b), c) == join(a, join(b, c))
    assert join(a, top) == top
    assert join(join(a, b), a) == join(a, b), "the join lies above both"


def shape(rank: int) -> tuple[int, ...]:
    return (2,) * rank


@pytest.mark.parametrize("ranks", list(itertools.product((0, 1), repeat=2)), ids=str)
def test_promotion_is_that_of_torch(ranks: tuple[int, int]) -> None:
    wrong = []
    for a, b in itertools.product(sorted(DTYPES), repeat=2):
        real = [
            torch.zeros(shape(rank), dtype=getattr(torch, dtype))
            for dtype, rank in zip((a, b), ranks, strict=True)
        ]
        expected = str(torch.result_type(*real)).removeprefix("torch.")
        if promote((a, ranks[0]), (b, ranks[1])) != expected:
            wrong.append((a, b, expected))
    assert wrong == []


@given(dtypes, dtypes, ranks, ranks)
def test_promotion_of_unknown_ranks_holds_for_every_rank(
    a: str | None, b: str | None, rank_a: int | None, rank_b: int | None
) -> None:
    claimed = promote((a, rank_a), (b, rank_b))
    if claimed is None:
        return
    for real_a, real_b in itertools.product(concrete(rank_a), concrete(rank_b)):
        assert promote((a, real_a), (b, real_b)) == claimed


def concrete(rank: int | None) -> tuple[int, ...]:
    """The ranks that an abstract one stands for, as far as promotion tells them apart."""
    if rank is None:
        return (0, 1)
    return (1, 2) if rank == AT_LEAST_1 else (rank,)


@given(st.lists(ranks, min_size=1, max_size=3))
def test_the_rank_of_a_broadcast_is_that_of_torch(given: list[int | None]) -> None:
    claimed = rank_of_broadcast(given)
    for chosen in itertools.product(*(concrete(rank) for rank in given)):
        real = torch.broadcast_tensors(*(torch.zeros(shape(rank)) for rank in chosen))[0].dim()  # type: ignore[no-untyped-call]
        assert claimed in (None, real) or (claimed == AT_LEAST_1 and real >= 1)


@pytest.mark.parametrize("alias", sorted(DTYPE_ALIASES))
def test_an_alias_is_one_in_torch(alias: str) -> None:
    assert getattr(torch, alias) == getattr(torch, DTYPE_ALIASES[alias])


@pytest.mark.parametrize(
    ("text", "device"),
    [
        ("cpu", CPU),
        ("cpu:0", CPU),
        ("cuda", ACCELERATOR),
        ("cuda:0", ACCELERATOR),
        ("cuda:1", Device("accelerator", "1")),
        ("mps", ACCELERATOR),
        ("meta", META),
        ("gpu", UNKNOWN_DEVICE),
        ("", UNKNOWN_DEVICE),
    ],
)
def test_a_device_is_read_from_its_name(text: str, device: Device) -> None:
    assert parse_device(text) == device


def test_devices_are_named_as_in_torch() -> None:
    assert [str(device) for device in (CPU, ACCELERATOR, Device("accelerator", "1"))] == [
        "cpu",
        "cuda",
        "cuda:1",
    ]
