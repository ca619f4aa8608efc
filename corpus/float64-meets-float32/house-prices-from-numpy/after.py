import numpy as np
import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
np.random.seed(2)
torch.manual_seed(2)

# synthetic flats: area, rooms, floor, distance to the centre
n = 300
area = np.random.uniform(20, 140, n)
rooms = np.round(area / 28 + np.random.rand(n))
floor = np.random.randint(0, 12, n)
distance = np.random.exponential(4.0, n)
price = 3.1 * area + 14 * rooms + 1.5 * floor - 9 * distance + np.random.randn(n) * 10

features = np.column_stack([area, rooms, floor, distance])
features = (features - features.mean(axis=0)) / features.std(axis=0)
price = (price - price.mean()) / price.std()

X = torch.from_numpy(features).float().to(device)
y = torch.from_numpy(price).float().to(device)


class PriceModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(4, 16)
        self.output = nn.Linear(16, 1)

    def forward(self, x):
        return self.output(torch.relu(self.hidden(x))).squeeze(1)


model = PriceModel().to(device)
loss_fn = nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)

for epoch in range(100):
    prediction = model(X)
    loss = loss_fn(prediction, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if epoch % 25 == 0:
        print(f"epoch {epoch:3d} mse {loss.item():.4f}")

print("RESULT", loss.item())
