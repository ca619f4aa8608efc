"""Programs for the tests of the language server."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

#: A weight that stays on the CPU, on a line with characters of one to four bytes.
BROKEN = dedent(
    """
    import torch
    from torch import nn

    device = torch.device("cuda")
    model = nn.Linear(4, 2).to(device)
    note = "é 🚀 ✓"; weights = torch.ones(2); loss = (model(torch.ones(3, 4, device=device)) * weights).sum()
    """
).lstrip()
FIXED = BROKEN.replace("torch.ones(2)", "torch.ones(2, device=device)")

UNSAFE = dedent(
    """
    import numpy as np
    import torch
    from torch import nn

    model = nn.Linear(4, 2)
    print(model(torch.from_numpy(np.ones((3, 4)))))
    """
).lstrip()

MODEL = dedent(
    """
    import torch
    from torch import nn


    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(4, 2)
            self.register_buffer("scale", torch.ones(2))

        def forward(self, x):
            return self.fc(x) * self.scale
    """
).lstrip()
TRAIN = dedent(
    """
    import torch
    from model import Net

    net = Net().cuda()
    x = torch.ones(3, 4)
    print(net(x))
    """
).lstrip()


def write(folder: Path, **texts: str) -> list[Path]:
    paths = [folder / f"{name}.py" for name in texts]
    for path, text in zip(paths, texts.values(), strict=True):
        path.write_text(text)
    return paths
