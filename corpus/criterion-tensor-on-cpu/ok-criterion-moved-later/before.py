import torch
import torch.nn as nn


class Classifier(nn.Module):
    """The auxiliary criterion is a submodule, so it travels with the model."""

    def __init__(self, weight):
        super().__init__()
        self.body = nn.Linear(16, 20)
        self.head = nn.Linear(20, 3)
        self.aux_head = nn.Linear(20, 3)
        self.aux_criterion = nn.CrossEntropyLoss(weight=weight)

    def forward(self, x, y=None):
        h = torch.relu(self.body(x))
        if y is None:
            return self.head(h)
        return self.head(h), self.aux_criterion(self.aux_head(h), y)


def cloud(n, gen):
    y = torch.multinomial(torch.tensor([0.7, 0.2, 0.1]), n, replacement=True, generator=gen)
    x = torch.randn(n, 16, generator=gen)
    x[torch.arange(n), y] += 2
    return x, y


gen = torch.Generator().manual_seed(66)
torch.manual_seed(66)
device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")

class_weight = torch.tensor([1.0, 3.5, 7.0])
criterion = nn.CrossEntropyLoss(weight=class_weight)
criterion = criterion.to(device)
model = Classifier(class_weight)
model.to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)

for step in range(40):
    x, y = cloud(64, gen)
    x, y = x.to(device), y.to(device)
    logits, aux = model(x, y)
    loss = criterion(logits, y) + 0.3 * aux
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 10 == 0:
        print(f"step {step} loss {loss.item():.4f}")
print("RESULT", loss.item())
