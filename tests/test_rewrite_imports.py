"""Imports and the code behind them, in the modules they meet."""

from __future__ import annotations

import textwrap

import pytest
from edit_makers import edited

from devfix.findings import AddImport, Edit, InsertAfterImports, SetKeyword, Span
from devfix.rewrite import EditError

CODE = InsertAfterImports("device = torch.device('cuda')")


def block(text: str) -> str:
    return textwrap.dedent(text).lstrip("\n")


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("", "device = torch.device('cuda')\n"),
        ("x = 1\n", "device = torch.device('cuda')\n\nx = 1\n"),
        ("# c\n", "# c\n\ndevice = torch.device('cuda')\n"),
        ('"""Doc."""\n', "\"\"\"Doc.\"\"\"\n\ndevice = torch.device('cuda')\n"),
        ('"""Doc."""\n\n\nx = 1\n', "\"\"\"Doc.\"\"\"\n\ndevice = torch.device('cuda')\n\n\nx = 1\n"),
        (
            "from __future__ import annotations\nx = 1\n",
            "from __future__ import annotations\n\ndevice = torch.device('cuda')\n\nx = 1\n",
        ),
        ("import torch", "import torch\n\ndevice = torch.device('cuda')"),
        ("import torch\r\nx = 1\r\n", "import torch\r\n\r\ndevice = torch.device('cuda')\r\n\r\nx = 1\r\n"),
        ("import torch  # t\n\n\nclass A: ...\n", "import torch  # t\n\ndevice = torch.device('cuda')\n\n\nclass A: ...\n"),
        ("import torch\ndef f(): ...\n", "import torch\n\ndevice = torch.device('cuda')\n\n\ndef f(): ...\n"),
        ("import torch\n# why\nx = 1\n", "import torch\n\ndevice = torch.device('cuda')\n\n# why\nx = 1\n"),
        ("import torch\ndevice = torch.device('cuda')\n", "import torch\ndevice = torch.device('cuda')\n"),
        (
            "import torch\ndevice = torch.device('cuda'); x = 1\n",
            "import torch\ndevice = torch.device('cuda'); x = 1\n",
        ),
        (
            "import torch\ndef f():\n    device = torch.device('cuda')\n",
            "import torch\n\ndevice = torch.device('cuda')\n\n\ndef f():\n    device = torch.device('cuda')\n",
        ),
    ],
)  # fmt: skip
def test_code_after_imports(text: str, result: str) -> None:
    assert edited(text, CODE) == result
    assert edited(result, CODE) == result


def test_imports_inside_try_and_if_count() -> None:
    text = block(
        """
        import torch

        try:
            import apex
        except ImportError:
            apex = None

        if TYPE_CHECKING:
            from a import b

        def main():
            import late
        """
    )
    result = text.replace("import b\n", "import b\n\ndevice = torch.device('cuda')\n")
    assert edited(text, CODE) == result


def test_the_main_guard_and_imports_behind_definitions_do_not_count() -> None:
    text = "import torch\n\n\ndef f(): ...\n\n\nimport os\nif __name__ == '__main__':\n    import sys\n"
    assert edited(text, CODE).startswith("import torch\n\ndevice =")


def test_code_stays_in_front_of_statements_that_could_use_it() -> None:
    text = "import torch\nimport os\nos.environ['A'] = ''\nimport a\ntorch.manual_seed(0)\nimport b\n"
    assert "import a\n\ndevice = torch.device('cuda')\n\ntorch.manual_seed(0)\nimport b\n" in edited(
        text, CODE
    )


def test_code_waits_for_the_import_it_needs() -> None:
    text = "import os\n\n\ndef f(): ...\nimport torch\nx = torch.ones(1)\n"
    assert edited(text, CODE).endswith("import torch\n\ndevice = torch.device('cuda')\n\nx = torch.ones(1)\n")


def test_lines_that_are_there_are_not_inserted_again() -> None:
    text = "import torch\n# the device\nif a:\n    b = 1\nelse:\n    b = 2\n"
    code = "# the device\nif a:\n    b = 1\nelse:\n    b = 2\nc = 3"
    assert edited(text, InsertAfterImports(code)) == text.replace("torch\n", "torch\n\nc = 3\n\n")


def test_two_pieces_of_code_stand_together() -> None:
    edits: list[Edit] = [
        InsertAfterImports("a = 1"),
        InsertAfterImports("b = 2"),
        InsertAfterImports("a = 1"),
    ]
    assert edited("import c\n\n\nx\n", *edits) == "import c\n\na = 1\nb = 2\n\n\nx\n"


