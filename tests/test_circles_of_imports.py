"""Modules that import one another and are no scripts: what they do when they are imported is judged as what a script does."""

from __future__ import annotations

import pytest
from text_program import check_texts, fix_texts

CHOICE = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'
FIRST = f"import torch\nimport second\n{CHOICE}mask = torch.ones(4MADE)\nscaled = torch.ones(4, device=device) * mask\n"
SECOND = "import torch\nimport first\n\n\ndef use():\n    return first.scaled\n"
PACKAGE = {
    "pkg/__init__.py": "from .settings import device\nfrom .model import net\n",
    "pkg/settings.py": f"import torch\n{CHOICE}",
    "pkg/model.py": (
        "import torch\nimport pkg\n\nnet = torch.nn.Linear(4, 4).to(pkg.device)\nexample = net(torch.ones(1, 4MADE))\n"
    ),
}


def findings(texts: dict[str, str], made: str) -> list[str]:
    """Where something is found, when what is made is told this."""
    found = check_texts({path: text.replace("MADE", made) for path, text in texts.items()})
    return [f"{each.path}:{each.span.line}" for each in found]


@pytest.mark.parametrize(
    ("texts", "device", "line"),
    [
        ({"first.py": FIRST, "second.py": SECOND}, "device", "first.py:5"),
        (PACKAGE, "pkg.device", "pkg/model.py:5"),
        (
            {
                "main.py": "def later():\n    import first\n    return first.scaled\n",
                "first.py": FIRST.replace("import second\n", "\n"),
            },
            "device",
            "first.py:5",
        ),
    ],
    ids=["two files", "package", "imported where no run comes by"],
)
def test_what_a_circle_does_when_it_is_imported(texts: dict[str, str], device: str, line: str) -> None:
    assert findings(texts, "") == [line]
    assert findings(texts, f", device={device}") == []


READING = """import torch
import second
import settings

scaled = torch.ones(4, device=settings.device) * torch.ones(4, device="cuda")
"""
LATER = "def later():\n    import first\n    return first.scaled\n"


@pytest.mark.parametrize(
    "script",
    [
        'import settings\n\nsettings.device = "cuda"\n',
        'import settings\n\n\ndef run():\n    settings.device = "cuda"\n    later()\n',
        'def run():\n    import settings\n    settings.device = "cuda"\n    later()\n',
    ],
)
def test_what_a_script_may_have_set_before_it_imports_is_not_known(script: str) -> None:
    circle = {"first.py": READING, "second.py": SECOND, "settings.py": 'device = "cpu"\n'}
    assert findings({**circle, "main.py": f"{script}\n\n{LATER}"}, "") == []
    assert findings(circle, "") == ["first.py:5"]


def test_it_is_repaired() -> None:
    texts, _ = fix_texts({"first.py": FIRST.replace("MADE", ""), "second.py": SECOND})
    assert "mask = torch.ones(4, device=device)\n" in texts["first.py"]
    assert texts["second.py"] == SECOND
