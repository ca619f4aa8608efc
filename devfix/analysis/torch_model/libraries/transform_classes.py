"""The classes of torchvision's transforms."""

from __future__ import annotations

from devfix.analysis.domain.values import External, Obj

PACKAGES = ("torchvision.transforms.v2.", "torchvision.transforms.transforms.", "torchvision.transforms.")

#: Those of them that may be given several things at once.
OF_SEVERAL = PACKAGES[0]


def is_one(obj: Obj) -> bool:
    """Whether an object is one of torchvision's transforms."""
    return isinstance(obj.cls, External) and obj.cls.name.startswith(PACKAGES)
