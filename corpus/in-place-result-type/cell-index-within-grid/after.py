"""A point cloud is pooled onto a grid whose size is part of the batch."""
import torch
import torch.nn as nn

torch.manual_seed(17)
device = "cuda" if torch.cuda.is_available() else "cpu"


def cells(points, size):
    """The row and column of the cell of each point; ``size`` is (rows, columns) as floats."""
    index = (points * size).long()
    row, column = index.T
    row.clamp_(0, (size[0] - 1).long())
    column.clamp_(0, (size[1] - 1).long())
    return row, column


def pooled(points, values, size):
    row, column = cells(points, size)
    grid = torch.zeros(8, 8, device=points.device)
    return grid.index_put((row, column), values, accumulate=True).flatten()


net = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 2)).to(device)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
size = torch.tensor([8.0, 8.0]).to(device)
for step in range(40):
    centre = torch.rand(2)
    points = (centre + 0.1 * torch.randn(60, 2)).clamp(0, 1).to(device)
    values = torch.ones(60, device=device)
    loss = (net(pooled(points, values, size)) - centre.to(device)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 10 == 0:
        print("step", step, "loss", round(loss.item(), 4))
print("RESULT", loss.item())
