"""Matrices of integers are multiplied on the CPU, and as floats on the GPU; elementwise products go anywhere."""
import torch
import torch.nn.functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(32)
opened = (torch.rand(200, 12) < torch.linspace(0.1, 0.6, 12)).long()
together = opened.t() @ opened
shown = opened.to(device)
both = shown.t().float() @ shown.float()
weights = torch.arange(1, 13, device=device)
score = (shown * weights).sum(1).float()
model = torch.nn.Linear(12, 1).to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
for step in range(60):
    loss = F.smooth_l1_loss(model(shown.float()).squeeze(1), score)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(torch.equal(together, both.long().cpu()), torch.trace(together).item())
print("RESULT", loss.item())
