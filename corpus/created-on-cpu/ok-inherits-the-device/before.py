import torch
import torch.nn as nn
import torch.nn.functional as F


class Router(nn.Module):
    """Top-2 routing with load balancing; every helper tensor comes from one that is at hand."""

    def __init__(self, dim=12, slots=5):
        super().__init__()
        self.slots = slots
        self.gate = nn.Linear(dim, slots)
        self.values = nn.Parameter(torch.randn(slots, dim) / dim ** 0.5)

    def forward(self, x):
        logits = self.gate(x)
        top, index = logits.topk(2, dim=-1)
        keep = torch.zeros_like(logits).scatter_(1, index, 1.0)
        weights = (logits - logits.new_full((), 1e9) * (1 - keep)).softmax(dim=-1)
        usage = F.one_hot(index[:, 0], self.slots).type_as(x).mean(0)
        target = x.new_ones(self.slots) / self.slots
        padded = F.pad(weights, (0, 1))[:, :-1]
        noise = torch.randn_like(padded) * 0.01 if self.training else padded.new_zeros(padded.shape)
        return (padded + noise) @ self.values, (usage - target).pow(2).sum()


def main():
    torch.manual_seed(82)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    router = Router().to(device)
    optimizer = torch.optim.Adam(router.parameters(), lr=1e-2)
    for step in range(40):
        x = torch.randn(64, 12).to(device)
        y, balance = router(x)
        loss = F.mse_loss(y, x.sign() * 0.5) + 0.1 * balance
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("balance", balance.item())
    print("RESULT", loss.item())


main()
