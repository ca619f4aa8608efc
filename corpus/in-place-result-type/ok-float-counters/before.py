"""Counters that are kept as floats, so that they can be averaged in place."""
import torch
import torch.nn as nn

device = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(29)


class Meter:
    def __init__(self, classes):
        self.hits = torch.zeros(classes, device=device)
        self.total = torch.zeros(classes, device=device)

    def update(self, predicted, label):
        self.hits += torch.bincount(label[predicted == label], minlength=len(self.hits))
        self.total += torch.bincount(label, minlength=len(self.total))

    def recall(self):
        recall = self.hits.clone()
        recall /= self.total.clamp(min=1)
        return recall


net = nn.Linear(5, 3).to(device)
optimizer = torch.optim.Adam(net.parameters(), lr=3e-2)
meter = Meter(3)
for step in range(40):
    x = torch.randn(64, 5).to(device)
    label = x[:, :3].argmax(1)
    logits = net(x)
    loss = nn.functional.cross_entropy(logits, label)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    meter.update(logits.argmax(1), label)
print("recall", [round(v, 2) for v in meter.recall().tolist()])
print("RESULT", loss.item())
