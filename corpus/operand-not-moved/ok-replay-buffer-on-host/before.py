import torch
import torch.nn as nn
import torch.nn.functional as F


class RingBuffer:
    """Host memory is large and cheap; only sampled batches go to the device."""

    def __init__(self, size, obs_dim, device):
        self.obs = torch.zeros(size, obs_dim)
        self.act = torch.zeros(size, dtype=torch.long)
        self.rew = torch.zeros(size)
        self.size, self.device = size, device
        self.count = 0

    def add(self, obs, act, rew):
        n = len(obs)
        where = torch.arange(self.count, self.count + n) % self.size
        self.obs[where] = obs.cpu()
        self.act[where] = act.cpu()
        self.rew[where] = rew.cpu()
        self.count += n

    def sample(self, n):
        pick = torch.randint(0, min(self.count, self.size), (n,))
        return (t[pick].to(self.device) for t in (self.obs, self.act, self.rew))


@torch.no_grad()
def act(net, obs, eps):
    greedy = net(obs).argmax(dim=1).cpu()
    explore = torch.rand(len(obs)) < eps
    return torch.where(explore, torch.randint(0, 3, (len(obs),)), greedy)


def main():
    torch.manual_seed(60)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    net = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 3)).to(device)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    buffer = RingBuffer(512, 4, device)
    for step in range(40):
        obs = torch.randn(16, 4)
        action = act(net, obs.to(device), eps=0.3)
        reward = 1 - (obs[:, :3].argmax(1) - action).abs().float()
        buffer.add(obs, action, reward)
        o, a, r = buffer.sample(64)
        loss = F.mse_loss(net(o).gather(1, a.unsqueeze(1)).squeeze(1), r)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 10 == 0:
            print("step", step, "reward", reward.mean().item())
    print("RESULT", loss.item())


if __name__ == "__main__":
    main()
