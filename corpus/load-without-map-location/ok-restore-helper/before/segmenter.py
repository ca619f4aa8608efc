from torch import nn


class Segmenter(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.down = nn.Sequential(nn.Conv2d(1, width, 3, stride=2, padding=1), nn.ReLU())
        self.up = nn.Sequential(nn.ConvTranspose2d(width, width, 2, stride=2), nn.ReLU(), nn.Conv2d(width, 1, 3, padding=1))

    def forward(self, image):
        return self.up(self.down(image))
