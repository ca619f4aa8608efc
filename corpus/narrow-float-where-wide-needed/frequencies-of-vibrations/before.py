"""Vibrations of a machine are told apart by their frequencies; the signals are kept in bfloat16."""
import torch
from torch import nn

KINDS, LENGTH = 3, 64


def vibrations(count):
    kinds = torch.arange(count) % KINDS
    time = torch.arange(LENGTH) / LENGTH
    phase = torch.rand(count, 1) * 6.28
    signal = torch.sin(6.28 * (3 + 4 * kinds[:, None]) * time + phase) + 0.3 * torch.randn(count, LENGTH)
    return signal, kinds


class Spectrum(nn.Module):
    def forward(self, signal):
        strength = torch.fft.rfft(signal, dim=-1).abs()
        middle = torch.quantile(strength, 0.5, dim=-1, keepdim=True)
        return torch.log1p(strength / middle)


def main():
    torch.manual_seed(3)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    signal, kinds = vibrations(150)
    signal, kinds = signal.to(device, torch.bfloat16), kinds.to(device)
    model = nn.Sequential(Spectrum(), nn.Linear(LENGTH // 2 + 1, KINDS)).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    for _ in range(40):
        loss = nn.functional.cross_entropy(model(signal), kinds)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    found = (model(signal).argmax(1) == kinds).float().mean()
    print("loss", round(loss.item(), 3))
    print("RESULT", round(found.item(), 2))


if __name__ == "__main__":
    main()
