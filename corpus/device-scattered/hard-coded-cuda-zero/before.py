import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(70)


class MazeEncoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 8, 3, padding=1)
        self.fc = nn.Linear(8 * 36, 32)

    def forward(self, maze):
        return torch.relu(self.fc(torch.relu(self.conv(maze)).flatten(1)))


class ValueHead(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(32, 1)

    def forward(self, h):
        baseline = torch.zeros(h.shape[0], 1, device="cuda:0")
        return baseline + self.fc(h)


encoder = MazeEncoder().cuda()
value = ValueHead().to("cuda:0")
optimizer = torch.optim.Adam([*encoder.parameters(), *value.parameters()], lr=3e-3)


def mazes(n):
    walls = (torch.rand(n, 1, 6, 6) < 0.3).float().cuda()
    free = (1 - walls).sum(dim=(1, 2, 3)).unsqueeze(1) / 36
    return walls, free.to("cuda:0")


for step in range(40):
    walls, free = mazes(64)
    loss = F.mse_loss(value(encoder(walls)), free)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 10 == 0:
        print(step, loss.item())

with torch.no_grad():
    empty = torch.zeros(1, 1, 6, 6).to(torch.device("cuda:0"))
    print("value of an empty maze", value(encoder(empty)).item())
print("RESULT", loss.item())
