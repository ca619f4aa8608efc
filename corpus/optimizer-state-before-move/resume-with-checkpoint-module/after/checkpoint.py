from pathlib import Path

import torch

NAME = "forecast.pt"


def save(folder, model, optimizer, epoch):
    target = Path(folder) / NAME
    torch.save(
        {
            "epoch": epoch,
            "state_dict": model.state_dict(),
            "optimizer": optimizer.state_dict(),
        },
        target,
    )
    return target


def resume(folder, model, optimizer):
    """Restore model and optimizer and return the epoch to go on with."""
    saved = torch.load(Path(folder) / NAME, map_location="cpu")
    model.load_state_dict(saved["state_dict"])
    optimizer.load_state_dict(saved["optimizer"])
    return saved["epoch"] + 1
