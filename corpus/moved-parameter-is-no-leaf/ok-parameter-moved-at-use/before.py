import torch
import torch.nn as nn
import torch.nn.functional as F


class HostTable(nn.Module):
    """A table too large for the accelerator: it stays in host memory, rows are moved when needed."""

    def __init__(self, rows, dim):
        super().__init__()
        self.rows = nn.Parameter(torch.randn(rows, dim) * 0.1)

    def forward(self, ids, device):
        return self.rows[ids].to(device)


def main():
    torch.manual_seed(19)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    table = HostTable(500, 12)
    tower = nn.Sequential(nn.Linear(24, 16), nn.ReLU(), nn.Linear(16, 1)).to(device)
    sparse_opt = torch.optim.SGD(table.parameters(), lr=0.5)
    dense_opt = torch.optim.Adam(tower.parameters(), lr=1e-2)

    left = torch.randint(0, 500, (256,))
    right = torch.randint(0, 500, (256,))
    match = ((left // 50) == (right // 50)).float().to(device)
    for step in range(30):
        pair = torch.cat([table(left, device), table(right, device)], dim=1)
        loss = F.binary_cross_entropy_with_logits(tower(pair).squeeze(1), match)
        sparse_opt.zero_grad()
        dense_opt.zero_grad()
        loss.backward()
        sparse_opt.step()
        dense_opt.step()
    print("table on", table.rows.device, "tower on", tower[0].weight.device)
    print("RESULT", loss.item())


if __name__ == "__main__":
    main()
