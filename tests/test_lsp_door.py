"""How the language server is started: only on request, and with a word on what is missing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from lsp_editor import ROOT

_WITHOUT = (
    "import sys; sys.modules['pygls'] = None; from devfix.cli import main; sys.argv[1:] = ['lsp']; main()"
)
_LIGHT = """
import sys
sys.argv[1:] = ["check", "-"]
from devfix.cli import main
try:
    main()
finally:
    assert not {"pygls", "lsprotocol", "asyncio"} & set(sys.modules)
"""


def python(program: str, folder: Path, text: str = "") -> subprocess.CompletedProcess[str]:
    path = [str(ROOT), str(ROOT / "codemods")]
    start = f"import sys; sys.path[:0] = {path!r}\n{program}"
    return subprocess.run(
        [sys.executable, "-c", start], input=text, capture_output=True, text=True, cwd=folder, check=False
    )


def test_without_the_extra_it_says_what_to_install(tmp_path: Path) -> None:
    done = python(_WITHOUT, tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "pip install 'devfix[lsp]'" in done.stderr


def test_other_commands_do_without_it(tmp_path: Path) -> None:
    done = python(_LIGHT, tmp_path, "import torch\n")
    assert done.returncode == 0, done.stderr
