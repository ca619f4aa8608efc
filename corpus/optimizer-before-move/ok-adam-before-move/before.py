"""Predict the next value of a noisy oscillator."""
import torch
import torch.nn as nn

torch.manual_seed(1)
device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")

t = torch.linspace(0, 40, 600)
signal = torch.sin(t) * torch.exp(-0.02 * t) + 0.05 * torch.randn(600)
window = 24
inputs = signal.unfold(0, window, 1)[:-1]
targets = signal[window:]

model = nn.Sequential(nn.Linear(window, 48), nn.GELU(), nn.Linear(48, 1))
head_params = list(model[2].parameters())
body_params = list(model[0].parameters())
optimizer = torch.optim.AdamW([
    {"params": body_params, "lr": 2e-3},
    {"params": head_params, "lr": 5e-3, "weight_decay": 0.0},
])
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=60)

# .to() swaps the data of the parameters, the optimizer still holds the very same objects
model.to(device)
inputs, targets = inputs.to(device), targets.to(device)

for epoch in range(60):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(inputs).squeeze(1), targets)
    loss.backward()
    optimizer.step()
    scheduler.step()
    if epoch % 20 == 0:
        print(epoch, loss.item())

print("RESULT", loss.item())
