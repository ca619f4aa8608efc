"""The classes of torchvision's transforms."""

from __future__ import annotations

from devfix.analysis.domain.values import External, Obj

PACKAGES = ("torchvision.transforms.v2.", "torchvision.transforms.transforms.", "torchvision.transforms.")


def is_one(obj: Obj) -> bool:
    """Whether an object is one of torchvision's transforms."""
    return isinstance(obj.cls, External) and obj.cls.name.startswith(PACKAGES)
