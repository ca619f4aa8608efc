import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class Prototypes:
    """Images of four constellations, labels packed as int32 to save memory."""

    def __init__(self, n=256, size=12, seed=88):
        rng = np.random.RandomState(seed)
        shapes = rng.rand(4, size, size) > 0.85
        self.labels = rng.randint(0, 4, n).astype(np.int32)
        noise = rng.rand(n, size, size) > 0.95
        self.images = np.logical_xor(shapes[self.labels], noise).astype(np.float32)

    def minibatches(self, size):
        for start in range(0, len(self.labels), size):
            chosen = slice(start, start + size)
            yield torch.from_numpy(self.images[chosen]), torch.from_numpy(self.labels[chosen])


class StarNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 6, 3)
        self.fc = nn.Linear(6 * 25, 4)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv(x.unsqueeze(1))), 2)
        return F.log_softmax(self.fc(x.flatten(1)), dim=1)


def main():
    torch.manual_seed(88)
    device = "cuda:0" if torch.cuda.is_available() else "cpu"
    data, net = Prototypes(), StarNet().to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    for epoch in range(3):
        for images, labels in data.minibatches(32):
            images, labels = images.to(device), labels.to(device)
            optimizer.zero_grad()
            loss = F.nll_loss(net(images), labels)
            loss.backward()
            optimizer.step()
        print("epoch", epoch, "nll", round(loss.item(), 4))
    print("RESULT", loss.item())


main()
