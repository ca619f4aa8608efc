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


@pytest.mark.parametrize(
    "chosen", ['torch.set_default_tensor_type("torch.cuda.FloatTensor")', 'torch.set_default_device("cuda")']
)
@pytest.mark.parametrize("imports", ["import layers", "import shapes"])
def test_a_default_device_that_an_imported_file_chooses_holds_for_whoever_imports_it(
    chosen: str, imports: str
) -> None:
    layers = f"import torch\n{chosen}\n\n\ndef shift(x):\n    return x + torch.ones(3)\n"
    main = f"import torch\n{imports}\n\nprint(torch.zeros(3) + torch.ones(3).cuda())\n"
    program = {"main.py": main, "layers.py": layers, "shapes.py": "import layers\n"}
    assert fix_texts(program)[0] == program
    other = {**program, "main.py": main.replace(imports, "import sys")}
    assert fix_texts(other)[0]["main.py"] != other["main.py"]


def test_methods_that_nobody_calls_find_the_default_device_of_their_file() -> None:
    text = """
import torch

torch.set_default_tensor_type("torch.cuda.FloatTensor")
device = torch.device("cuda")

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.Tensor(3, 3))

    def forward(self, x):
        return torch.mm(x, self.weight)

class Model:
    def __init__(self):
        self.net = Net()

    def train(self, inputs):
        return self.net(torch.from_numpy(inputs).float().to(device))
"""
    assert fix_texts({"main.py": text})[0] == {"main.py": text}
