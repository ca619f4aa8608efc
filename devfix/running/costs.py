"""Costs: what copies between host and device, and waiting for the device, take on a real machine.

The times are of the right order, not measured: a discrete accelerator on PCI Express copies pageable memory at
some 6 GB/s, and each copy and each wait costs some 10 microseconds whatever its size.
"""

from __future__ import annotations

from devfix.observation.record import Transfer

_BYTES_A_SECOND = 6e9
_SECONDS_A_CALL = 10e-6


def seconds(transfer: Transfer) -> float:
    """How long the copies or waits of one line may take in all."""
    return transfer.count * _SECONDS_A_CALL + transfer.size / _BYTES_A_SECOND


def costliest_first(transfers: tuple[Transfer, ...]) -> list[Transfer]:
    """The transfers by what they cost, dearest first."""
    return sorted(transfers, key=lambda transfer: -seconds(transfer))


def size_in_words(size: int) -> str:
    """A number of bytes, such as ``1.5 MiB``."""
    if size < 1024:
        return f"{size} B"
    amount = size / 1024
    for unit in ("KiB", "MiB"):
        if amount < 1024:
            return f"{amount:.1f} {unit}"
        amount /= 1024
    return f"{amount:.1f} GiB"
