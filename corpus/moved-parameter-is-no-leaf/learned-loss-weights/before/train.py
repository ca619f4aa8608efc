import torch
from torch import nn
from torch.nn import functional as F

import settings
from losses import UncertaintyWeighting


class TwoHeads(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(8, 32), nn.ReLU())
        self.price = nn.Linear(32, 1)
        self.kind = nn.Linear(32, 4)

    def forward(self, x):
        h = self.trunk(x)
        return self.price(h).squeeze(1), self.kind(h)


def listings(n):
    x = torch.randn(n, 8)
    price = x[:, 0] * 2 + x[:, 1].abs()
    return x, price, x[:, 2:6].argmax(1)


def main():
    torch.manual_seed(settings.SEED)
    model = TwoHeads().to(settings.DEVICE)
    weighting = UncertaintyWeighting(2).to(settings.DEVICE)
    model_opt = torch.optim.Adam(model.parameters(), lr=settings.LR)
    weight_opt = torch.optim.SGD(weighting.parameters(), lr=settings.LR)
    for step in range(60):
        x, price, kind = listings(64)
        x = x.to(settings.DEVICE)
        price = price.to(settings.DEVICE)
        kind = kind.to(settings.DEVICE)
        out_price, out_kind = model(x)
        loss = weighting([F.mse_loss(out_price, price), F.cross_entropy(out_kind, kind)])
        model_opt.zero_grad()
        weight_opt.zero_grad()
        loss.backward()
        model_opt.step()
        weight_opt.step()
        if step % 20 == 0:
            print(step, round(loss.item(), 4))
    print("RESULT", loss.item())


if __name__ == "__main__":
    main()
