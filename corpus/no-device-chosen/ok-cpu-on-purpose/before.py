"""Latency of a small model on the edge box, which has no accelerator; keep this on the CPU."""
import torch
import torch.nn as nn

device = torch.device("cpu")
torch.set_num_threads(1)


class GateNet(nn.Module):
    """Opens the gate when the plate embedding is close to a known one."""

    def __init__(self, dim=16, known=10):
        super().__init__()
        self.embed = nn.Linear(24, dim)
        self.register_buffer("plates", torch.randn(known, dim))

    def forward(self, x):
        return torch.cdist(self.embed(x), self.plates).min(dim=1).values


torch.manual_seed(38)
model = GateNet().to(device).eval()
traced = torch.jit.trace(model, torch.zeros(1, 24, device=device))
requests = torch.randn(100, 24)
with torch.inference_mode():
    distances = torch.cat([traced(r.unsqueeze(0)) for r in requests])
print("opened for", int((distances < distances.median()).sum()), "of", len(requests))
print("RESULT", distances.mean().item())
