import io

import torch
import torch.nn as nn


class Policy(nn.Module):
    def __init__(self, obs=5, actions=3):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs, 40), nn.Tanh(), nn.Linear(40, 40), nn.Tanh())
        self.logits = nn.Linear(40, actions)

    def forward(self, obs):
        return self.logits(self.body(obs))


class Trainer:
    def __init__(self, snapshot=None, lr=1e-2):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = Policy()
        self.optim = torch.optim.RMSprop(self.model.parameters(), lr=lr, alpha=0.95)
        self.iteration = 0
        if snapshot is not None:
            self.restore(snapshot)
        self.model.to(self.device)
        self.gen = torch.Generator().manual_seed(self.iteration)

    def snapshot(self):
        buffer = io.BytesIO()
        torch.save({"model": self.model.state_dict(), "optim": self.optim.state_dict(), "it": self.iteration}, buffer)
        buffer.seek(0)
        return buffer

    def restore(self, buffer):
        state = torch.load(buffer, map_location="cpu")
        self.model.load_state_dict(state["model"])
        self.optim.load_state_dict(state["optim"])
        self.iteration = state["it"]

    def collect(self, n=64):
        obs = torch.randn(n, 5, generator=self.gen)
        expert = obs[:, :3].argmax(dim=1)
        return obs.to(self.device), expert.to(self.device)

    def run(self, iterations):
        for _ in range(iterations):
            obs, expert = self.collect()
            loss = nn.functional.cross_entropy(self.model(obs), expert)
            self.optim.zero_grad()
            loss.backward()
            self.optim.step()
            self.iteration += 1
        return loss.item()


def main():
    torch.manual_seed(13)
    first = Trainer()
    print("before the break:", first.run(12))
    second = Trainer(snapshot=first.snapshot())
    value = second.run(12)
    print("iterations", second.iteration)
    print("RESULT", value)


if __name__ == "__main__":
    main()
