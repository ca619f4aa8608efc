import torch
import torch.nn.functional as F

from registration.geometry import shift_images
from registration.model import Registrator


def blobs(n, size, gen):
    axis = torch.arange(size).float()
    centre = torch.rand(n, 2, generator=gen) * 6 + 5
    gy = (axis[None, :, None] - centre[:, :1, None]) ** 2
    gx = (axis[None, None, :] - centre[:, 1:, None]) ** 2
    return torch.exp(-(gy + gx) / 8).unsqueeze(1)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(6)
    gen = torch.Generator().manual_seed(6)
    model = Registrator().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step in range(40):
        fixed = blobs(16, 16, gen).to(device)
        moving = shift_images(fixed, dx=2, dy=-1)
        warped, offset = model(moving, fixed)
        loss = F.mse_loss(warped, fixed)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 10 == 0:
            print(f"{step:3d} similarity {loss.item():.5f} mean offset {offset.mean().item():+.3f}")
    print("RESULT", loss.item())


if __name__ == "__main__":
    main()
