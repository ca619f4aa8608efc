import numpy as np
import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(84)
rng = np.random.default_rng(84)


class GameRating(nn.Module):
    def __init__(self, players=30, dim=6):
        super().__init__()
        self.skill = nn.Embedding(players, dim)
        self.bucket = nn.Embedding(10, dim)
        self.out = nn.Linear(2 * dim, 1)

    def forward(self, first, second, time_left):
        slot = (time_left * 10).floor().clamp(0, 9).long()
        difference = self.skill(first) - self.skill(second)
        return self.out(torch.cat([difference, self.bucket(slot)], dim=1)).squeeze(1)


strength = rng.normal(0, 1, 30)
first, second = rng.integers(0, 30, 400).astype(np.int32), rng.integers(0, 30, 400).astype(np.int32)
won = (strength[first] - strength[second] + rng.normal(0, 0.3, 400) > 0).astype(np.float32)
first, second, won = (torch.from_numpy(a).to(device) for a in (first, second, won))
time_left = torch.rand(400).to(device)

model = GameRating().to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=2e-2)
for epoch in range(30):
    logit = model(first, second, time_left)
    loss = nn.functional.binary_cross_entropy_with_logits(logit, won)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

upset = (logit > 0) != (won > 0.5)
half = torch.round(time_left * 399).to(torch.int64)
print("upsets", int(upset.sum()), "their loss", logit[upset].abs().mean().item(), won[half].mean().item())
print("RESULT", loss.item())
