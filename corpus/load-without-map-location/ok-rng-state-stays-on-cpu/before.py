import os
import tempfile

import torch
import torch.nn as nn

device = "cuda" if torch.cuda.is_available() else "cpu"


class Denoiser(nn.Module):
    def __init__(self, dim=12):
        super().__init__()
        self.inner = nn.Linear(dim, 40)
        self.drop = nn.Dropout(0.2)
        self.outer = nn.Linear(40, dim)

    def forward(self, x):
        return x + self.outer(self.drop(torch.relu(self.inner(x))))


class Run:
    def __init__(self, path):
        self.path = path
        self.model = Denoiser().to(device)
        self.opt = torch.optim.AdamW(self.model.parameters(), lr=5e-3)
        self.step = 0

    def save(self):
        torch.save({
            "model": self.model.state_dict(),
            "opt": self.opt.state_dict(),
            "step": self.step,
            "torch_rng": torch.get_rng_state(),
        }, self.path)

    def load(self):
        # not map_location=device: set_rng_state() wants its state on the CPU
        state = torch.load(self.path, map_location="cpu")
        self.model.load_state_dict(state["model"])
        self.opt.load_state_dict(state["opt"])
        self.step = state["step"]
        torch.set_rng_state(state["torch_rng"])

    def advance(self, until):
        while self.step < until:
            clean = torch.randn(40, 1).expand(40, 12) * torch.linspace(0.5, 1.5, 12)
            noisy = clean + 0.3 * torch.randn(40, 12)
            loss = (self.model(noisy.to(device)) - clean.to(device)).square().mean()
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            self.step += 1
        return loss.item()


if __name__ == "__main__":
    torch.manual_seed(8)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "last.ckpt")
        run = Run(path)
        run.advance(20)
        run.save()
        torch.randn(100)  # something else used random numbers meanwhile
        again = Run(path)
        again.load()
        print("RESULT", again.advance(40))
