"""A model that Accelerate prepared for mixed precision takes what other models refuse."""

import torch
from accelerate import Accelerator

accelerator = Accelerator(mixed_precision="fp16")
model = accelerator.prepare(torch.nn.Linear(2, 4))
x = torch.ones(1, 2).to(dtype=torch.float16, device=accelerator.device)
print(model(x))
