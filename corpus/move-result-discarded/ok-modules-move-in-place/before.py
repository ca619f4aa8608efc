import torch
import torch.nn as nn


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(4, 12, 5, padding=2)

    def forward(self, x):
        return torch.relu(self.conv(x)).amax(dim=2)


class Metric(nn.Module):
    """A criterion with learned temperature."""

    def __init__(self):
        super().__init__()
        self.log_t = nn.Parameter(torch.zeros(()))

    def forward(self, a, b):
        logits = a @ b.t() * self.log_t.exp()
        return nn.functional.cross_entropy(logits, torch.arange(len(a), device=a.device))


torch.manual_seed(39)
use_gpu = torch.cuda.is_available()
device = torch.device("cuda" if use_gpu else "cpu")

networks = {"left": Encoder(), "right": Encoder()}
metric = Metric()
for network in networks.values():
    network.to(device)
metric.to(device)
distill = nn.MSELoss()
if use_gpu:
    distill.cuda()

params = [p for module in (*networks.values(), metric) for p in module.parameters()]
optimizer = torch.optim.Adam(params, lr=5e-3)
for step in range(30):
    dna = nn.functional.one_hot(torch.randint(0, 4, (32, 20)), 4).float().transpose(1, 2).to(device)
    a, b = networks["left"](dna), networks["right"](dna.flip(2))
    loss = metric(a, b) + 0.1 * distill(a, b)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("RESULT", loss.item())
