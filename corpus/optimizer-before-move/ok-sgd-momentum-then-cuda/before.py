import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Variable

torch.manual_seed(11)
use_gpu = torch.cuda.is_available()


class LeNetSmall(nn.Module):
    def __init__(self):
        super(LeNetSmall, self).__init__()
        self.conv1 = nn.Conv2d(1, 6, 3)
        self.conv2 = nn.Conv2d(6, 12, 3)
        self.fc = nn.Linear(12 * 4 * 4, 4)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        return self.fc(x.view(x.size(0), -1))


def stripes(n):
    kinds = torch.randint(0, 4, (n,))
    img = 0.3 * torch.rand(n, 1, 12, 12)
    for i in range(n):
        step = int(kinds[i]) + 2
        img[i, 0, ::step] += 0.7
    return img, kinds


model = LeNetSmall()
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, nesterov=True)

if use_gpu:
    model.cuda()
    criterion.cuda()

images, kinds = stripes(320)
for epoch in range(3):
    for i in range(0, 320, 32):
        x, y = Variable(images[i:i + 32]), Variable(kinds[i:i + 32])
        if use_gpu:
            x, y = x.cuda(), y.cuda()
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
    print("epoch %d, loss %.4f" % (epoch, loss.item()))

print("RESULT", loss.item())
