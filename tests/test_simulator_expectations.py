"""Errors that a program has an answer to are raised where mismatches are healed; others are written down."""

# ruff: noqa: BLE001 - programs do catch everything

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable

import pytest
import torch

from devfix.simulator import simulated_accelerator


def _named(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    try:
        return x + y
    except RuntimeError:
        x = x.cpu()
        return x + y.cpu()


def _of_a_tuple(x: torch.Tensor, _y: torch.Tensor) -> object:
    try:
        values = x.numpy()
    except (TypeError, ValueError):
        values = x.cpu().numpy()
    return values


def _every_error_and_another_way(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    try:
        total = x + y
    except Exception:
        total = x + y.to(x.device)
    return total


def _suppressed(x: torch.Tensor, y: torch.Tensor) -> None:
    with contextlib.suppress(RuntimeError):
        x + y


def _said(x: torch.Tensor, y: torch.Tensor) -> None:
    try:
        x + y
    except Exception as error:
        warnings.warn(str(error), stacklevel=1)


def _handed_on(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    try:
        return x + y
    except RuntimeError as error:
        if "out of memory" in str(error):
            return x
        raise


def _another_error(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    try:
        return x + y
    except (KeyError, TypeError):
        return x


def _in_the_handler(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    nothing: dict[str, torch.Tensor] = {}
    try:
        return nothing["x"]
    except Exception:
        return x + y


def _given_up(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor | None:
    try:
        return x + y
    except Exception:
        return None


@pytest.mark.parametrize(
    ("run", "count"),
    [
        (_named, 0),
        (_of_a_tuple, 0),
        (_every_error_and_another_way, 0),
        (_suppressed, 0),
        (_said, 1),
        (_handed_on, 1),
        (_another_error, 1),
        (_in_the_handler, 1),
        (_given_up, 1),
    ],
)
def test_only_what_nobody_answers_is_a_mismatch(run: Callable[..., object], count: int) -> None:
    with simulated_accelerator(heal=True) as machine:
        run(torch.ones(2).cuda(), torch.ones(2))
    assert len(machine.log.mismatches) == count


def test_what_catches_first_decides() -> None:
    with simulated_accelerator(heal=True) as machine:
        x, y = torch.ones(2).cuda(), torch.ones(2)
        try:
            _said(x, y)
        except RuntimeError:
            x = y
    assert len(machine.log.mismatches) == 1
