"""An optimizer chosen by name, built before the model moves."""
import json

import torch

SETTINGS = json.loads('{"name": "Adagrad", "lr": 0.1}')


def optimizer_for(model, name, **options):
    return getattr(torch.optim, name)(model.parameters(), **options)


torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1)
optimizer = optimizer_for(model, **SETTINGS)
model.to(device)
loss = model(torch.ones(2, 3).to(device)).sum()
loss.backward()
optimizer.step()
print("RESULT", model.weight.sum().item())
