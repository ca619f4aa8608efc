"""Numbers of the accelerator (tensors without dimensions) index a table of the host as integers do."""

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
conf = torch.zeros(3, 3)
pred, true = torch.tensor([0, 1, 2], device=device), torch.tensor([0, 1, 1], device=device)
for t, p in zip(true.view(-1), pred.view(-1)):
    conf[t.long(), p.long()] += 1
print("RESULT", conf.diag().sum().item())
