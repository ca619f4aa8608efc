"""Deep ensemble with bootstrap; the class is no Module and every member has its own optimizer."""
import torch
from torch import nn


class Ensemble:
    def __init__(self, size, device):
        self.device = device
        self.members = []
        for seed in range(size):
            torch.manual_seed(seed)
            member = nn.Sequential(nn.Linear(1, 24), nn.Tanh(), nn.Linear(24, 1))
            self.members.append(member.to(device))
        self.optimizers = [torch.optim.Adam(m.parameters(), lr=2e-2) for m in self.members]

    def fit(self, x, y, steps):
        for member, optimizer in zip(self.members, self.optimizers):
            chosen = torch.randint(0, len(x), (len(x),))
            xb, yb = x[chosen].to(self.device), y[chosen].to(self.device)
            for _ in range(steps):
                loss = nn.functional.mse_loss(member(xb), yb)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()

    @torch.no_grad()
    def predict(self, x):
        outputs = torch.stack([m(x.to(self.device)) for m in self.members])
        return outputs.mean(0).cpu(), outputs.std(0).cpu()


if __name__ == "__main__":
    device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    x = torch.linspace(-2, 2, 80).unsqueeze(1)
    y = torch.sin(2 * x)
    ensemble = Ensemble(4, device)
    ensemble.fit(x, y, steps=60)
    mean, std = ensemble.predict(torch.linspace(-4, 4, 41).unsqueeze(1))
    print("uncertainty inside", std[15:26].mean().item(), "outside", std[:5].mean().item())
    print("RESULT", (mean[20] - 0.0).abs().item())
