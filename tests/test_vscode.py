"""The extension for VS Code: its own tests, and a real VS Code in a browser, where there is what they need."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from lsp_editor import ROOT

EXTENSION = ROOT / "editors" / "vscode"
#: What a real VS Code takes: see editors/vscode/e2e/README.md.
CODE_SERVER = os.environ.get("CODE_SERVER") or shutil.which("code-server")
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium")

pytestmark = pytest.mark.skipif(
    not (EXTENSION / "package.json").is_file(), reason="the extension is not part of a source distribution"
)
has_packages = pytest.mark.skipif(
    shutil.which("npm") is None or not (EXTENSION / "node_modules").is_dir(),
    reason="the extension's packages are not there: `npm ci` in editors/vscode brings them",
)


def npm(*words: str, **environment: str) -> None:
    """Run a script of the extension's; what it says is shown when it fails."""
    ended = subprocess.run(
        ["npm", *words],
        cwd=EXTENSION,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout[-8000:] + ended.stderr[-2000:]


@has_packages
def test_the_extension_finds_devfix_where_it_is() -> None:
    npm("test")


@has_packages
@pytest.mark.skipif(CODE_SERVER is None, reason="there is no code-server here, and CODE_SERVER names none")
@pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium here, and CHROMIUM names none")
@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="programs cannot be run without torch")
def test_a_user_of_vscode_sees_and_fixes_findings() -> None:
    paths = os.pathsep.join([str(ROOT), str(ROOT / "codemods")])
    npm("run", "e2e", DEVFIX_PYTHON=sys.executable, PYTHONPATH=paths, CHROMIUM=str(CHROMIUM))


def test_the_lock_file_names_no_registry() -> None:
    """Where packages come from is for each machine to know."""
    assert '"resolved"' not in Path(EXTENSION / "package-lock.json").read_text(encoding="utf-8")


def _packed(tmp_path: Path, *folders: str) -> subprocess.CompletedProcess[str]:
    """What the start of a packed devfix says, whose package is a stand-in."""
    start = shutil.copy(EXTENSION / "bundled" / "start.py", tmp_path)
    for folder in folders:
        (tmp_path / folder).mkdir()
    package = tmp_path / "any" / "devfix"
    if package.parent.is_dir():
        package.mkdir()
        (package / "__init__.py").touch()
        (package / "cli.py").write_text(
            "import sys\ndef main(): print('packed', sys.argv[1:])\n", encoding="utf-8"
        )
    return subprocess.run(
        [sys.executable, start, "lsp"], capture_output=True, text=True, timeout=60, check=False
    )


def test_the_packed_devfix_is_started_by_a_python_it_was_packed_for(tmp_path: Path) -> None:
    ended = _packed(tmp_path, "any", "cp{}{}".format(*sys.version_info[:2]))
    assert (ended.returncode, ended.stdout) == (0, "packed ['lsp']\n")


def test_another_python_says_that_nothing_was_packed_for_it(tmp_path: Path) -> None:
    ended = _packed(tmp_path, "any", "cp399")
    assert ended.returncode == 1
    assert "no devfix for Python {}.{}".format(*sys.version_info[:2]) in ended.stderr
