"""Code that only exists as text: nothing that can be rewritten."""
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.ones(3).to(device)
TEXT = "def shifted(x):\n    import torch\n    return x + torch.arange(3.0)\n"
names = {}
exec(TEXT, names)
print("RESULT", names["shifted"](x).sum().item())
