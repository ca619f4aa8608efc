import torch

SEED = 31
DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
LR = 5e-3
