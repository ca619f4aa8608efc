"""The language server in a real Neovim, where there is one: a finding, its quick fix, fix-all, and the saved file."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest
from lsp_editor import ROOT

NEOVIM = shutil.which("nvim")
BROKEN = dedent(
    """
    import torch
    from torch import nn

    device = torch.device("cuda")
    model = nn.Linear(4, 2).to(device)
    note = "é 🚀 ✓"; weights = torch.ones(2); loss = (model(torch.ones(3, 4, device=device)) * weights).sum()
    """
).lstrip()
FIXED = BROKEN.replace("torch.ones(2)", "torch.ones(2, device=device)")
MORE = ["print(model.weight @ torch.ones(4))"]


@pytest.mark.skipif(NEOVIM is None, reason="there is no nvim here")
def test_neovim_shows_and_fixes_a_finding(tmp_path: Path) -> None:
    file, account = tmp_path / "train.py", tmp_path / "account.json"
    file.write_text(BROKEN, encoding="utf-8")
    test = {
        "file": str(file),
        "folder": str(tmp_path),
        "account": str(account),
        "command": [sys.executable, "-m", "devfix", "lsp"],
        "more": MORE,
    }
    environment = {
        **os.environ,
        "HOME": str(tmp_path),
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "codemods")]),
        "DEVFIX_TEST": json.dumps(test),
    }
    script = ROOT / "tests" / "editors" / "neovim.lua"
    subprocess.run(
        [str(NEOVIM), "--headless", "-u", "NONE", "-i", "NONE", "-c", f"luafile {script}"],
        env=environment,
        timeout=180,
        check=True,
        capture_output=True,
    )
    told = json.loads(account.read_text(encoding="utf-8"))
    assert told.get("fault") is None, told["fault"]
    (shown,) = told["shown"]
    before = BROKEN.splitlines()[5].rpartition("weights")[0]
    assert (shown["line"], shown["source"], shown["code"]) == (5, "devfix", "DF102")
    assert shown["column"] == len(before.encode())
    assert told["fix"].startswith("Move `weights`")
    assert told["after_fix"] == FIXED
    assert told["fix_all"] == "Make all safe fixes in this file"
    assert file.read_text(encoding="utf-8") == told["after_fix_all"]
    assert told["after_fix_all"].startswith(FIXED)
