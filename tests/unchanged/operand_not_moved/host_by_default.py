"""Only one of the networks is told where it lives, and only that one is moved there."""

import torch
from torch import nn


class QNetwork(nn.Module):
    def __init__(self, states, device="cpu"):
        super().__init__()
        self.device = device
        self.network = nn.Linear(states, 2)

    def forward(self, x):
        return self.network(torch.as_tensor(x, dtype=torch.float32).to(self.device))

    def sample(self, x):
        noise = torch.rand(2).to(self.device)
        return (self.forward(x) + noise).argmax()


def act(q_network, state):
    return int(q_network.sample(state))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
actor, learner = QNetwork(3), QNetwork(3, device).to(device)
learner.load_state_dict(actor.state_dict())
print("RESULT", learner([0.0, 1.0, 2.0]).sum().item() - actor([0.0, 1.0, 2.0]).sum().item())
