import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Variable


class Autopilot(nn.Module):
    def __init__(self, sensors=12, hidden=24):
        super(Autopilot, self).__init__()
        self.hidden = hidden
        self.cell = nn.GRUCell(sensors, hidden)
        self.steer = nn.Linear(hidden, 1)

    def forward(self, sequence):
        h = Variable(torch.zeros(sequence.size(1), self.hidden))
        if torch.cuda.is_available():
            h = h.cuda()
        for reading in sequence:
            h = self.cell(reading, h)
        return torch.tanh(self.steer(h))


def drive(n, length=8):
    readings = torch.randn(length, n, 12)
    steering = torch.tanh(readings.mean(0)[:, :3].sum(1, keepdim=True))
    if torch.cuda.is_available():
        readings = readings.cuda()
        steering = steering.to("cuda:0")
    return Variable(readings), Variable(steering)


torch.manual_seed(26)
pilot = Autopilot()
if torch.cuda.is_available():
    pilot.cuda()
criterion = nn.MSELoss()
if torch.cuda.is_available():
    criterion = criterion.to("cuda:0")
optimizer = torch.optim.Adam(pilot.parameters(), lr=5e-3)

for it in range(30):
    readings, steering = drive(40)
    loss = criterion(pilot(readings), steering)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if it % 10 == 0:
        print("it {} loss {:.5f}".format(it, loss.item()))

probe = torch.zeros(8, 1, 12)
if torch.cuda.is_available():
    probe = probe.cuda()
straight = pilot(probe).item()
print("steering on an empty road", straight)
print("RESULT", loss.item())
