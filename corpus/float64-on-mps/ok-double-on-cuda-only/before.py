import math

import torch

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
DTYPE = torch.float64


class GP:
    def __init__(self, x, y):
        self.x, self.y = x, y
        self.log_length = torch.tensor(0.0, dtype=DTYPE, device=DEVICE, requires_grad=True)
        self.log_noise = torch.tensor(-2.0, dtype=DTYPE, device=DEVICE, requires_grad=True)

    def kernel(self, a, b):
        return torch.exp(-0.5 * torch.cdist(a, b) ** 2 / torch.exp(2 * self.log_length))

    def nll(self):
        n = len(self.x)
        k = self.kernel(self.x, self.x) + torch.exp(self.log_noise) * torch.eye(n, dtype=DTYPE, device=DEVICE)
        chol = torch.linalg.cholesky(k)
        alpha = torch.cholesky_solve(self.y, chol)
        return 0.5 * (self.y * alpha).sum() + chol.diagonal().log().sum() + 0.5 * n * math.log(2 * math.pi)

    def fit(self, steps):
        opt = torch.optim.Adam([self.log_length, self.log_noise], lr=0.05)
        for i in range(steps):
            loss = self.nll()
            opt.zero_grad()
            loss.backward()
            opt.step()
            if i % 20 == 0:
                print(i, loss.item())
        return loss.item()


if __name__ == "__main__":
    torch.manual_seed(26)
    x = (torch.rand(60, 1, dtype=DTYPE) * 6).to(DEVICE)
    y = torch.sin(2 * x) + (0.1 * torch.randn(60, 1, dtype=DTYPE)).to(DEVICE)
    print("RESULT", GP(x, y).fit(60))
