"""Logistic regression on two blobs, continued from a saved state."""
import os
import tempfile

import torch

torch.manual_seed(21)
dev = torch.device("cuda") if torch.cuda.is_available() else torch.device("cpu")

n = 300
labels = torch.arange(n) % 2
points = torch.randn(n, 2) + labels.float().unsqueeze(1) * torch.tensor([2.0, -1.5])
points, labels = points.to(dev), labels.float().to(dev)


def epoch(model, sgd):
    loss = torch.nn.functional.binary_cross_entropy_with_logits(model(points).squeeze(1), labels)
    sgd.zero_grad()
    loss.backward()
    sgd.step()
    return loss.item()


with tempfile.TemporaryDirectory() as tmp:
    path = os.path.join(tmp, "logreg.pt")

    model = torch.nn.Linear(2, 1).to(dev)
    sgd = torch.optim.SGD(model.parameters(), lr=0.5)
    for _ in range(10):
        epoch(model, sgd)
    torch.save([model.state_dict(), sgd.state_dict()], path)

    weights, state = torch.load(path, map_location="cpu")
    model = torch.nn.Linear(2, 1)
    model.load_state_dict(weights)
    sgd = torch.optim.SGD(model.parameters(), lr=0.5)
    sgd.load_state_dict(state)
    model.to(dev)
    for _ in range(10):
        loss = epoch(model, sgd)

print("weights", model.weight.detach().cpu().numpy().round(3))
print("RESULT", loss)
