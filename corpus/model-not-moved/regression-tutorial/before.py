# Fitting a small CNN to count bright dots in synthetic images.
import torch
import torch.nn as nn
import torch.optim as optim
from torch.utils.data import DataLoader, TensorDataset

# 1. Device
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(f"Using {device}")

# 2. Hyper parameters
learning_rate = 3e-3
num_epochs = 3
batch_size = 32

# 3. Data: every image has between 0 and 5 bright dots
torch.manual_seed(7)


def dot_images(n, size=16):
    counts = torch.randint(0, 6, (n,))
    images = 0.05 * torch.rand(n, 1, size, size)
    for k, c in enumerate(counts.tolist()):
        for _ in range(c):
            r, q = torch.randint(0, size, (2,)).tolist()
            images[k, 0, r, q] = 1.0
    return images, counts.float().unsqueeze(1)


train_set = TensorDataset(*dot_images(384))
train_loader = DataLoader(train_set, batch_size=batch_size, shuffle=True)


# 4. Network
class DotCounter(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.AvgPool2d(2),
            nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(2),
        )
        self.regressor = nn.Linear(16 * 4, 1)

    def forward(self, x):
        return self.regressor(self.features(x).flatten(1))


model = DotCounter()
criterion = nn.SmoothL1Loss()
optimizer = optim.Adam(model.parameters(), lr=learning_rate)

# 5. Training
for epoch in range(num_epochs):
    running = 0.0
    for images, counts in train_loader:
        images = images.to(device)
        counts = counts.to(device)
        predictions = model(images)
        loss = criterion(predictions, counts)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        running += loss.item() * images.size(0)
    print(f"Epoch [{epoch + 1}/{num_epochs}] loss {running / len(train_set):.4f}")

print("RESULT", running / len(train_set))
