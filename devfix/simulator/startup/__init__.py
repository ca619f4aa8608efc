"""Start-up: Python processes that a simulated program starts are simulated, too.

:func:`environment` puts this folder on ``PYTHONPATH``, where Python finds ``sitecustomize.py`` in it, which waits until the
process imports torch. Nothing here needs torch.
"""

from __future__ import annotations

import json
import os
from typing import Any, Optional

#: The variable that says which machine is simulated.
MACHINE = "DEVFIX_SIMULATED_MACHINE"
FOLDER = os.path.dirname(os.path.abspath(__file__))


def environment(machine: Any, paths: Optional[str] = None) -> dict[str, str]:
    """The variables that let a Python process see a machine; ``paths`` is its ``PYTHONPATH`` but for that."""
    paths = os.environ.get("PYTHONPATH", "") if paths is None else paths
    told = {
        "kind": machine.kind,
        "count": max(machine.count, 1),
        "heal": machine.heal,
        "insist": machine.insist,
        "origins": machine.origins,
        "folder": machine.children.folder,
    }
    return {MACHINE: json.dumps(told), "PYTHONPATH": os.pathsep.join([FOLDER, *_others(paths)])}


def without(paths: str) -> str:
    """A ``PYTHONPATH`` without this folder."""
    return os.pathsep.join(_others(paths))


def _others(paths: str) -> list[str]:
    return [path for path in paths.split(os.pathsep) if path and path != FOLDER] if paths else []


def wanted() -> Optional[dict[str, Any]]:
    """The machine that the environment names, as this process is to see it; None where it is to see none."""
    told: Optional[dict[str, Any]] = json.loads(os.environ.get(MACHINE, "null"))
    if told is not None and told["kind"] == "cuda" and os.environ.get("CUDA_VISIBLE_DEVICES") in ("", "-1"):
        # A process that is to see no accelerator has none; what is wrong with that is to be healed, too.
        return {**told, "kind": "none"} if told["heal"] else None
    return told
