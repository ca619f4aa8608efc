"""`x.type()` names a device along with a dtype, and `type` moves there."""

import torch


def padded(signal, size):
    batch, channels, length = signal.shape
    pad = torch.zeros(batch, channels, size - length % size).type(signal.type())
    return torch.cat([signal, pad], 2)


def framed(signal, size):
    signal = padded(signal, size)
    index = torch.arange(0, signal.shape[2], size).type(signal.type()).long()
    return torch.index_select(signal, 2, index)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
signal = torch.arange(14.0).view(1, 2, 7).to(device)
window = torch.ones(2, 1).type(signal.type())
print("RESULT", (framed(signal, 4) * window).sum().item())
