import tempfile
from pathlib import Path

import torch

from persistence import restore, store
from segmenter import Segmenter


def discs(n, size=16):
    yy, xx = torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij")
    center = torch.rand(n, 2) * size
    radius = torch.rand(n) * 3 + 2
    distance = (yy - center[:, 0, None, None]) ** 2 + (xx - center[:, 1, None, None]) ** 2
    mask = (distance < radius[:, None, None] ** 2).float().unsqueeze(1)
    return mask + 0.3 * torch.randn(n, 1, size, size), mask


def fit(model, device, steps=60):
    opt = torch.optim.Adam(model.parameters(), lr=3e-2)
    for _ in range(steps):
        image, mask = discs(16)
        loss = torch.nn.functional.binary_cross_entropy_with_logits(model(image.to(device)), mask.to(device))
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


def main():
    torch.manual_seed(6)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Segmenter().to(device)
    print("training loss", fit(model, device))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "segmenter.pt")
        store(model, path)
        served = restore(Segmenter(), path).to(device).eval()
    image, mask = discs(8)
    with torch.no_grad():
        found = served(image.to(device)).sigmoid().cpu() > 0.5
    overlap = (found & mask.bool()).sum() / (found | mask.bool()).sum()
    print("RESULT", overlap.item())


if __name__ == "__main__":
    main()
