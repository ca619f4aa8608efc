"""Halves are summed, sorted, normed and multiplied on every device; what takes no halves gets wider floats."""

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
half = torch.rand(4, 4, device=device).half()
length = torch.linalg.vector_norm(half) + torch.linalg.norm(half) + half.norm(dim=1).amax()
order = torch.sort(half, dim=1).values, torch.topk(half, 2).values, torch.median(half), torch.cumsum(half, 0)
chain = torch.linalg.multi_dot([half, half, half]) + torch.einsum("ij,jk->ik", half, half)
spread = half.var(1) + half.std(0) + half.logsumexp(1)
inverse = torch.linalg.inv(half.float() + 4 * torch.eye(4, device=device)).to(half.dtype)
print(order[2].dtype, spread.dtype, inverse.dtype)
print("RESULT", (length + chain.sum() * 0).isfinite().item())
