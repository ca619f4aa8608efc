import torch
import torch.nn as nn
import torch.nn.functional as F


class DefectNet(nn.Module):
    """Classifies surface patches and knows how to compute its own loss."""

    def __init__(self, n_inputs, class_weight, hidden=32):
        super().__init__()
        self.extract = nn.Sequential(nn.Linear(n_inputs, hidden), nn.LeakyReLU(0.1), nn.Linear(hidden, hidden), nn.LeakyReLU(0.1))
        self.score = nn.Linear(hidden, len(class_weight))
        self.class_weight = torch.tensor(class_weight)
        self.smoothing = 0.05

    def forward(self, patches, target=None):
        logits = self.score(self.extract(patches))
        if target is None:
            return logits
        loss = F.cross_entropy(logits, target, weight=self.class_weight, label_smoothing=self.smoothing)
        return logits, loss
