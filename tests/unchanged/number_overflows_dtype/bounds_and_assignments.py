"""What computes with a number of any size, or makes an infinity of it: no write that float16 refuses."""

import torch
import torch.nn.functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
LARGE = 1e9


def lowest(dtype):
    return -1e4 if dtype is torch.float16 else -1e9


def fill(scores, mask, number=None):
    if number is None:
        number = torch.finfo(scores.dtype).min
    return scores.masked_fill(mask, number)


scores = torch.randn(4, 6, device=device).half()
mask = torch.rand(4, 6, device=device) < 0.2
bounded = [scores.clamp(-LARGE, LARGE), F.hardtanh(scores, -LARGE, LARGE), scores.clamp_max(LARGE)]
added = [scores + mask * -6e4, scores - LARGE * mask.half(), scores.float() - LARGE * mask]
chosen = [torch.where(mask, float("-inf"), scores), torch.where(mask, scores.float(), -LARGE)]
filled = [fill(scores, mask), fill(scores.float(), mask, -LARGE), scores.masked_fill(mask, lowest(scores.dtype))]
best = scores.new_full((4,), float("-inf")).maximum(scores.amax(-1))
bias = torch.full((4, 6), -LARGE).masked_fill(mask.cpu(), 0.0).to(device)
on_host = torch.where(mask.cpu(), scores.cpu(), -LARGE)
scores[mask] = -LARGE
print(bounded, added, chosen, filled, best, (scores < LARGE).all(), (scores + bias).softmax(-1), on_host)
