import tempfile

import torch
from torch.nn.functional import smooth_l1_loss

import checkpoint
from network import ForecastNet


def weather(n, steps=16):
    phase = torch.rand(n, 1, 1) * 6.28
    t = torch.arange(steps + 1).view(1, -1, 1) * 0.4
    freq = torch.tensor([1.0, 0.7, 1.3])
    series = torch.sin(t * freq + phase)
    return series[:, :-1], series[:, -1]


def run(model, optimizer, epochs, device):
    for epoch in epochs:
        x, y = weather(96)
        loss = smooth_l1_loss(model(x.to(device)), y.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"epoch {epoch} loss {loss.item():.5f}")
    return loss.item()


def main():
    torch.manual_seed(2)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    with tempfile.TemporaryDirectory() as folder:
        model = ForecastNet().to(device)
        optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
        run(model, optimizer, range(0, 5), device)
        checkpoint.save(folder, model, optimizer, 4)
        del model, optimizer

        model = ForecastNet()
        model.to(device)
        optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
        start = checkpoint.resume(folder, model, optimizer)
        final = run(model, optimizer, range(start, 10), device)
    print("RESULT", final)


if __name__ == "__main__":
    main()
