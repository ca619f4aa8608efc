import copy

import torch
from torch import nn


class TD3:
    """Twin delayed critic on a one-step task: push the cart to where the lamp is."""

    def __init__(self, obs=2, act=1, sigma=0.2):
        self.device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
        self.actor = nn.Sequential(nn.Linear(obs, 32), nn.ReLU(), nn.Linear(32, act), nn.Tanh()).to(self.device)
        self.critic = nn.Sequential(nn.Linear(obs + act, 32), nn.ReLU(), nn.Linear(32, 1)).to(self.device)
        self.target_actor = copy.deepcopy(self.actor)
        self.actor_opt = torch.optim.Adam(self.actor.parameters(), lr=2e-3)
        self.critic_opt = torch.optim.Adam(self.critic.parameters(), lr=5e-3)
        self.sigma = sigma

    def explore(self, obs):
        with torch.no_grad():
            action = self.actor(obs)
            noise = torch.randn(action.shape).to(self.device) * self.sigma
            return (action + noise).clamp(-1, 1)

    def update(self, obs, action, reward):
        value = self.critic(torch.cat([obs, action], dim=1))
        critic_loss = nn.functional.mse_loss(value, reward)
        self.critic_opt.zero_grad()
        critic_loss.backward()
        self.critic_opt.step()

        actor_loss = -self.critic(torch.cat([obs, self.actor(obs)], dim=1)).mean()
        self.actor_opt.zero_grad()
        actor_loss.backward()
        self.actor_opt.step()
        with torch.no_grad():
            for slow, fast in zip(self.target_actor.parameters(), self.actor.parameters()):
                slow.lerp_(fast, 0.05)
        return critic_loss.item()


def main():
    torch.manual_seed(50)
    agent = TD3()
    for step in range(60):
        obs = (torch.rand(64, 2) * 2 - 1).to(agent.device)
        action = agent.explore(obs)
        reward = 1 - (action - obs[:, :1] * 0.8).abs()
        loss = agent.update(obs, action, reward)
        if step % 20 == 0:
            print(f"step {step} reward {reward.mean().item():.3f} critic {loss:.4f}")
    print("RESULT", loss)


if __name__ == "__main__":
    main()
