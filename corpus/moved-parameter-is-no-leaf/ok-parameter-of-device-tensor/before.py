import torch
from torch import nn


class Codebook(nn.Module):
    def __init__(self, size, dim, device):
        super().__init__()
        self.vectors = nn.Parameter(torch.empty(size, dim, device=device))
        self.log_scale = nn.Parameter(torch.zeros(1).to(device))
        with torch.no_grad():
            self.vectors.copy_(torch.randn(size, dim) * 0.5)

    def forward(self, x):
        distance = torch.cdist(x, self.vectors * self.log_scale.exp())
        soft = torch.softmax(-distance * 4, dim=1)
        return soft @ (self.vectors * self.log_scale.exp())


class Quantiser:
    def __init__(self, size=12, dim=3):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.book = Codebook(size, dim, self.device)
        self.opt = torch.optim.Adam(self.book.parameters(), lr=0.05)

    def fit(self, data, epochs=25):
        data = data.to(self.device)
        for epoch in range(epochs):
            loss = (self.book(data) - data).square().mean()
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            if epoch % 8 == 0:
                print("epoch", epoch, "distortion", loss.item())
        return loss.item()


torch.manual_seed(14)
colours = torch.rand(400, 3).round(decimals=1) + 0.02 * torch.randn(400, 3)
print("RESULT", Quantiser().fit(colours))
