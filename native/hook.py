"""Hook: a build of devfix in which the modules that take the most time are compiled, where ``HATCH_BUILD_HOOKS_ENABLE`` asks for it."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).parent))

import staging  # it lies beside this file, which is loaded by its path


class CompiledModules(BuildHookInterface[Any]):
    """Puts extensions beside the sources."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build them, and name them to the builder. Raises CalledProcessError where that fails."""
        if version == "editable":
            return
        self._folder = Path(tempfile.mkdtemp())
        staging.stage(Path(self.root), self._folder)
        built = [sys.executable, str(Path(__file__).with_name("building.py"))]
        subprocess.run(built, cwd=self._folder, check=True)
        for path in [*self._folder.glob("*.*"), *(self._folder / "devfix").rglob("*.*")]:
            if path.suffix in (".so", ".pyd") or path == self._folder / staging.DECLARED:
                build_data["force_include"][str(path)] = path.relative_to(self._folder).as_posix()
        build_data["pure_python"], build_data["infer_tag"] = False, True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002 - of the interface
        """Leave nothing behind."""
        if version != "editable":
            shutil.rmtree(self._folder)
