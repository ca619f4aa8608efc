import argparse

import torch
from torch import nn
from torch.nn.parameter import Parameter


class ScaledConv(nn.Module):
    """Convolution with weight standardisation and a learned gain for each output channel."""

    def __init__(self, c_in, c_out, device="cpu"):
        super().__init__()
        self.conv = nn.Conv2d(c_in, c_out, 3, padding=1)
        self.register_parameter("gain", Parameter(torch.ones(c_out, 1, 1, 1)).to(device))

    def forward(self, x):
        w = self.conv.weight
        w = (w - w.mean(dim=(1, 2, 3), keepdim=True)) / (w.std(dim=(1, 2, 3), keepdim=True) + 1e-5)
        return nn.functional.conv2d(x, self.gain * w, self.conv.bias, padding=1)


def build(device):
    net = nn.Sequential(
        ScaledConv(1, 6, device), nn.ReLU(), nn.AvgPool2d(2),
        ScaledConv(6, 6, device), nn.ReLU(), nn.AdaptiveAvgPool2d(1),
        nn.Flatten(), nn.Linear(6, 2),
    )
    return net.to(device)


def gratings(n):
    vertical = torch.arange(n) % 2
    wave = torch.sin(torch.arange(10) * 1.5 + torch.rand(n, 1))
    image = torch.where(vertical[:, None, None].bool(), wave[:, None, :], wave[:, :, None])
    return image.unsqueeze(1) + 0.4 * torch.randn(n, 1, 10, 10), vertical


def main():
    parser = argparse.ArgumentParser(description="gratings")
    parser.add_argument("--iters", type=int, default=25)
    parser.add_argument("--cpu", action="store_true")
    args = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() and not args.cpu else "cpu"
    torch.manual_seed(10)
    net = build(device)
    opt = torch.optim.Adam(net.parameters(), lr=0.02)
    image, vertical = gratings(64)
    image, vertical = image.to(device), vertical.to(device)
    for _ in range(args.iters):
        loss = nn.functional.cross_entropy(net(image), vertical)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print("gain", net[0].gain.flatten().tolist())
    print("RESULT", loss.item())


if __name__ == "__main__":
    main()
