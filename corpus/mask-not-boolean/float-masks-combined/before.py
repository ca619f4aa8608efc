"""Denoising with holes: the loss counts pixels that are hidden and inside the frame."""
import torch
import torch.nn as nn

device = "cuda" if torch.cuda.is_available() else "cpu"


def batch(n, size=10):
    image = torch.rand(n, 1, size, size, device=device).cumsum(-1) / size
    inside = torch.zeros(n, 1, size, size, device=device)
    inside[..., 1:-1, 1:-1] = 1.0
    hidden = torch.bernoulli(torch.full_like(image, 0.3))
    return image, inside, hidden


def main():
    torch.manual_seed(73)
    net = nn.Sequential(nn.Conv2d(2, 12, 3, padding=1), nn.ReLU(), nn.Conv2d(12, 1, 3, padding=1)).to(device)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    for step in range(40):
        image, inside, hidden = batch(32)
        guess = net(torch.cat([image * (1 - hidden), hidden], dim=1))
        counted = inside & hidden
        error = (guess - image) ** 2
        loss = error[counted].mean() + 0.1 * error[inside & ~hidden].mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("RESULT", loss.item())


if __name__ == "__main__":
    main()
