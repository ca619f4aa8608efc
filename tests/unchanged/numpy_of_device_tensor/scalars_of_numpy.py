"""A scalar of NumPy times a tensor is a tensor: NumPy leaves the operation to it."""

import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 2).to(device)
x = torch.randn(4, 3).to(device)
keep = 0.3
normaliser = np.log(np.sqrt(2 * np.pi))
noisy = np.sqrt(1 - keep) * model(x) + np.sqrt(keep) * torch.randn_like(model(x))
loss = -normaliser - noisy.pow(2).mean() / np.float32(2) + np.mean([1.0, 2.0]) * noisy.abs().mean()
print("RESULT", loss.item())
