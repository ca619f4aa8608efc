"""Products are narrow, and what is decomposed is not: autocast is left for it, or the operand is widened."""
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(5)
layer = nn.Linear(6, 4).to(device)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.05)
x = torch.rand(32, 6, device=device)
for step in range(20):
    with torch.autocast(device.type, dtype=torch.bfloat16):
        narrow = layer(x)
        gram = narrow.t() @ narrow
        with torch.autocast(device.type, enabled=False):
            strongest = torch.linalg.svdvals(layer(x))[0]
        volume = torch.linalg.slogdet(gram.float() + torch.eye(4, device=device))[1]
        middle = torch.quantile(torch.nn.functional.mse_loss(narrow, x[:, :4], reduction="none"), 0.5)
        far = torch.cdist(narrow, narrow).mean()
        size = narrow.norm() + narrow.std() + torch.sort(narrow.flatten()).values[-1] + narrow.median()
        loss = strongest + volume + middle - far + 0.01 * size
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
inverse = torch.linalg.inv(torch.eye(4, device=device, dtype=torch.bfloat16).double())
print(narrow.dtype, volume.dtype, inverse.dtype)
print("RESULT", round(loss.item(), 1))
