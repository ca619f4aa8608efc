"""Optimizers, derivatives, layers and samples, one part of which is on another device or of another dtype.

The answer is the dtype and the device of what comes of it.
"""

from __future__ import annotations

import copy
from typing import Any

import torch
import torch.distributions.transforms
import torch.nn.utils.prune
from recorded.autocast_questions import auto
from recorded.operand_questions import NAMES, lines, said
from recorded.questions import Questions


def doubled(gradient: Any, first: Any = lambda value: value) -> Any:
    """A function that doubles, and whose gradient and what it doubles are made of what comes in."""

    class Doubled(torch.autograd.Function):
        @staticmethod
        def forward(_ctx: Any, value: torch.Tensor) -> Any:
            return first(value) * 2

        @staticmethod
        def backward(_ctx: Any, incoming: torch.Tensor) -> Any:  # type: ignore[override]
            return gradient(incoming)

    return Doubled


#: A question asks for each lower-case name by a call, which has to give the function.
_FRESH: dict[str, Any] = {
    name: (lambda value=value: value) if callable(value) else value
    for name, value in {**NAMES, "auto": auto, "copy": copy, "doubled": doubled}.items()
}

QUESTIONS = Questions()
QUESTIONS.lines(_FRESH, "\n".join(lines("meetings")), said)
