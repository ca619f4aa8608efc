"""Loaders, workers, pinning threads and forked processes over tensors on the accelerator."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import torch
from recorded.questions import Questions, answer
from torch import nn
from torch.utils.data import (
    BatchSampler,
    DataLoader,
    Dataset,
    IterableDataset,
    RandomSampler,
    SubsetRandomSampler,
    TensorDataset,
    WeightedRandomSampler,
    random_split,
)

QUESTIONS = Questions()


class Pair(NamedTuple):
    """A named element."""

    x: torch.Tensor
    y: int


class Moving(Dataset[Any]):
    """Moves its elements to the accelerator."""

    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> Any:
        return torch.ones(2).to("cuda"), index


class Streaming(IterableDataset[Any]):
    """Moves its elements to the accelerator, one after the other."""

    def __iter__(self) -> Iterator[Any]:
        for _ in range(2):
            yield torch.ones(2).cuda()


class Own:
    """A batch that pins itself."""

    def __init__(self, rows: Any) -> None:
        self.rows = torch.stack([row[0] for row in rows])

    def pin_memory(self) -> Own:
        self.rows = self.rows.pin_memory()
        return self


def collated(rows: Any) -> torch.Tensor:
    """A collate function that moves the batch."""
    return torch.stack([row[0] for row in rows]).to("cuda")


def first(loader: Any) -> Any:
    """The first batch."""
    batch = next(iter(loader))
    return batch[0] if isinstance(batch, (list, tuple)) else batch


def load(dataset: Any, **options: Any) -> str:
    """Where the first batch is, and whether it is pinned."""
    options = {"batch_size": 2, "timeout": 20 if "num_workers" in options else 0, **options}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        batch = first(DataLoader(dataset, **options))
    batch = batch.rows if isinstance(batch, Own) else batch
    warned = [str(w.message)[:80] for w in caught if w.category is UserWarning]
    return f"{batch.device} pinned={batch.is_pinned()} {warned}"


def ask_child(ask: Callable[[], Any]) -> str:
    """What a forked process answers."""
    torch.ones(1, device="cuda")
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, answer(ask).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as file:
        said = file.read()
    os.waitpid(child, 0)
    return said


def by_default(action: Callable[[], Any]) -> Any:
    """What an action comes to where the accelerator is the default device."""
    torch.set_default_device("cuda")
    try:
        return action()
    finally:
        torch.set_default_device(None)


def in_thread(action: Callable[[], Any]) -> Any:
    """What an action comes to in another thread."""
    found: list[str] = []
    thread = threading.Thread(target=lambda: found.append(answer(action)))
    thread.start()
    thread.join()
    return found[0]


def pooled(action: Callable[[], Any]) -> Any:
    """What an action comes to in a pool of threads."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(action).result()


def _names() -> dict[str, Any]:
    return {
        "torch": torch, "nn": nn, "Load": load, "Loader": DataLoader, "First": first, "Child": ask_child,
        "Default": by_default, "Thread": in_thread, "Pooled": pooled, "Moving": Moving, "Streaming": Streaming,
        "Collated": collated, "Own": Own, "Pair": Pair, "Tensors": TensorDataset, "Random": RandomSampler,
        "Subset": SubsetRandomSampler, "Weighted": WeightedRandomSampler, "Split": random_split, "Batches": BatchSampler,
        "host": lambda: TensorDataset(torch.ones(4, 2)),
        "device": lambda: TensorDataset(torch.ones(4, 2, device="cuda")),
        "g": lambda: torch.tensor([1.0, 2.0], device="cuda"),
        "c": lambda: torch.tensor([1.0, 2.0]),
        "lin": lambda: nn.Linear(2, 2),
    }  # fmt: skip


