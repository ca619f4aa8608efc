import torch
import torch.nn as nn


class TripModel(nn.Module):
    """Three heads: was there a tip, how was it paid, how long did it take."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(6, 32), nn.ReLU())
        self.tip, self.payment, self.minutes = nn.Linear(32, 1), nn.Linear(32, 3), nn.Linear(32, 1)

    def forward(self, x):
        h = self.body(x)
        return torch.sigmoid(self.tip(h)).squeeze(1), self.payment(h), self.minutes(h).squeeze(1)


class Trips:
    def __init__(self, n, seed=0):
        gen = torch.Generator().manual_seed(seed)
        self.x = torch.rand(n, 6, generator=gen)
        self.tipped = (self.x[:, 0] > 0.5)
        self.payment = (self.x[:, 1] * 3).long().clamp(max=2)
        self.payment[self.x[:, 2] > 0.9] = -1
        self.minutes = 10 * self.x[:, 3] + 2

    def chunks(self, size):
        for i in range(0, len(self.x), size):
            s = slice(i, i + size)
            yield self.x[s], self.tipped[s], self.payment[s], self.minutes[s]


torch.manual_seed(36)
device = "cuda" if torch.cuda.is_available() else "cpu"
model = TripModel().to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
bce, ce, huber = nn.BCELoss(), nn.CrossEntropyLoss(ignore_index=-1), nn.SmoothL1Loss()
for epoch in range(5):
    for chunk in Trips(240).chunks(40):
        x, tipped, payment, minutes = [t.to(device) for t in chunk]
        tip_hat, payment_hat, minutes_hat = model(x)
        loss = bce(tip_hat, tipped.float()) + ce(payment_hat, payment) + 0.1 * huber(minutes_hat, minutes)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("epoch", epoch, "loss", round(loss.item(), 4), "tips", tipped.sum().item())
print("RESULT", loss.item())
