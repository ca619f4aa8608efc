"""Bayesian linear layer with a mean-field posterior."""
import torch
from torch import nn
from torch.distributions import Normal, kl_divergence


class BayesLinear(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.mean = nn.Parameter(torch.zeros(n_out, n_in))
        self.log_std = nn.Parameter(torch.full((n_out, n_in), -3.0))

    def forward(self, x):
        eps = torch.randn_like(self.mean)
        return nn.functional.linear(x, self.mean + eps * self.log_std.exp())


def weight_kl(mean, log_std):
    posterior = Normal(mean, log_std.exp())
    prior = Normal(torch.zeros(mean.shape, device=mean.device), torch.ones(mean.shape, device=mean.device))
    return kl_divergence(posterior, prior).sum()


def main():
    torch.manual_seed(0)
    if torch.cuda.is_available():
        device = torch.device("cuda")
    else:
        device = torch.device("cpu")
    x = torch.randn(300, 4)
    y = (x @ torch.tensor([[1.0], [-2.0], [0.0], [0.5]])) + 0.1 * torch.randn(300, 1)
    x, y = x.to(device), y.to(device)

    layer = BayesLinear(4, 1).to(device)
    optimizer = torch.optim.Adam(layer.parameters(), lr=0.05)
    for step in range(80):
        likelihood = ((layer(x) - y) ** 2).sum() / (2 * 0.1 ** 2)
        loss = (likelihood + weight_kl(layer.mean, layer.log_std)) / len(x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 20 == 0:
            print(step, loss.item())
    print("weights", [round(w, 2) for w in layer.mean.flatten().tolist()])
    print("RESULT", loss.item())


if __name__ == "__main__":
    main()
