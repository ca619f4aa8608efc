import random
from collections import deque

import torch
import torch.nn as nn
import torch.nn.functional as F


class ReplayMemory:
    def __init__(self, capacity):
        self.memory = deque(maxlen=capacity)

    def push(self, state, action, reward, next_state, done):
        self.memory.append((state, action, reward, next_state, done))

    def sample(self, batch_size):
        state, action, reward, next_state, done = zip(*random.sample(self.memory, batch_size))
        return (
            torch.stack(state),
            torch.tensor(action),
            torch.tensor(reward),
            torch.stack(next_state),
            torch.tensor(done, dtype=torch.float32),
        )

    def __len__(self):
        return len(self.memory)


class Ferry:
    """Cross a river of nine cells; the current pushes back with some probability."""

    def reset(self):
        self.cell, self.t = 0, 0
        return self.observe()

    def observe(self):
        return F.one_hot(torch.tensor(self.cell), 9).float()

    def step(self, action):
        drift = -1 if random.random() < 0.2 else 0
        self.cell = min(8, max(0, self.cell + (1 if action == 1 else -1) + drift))
        self.t += 1
        arrived = self.cell == 8
        return self.observe(), (1.0 if arrived else -0.05), arrived or self.t > 40


class Agent:
    def __init__(self, gamma=0.95):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.q = nn.Sequential(nn.Linear(9, 32), nn.ReLU(), nn.Linear(32, 2)).to(self.device)
        self.optimizer = torch.optim.Adam(self.q.parameters(), lr=5e-3)
        self.memory = ReplayMemory(500)
        self.gamma = gamma

    @torch.no_grad()
    def act(self, state, eps):
        if random.random() < eps:
            return random.randrange(2)
        return self.q(state.to(self.device)).argmax().item()

    def learn(self, batch_size=32):
        states, actions, rewards, next_states, dones = self.memory.sample(batch_size)
        states = states.to(self.device)
        actions = actions.to(self.device)
        rewards = rewards.to(self.device)
        next_states = next_states.to(self.device)
        dones = dones.to(self.device)
        with torch.no_grad():
            best = self.q(next_states).max(1).values
            target = rewards + self.gamma * best * (1 - dones)
        value = self.q(states).gather(1, actions.unsqueeze(1)).squeeze(1)
        loss = F.smooth_l1_loss(value, target)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()


if __name__ == "__main__":
    random.seed(0)
    torch.manual_seed(0)
    agent, env = Agent(), Ferry()
    for episode in range(8):
        state, done = env.reset(), False
        while not done:
            action = agent.act(state, eps=max(0.1, 1 - episode / 5))
            next_state, reward, done = env.step(action)
            agent.memory.push(state, action, reward, next_state, done)
            state = next_state
            if len(agent.memory) >= 64:
                loss = agent.learn()
        print("episode", episode, "steps", env.t)
    print("RESULT", loss)
