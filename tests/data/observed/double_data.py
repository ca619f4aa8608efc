"""Numbers that become float64 on a way that depends on the file's format."""
import json

import numpy as np
import torch

READERS = {"json": lambda text: np.array(json.loads(text)), "csv": lambda text: np.loadtxt(text.split(), delimiter=",")}

torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
rows = READERS["json"]("[[0.5, 1.5], [2.5, 3.5], [1.0, 0.0]]")
model = torch.nn.Linear(2, 1).to(device)
x = torch.as_tensor(rows).to(device)
print("RESULT", model(x).sum().item())
