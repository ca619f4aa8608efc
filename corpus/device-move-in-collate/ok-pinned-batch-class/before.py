import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Batch:
    def __init__(self, samples):
        columns = list(zip(*samples))
        self.inp = torch.stack(columns[0], 0)
        self.tgt = torch.stack(columns[1], 0)

    def pin_memory(self):
        self.inp = self.inp.pin_memory()
        self.tgt = self.tgt.pin_memory()
        return self

    def to(self, device):
        self.inp = self.inp.to(device, non_blocking=True)
        self.tgt = self.tgt.to(device, non_blocking=True)
        return self


class Coordinates(nn.Module):
    def __init__(self):
        super().__init__()
        self.freq = nn.Parameter(torch.randn(2, 16) * 2)
        self.net = nn.Sequential(nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, xy):
        phase = xy @ self.freq
        return self.net(torch.cat([phase.sin(), phase.cos()], dim=-1))


def main():
    torch.manual_seed(40)
    use_cuda = torch.cuda.is_available()
    device = torch.device("cuda" if use_cuda else "cpu")
    xy = torch.rand(400, 2) * 2 - 1
    value = torch.sin(3 * xy[:, :1]) * xy[:, 1:]
    loader = DataLoader(TensorDataset(xy, value), batch_size=50, shuffle=True, collate_fn=Batch, pin_memory=use_cuda)
    model = Coordinates().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(5):
        for batch in loader:
            batch = batch.to(device)
            loss = (model(batch.inp) - batch.tgt).abs().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print("RESULT", loss.item())


if __name__ == "__main__":
    main()
