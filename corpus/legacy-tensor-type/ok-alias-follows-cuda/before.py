import random

import numpy as np
import torch
import torch.nn as nn
from torch.autograd import Variable

cuda = torch.cuda.is_available()
Tensor = torch.cuda.FloatTensor if cuda else torch.FloatTensor
LongTensor = torch.cuda.LongTensor if cuda else torch.LongTensor

np.random.seed(87)
torch.manual_seed(87)
random.seed(87)


class CodeGAN(nn.Module):
    """Encoder and decoder of an InfoGAN-like toy; the code must survive the round trip."""

    def __init__(self, codes=4, dim=10):
        super(CodeGAN, self).__init__()
        self.table = nn.Embedding(codes, 6)
        self.generate = nn.Sequential(nn.Linear(8, 24), nn.ReLU(), nn.Linear(24, dim))
        self.recognise = nn.Linear(dim, codes)

    def forward(self, code, z):
        x = self.generate(torch.cat([self.table(code), z], 1))
        return x, self.recognise(x)


net = CodeGAN()
info_loss = nn.CrossEntropyLoss()
if cuda:
    net.cuda()
    info_loss.cuda()
optimizer = torch.optim.Adam(net.parameters(), lr=5e-3)

for it in range(50):
    code = Variable(LongTensor(np.random.randint(0, 4, 32)))
    z = Variable(Tensor(np.random.normal(0, 1, (32, 2))))
    goal = Variable(Tensor(32, 10).fill_(0.5), requires_grad=False)
    x, logits = net(code, z)
    loss = info_loss(logits, code) + 0.1 * (x - goal).abs().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if it % 10 == 0:
        print("[%d] loss %f" % (it, loss.item()))
print("RESULT", loss.item())
