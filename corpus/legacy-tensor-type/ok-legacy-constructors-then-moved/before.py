from collections import OrderedDict

import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

RECIPES = OrderedDict([
    ("bread", [500, 320, 10, 7]),
    ("pizza", [500, 310, 12, 3]),
    ("brioche", [500, 120, 9, 15]),
    ("ciabatta", [500, 400, 11, 5]),
    ("bagel", [500, 270, 9, 6]),
])


def as_batch(copies):
    grams = torch.FloatTensor(list(RECIPES.values())).repeat(copies, 1)
    which = torch.LongTensor(range(len(RECIPES))).repeat(copies)
    noise = torch.FloatTensor(grams.size()).uniform_(-0.03, 0.03)
    return grams * (1 + noise) / 500, which


def summary(logits):
    """The logger wants plain host floats."""
    table = logits.detach().type(torch.FloatTensor)
    return {name: round(v, 3) for name, v in zip(RECIPES, table.mean(0).numpy().tolist())}


torch.manual_seed(98)
model = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, len(RECIPES))).to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=2e-2)
for step in range(60):
    grams, which = as_batch(12)
    grams, which = grams.to(device), which.to(device)
    logits = model(grams)
    loss = nn.functional.cross_entropy(logits, which)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(summary(logits))
print("RESULT", loss.item())
