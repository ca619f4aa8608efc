import torch
import torch.nn.functional as F
from accelerate import Accelerator
from torch.utils.data import DataLoader, TensorDataset


class Mixer(torch.nn.Module):
    def __init__(self, tokens=6, dim=8, classes=3):
        super().__init__()
        self.across = torch.nn.Linear(tokens, tokens)
        self.within = torch.nn.Linear(dim, dim)
        self.head = torch.nn.Linear(dim, classes)

    def forward(self, x):
        x = x + F.gelu(self.across(x.transpose(1, 2))).transpose(1, 2)
        x = x + F.gelu(self.within(x))
        return self.head(x.mean(dim=1))


def gestures(n):
    kind = torch.arange(n) % 3
    wave = torch.sin(torch.arange(6)[:, None] * (kind[:, None, None] + 1) * 0.9)
    return TensorDataset(wave + 0.5 * torch.randn(n, 6, 8), kind)


torch.manual_seed(18)
accelerator = Accelerator()
train_loader = DataLoader(gestures(240), batch_size=40, shuffle=True)
valid_loader = DataLoader(gestures(60), batch_size=60)
model = Mixer()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
model, optimizer, train_loader = accelerator.prepare(model, optimizer, train_loader)

for epoch in range(3):
    model.train()
    for wave, kind in train_loader:
        loss = F.cross_entropy(model(wave), kind)
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()

    model.eval()
    total = 0.0
    with torch.no_grad():
        for wave, kind in valid_loader:
            wave, kind = wave.to(accelerator.device), kind.to(accelerator.device)
            total += F.cross_entropy(model(wave), kind).item()
    print("epoch", epoch, "validation", total)

print("RESULT", total)
