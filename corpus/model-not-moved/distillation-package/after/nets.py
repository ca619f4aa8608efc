import torch.nn as nn


def conv_block(c_in, c_out):
    return nn.Sequential(nn.Conv1d(c_in, c_out, 5, padding=2), nn.BatchNorm1d(c_out), nn.ReLU(), nn.MaxPool1d(2))


class EcgNet(nn.Module):
    """1-d CNN over one heart beat; ``width`` decides teacher or student."""

    def __init__(self, width, classes=5):
        super().__init__()
        self.body = nn.Sequential(conv_block(1, width), conv_block(width, 2 * width))
        self.head = nn.Linear(2 * width * 16, classes)

    def forward(self, beat):
        return self.head(self.body(beat).flatten(1))


def build_pair():
    return EcgNet(width=16), EcgNet(width=4)
