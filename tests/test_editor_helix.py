"""The language server in a real Helix, where there is one: a finding, its quick fix, the saved file."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path
from textwrap import dedent

import pytest
from lsp_editor import ROOT
from terminal import at_terminal

HELIX = shutil.which("hx") or shutil.which("helix")
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


def documented_settings() -> str:
    page = (ROOT / "docs" / "editors.md").read_text(encoding="utf-8")
    found = re.search(r"## Helix\n.*?```toml\n(.*?)```", page, re.DOTALL)
    assert found is not None
    return found[1]


@pytest.mark.skipif(HELIX is None, reason="there is no Helix here")
def test_helix_shows_and_fixes_a_finding(tmp_path: Path) -> None:
    settings, programs, project = (tmp_path / name for name in ("config/helix", "bin", "project"))
    for folder in (settings, programs, project):
        folder.mkdir(parents=True)
    (settings / "languages.toml").write_text(documented_settings(), encoding="utf-8")
    server = programs / "devfix"
    server.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m devfix "$@"\n', encoding="utf-8")
    server.chmod(0o755)
    file = project / "train.py"
    file.write_text(BROKEN, encoding="utf-8")
    environment = {
        **os.environ,
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "codemods")]),
        "XDG_CONFIG_HOME": str(settings.parent),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "TERM": "xterm-256color",
    }
    assert HELIX is not None
    with at_terminal([HELIX, file.name], project, environment, size=(40, 150)) as helix:
        helix.until("●")
        helix.type("]d")
        helix.until("DF102")
        helix.type(" a")
        helix.until("Ignore")
        helix.type("\r")
        helix.until("[+]")
        helix.type(":w\r")
        helix.until("written")
    assert file.read_text(encoding="utf-8") == FIXED
