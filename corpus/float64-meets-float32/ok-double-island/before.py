import torch
import torch.nn as nn


class Whitening(nn.Module):
    """Whitens the features; the factorisation is done in double and cast back."""

    def __init__(self, dim, eps=1e-4):
        super().__init__()
        self.eps = eps
        self.register_buffer("running", torch.zeros(dim, dtype=torch.float64))
        self.scale = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        wide = x.double()
        centred = wide - wide.mean(dim=0)
        if self.training:
            self.running.mul_(0.9).add_(0.1 * wide.mean(dim=0).detach())
        cov = centred.t() @ centred / len(x)
        cov = cov + self.eps * torch.eye(cov.shape[0], dtype=torch.float64, device=x.device)
        factor = torch.linalg.cholesky(cov)
        white = torch.linalg.solve_triangular(factor, centred.t(), upper=False).t()
        return white.to(x.dtype) * self.scale


torch.manual_seed(49)
device = "cuda:0" if torch.cuda.is_available() else "cpu"
net = nn.Sequential(nn.Linear(6, 5), Whitening(5), nn.Linear(5, 1)).to(device)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
total = torch.zeros((), dtype=torch.float64, device=device)
for step in range(40):
    x = torch.randn(100, 6).to(device)
    y = (x[:, 0] - x[:, 1]).unsqueeze(1)
    loss = nn.functional.l1_loss(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    total += loss.detach()
count = torch.tensor([1, 2, 3], device=device)
blend = (count * 0.5 + torch.ones(3, dtype=torch.float64, device=device)).sum()
print("mean loss", (total / 40).item(), "blend", blend.item())
print("RESULT", loss.item())
