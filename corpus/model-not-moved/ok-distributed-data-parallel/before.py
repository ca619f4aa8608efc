import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
os.environ.setdefault("MASTER_PORT", "29533")


def setup():
    rank = int(os.environ.get("RANK", 0))
    world = int(os.environ.get("WORLD_SIZE", 1))
    local_rank = int(os.environ.get("LOCAL_RANK", 0))
    use_cuda = torch.cuda.is_available()
    dist.init_process_group("nccl" if use_cuda else "gloo", rank=rank, world_size=world)
    if use_cuda:
        torch.cuda.set_device(local_rank)
    return rank, local_rank, use_cuda


def main():
    rank, local_rank, use_cuda = setup()
    device = torch.device("cuda", local_rank) if use_cuda else torch.device("cpu")
    torch.manual_seed(100 + rank)

    x = torch.randn(320, 6)
    data = TensorDataset(x, (x[:, 0] * x[:, 1] > 0).long())
    sampler = DistributedSampler(data, shuffle=True)
    loader = DataLoader(data, batch_size=40, sampler=sampler, pin_memory=use_cuda)

    net = nn.Sequential(nn.Linear(6, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 2))
    net = nn.SyncBatchNorm.convert_sync_batchnorm(net) if use_cuda else net
    model = DDP(net.to(device), device_ids=[local_rank] if use_cuda else None)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for inputs, labels in loader:
            inputs = inputs.to(device, non_blocking=True)
            labels = labels.to(device, non_blocking=True)
            loss = nn.functional.cross_entropy(model(inputs), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

    mean = loss.detach().clone()
    dist.all_reduce(mean)
    mean /= dist.get_world_size()
    if rank == 0:
        print("RESULT", mean.item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
