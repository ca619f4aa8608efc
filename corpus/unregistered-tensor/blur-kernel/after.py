"""Super-resolution with a cycle term: blurring the output must give the input back."""
import torch
import torch.nn as nn
import torch.nn.functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class BlurDown(nn.Module):
    def __init__(self, channels, sigma=1.0, size=5):
        super(BlurDown, self).__init__()
        self.channels = channels
        axis = torch.arange(size).float() - size // 2
        gauss = torch.exp(-0.5 * (axis / sigma) ** 2)
        kernel = torch.outer(gauss, gauss)
        kernel = kernel / kernel.sum()
        self.register_buffer("kernel", kernel.expand(channels, 1, size, size).contiguous(), persistent=False)
        self.pad = size // 2

    def forward(self, x):
        return F.conv2d(x, self.kernel, stride=2, padding=self.pad, groups=self.channels)


class Upscaler(nn.Module):
    def __init__(self, channels=3, width=16):
        super(Upscaler, self).__init__()
        self.conv1 = nn.Conv2d(channels, width, 3, padding=1)
        self.conv2 = nn.Conv2d(width, channels * 4, 3, padding=1)
        self.shuffle = nn.PixelShuffle(2)

    def forward(self, x):
        return self.shuffle(self.conv2(torch.relu(self.conv1(x))))


def textures(n, size, gen):
    coarse = torch.rand(n, 3, size // 4, size // 4, generator=gen)
    return F.interpolate(coarse, size=(size, size), mode="bilinear", align_corners=False)


def main():
    torch.manual_seed(5)
    gen = torch.Generator().manual_seed(5)
    blur_down = BlurDown(3).to(device)
    upscaler = Upscaler().to(device)
    optimizer = torch.optim.Adam(upscaler.parameters(), lr=3e-3)
    for step in range(20):
        sharp = textures(8, 16, gen).to(device)
        small = blur_down(sharp)
        restored = upscaler(small)
        loss = F.l1_loss(restored, sharp) + 0.5 * F.l1_loss(blur_down(restored), small)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("trained on", device, "loss", round(loss.item(), 4))
    print("RESULT", loss.item())


if __name__ == "__main__":
    main()
