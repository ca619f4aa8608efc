"""What float16 holds, what becomes an infinity without an error, and -1e9 where scores are float32."""
import torch
import torch.nn as nn
import torch.nn.functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(37)
project = nn.Linear(8, 8).to(device)
head = nn.Linear(8, 3).to(device)
padding = torch.zeros(4, 5, dtype=torch.bool, device=device)
padding[:, 3:] = True


def masked_softmax(scores, mask):
    number = -1e4 if scores.dtype == torch.float16 else -1e9
    return scores.masked_fill(mask, number).softmax(-1)


with torch.no_grad(), torch.autocast(device.type, dtype=torch.float16):
    x = torch.randn(4, 5, 8, device=device)
    scores = project(x) @ x.mean(1).half().unsqueeze(-1)
    scores = scores.squeeze(-1)
    weights = [
        scores.masked_fill(padding, float("-inf")).softmax(-1),
        scores.masked_fill(padding, torch.finfo(scores.dtype).min).softmax(-1),
        scores.masked_fill(padding, max(-1e9, torch.finfo(scores.dtype).min)).softmax(-1),
        scores.masked_fill(padding, -6e4).softmax(-1),
        scores.float().masked_fill(padding, -1e9).softmax(-1),
        torch.where(padding, float("-inf"), scores).softmax(-1),
        torch.where(padding, -1e9, scores.float()).softmax(-1),
        masked_softmax(scores, padding),
    ]
    scores[padding] = -1e9
    weights.append(F.pad(scores, (0, 1), value=-6e4).softmax(-1)[:, :5])

logits = head(torch.randn(4, 8, device=device)).masked_fill(padding[:, 2:], -1e9)
whole = torch.full((4, 5), 1e9, device=device).masked_fill_(padding, -1e30)
weights = torch.stack([weight.float() for weight in weights])
assert logits.isfinite().all() and whole.isfinite().all()
print("RESULT", weights[..., 3:].abs().amax().item())