QUESTIONS.lines(
    _names(),
    """
    Load(host)
    Load(device)
    Load(Moving())
    Load(host, num_workers=1)
    Load(Moving(), num_workers=1)
    Load(device, num_workers=1)
    Load(device, num_workers=1, batch_size=None)
    Load(Streaming())
    Load(Streaming(), num_workers=1)
    Load(host, collate_fn=Collated)
    Load(host, collate_fn=Collated, num_workers=1)
    Load(host, collate_fn=Collated, num_workers=1, persistent_workers=True)
    Load(host, pin_memory=True)
    Load(host, pin_memory=True, num_workers=1)
    Load(host, pin_memory=True, num_workers=1, persistent_workers=True)
    Load(host, pin_memory=True, batch_size=None)
    Load(host, pin_memory=True, collate_fn=Own)
    Load(host, pin_memory=True, collate_fn=Own, num_workers=1)
    Load(host, pin_memory=True, collate_fn=lambda rows: {"x": rows[0][0]}["x"])
    Load(Moving(), pin_memory=True)
    Load(device, pin_memory=True)
    Load(Streaming(), pin_memory=True)
    Load(host, pin_memory=True, collate_fn=Collated)
    Load(Tensors(torch.ones(4, 2, device="cuda").half()), pin_memory=True)
    Load(Moving(), pin_memory=True, num_workers=1)
    Load(device, pin_memory=True, num_workers=1)
    First(Loader([{"a": torch.ones(2)}], pin_memory=True))["a"].is_pinned()
    First(Loader([Pair(torch.ones(2), 1)], pin_memory=True)).is_pinned()
    type(next(iter(Loader([Pair(torch.ones(2), 1)], pin_memory=True)))).__name__
    First(Loader([("name", torch.ones(2))], pin_memory=True))
    First(Loader([1.0, 2.0], pin_memory=True)).is_pinned()
    Load(host, shuffle=True)
    Load(host, shuffle=True, generator=torch.Generator())
    Load(host, shuffle=True, generator=torch.Generator("cuda"))
    Load(device, shuffle=True)
    Load(device, sampler=Random(device))
    Load(host, sampler=Random(host, replacement=True))
    Load(host, sampler=Random(host, generator=torch.Generator("cuda")))
    Load(host, sampler=Subset([0, 1]))
    Load(host, sampler=Subset(torch.tensor([0, 1])))
    Load(host, sampler=Subset(torch.tensor([0, 1], device="cuda")))
    Load(host, sampler=Weighted([0.5, 0.5], 2))
    Load(host, sampler=Weighted(torch.ones(2), 2))
    Load(host, sampler=Weighted(torch.ones(2, device="cuda"), 2))
    Default(lambda: Load(host))
    Default(lambda: Load(host, shuffle=True))
    Default(lambda: Load(host, shuffle=True, generator=torch.Generator("cuda")))
    Default(lambda: Load(host, sampler=Random(host)))
    Default(lambda: Load(host, num_workers=1))
    Default(lambda: Split(host, [2, 2])[0].indices)
    Default(lambda: First(Loader([1.0, 2.0])).device)
    Default(lambda: torch.from_numpy(torch.ones(2, device="cpu").numpy()).device)
    Default(lambda: torch.frombuffer(bytearray(8), dtype=torch.float32).device)
    Default(lambda: torch.load.__name__)
    Default(lambda: torch.nn.Linear(2, 2).weight.device)
    Split(host, [2, 2], generator=torch.Generator("cuda"))
    list(Batches(torch.tensor([0, 1], device="cuda"), 2, False))[0][0].device
    device[torch.tensor([0])][0].device
    host[torch.tensor([0], device="cuda")]
    host[g[0].long()][0].device
    Child(lambda: torch.ones(2, device="cuda"))
    Child(lambda: torch.ones(2).cuda())
    Child(lambda: torch.ones(2).to("cuda"))
    Child(lambda: torch.tensor([1.0], device="cuda"))
    Child(lambda: torch.empty(2, device="cuda"))
    Child(lambda: torch.cuda.is_available())
    Child(lambda: torch.cuda.device_count())
    Child(lambda: torch.cuda.current_device())
    Child(lambda: torch.cuda.synchronize())
    Child(lambda: torch.cuda.empty_cache())
    Child(lambda: torch.cuda.manual_seed(0))
    Child(lambda: torch.manual_seed(0).device)
    Child(lambda: torch.cuda.is_initialized())
    Child(lambda: torch.cuda._is_in_bad_fork())
    Child(lambda: torch.Generator("cuda").device)
    Child(lambda: lin.cuda())
    Child(lambda: lin(c).device)
    Child(lambda: c.pin_memory().is_pinned())
    Child(lambda: c.is_pinned())
    Child(lambda: g.device)
    Child(lambda: tuple(g.shape))
    Child(lambda: g[0])
    Child(lambda: g[0:1].device)
    Child(lambda: g.view(2, 1).device)
    Child(lambda: g.detach().device)
    Child(lambda: g + 1)
    Child(lambda: g.clone())
    Child(lambda: g.cpu())
    Child(lambda: g.to("cuda").device)
    Child(lambda: g.cuda().device)
    Child(lambda: g.float().device)
    Child(lambda: g[0].item())
    Child(lambda: g.tolist())
    Child(lambda: g.numpy())
    Child(lambda: g.sum())
    Child(lambda: repr(g))
    Child(lambda: torch.stack([g, g]))
    Child(lambda: torch.zeros_like(g))
    Child(lambda: g.new_zeros(2))
    Child(lambda: g.copy_(torch.ones(2)))
    Child(lambda: torch.ones(2).copy_(g))
    Child(lambda: g.untyped_storage().device)
    Child(lambda: g.untyped_storage().cpu())
    Child(lambda: g.is_shared())
    Child(lambda: [x.device for x in g])
    Child(lambda: g == g)
    Child(lambda: torch.nn.functional.relu(g))
    Child(lambda: c.sum().item())

    Thread(lambda: torch.ones(2, device="cuda").device)
    Thread(lambda: torch.ones(2, device="cuda") + torch.ones(2))
    Pooled(lambda: torch.ones(2, device="cuda") + torch.ones(2))
    Pooled(lambda: lin.cuda()(g).device)
    Default(lambda: Thread(lambda: torch.ones(2).device))
    Default(lambda: Pooled(lambda: torch.ones(2).device))
    """,
)
