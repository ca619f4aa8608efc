"""Classes whose ``__init__`` takes their annotated fields without being dataclasses."""

from __future__ import annotations

import pytest
from text_program import clashes

PROGRAM = """
import torch
from {package} import {base}
class Common({base}):
    name: str = "run"
class Context(Common):
    device: str = "cuda:0"
    size: int = 3
def scale(x, context):
    return x * torch.rand(context.size).to(context.device)
scale(torch.rand(3), Context({given}))
"""
BASES = [("pydantic", "BaseModel"), ("pydantic_settings", "BaseSettings"), ("msgspec", "Struct")]


@pytest.mark.parametrize(("package", "base"), BASES)
def test_a_field_is_what_is_given_for_it(package: str, base: str) -> None:
    assert clashes(PROGRAM.format(package=package, base=base, given='size=4, device="cpu"')) == []


@pytest.mark.parametrize(("package", "base"), BASES)
def test_a_field_that_is_not_given_has_its_default(package: str, base: str) -> None:
    assert clashes(PROGRAM.format(package=package, base=base, given="size=4")) == ["10: device"]
