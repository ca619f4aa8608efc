"""A device that an imported or defined configuration keeps is named through it."""

from __future__ import annotations

from textwrap import dedent

import pytest
from text_program import fix_texts

CHOICE = 'torch.device("cuda" if torch.cuda.is_available() else "cpu")'

MAIN = """
import torch
{imported}

def main():
    net = torch.nn.Linear(2, 2).to({name}.device)
    for x in loader():
        net(x)

def loader():
    yield torch.ones(2, 2)

main()
"""

DEFINITIONS = [
    f'CFG = type("CFG", (), {{}})()\nCFG.device = {CHOICE}\n',
    f"class Config:\n    pass\n\nCFG = Config()\nCFG.device = {CHOICE}\n",
    f"class CFG:\n    device = {CHOICE}\n",
    f"from types import SimpleNamespace\nCFG = SimpleNamespace(device={CHOICE})\n",
    f"class Config:\n    def __init__(self):\n        self.device = {CHOICE}\n\nCFG = Config()\n",
    f"from dataclasses import dataclass\n@dataclass\nclass Config:\n    device: torch.device = {CHOICE}\n\nCFG = Config()\n",
]


def _added(main: str, settings: str | None = None) -> list[str]:
    texts = {"main.py": main} | ({"settings.py": f"import torch\n{settings}"} if settings else {})
    after = fix_texts(texts)[0]["main.py"]
    return [line.strip() for line in after.splitlines() if line not in main.splitlines()]


@pytest.mark.parametrize("definition", DEFINITIONS)
@pytest.mark.parametrize(
    ("imported", "name"),
    [
        ("from settings import CFG", "CFG"),
        ("from settings import CFG as C", "C"),
        ("import settings", "settings.CFG"),
    ],
)
def test_it_is_named_through_what_keeps_it(definition: str, imported: str, name: str) -> None:
    main = MAIN.format(imported=imported, name=name)
    assert _added(main, definition) == [f"x = x.to({name}.device)"]


@pytest.mark.parametrize("definition", DEFINITIONS)
def test_it_is_named_in_the_file_that_defines_it(definition: str) -> None:
    assert _added(MAIN.format(imported=definition, name="CFG")) == ["x = x.to(CFG.device)"]


def test_a_function_that_has_not_used_it_names_it_as_well() -> None:
    main = dedent(
        """
        import torch
        from settings import CFG

        def batches():
            for _ in range(3):
                yield torch.ones(2, 2)

        def use(net):
            for x in batches():
                net(x)

        use(torch.nn.Linear(2, 2).to(CFG.device))
        """
    )
    assert _added(main, DEFINITIONS[1]) == ["x = x.to(CFG.device)"]


def test_another_value_of_the_name_in_the_function_is_not_meant() -> None:
    main = MAIN.format(imported="from settings import CFG", name="CFG")
    main = main.replace("def main():\n", "def main():\n    place = CFG.device\n").replace(
        "Linear(2, 2).to(CFG.device)", "Linear(2, 2).to(place)"
    )
    main = (
        main.replace("for x in", "for CFG, x in")
        .replace("yield torch", "yield 1, torch")
        .replace("place = CFG.device", 'place = torch.device("cuda")')
    )
    assert not any("CFG.device" in line for line in _added(main, DEFINITIONS[0]))


def test_a_device_that_changes_is_not_named() -> None:
    main = MAIN.format(imported="from settings import CFG", name="CFG").replace(
        "    for x in", '    CFG.device = torch.device("cpu")\n    torch.ones(2).to(CFG.device)\n    for x in'
    )
    assert not any("CFG.device" in line for line in _added(main, DEFINITIONS[1]))
