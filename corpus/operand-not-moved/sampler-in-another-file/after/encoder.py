import torch.nn as nn
import torch.nn.functional as F


class VoiceEncoder(nn.Module):
    def __init__(self, d_in, d_out=8):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(d_in, 48), nn.ReLU(), nn.Linear(48, d_out))

    def forward(self, x):
        return F.normalize(self.layers(x), dim=-1)
