"""The name of a factory comes from the settings and is evaluated."""
import torch

SETTINGS = {"prior": "torch.ones", "scale": "0.5"}


def prior(*sizes):
    return eval(SETTINGS["prior"])(*sizes) * eval(SETTINGS["scale"])


torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
mean = torch.randn(4, 2).to(device)
gap = (mean - prior(4, 2)).pow(2).mean()
print("RESULT", gap.item())
