"""Large numbers that scores in half are compared with, or that make infinities of them."""

import torch

device = "cuda" if torch.cuda.is_available() else "cpu"


def named(name):
    return vars(torch)[name]


torch.manual_seed(1)
scores = torch.randn(5, 6, device=device).to(named("float16" if device == "cuda" else "float32"))
bounded = scores.clamp(-1e9, 1e9)
mask = scores > 0
low = torch.where(mask, scores, -1e9) if scores.dtype == torch.float32 else scores - 1e9 * mask
try:
    best = scores.new_full((5,), -1e9)
except RuntimeError:
    best = scores.new_full((5,), -6e4)
print("RESULT", bounded.sum().item(), low.softmax(-1).sum().item() > 0, best.dtype == scores.dtype)
