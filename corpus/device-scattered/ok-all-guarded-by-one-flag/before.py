from __future__ import print_function

import torch
import torch.nn as nn
import torch.optim as optim
from torch.autograd import Variable

USE_CUDA = torch.cuda.is_available()


class EchoRNN(nn.Module):
    def __init__(self, hidden_size):
        super(EchoRNN, self).__init__()
        self.hidden_size = hidden_size
        self.rnn = nn.RNN(1, hidden_size, batch_first=True)
        self.out = nn.Linear(hidden_size, 1)

    def forward(self, x, hidden):
        output, hidden = self.rnn(x, hidden)
        return self.out(output), hidden

    def init_hidden(self, batch_size):
        hidden = Variable(torch.zeros(1, batch_size, self.hidden_size))
        if USE_CUDA:
            return hidden.cuda()
        return hidden


def echo_batch(batch_size, length, delay=2):
    x = torch.rand(batch_size, length, 1)
    y = torch.zeros(batch_size, length, 1)
    y[:, delay:] = x[:, :-delay]
    x, y = Variable(x), Variable(y)
    if USE_CUDA:
        x, y = x.cuda(), y.cuda()
    return x, y


torch.manual_seed(76)
model = EchoRNN(20)
criterion = nn.MSELoss()
if USE_CUDA:
    model.cuda()
    criterion.cuda()
optimizer = optim.Adam(model.parameters(), lr=0.01)

for i in range(60):
    x, y = echo_batch(24, 12)
    prediction, _ = model(x, model.init_hidden(24))
    loss = criterion(prediction[:, 2:], y[:, 2:])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if i % 20 == 0:
        print("step %d loss %.4f" % (i, loss.item()))
print("RESULT", loss.item())