@pytest.mark.parametrize(
    ("text", "edit", "result"),
    [
        ("import torch\n", AddImport("torch"), "import torch\n"),
        ("import torch.nn\n", AddImport("torch"), "import torch.nn\n"),
        ("import torch\n", AddImport("torch", alias="torch"), "import torch\n"),
        ("import torch.nn as nn\n", AddImport("torch"), "import torch.nn as nn\nimport torch\n"),
        ("from torch import nn\n", AddImport("torch", "nn"), "from torch import nn\n"),
        ("from torch import nn as n\n", AddImport("torch", "nn"), "from torch import nn as n, nn\n"),
        ("try:\n    import torch\nexcept E: a\n", AddImport("torch"), "try:\n    import torch\nexcept E: a\n"),
        ("import a; import torch\n", AddImport("torch"), "import a; import torch\n"),
        ("", AddImport("torch"), "import torch\n"),
        ("x = 1\n", AddImport("torch"), "import torch\n\nx = 1\n"),
        ("def f(): ...\n", AddImport("torch"), "import torch\n\n\ndef f(): ...\n"),
        ('"""Doc."""\nx = 1\n', AddImport("torch"), '"""Doc."""\n\nimport torch\n\nx = 1\n'),
        ("#!/bin/python\nimport torch\n", AddImport("os"), "#!/bin/python\n\nimport os\n\nimport torch\n"),
        ("import os\n\nimport numpy\n\nx\n", AddImport("torch"), "import os\n\nimport numpy\nimport torch\n\nx\n"),
        ("import os\n\nimport numpy\n\nx\n", AddImport("sys"), "import os\nimport sys\n\nimport numpy\n\nx\n"),
        ("import os\nx\n", AddImport("torch"), "import os\n\nimport torch\n\nx\n"),
        ("import torch\nfrom .a import b\n", AddImport("numpy"), "import torch\nimport numpy\nfrom .a import b\n"),
        ("import torch\nfrom a import b\n", AddImport("torch", "nn"), "import torch\nfrom torch import nn\nfrom a import b\n"),
        ("from a import b\n", AddImport("a", "c", "d"), "from a import b, c as d\n"),
        ("from a import (b, e)\n", AddImport("a", "c"), "from a import (b, e, c)\n"),
        ("from a import (\n    b,\n    e,\n)\n", AddImport("a", "c"), "from a import (\n    b,\n    e,\n    c,\n)\n"),
        ("from a import (\n    b,\n    e  # e\n)\n", AddImport("a", "c"), "from a import (\n    b,\n    e,  # e\n    c\n)\n"),
        ("from a import b, \\\n    e\n", AddImport("a", "c"), "from a import b, \\\n    e, c\n"),
        ("from a import *\n", AddImport("a", "c"), "from a import *\nfrom a import c\n"),
        ("from .a import b\n", AddImport(".a", "c"), "from .a import b, c\n"),
        ("from . import b\n", AddImport(".a", "c"), "from . import b\nfrom .a import c\n"),
        (f"from a import {'b' * 70}\n", AddImport("a", "c" * 9), f"from a import {'b' * 70}\nfrom a import {'c' * 9}\n"),
        ("from __future__ import annotations\nx\n", AddImport("torch"), "from __future__ import annotations\n\nimport torch\n\nx\n"),
        ("import torch\n", AddImport("__future__", "annotations"), "from __future__ import annotations\n\nimport torch\n"),
    ],
)  # fmt: skip
def test_add_import(text: str, edit: Edit, result: str) -> None:
    assert edited(text, edit) == result
    assert edited(result, edit) == result


def test_an_import_under_type_checking_does_not_count() -> None:
    text = "if TYPE_CHECKING:\n    import torch\n"
    assert edited(text, AddImport("torch")) == text + "\nimport torch\n"


def test_imports_come_in_their_order_and_before_the_code() -> None:
    edits: list[Edit] = [
        CODE,
        AddImport("torch", "nn"),
        AddImport("numpy", alias="np"),
        AddImport("os"),
        AddImport("torch"),
    ]
    result = "import os\n\nimport numpy as np\nimport torch\nfrom torch import nn\n\ndevice = torch.device('cuda')\n\nx\n"
    assert edited("x\n", *edits) == result
    assert edited("x\n", *reversed(edits)) == result


def test_code_follows_an_import_that_is_added_for_it() -> None:
    text = "import torch\ntorch.manual_seed(0)\nimport sys\nx\n"
    edits: list[Edit] = [InsertAfterImports("device = os.environ['DEVICE']"), AddImport("os")]
    assert edited(text, *edits).endswith("import sys\nimport os\n\ndevice = os.environ['DEVICE']\n\nx\n")


def test_code_behind_an_import_does_not_serve_the_line_of_the_import() -> None:
    text = "import torch; print(torch.ones(2))\n"
    call = SetKeyword(Span(1, 20, 1, 33), "device", "device")
    with pytest.raises(EditError, match="Line 1 has an import and what needs the code"):
        edited(text, CODE, call)
    assert edited(text, call) == "import torch; print(torch.ones(2, device=device))\n"
    apart = edited(
        "import torch\nprint(torch.ones(2))\n", CODE, SetKeyword(Span(2, 6, 2, 19), "device", "device")
    )
    assert apart == "import torch\n\ndevice = torch.device('cuda')\n\nprint(torch.ones(2, device=device))\n"
