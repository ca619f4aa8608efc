import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.ff = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))

    def forward(self, x):
        return x + self.ff(self.norm(x))


def wrap(model, local_rank):
    if not torch.cuda.is_available():
        return model
    os.environ.setdefault("MASTER_ADDR", "localhost")
    os.environ.setdefault("MASTER_PORT", "29544")
    os.environ.setdefault("RANK", "0")
    os.environ.setdefault("WORLD_SIZE", "1")
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    return FSDP(model, device_id=local_rank)


def main():
    torch.manual_seed(0)
    local_rank = int(os.environ.get("LOCAL_RANK", "0"))
    device = f"cuda:{local_rank}" if torch.cuda.is_available() else "cpu"
    model = wrap(nn.Sequential(nn.Linear(10, 16), Block(16), Block(16), nn.Linear(16, 2)), local_rank)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    for step in range(25):
        x = torch.randn(32, 10).to(device)
        target = torch.stack([x[:, :5].sum(1), x[:, 5:].prod(1)], dim=1)
        loss = nn.functional.smooth_l1_loss(model(x), target)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if step % 10 == 0:
            print("step", step, "loss", loss.item())
    if dist.is_available() and dist.is_initialized():
        dist.destroy_process_group()
    print("RESULT", loss.item())


if __name__ == "__main__":
    main()
