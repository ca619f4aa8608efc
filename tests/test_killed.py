"""``devfix apply``, killed while it writes: ``tests/trust/killed.py`` on a package of a few lines."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

_SCRIPT = Path(__file__).parent / "trust" / "killed.py"


@pytest.mark.skipif(
    not hasattr(signal, "SIGKILL") or not hasattr(os, "waitid"), reason="nothing is killed here"
)
def test_no_file_is_torn_or_lost(tmp_path: Path) -> None:
    package = tmp_path / "package"
    (package / "part").mkdir(parents=True)
    for name in ("__init__.py", "one.py", "part/__init__.py", "part/two.py"):
        (package / name).write_text(f'"""The file {name}."""\n', encoding="utf-8")
    kills = os.environ.get("DEVFIX_KILLS", "6")
    words = [sys.executable, str(_SCRIPT), str(package), kills]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"kills: {kills}" in done.stdout
    assert "torn files: 0, lost files: 0, other faults: 0" in done.stdout
    old, new, mixed = map(int, re.findall(r"(?:were|become|both): (\d+)", done.stdout))
    assert old + new + mixed >= int(kills)
