# Fit a damped oscillation a * exp(-b t) * cos(c t + d) to measurements, without any nn.Module.
import torch

torch.manual_seed(12)
device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")

# %% measurements
t = torch.linspace(0, 6, 200)
measured = 1.7 * torch.exp(-0.4 * t) * torch.cos(2.1 * t + 0.3)
measured = measured + 0.02 * torch.randn(200)
t, measured = t.to(device), measured.to(device)

# %% parameters of the curve, all start at one
amplitude = torch.ones(1, requires_grad=True, device=device)
damping = torch.zeros(1, requires_grad=True, device=device)
frequency = torch.full((1,), 2.0, requires_grad=True, device=device)
phase = torch.zeros(1, requires_grad=True, device=device)

# %% fit
optimizer = torch.optim.Adam([amplitude, damping, frequency, phase], lr=0.05)
for i in range(150):
    predicted = amplitude * torch.exp(-damping * t) * torch.cos(frequency * t + phase)
    loss = (predicted - measured).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if i % 50 == 0:
        print(i, loss.item())

# %% report
for name, value in [("a", amplitude), ("b", damping), ("c", frequency), ("d", phase)]:
    print(name, round(value.item(), 3))
print("RESULT", loss.item())
