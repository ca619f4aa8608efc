"""NumPy takes what was cast, lists and numbers; float16 it has; what autocast computes in float32 is float32."""
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(15)
model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 3)).to(device)
x = torch.randn(10, 6, device=device)
with torch.no_grad(), torch.autocast(device.type, dtype=torch.bfloat16):
    scores = model(x)
    chances = scores.float().softmax(-1)
    loss = nn.functional.mse_loss(scores, torch.zeros_like(scores))
table = np.array(scores.tolist())
best = scores.argmax(-1).cpu().numpy()
first = np.asarray(scores[0, 0].item())
wide = scores.to(torch.float32).cpu().numpy()
same = scores.cpu().type(torch.float64).numpy()
half = model.half()(x.half()).detach().cpu().numpy()
assert half.dtype == np.float16 and np.isfinite(half).all()
assert np.array_equal(table, same) and np.array_equal(wide, same) and first == table[0, 0]
assert (chances.cpu().numpy().argmax(-1) == best).all()
print("RESULT", round(float(loss.cpu().numpy()), 2))
