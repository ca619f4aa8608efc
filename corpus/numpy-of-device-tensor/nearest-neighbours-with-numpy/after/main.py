import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from retrieval import recall_at_k


class SketchEmbedder(nn.Module):
    def __init__(self, d_in=32, d_out=10):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(d_in, 48), nn.ReLU(), nn.Linear(48, d_out))
        self.logits = nn.Linear(d_out, 15)

    def embed(self, x):
        return F.normalize(self.net(x), dim=1)

    def forward(self, x):
        return self.logits(self.embed(x)) * 5


class Experiment:
    def __init__(self, seed=23):
        torch.manual_seed(seed)
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = SketchEmbedder().to(self.device)
        self.opt = torch.optim.Adam(self.model.parameters(), lr=5e-3)
        self.prototypes = torch.randn(15, 32)

    def sketches(self, n):
        ids = torch.randint(0, 15, (n,))
        return (self.prototypes[ids] + 0.8 * torch.randn(n, 32)).to(self.device), ids

    def train(self, steps):
        for _ in range(steps):
            x, ids = self.sketches(64)
            loss = F.cross_entropy(self.model(x), ids.to(self.device))
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
        return loss.item()

    @torch.no_grad()
    def evaluate(self):
        query, query_ids = self.sketches(40)
        gallery, gallery_ids = self.sketches(120)
        query = np.asarray(self.model.embed(query).cpu())
        gallery = np.asarray(self.model.embed(gallery).cpu())
        return recall_at_k(query, gallery, query_ids.numpy(), gallery_ids.numpy())


if __name__ == "__main__":
    experiment = Experiment()
    print("loss", experiment.train(60))
    print("RESULT", experiment.evaluate())
