import copy

import numpy as np
import torch
from torch import nn


def build_policy():
    return nn.Sequential(nn.Linear(3, 24), nn.Tanh(), nn.Linear(24, 2))


class Actor:
    """Plays on the CPU: single observations are not worth a transfer."""

    def __init__(self, policy, seed):
        self.policy = copy.deepcopy(policy)
        self.rng = np.random.default_rng(seed)

    def sync(self, state_dict):
        self.policy.load_state_dict(state_dict)

    @torch.no_grad()
    def rollout(self, steps):
        observations, actions = [], []
        for _ in range(steps):
            obs = torch.from_numpy(self.rng.normal(size=3).astype(np.float32))
            logits = self.policy(obs)
            observations.append(obs)
            actions.append(logits.argmax())
        return torch.stack(observations), torch.stack(actions)


class Learner:
    def __init__(self, policy):
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        self.policy = policy.to(self.device)
        self.optimizer = torch.optim.Adam(self.policy.parameters(), lr=1e-2)

    def update(self, obs, actions):
        obs, actions = obs.to(self.device), actions.to(self.device)
        correct = (obs.sum(dim=1) > 0).long()
        log_probs = self.policy(obs).log_softmax(dim=1)
        reward = (actions == correct).float() - 0.5
        loss = -(reward * log_probs.gather(1, actions.unsqueeze(1)).squeeze(1)).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return reward.mean().item()


def main():
    torch.manual_seed(58)
    policy = build_policy()
    actors = [Actor(policy, seed) for seed in range(3)]
    learner = Learner(policy)
    for iteration in range(15):
        for actor in actors:
            reward = learner.update(*actor.rollout(32))
        host_weights = {k: v.cpu() for k, v in learner.policy.state_dict().items()}
        for actor in actors:
            actor.sync(host_weights)
    print("mean reward", reward)
    print("RESULT", reward)


main()
