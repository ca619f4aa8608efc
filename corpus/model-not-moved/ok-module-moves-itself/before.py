"""Policy network in the style of older RL repositories: it owns its optimizer and its device."""
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim


class CriticNetwork(nn.Module):
    def __init__(self, lr, input_dims, fc1_dims=32, fc2_dims=32, name="critic"):
        super(CriticNetwork, self).__init__()
        self.name = name
        self.fc1 = nn.Linear(input_dims, fc1_dims)
        self.fc2 = nn.Linear(fc1_dims, fc2_dims)
        self.q = nn.Linear(fc2_dims, 1)
        self.optimizer = optim.Adam(self.parameters(), lr=lr)
        self.device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
        self.to(self.device)

    def forward(self, state):
        x = F.relu(self.fc1(state))
        x = F.relu(self.fc2(x))
        return self.q(x)


class Learner:
    def __init__(self):
        self.critic = CriticNetwork(lr=3e-3, input_dims=4)
        self.target = CriticNetwork(lr=0.0, input_dims=4, name="target")
        self.target.load_state_dict(self.critic.state_dict())

    def learn(self, state, reward, next_state):
        device = self.critic.device
        state, reward, next_state = state.to(device), reward.to(device), next_state.to(device)
        with torch.no_grad():
            goal = reward + 0.9 * self.target(next_state).view(-1)
        loss = F.mse_loss(self.critic(state).view(-1), goal)
        self.critic.optimizer.zero_grad()
        loss.backward()
        self.critic.optimizer.step()
        for p, q in zip(self.target.parameters(), self.critic.parameters()):
            p.data.copy_(0.95 * p.data + 0.05 * q.data)
        return loss.item()


if __name__ == "__main__":
    torch.manual_seed(2)
    learner = Learner()
    for step in range(40):
        state = torch.randn(64, 4)
        loss = learner.learn(state, state[:, 0].abs(), state + 0.1 * torch.randn(64, 4))
    print("td error", loss)
    print("RESULT", loss)
