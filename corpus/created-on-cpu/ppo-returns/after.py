import torch
import torch.nn as nn
from torch.distributions import Categorical


class ActorCritic(nn.Module):
    def __init__(self, obs_dim=3, n_actions=3, hidden=32):
        super().__init__()
        self.shared = nn.Sequential(nn.Linear(obs_dim, hidden), nn.Tanh())
        self.actor = nn.Linear(hidden, n_actions)
        self.critic = nn.Linear(hidden, 1)

    def forward(self, obs):
        h = self.shared(obs)
        return Categorical(logits=self.actor(h)), self.critic(h).squeeze(-1)


class PPO:
    def __init__(self, lr=5e-3, gamma=0.9, clip=0.2, device=None):
        self.device = device or ("cuda" if torch.cuda.is_available() else "cpu")
        self.policy = ActorCritic().to(self.device)
        self.optimizer = torch.optim.Adam(self.policy.parameters(), lr=lr)
        self.gamma, self.clip = gamma, clip

    def discounted(self, rewards):
        total, out = 0.0, []
        for r in reversed(rewards):
            total = r + self.gamma * total
            out.insert(0, total)
        return out

    def update(self, observations, actions, log_probs, rewards, epochs=4):
        obs = torch.stack(observations).to(self.device)
        actions = torch.stack(actions)
        old = torch.stack(log_probs).detach()
        returns = torch.tensor(self.discounted(rewards), device=self.device)
        returns = (returns - returns.mean()) / (returns.std() + 1e-6)
        for _ in range(epochs):
            dist, value = self.policy(obs)
            advantage = returns - value.detach()
            ratio = (dist.log_prob(actions) - old).exp()
            clipped = ratio.clamp(1 - self.clip, 1 + self.clip) * advantage
            loss = -torch.min(ratio * advantage, clipped).mean() + 0.5 * (returns - value).pow(2).mean()
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
        return loss.item()


def rollout(agent, steps=48):
    observations, actions, log_probs, rewards = [], [], [], []
    for _ in range(steps):
        obs = torch.randn(3)
        with torch.no_grad():
            dist, _ = agent.policy(obs.to(agent.device))
            action = dist.probs.argmax()
        observations.append(obs)
        actions.append(action)
        log_probs.append(dist.log_prob(action))
        rewards.append(float(action.item() == obs.argmax().item()))
    return observations, actions, log_probs, rewards


def main():
    torch.manual_seed(30)
    agent = PPO()
    for iteration in range(6):
        batch = rollout(agent)
        loss = agent.update(*batch)
        print(f"iteration {iteration} reward {sum(batch[3]) / 48:.2f} loss {loss:.4f}")
    print("RESULT", loss)


if __name__ == "__main__":
    main()
