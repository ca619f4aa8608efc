import torch
import torch.nn as nn


def randn_tensor(shape, generator, device):
    """Same numbers on every kind of device: draw on the CPU, then move."""
    return torch.randn(shape, generator=generator).to(device)


class Score(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 32), nn.SiLU(), nn.Linear(32, 2))

    def forward(self, x, level):
        return self.net(torch.cat([x, level.expand(len(x), 1)], dim=1))


def fit(score, device, generator, steps=60):
    opt = torch.optim.Adam(score.parameters(), lr=5e-3)
    for _ in range(steps):
        clean = randn_tensor((64, 2), generator, device) * 0.2 + 1
        level = torch.rand(1, 1, generator=generator).to(device)
        noise = randn_tensor((64, 2), generator, device)
        loss = (score(clean + level * noise, level) - noise).square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


@torch.no_grad()
def sample(score, device, generator, steps=10):
    x = randn_tensor((32, 2), generator, device)
    for level in torch.linspace(1, 0.1, steps):
        x = x - 0.1 * score(x, level.to(device).view(1, 1))
    return x


if __name__ == "__main__":
    torch.manual_seed(1)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    g = torch.Generator("cpu").manual_seed(7)
    score = Score().to(device)
    print("loss", fit(score, device, g))
    print("RESULT", sample(score, device, g).mean().item())
