"""Integers whose bits are meant, float masks that are added or multiplied, and ``where`` as a method."""
import torch
import torch.nn.functional as F

device = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(83)
codes = torch.randint(0, 16, (64,), device=device)
flags = torch.tensor([1, 2, 4, 8], device=device)
bits = ((codes[:, None] & flags) > 0).float()
odd = (codes & 1) | (codes >> 3)
weight = torch.nn.Parameter(torch.zeros(4, 2, device=device))
optimizer = torch.optim.SGD([weight], lr=0.5)
q = torch.randn(2, 2, 5, 8, device=device)
causal = torch.full((5, 5), float("-inf"), device=device).triu(1)
for step in range(30):
    logits = bits @ weight
    kept = logits * (bits.sum(1, keepdim=True) > 0).float()
    kept = kept.where(bits[:, :2] >= 0, logits)
    loss = F.cross_entropy(kept, odd.clamp(max=1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(F.scaled_dot_product_attention(q, q, q, attn_mask=causal).shape, (q.isnan() | q.isinf()).any().item())
print("RESULT", loss.item())
