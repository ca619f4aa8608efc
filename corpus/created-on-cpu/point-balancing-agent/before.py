import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Categorical

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Pendulum1D:
    """Keep a point near zero by pushing it left or right."""

    def __init__(self, seed):
        self.rng = np.random.RandomState(seed)

    def reset(self):
        self.x, self.v, self.t = self.rng.uniform(-0.5, 0.5), 0.0, 0
        return [self.x, self.v]

    def step(self, action):
        self.v += 0.1 if action == 1 else -0.1
        self.x += 0.1 * self.v + self.rng.normal(0, 0.01)
        self.t += 1
        done = abs(self.x) > 1.0 or self.t >= 40
        return [self.x, self.v], 1.0 - abs(self.x), done


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.affine1 = nn.Linear(2, 24)
        self.affine2 = nn.Linear(24, 2)
        self.saved_log_probs = []
        self.rewards = []

    def forward(self, x):
        return torch.softmax(self.affine2(torch.relu(self.affine1(x))), dim=1)


def select_action(policy, state):
    state = torch.tensor(state, dtype=torch.float32).unsqueeze(0)
    dist = Categorical(policy(state))
    action = dist.sample()
    policy.saved_log_probs.append(dist.log_prob(action))
    return action.item()


def finish_episode(policy, optimizer, gamma=0.97):
    R, returns = 0.0, []
    for r in policy.rewards[::-1]:
        R = r + gamma * R
        returns.insert(0, R)
    returns = torch.tensor(returns)
    returns = (returns - returns.mean()) / (returns.std() + 1e-6)
    loss = -(torch.cat(policy.saved_log_probs) * returns).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    del policy.rewards[:], policy.saved_log_probs[:]
    return loss.item()


def main():
    torch.manual_seed(543)
    env, policy = Pendulum1D(seed=543), Policy().to(device)
    optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
    running_reward = 10
    for episode in range(6):
        state, done = env.reset(), False
        while not done:
            state, reward, done = env.step(select_action(policy, state))
            policy.rewards.append(reward)
        running_reward = 0.05 * sum(policy.rewards) + 0.95 * running_reward
        loss = finish_episode(policy, optimizer)
        print(f"episode {episode} reward {running_reward:.2f} loss {loss:.3f}")
    print("RESULT", running_reward)


if __name__ == "__main__":
    main()
