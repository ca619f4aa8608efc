"""Formulas: whether autograd's own derivatives are being computed, which know no mistakes of the user."""

from __future__ import annotations

import sys

import torch


def in_formula() -> bool:
    """Whether the call comes from a derivative formula in C++, and not from a function in Python."""
    if torch._C._current_graph_task_id() == -1:
        return False
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__package__") == __package__:
        frame = frame.f_back
    return frame.f_code.co_name in ("_engine_run_backward", "apply_backward")
