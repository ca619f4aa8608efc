import torch
import torch.nn as nn
import torch.optim as optim
from torch.utils.data import DataLoader, Dataset, random_split


class RoomOccupancy(Dataset):
    def __init__(self):
        gen = torch.Generator().manual_seed(8)
        hour = torch.rand(300, 1, generator=gen) * 24
        weekday = torch.randint(0, 7, (300, 1), generator=gen).float()
        busy = ((hour > 8) & (hour < 18) & (weekday < 5)).float()
        co2 = 400 + 500 * busy + 60 * torch.randn(300, 1, generator=gen)
        self.X = torch.cat([hour / 24, weekday / 7, co2 / 1000], dim=1)
        self.y = busy

    def __len__(self):
        return self.X.shape[0]

    def __getitem__(self, i):
        return self.X[i], self.y[i]


if torch.cuda.is_available():
    device = torch.device("cuda")
else:
    device = torch.device("cpu")
print("Using", device)
torch.manual_seed(42)

dataset = RoomOccupancy()
train_set, test_set = random_split(dataset, [240, 60], generator=torch.Generator().manual_seed(42))
train_loader = DataLoader(train_set, batch_size=30, shuffle=True)
test_loader = DataLoader(test_set, batch_size=60)

model = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1)).to(device)
criterion = nn.BCEWithLogitsLoss()
optimizer = optim.Adam(model.parameters(), lr=0.02)

for epoch in range(4):
    model.train()
    for X, y in train_loader:
        X, y = X.to(device), y.to(device)
        optimizer.zero_grad()
        loss = criterion(model(X), y)
        loss.backward()
        optimizer.step()

model.eval()
with torch.no_grad():
    for X, y in test_loader:
        X, y = X.to(device), y.to(device)
        test_loss = criterion(model(X), y)
        accuracy = ((model(X) > 0) == y.bool()).float().mean()

print("test accuracy", accuracy.item())
print("RESULT", test_loss.item())
