"""Integers are summed, multiplied, sorted and compared; nobody averages them."""
import torch
import torch.nn.functional as F

device = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(103)
visits = torch.randint(1, 9, (50, 3), device=device)
total = visits.sum(dim=1)
median = total.median()
share = visits / total[:, None]
late = (total > median).long()
weight = torch.nn.Parameter(torch.zeros(3, 2, device=device))
optimizer = torch.optim.SGD([weight], lr=1.0)
for step in range(40):
    loss = F.cross_entropy(share @ weight, late)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(visits.prod(1).max().item(), visits.cumsum(0)[-1].tolist(), late.sum().item() / len(late), total.argmax().item())
print("RESULT", loss.item())
