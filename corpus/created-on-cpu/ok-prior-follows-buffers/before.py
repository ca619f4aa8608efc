import torch
from torch import nn
from torch.distributions import Independent, Normal


class AffineFlow(nn.Module):
    def __init__(self, dim=3, layers=3):
        super().__init__()
        self.scale = nn.ParameterList([nn.Parameter(torch.zeros(dim)) for _ in range(layers)])
        self.shift = nn.ParameterList([nn.Parameter(torch.zeros(dim)) for _ in range(layers)])
        self.register_buffer("loc", torch.zeros(dim))
        self.register_buffer("std", torch.ones(dim))

    @property
    def prior(self):
        return Independent(Normal(self.loc, self.std), 1)

    def log_prob(self, x):
        log_det = x.new_zeros(len(x))
        for scale, shift in zip(self.scale, self.shift):
            x = (x - shift) * torch.exp(-scale)
            log_det = log_det - scale.sum()
        return self.prior.log_prob(x) + log_det

    @torch.no_grad()
    def sample(self, n):
        x = self.prior.sample((n,))
        for scale, shift in zip(reversed(self.scale), reversed(self.shift)):
            x = x * torch.exp(scale) + shift
        return x


def main():
    torch.manual_seed(33)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    data = (torch.randn(400, 3) * torch.tensor([2.0, 0.5, 1.0]) + torch.tensor([1.0, -1.0, 0.0])).to(device)
    flow = AffineFlow().to(device)
    optimizer = torch.optim.Adam(flow.parameters(), lr=0.05)
    for step in range(60):
        loss = -flow.log_prob(data).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("sample mean", flow.sample(500).mean(0).tolist())
    print("RESULT", loss.item())


if __name__ == "__main__":
    main()
