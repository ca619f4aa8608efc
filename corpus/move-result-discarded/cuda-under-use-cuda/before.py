import numpy as np
import torch
from torch import nn, optim
from torch.autograd import Variable

use_cuda = torch.cuda.is_available()
np.random.seed(3)
torch.manual_seed(3)

# noisy samples of a quadratic surface
inputs = np.random.uniform(-1, 1, (256, 2)).astype(np.float32)
outputs = (inputs[:, :1] ** 2 - 0.5 * inputs[:, 1:] ** 2).astype(np.float32)


class Surface(nn.Module):
    def __init__(self, n_hidden):
        super(Surface, self).__init__()
        self.hidden = nn.Linear(2, n_hidden)
        self.predict = nn.Linear(n_hidden, 1)

    def forward(self, x):
        x = torch.tanh(self.hidden(x))
        return self.predict(x)


net = Surface(24)
criterion = nn.MSELoss()
if use_cuda:
    net.cuda()
    criterion.cuda()
optimizer = optim.Adam(net.parameters(), lr=0.02)

for t in range(100):
    idx = np.random.permutation(len(inputs))[:64]
    x = torch.from_numpy(inputs[idx])
    y = torch.from_numpy(outputs[idx])
    if use_cuda:
        x.cuda()
        y.cuda()
    x, y = Variable(x), Variable(y)

    prediction = net(x)
    loss = criterion(prediction, y)

    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

    if t % 25 == 0:
        print("iteration %d  loss %.5f" % (t, loss.item()))

print("RESULT", loss.item())
