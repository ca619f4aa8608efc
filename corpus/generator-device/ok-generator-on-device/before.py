import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split


class NoisyLinear(nn.Module):
    def __init__(self, n_in, n_out, generator):
        super().__init__()
        self.mu = nn.Linear(n_in, n_out)
        self.sigma = nn.Parameter(torch.full((n_out, n_in), 0.05))
        self.generator = generator

    def forward(self, x):
        if self.training:
            eps = torch.randn(self.sigma.shape, generator=self.generator, device=x.device)
            return nn.functional.linear(x, self.mu.weight + self.sigma * eps, self.mu.bias)
        return self.mu(x)


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    noise = torch.Generator(device=device)
    noise.manual_seed(99)

    x = torch.randn(300, 5)
    y = x @ torch.randn(5, 1) + 0.1 * torch.randn(300, 1)
    train, test = random_split(TensorDataset(x, y), [0.8, 0.2], generator=torch.Generator().manual_seed(0))
    loader = DataLoader(train, batch_size=40, shuffle=True, generator=torch.Generator().manual_seed(1))

    model = nn.Sequential(NoisyLinear(5, 16, noise), nn.ReLU(), NoisyLinear(16, 1, noise)).to(device)
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(3):
        for a, b in loader:
            loss = nn.functional.mse_loss(model(a.to(device)), b.to(device))
            opt.zero_grad()
            loss.backward()
            opt.step()

    model.eval()
    with torch.no_grad():
        errors = [(model(a.to(device)) - b.to(device)).abs().mean().item() for a, b in test]
    print("test error", sum(errors) / len(errors))
    print("RESULT", loss.item())


if __name__ == "__main__":
    main()
