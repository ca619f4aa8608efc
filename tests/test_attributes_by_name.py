"""Moves in vain of the attributes that a loop takes by their names."""

from __future__ import annotations

import pytest
from text_program import check_texts, fix_texts

from devfix.findings import Applicability

BATCH = """
import dataclasses
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

@dataclasses.dataclass{frozen}
class Batch:
    x: torch.Tensor
    y: torch.Tensor
    size: int = 0

    def tensors(self):
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if isinstance(value, torch.Tensor):
                yield field.name, value

    def to(self, device):
{body}
        return self

net = torch.nn.Linear(3, 2).to(device)
for _ in range(2):
    batch = Batch(torch.ones(4, 3), torch.ones(4, 2))
    batch = batch.to(device)
    print((net(batch.x) - batch.y).device)
"""


def batch(*lines: str, frozen: str = "") -> dict[str, str]:
    return {"main.py": BATCH.format(body="\n".join(f"        {line}" for line in lines), frozen=frozen)}


def fixed(*lines: str, frozen: str = "") -> dict[str, str]:
    return fix_texts(batch(*lines, frozen=frozen), Applicability.UNSAFE)[0]


def run_elsewhere(texts: dict[str, str]) -> None:
    """Runs it with a device that is there without an accelerator."""
    text = texts["main.py"].replace('"cuda" if torch.cuda.is_available() else "cpu"', '"meta"')
    exec(text, {"__name__": "__main__"})


FIELDS = "for f in dataclasses.fields(self):"
ONLY = "    if isinstance(value, torch.Tensor):"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            (FIELDS, "    value = getattr(self, f.name)", ONLY, "        value.to(device)"),
            (
                FIELDS,
                "    value = getattr(self, f.name)",
                ONLY,
                "        setattr(self, f.name, value.to(device))",
            ),
        ),
        (
            ("for name in ('x', 'y'):", "    getattr(self, name).to(device, non_blocking=True)"),
            (
                "for name in ('x', 'y'):",
                "    setattr(self, name, getattr(self, name).to(device, non_blocking=True))",
            ),
        ),
        (
            ("for key, value in vars(self).items():", ONLY, "        value.to(device)"),
            ("for key, value in vars(self).items():", ONLY, "        setattr(self, key, value.to(device))"),
        ),
        (
            ("for key, value in self.__dict__.items():", ONLY, "        value.to(device=device)"),
            (
                "for key, value in self.__dict__.items():",
                ONLY,
                "        setattr(self, key, value.to(device=device))",
            ),
        ),
        (
            ("for _, value in self.tensors():", "    value.to(device)"),
            ("for name, value in self.tensors():", "    setattr(self, name, value.to(device))"),
        ),
        (
            ("name = 'x'", "for _, value in self.tensors():", "    value.to(device)"),
            ("name = 'x'", "for _, value in self.tensors():", "    setattr(self, _, value.to(device))"),
        ),
        (
            ("for _, value in self.tensors():", "    print(_)", "    value.to(device)"),
            ("for _, value in self.tensors():", "    print(_)", "    setattr(self, _, value.to(device))"),
        ),
        (
            ("for _ in ('x', 'y'):", "    getattr(self, _).to(device)"),
            ("for _ in ('x', 'y'):", "    setattr(self, _, getattr(self, _).to(device))"),
        ),
    ],
)
def test_the_attribute_is_set_to_the_result(before: tuple[str, ...], after: tuple[str, ...]) -> None:
    assert fixed(*before) == batch(*after)
    assert not check_texts(batch(*after))
    with pytest.raises(RuntimeError, match="device"):
        run_elsewhere(batch(*before))
    run_elsewhere(batch(*after))


def test_what_is_frozen_is_not_set() -> None:
    after = fixed("for key, value in self.tensors():", "    value.to(device)", frozen="(frozen=True)")
    assert "setattr" not in after["main.py"]
    assert not check_texts(after)


def test_a_name_that_the_loop_goes_on_to_use_has_the_result() -> None:
    lines = (
        "moved = []",
        "for key, value in self.tensors():",
        "    value.to(device)",
        "    moved.append(value)",
    )
    after = fixed(*lines, "print(torch.ones(4, 2, device=device) - moved[1])")
    assert "            value = value.to(device)\n            moved.append(value)" in after["main.py"]


def test_a_dict_that_the_object_keeps_is_no_attribute_of_it() -> None:
    text = """
import torch
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

class Holder:
    def __init__(self):
        self.parts = {"parts": torch.ones(3), "x": torch.ones(3)}
    def items(self):
        return self.parts.items()
    def to(self, device):
        for key, value in self.items():
            value.to(device)
        return self

holder = Holder().to(device)
print(holder.parts["x"] + torch.ones(3, device=device))
"""
    after, _ = fix_texts({"main.py": text}, Applicability.UNSAFE)
    assert "setattr" not in after["main.py"]


def test_a_parameter_is_not_set_to_a_tensor() -> None:
    text = """
import torch
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.ones(3))
    def place(self):
        for name in ["w"]:
            getattr(self, name).to(device)

net = Net()
net.place()
print(net.w + torch.ones(3, device=device))
"""
    after, _ = fix_texts({"main.py": text}, Applicability.UNSAFE)
    assert "setattr" not in after["main.py"]
    assert not check_texts(after)


@pytest.mark.parametrize("settable", [False, True])
def test_a_property_is_set_where_it_can_be(settable: bool) -> None:
    setter = "    @kept.setter\n    def kept(self, value):\n        self._kept = value\n" if settable else ""
    text = f"""
import torch
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

class Holder:
    def __init__(self):
        self.x, self._kept = torch.ones(3), torch.ones(3)
    @property
    def kept(self):
        return self._kept
{setter}
    def to(self, device):
        for name in ["x", "kept"]:
            getattr(self, name).to(device)
        return self

holder = Holder().to(device)
print(holder.x + torch.ones(3, device=device), holder.kept + torch.ones(3, device=device))
"""
    after, _ = fix_texts({"main.py": text}, Applicability.UNSAFE)
    assert ("setattr" in after["main.py"]) is settable
    if settable:
        assert not check_texts(after)
        run_elsewhere(after)


PLACED = """
import torch

class Placed:
    names = ("x", "kept")
    def to(self, device):
        for name in self.names:
            getattr(self, name).to(device)
        return self
"""
HOLDER = """
import torch
from placed import Placed
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

class Holder(Placed):
    def __init__(self):
        self.x, self.{kept} = torch.ones(3), torch.ones(3)

class {other}:
    @property
    def kept(self):
        return self._kept

holder = {made}().to(device)
print(holder.x + torch.ones(3, device=device))
"""


@pytest.mark.parametrize(
    ("kept", "other", "made", "is_set"),
    [("_kept", "Own(Holder)", "Own", False), ("kept", "Other", "Holder", True)],
    ids=["of one that is derived", "of another"],
)
def test_a_property_of_a_class_in_another_file_is_not_set(
    kept: str, other: str, made: str, *, is_set: bool
) -> None:
    texts = {"main.py": HOLDER.format(kept=kept, other=other, made=made), "placed.py": PLACED}
    after, _ = fix_texts(texts, Applicability.UNSAFE)
    assert ("setattr" in after["placed.py"]) is is_set
