"""What is made to meet a value that some calls have on the CPU is made where that value is."""

from __future__ import annotations

from textwrap import dedent

import pytest
from text_program import fix_texts

HEAD = """\
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

"""

#: Calls of a helper of another file, which two of three give values on the accelerator.
MAIN = (
    HEAD
    + """\
from helper import made

labels = torch.zeros(4, dtype=torch.long).to(device)
print(made(labels).sum().item(), made(labels).sum().item())
print(made(torch.zeros(4, dtype=torch.long)).sum().item())
"""
)


def mended(helper: str, main: str = MAIN) -> list[str]:
    """The lines of the helper that a safe fix changes or adds."""
    before = "import torch\n\n\n" + dedent(helper).strip() + "\n"
    fixed = fix_texts({"main.py": main, "helper.py": before})[0]
    assert fixed["main.py"] == main
    return [line.strip() for line in fixed["helper.py"].splitlines() if line not in before.splitlines()]


@pytest.mark.parametrize("unsqueezed", ["", "if x.dim() == 1:\n            x = x.unsqueeze(1)\n        "])
def test_what_is_written_to_in_place_is_made_where_its_indices_are(unsqueezed: str) -> None:
    helper = f"""
    def made(x):
        {unsqueezed or "x = x.view(-1, 1)"}
        table = torch.zeros(x.size(0), 10)
        table.scatter_(1, x, 1)
        return table
    """
    assert mended(helper) == ["table = torch.zeros(x.size(0), 10, device=x.device)"]


def test_a_factory_beside_its_peer_follows_it() -> None:
    helper = """
    def made(x):
        shift = torch.arange(4)
        return x + shift
    """
    assert mended(helper) == ["shift = torch.arange(4, device=x.device)"]


@pytest.mark.parametrize(
    "between",
    [
        "x = x[:4]",
        "for x in (x, x[:4]): pass",
        "(x := x[:4])",
    ],
)
def test_a_peer_that_is_bound_in_between_is_not_followed(between: str) -> None:
    helper = f"""
    def made(x):
        shift = torch.arange(4)
        {between}
        return x + shift
    """
    assert mended(helper) == ["return x + shift.to(x.device)"]


def test_what_may_be_no_tensor_is_not_followed() -> None:
    helper = "def made(x):\n    shift = torch.arange(4)\n    return x + shift\n"
    texts = {"main.py": MAIN + "print(made(3).sum().item())\n", "helper.py": f"import torch\n\n{helper}"}
    assert "x.device" not in fix_texts(texts)[0]["helper.py"]


def test_what_only_a_tensor_passes_is_followed_whatever_else_some_calls_give() -> None:
    helper = "def made(x=None):\n    table = torch.zeros(x.size(0), 10)\n    return table.scatter_(1, x, 1)\n"
    given = "for each in (None, torch.zeros(4, 1).long(), labels.view(-1, 1)):\n    print(made(each))\n"
    texts = {"main.py": MAIN[: MAIN.index("print")] + given, "helper.py": f"import torch\n\n{helper}"}
    assert "torch.zeros(x.size(0), 10, device=x.device)" in fix_texts(texts)[0]["helper.py"]
