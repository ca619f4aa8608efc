"""Modules that torch spreads over several accelerators are brought there by what spreads them."""

from __future__ import annotations

import pytest
from text_program import check_texts, names

PROGRAM = """import torch
from torch import nn
{imported}

device = torch.device("cuda")
model = nn.Sequential(nn.Linear(3, 3), nn.ReLU())
{spread}
print(model(torch.rand(2, 3, device=device)))
"""
SPREAD = [
    ("from torch.distributed.fsdp import fully_shard", "fully_shard(model)"),
    ("from torch.distributed._composable.fsdp import fully_shard", "fully_shard(model, mesh=mesh)"),
    ("from torch.distributed.fsdp import fully_shard", "for layer in model:\n    fully_shard(layer)"),
    (
        "from torch.distributed.tensor.parallel import parallelize_module",
        "parallelize_module(model, mesh, {})",
    ),
    (
        "from torch.distributed.fsdp import FullyShardedDataParallel as FSDP",
        "wrapped = FSDP(model, device_id=0)",
    ),
]
OTHERS = [
    ("import torch.distributed as dist", "dist.init_process_group('nccl')"),
    ("import torch.distributed as dist", "dist.barrier()"),
    ("", "torch.save(model, 'model.pt')"),
]


@pytest.mark.parametrize(("imported", "spread"), SPREAD)
def test_what_is_spread_is_where_that_brings_it(imported: str, spread: str) -> None:
    assert check_texts({"main.py": PROGRAM.format(imported=imported, spread=spread)}) == []


@pytest.mark.parametrize(("imported", "spread"), OTHERS)
def test_what_is_not_stays_on_the_cpu(imported: str, spread: str) -> None:
    found = names(check_texts({"main.py": PROGRAM.format(imported=imported, spread=spread)}))
    assert "model-not-moved" in found
