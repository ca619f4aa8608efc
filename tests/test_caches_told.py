"""A cache that an object allocates and fills on the accelerator is told the device as a whole, whatever else names its class."""

from __future__ import annotations

import pytest
from text_program import files, fix_texts

PROGRAM = """
    from __future__ import annotations
    import torch

    class Cache:
        def __init__(self, size: int):
            self.keys = torch.zeros(4, size)
            self.values = torch.zeros(4, size)

        def update(self, at, keys, values):
            {write}
            return self.keys[: at + 2], self.values[: at + 2]

    class Attention(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.both = torch.nn.Linear(3, 6)

        def forward(self, x, cache: Cache | None = None, at=0):
            keys, values = self.both(x).chunk(2, dim=-1)
            if {asked}:
                keys, values = cache.update(at, keys, values)
            return (x @ keys.t()).softmax(-1) @ values

        def generate(self, x):
            {made}
            for at in (0, 2):
                x = self(x, cache, at)
            return x

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Attention().to(device)
    print(model.generate(torch.ones(2, 3).to(device)))
"""
FILLED = "self.keys[at : at + 2] = keys\n            self.values[at : at + 2] = values"


def _added(
    made: str = "cache = Cache(3)", write: str = FILLED, asked: str = "cache is not None"
) -> list[str]:
    texts = files(PROGRAM.format(made=made, write=write, asked=asked))
    after = fix_texts(texts)[0]["main.py"].splitlines()
    return [line.strip() for line in after if line not in texts["main.py"].splitlines()]


@pytest.mark.parametrize("asked", ["cache is not None", "isinstance(cache, Cache)"])
def test_all_that_is_filled_is_told_the_device_where_the_cache_is_made(asked: str) -> None:
    assert _added(asked=asked) == [
        'def __init__(self, size: int, device="cpu"):',
        "self.keys = torch.zeros(4, size, device=device)",
        "self.values = torch.zeros(4, size, device=device)",
        "cache = Cache(3, device=device)",
    ]


def test_a_class_that_is_handed_on_is_not_told() -> None:
    assert not any("def __init__" in line for line in _added("make = Cache\n            cache = make(3)"))


def test_a_cache_that_nothing_on_the_accelerator_fills_is_not_told() -> None:
    assert not any(
        "def __init__" in line for line in _added(write="self.keys[at : at + 2] = torch.ones(2, 3)")
    )


ALLOCATED = """from dataclasses import dataclass

@dataclass
class Cache:
    keys: torch.Tensor
    values: torch.Tensor

    @classmethod
    def of(cls, size: int):
        keys = torch.zeros(4, size)
        return cls(keys, torch.zeros(4, size))

"""


def test_the_method_that_makes_the_fields_of_a_data_class_is_told() -> None:
    text = files(PROGRAM.format(made="cache = Cache.of(3)", write=FILLED, asked="cache is not None"))[
        "main.py"
    ]
    text = text[: text.index("class Cache:")] + ALLOCATED + text[text.index("    def update") :]
    after = fix_texts({"main.py": text})[0]["main.py"].splitlines()
    assert [line.strip() for line in after if line not in text.splitlines()] == [
        'def of(cls, size: int, device="cpu"):',
        "keys = torch.zeros(4, size, device=device)",
        "return cls(keys, torch.zeros(4, size, device=device))",
        "cache = Cache.of(3, device=device)",
    ]
