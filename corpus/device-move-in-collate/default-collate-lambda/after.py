import torch
import torch.nn.functional as F
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.dataloader import default_collate

torch.manual_seed(123)
device = "cuda" if torch.cuda.is_available() else "cpu"

# handwritten-digit-like strokes on a 10 x 10 grid
N = 300
target = torch.randint(0, 4, (N,))
data = 0.2 * torch.rand(N, 100)
for i, t in enumerate(target.tolist()):
    data[i, t * 20:t * 20 + 20:2] += 0.6

train_data = TensorDataset(data[:240], target[:240])
test_data = TensorDataset(data[240:], target[240:])
train_dl = DataLoader(train_data, batch_size=40, shuffle=True, num_workers=2,
                      collate_fn=lambda x: tuple(x_ for x_ in default_collate(x)))
test_dl = DataLoader(test_data, batch_size=60)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(100, 30)
        self.fc2 = nn.Linear(30, 4)

    def forward(self, x):
        return F.log_softmax(self.fc2(F.relu(self.fc1(x))), dim=1)


net = Net().to(device)
opt = optim.SGD(net.parameters(), lr=0.3, momentum=0.5)
for epoch in range(3):
    net.train()
    for x, y in train_dl:
        x, y = x.to(device), y.to(device)
        opt.zero_grad()
        loss = F.nll_loss(net(x), y)
        loss.backward()
        opt.step()

net.eval()
hits = 0
with torch.no_grad():
    for x, y in test_dl:
        x, y = x.to(device), y.to(device)
        hits += (net(x).argmax(1) == y).sum().item()
print("accuracy", hits / len(test_data))
print("RESULT", loss.item())
