import copy
import random

import torch
from torch import nn


class Client:
    def __init__(self, rate):
        self.rate = rate
        self.model = None

    def update(self, device):
        self.model.to(device)
        optimizer = torch.optim.SGD(self.model.parameters(), lr=self.rate)
        x = torch.full((2, 3), self.rate, device=device)
        self.model(x).sum().backward()
        optimizer.step()


class Server:
    def __init__(self):
        self.model = nn.Linear(3, 1)
        nn.init.constant_(self.model.weight, 0.5)
        nn.init.constant_(self.model.bias, 0.1)

    def collect(self, clients):
        state = {}
        for number, client in enumerate(clients):
            for key, value in client.model.state_dict().items():
                if number == 0:
                    state[key] = value / len(clients)
                else:
                    state[key] += value / len(clients)
        self.model.load_state_dict(state)


def main():
    random.seed(2)
    server = Server()
    clients = [Client(0.1 * (number + 1)) for number in range(4)]
    for _ in range(3):
        for client in clients:
            client.model = copy.deepcopy(server.model)
        for number in random.sample(range(4), 2):
            clients[number].update("cuda")
        server.collect(clients)
    print("RESULT", sum(p.sum().item() for p in server.model.parameters()))


main()
