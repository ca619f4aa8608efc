import argparse
import pathlib
import tempfile

import torch
from torch import nn


def get_args():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=3)
    p.add_argument("--resume", type=pathlib.Path)
    p.add_argument("--out", type=pathlib.Path)
    return p


class ToneNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(1, 8, 9, stride=4)
        self.fc = nn.Linear(8 * 14, 4)

    def forward(self, wave):
        return self.fc(torch.relu(self.conv(wave.unsqueeze(1))).flatten(1))


def tones(n, gen):
    label = torch.randint(0, 4, (n,), generator=gen)
    t = torch.arange(64) / 64
    wave = torch.sin(6.283 * (label[:, None] + 2) * t + torch.rand(n, 1, generator=gen))
    return wave + 0.2 * torch.randn(n, 64, generator=gen), label


def main(argv=None):
    args = get_args().parse_args(argv)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(1)
    model = ToneNet()
    start = 0
    checkpoint = None
    if args.resume:
        checkpoint = torch.load(args.resume, map_location="cpu")
        model.load_state_dict(checkpoint["model"])
        start = checkpoint["epoch"]
    model.to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    if checkpoint is not None:
        optimizer.load_state_dict(checkpoint["optimizer"])
    for epoch in range(start, args.epochs):
        gen = torch.Generator().manual_seed(epoch)
        for _ in range(8):
            wave, label = tones(32, gen)
            loss = nn.functional.cross_entropy(model(wave.to(device)), label.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch} loss {loss.item():.4f}")
    if args.out:
        state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": args.epochs}
        torch.save(state, args.out)
    return loss.item()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as tmp:
        file = pathlib.Path(tmp) / "tone.pt"
        main(["--epochs", "2", "--out", str(file)])
        print("RESULT", main(["--epochs", "4", "--resume", str(file)]))
