import random
from collections import deque

import numpy as np
import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Corridor:
    """Walk to the right end of a corridor of ten cells."""

    def reset(self):
        self.cell = 3
        return self._obs()

    def _obs(self):
        obs = np.zeros(10, dtype=np.float32)
        obs[self.cell] = 1.0
        return obs

    def step(self, action):
        self.cell = max(0, min(9, self.cell + (1 if action == 1 else -1)))
        done = self.cell in (0, 9)
        return self._obs(), float(self.cell == 9), done


class ReplayMemory:
    def __init__(self, capacity):
        self.rows = deque(maxlen=capacity)

    def push(self, *row):
        self.rows.append(np.hstack(row).astype(np.float32))

    def sample(self, k):
        batch = torch.from_numpy(np.stack(random.sample(self.rows, k))).to(device)
        return batch[:, :10], batch[:, 10], batch[:, 11], batch[:, 12:22], batch[:, 22]


def optimise(q_net, target_net, memory, optimizer, gamma=0.9):
    state, action, reward, next_state, done = memory.sample(32)
    q = q_net(state).gather(1, action.unsqueeze(1)).squeeze(1)
    with torch.no_grad():
        best = target_net(next_state).max(dim=1).values
        target = reward + gamma * best * (1 - done)
    loss = nn.functional.smooth_l1_loss(q, target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


def main():
    random.seed(0)
    torch.manual_seed(0)
    q_net, target_net = nn.Linear(10, 2).to(device), nn.Linear(10, 2).to(device)
    target_net.load_state_dict(q_net.state_dict())
    memory, env = ReplayMemory(500), Corridor()
    optimizer = torch.optim.Adam(q_net.parameters(), lr=2e-2)
    for episode in range(25):
        obs, done = env.reset(), False
        while not done:
            action = random.randrange(2)
            next_obs, reward, done = env.step(action)
            memory.push(obs, action, reward, next_obs, done)
            obs = next_obs
            if len(memory.rows) > 32:
                loss = optimise(q_net, target_net, memory, optimizer)
        target_net.load_state_dict(q_net.state_dict())
    print("transitions", len(memory.rows), "last loss", round(loss, 5))
    print("RESULT", loss)


if __name__ == "__main__":
    main()
