"""Byte-pair like segments of fixed lengths; the layout tensors never meet the device."""
import torch
import torch.nn as nn


class SegmentPooling(nn.Module):
    def __init__(self, lengths):
        super().__init__()
        self.lengths = torch.tensor(lengths)
        self.starts = torch.cumsum(self.lengths, 0) - self.lengths
        self.order = torch.randperm(len(lengths), generator=torch.Generator().manual_seed(1))

    def forward(self, x):
        pieces = x.split(self.lengths.tolist(), dim=1)
        pooled = torch.stack([p.mean(dim=1) for p in pieces], dim=1)
        first = torch.stack([x[:, int(s)] for s in self.starts], dim=1)
        return torch.cat([pooled, first], dim=-1)[:, self.order]


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.Linear(5, 12)
        self.pool = SegmentPooling([3, 4, 2, 6])
        self.down = nn.Linear(4 * 24, 5)

    def forward(self, x):
        return self.down(self.pool(torch.tanh(self.up(x))).flatten(1))


torch.manual_seed(1)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
reader = Reader().to(device)
optimizer = torch.optim.RMSprop(reader.parameters(), lr=3e-3)
for step in range(40):
    x = torch.randn(32, 15, 5).to(device)
    loss = nn.functional.mse_loss(reader(x), x[:, :3].mean(dim=1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("layout", reader.pool.lengths.numpy(), "loss", loss.item())
print("RESULT", loss.item())
