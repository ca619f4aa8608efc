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
    amount = float(size)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if amount < 1024 or unit == "GiB":
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1024
    raise AssertionError
