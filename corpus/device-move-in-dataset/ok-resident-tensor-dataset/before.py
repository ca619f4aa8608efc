"""Small tabular data: keep everything on the accelerator and slice it there."""
import torch
import torch.nn as nn
from torch.utils.data import BatchSampler, DataLoader, RandomSampler, TensorDataset


def wine(n, seed):
    g = torch.Generator().manual_seed(seed)
    x = torch.randn(n, 11, generator=g)
    quality = 5 + x[:, 0] - 0.7 * x[:, 1] + 0.3 * x[:, 2] * x[:, 3]
    return x, quality


def main():
    torch.manual_seed(2)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x, quality = wine(512, seed=0)
    dataset = TensorDataset(x.to(device), quality.to(device))
    batches = BatchSampler(RandomSampler(dataset), batch_size=64, drop_last=False)
    loader = DataLoader(dataset, sampler=batches, batch_size=None)
    model = nn.Sequential(nn.Linear(11, 32), nn.ReLU(), nn.Linear(32, 1)).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for epoch in range(5):
        for features, target in loader:
            loss = nn.functional.mse_loss(model(features).squeeze(1), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, round(loss.item(), 4))
    print("RESULT", loss.item())


if __name__ == "__main__":
    main()
