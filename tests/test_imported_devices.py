"""A device that another file chooses and this one imports is what fixes of this file name."""

from __future__ import annotations

import pytest
from text_program import files, fix_texts

CHOICE = """
    import torch

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
"""


def mended(main: str, choice: str = CHOICE) -> list[str]:
    """The lines of ``main.py`` after the fixes that it did not have before."""
    before = files(main, choices=choice)
    after = fix_texts(before)[0]["main.py"]
    known = before["main.py"].splitlines()
    return [line.strip() for line in after.splitlines() if line not in known]


@pytest.mark.parametrize(
    ("imported", "name"),
    [("device", "device"), ("device as where", "where"), ("*", "device")],
)
@pytest.mark.parametrize("choice", [CHOICE, 'device = "cuda"\n'])
def test_an_imported_device_is_named(imported: str, name: str, choice: str) -> None:
    text = f"""
        import torch
        import torch.nn as nn
        from choices import {imported}

        model = nn.Linear(3, 3)
        model(torch.rand(3, 3).to({name}))
    """
    assert mended(text, choice) == [f"model = nn.Linear(3, 3).to({name})"]


def test_an_imported_device_is_named_in_a_function() -> None:
    text = """
        import torch
        import torch.nn as nn
        from choices import device

        def main():
            model = nn.Linear(3, 3)
            return model(torch.rand(3, 3).to(device))

        main()
    """
    assert mended(text) == ["model = nn.Linear(3, 3).to(device)"]


def test_what_is_another_device_in_this_file_is_not_named() -> None:
    text = """
        import torch
        import torch.nn as nn
        from choices import device

        device = "cpu"
        model = nn.Linear(3, 3)
        model(torch.rand(3, 3).cuda())
    """
    assert ".to(device)" not in "".join(mended(text))
