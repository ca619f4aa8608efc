"""DeviceChoice: how a package names its device, and how its parts come to know it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from repair.carried_value import Making

_PICKED = '"cuda" if torch.cuda.is_available() else "cpu"'
_MOVED = re.compile(r"^(\w+ = )?(.+)\.to\(device\)$")


@dataclass(frozen=True)
class DeviceChoice:
    """The text of ``settings.py``; ``given`` is the parameter that carries it, ``made`` what the entry makes of it."""

    name: str
    settings: str
    device: str = "device"
    given: str = ""
    made: tuple[str, ...] = ()
    placing: bool = False

    def said(self, text: str) -> str:
        """A statement or an expression that names ``device``, in this package's words."""
        if self.placing and (moved := _MOVED.match(text)):
            text = f"{moved[1] or ''}{self.given}.place({moved[2]})"
        return re.sub(r"(?<![\w.'\"])device\b(?!=)", self.device, text)

    def made_here(self, making: Making) -> Making:
        """How a value is made, in this package's words."""
        return replace(
            making,
            expression=self.said(making.expression),
            before=tuple(self.said(each) for each in making.before),
        )


CHOICES = (
    DeviceChoice("variable", f"device = torch.device({_PICKED})"),
    DeviceChoice(
        "configuration",
        "@dataclass\nclass Config:\n    rate: float = 0.05\n    rounds: int = 3\n"
        f"    device: str = field(default_factory=lambda: {_PICKED})",
        "cfg.device",
        "cfg",
        ("cfg = Config()",),
    ),
    DeviceChoice(
        "property",
        "class Config:\n    def __init__(self, rate=0.05):\n        self.rate = rate\n\n"
        f"    @property\n    def device(self):\n        return torch.device({_PICKED})",
        "cfg.device",
        "cfg",
        ("cfg = Config()",),
    ),
    DeviceChoice(
        "function",
        f"@lru_cache(maxsize=None)\ndef get_device():\n    return torch.device({_PICKED})",
        "get_device()",
    ),
    DeviceChoice(
        "argument",
        f"def pick_device():\n    return torch.device({_PICKED})",
        given="device",
        made=("device = pick_device()",),
    ),
    DeviceChoice(
        "helper",
        "class Runtime:\n    def __init__(self):\n"
        f"        self.device = torch.device({_PICKED})\n\n"
        "    def place(self, value):\n        return value.to(self.device)",
        "runtime.device",
        "runtime",
        ("runtime = Runtime()",),
        placing=True,
    ),
)
SETTINGS_IMPORTS = (
    "import torch",
    "from functools import lru_cache",
    "from dataclasses import dataclass, field",
)
