"""Averages of floats, averages with a dtype, and a softmax of scores."""
import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(101)
net = nn.Linear(6, 4).to(device)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
counts = torch.zeros(4, dtype=torch.long, device=device)
for step in range(30):
    x = torch.randn(64, 6, device=device)
    label = x[:, :4].argmax(1)
    scores = net(x)
    loss = -scores.log_softmax(1).gather(1, label[:, None]).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    counts += torch.bincount(scores.argmax(1), minlength=4)
right = scores.argmax(1) == label
print(right.float().mean().item(), right.long().sum().item(), counts.mean(dtype=torch.float32).item())
print((counts / counts.sum()).std().item(), counts.double().norm().item(), torch.softmax(counts, 0, dtype=torch.float).sum().item())
print("RESULT", loss.item())
