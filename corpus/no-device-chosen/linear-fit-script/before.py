import torch
import torch.nn as nn

torch.manual_seed(0)

x = torch.linspace(-1, 1, 120).unsqueeze(1)
y = 3.0 * x - 0.5 + 0.1 * torch.randn(120, 1)

model = nn.Linear(1, 1)
criterion = nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.2)

for epoch in range(100):
    prediction = model(x)
    loss = criterion(prediction, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if epoch % 20 == 0:
        print(f"epoch {epoch}: loss {loss.item():.5f}")

weight, bias = model.weight.item(), model.bias.item()
print(f"y = {weight:.3f} x {bias:+.3f}")
print("RESULT", loss.item())
