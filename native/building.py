"""Building: the extensions that mypyc makes of staged modules. Run in the folder where they are staged."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import staging
from mypyc.build import mypycify
from setuptools import setup
from setuptools.command.build_ext import build_ext

#: What is looked at beside the compiled modules need not be there, and was checked where it is.
_SETTINGS = """[mypy]
explicit_package_bases = True
ignore_missing_imports = True
[mypy-devfix.simulator.*]
ignore_errors = True
"""


class _SideBySide(build_ext):  # type: ignore[misc] # setuptools has no types
    """Compiles the files of an extension side by side."""

    def build_extensions(self) -> None:
        """Build them all."""
        compiler: Any = self.compiler
        each = compiler.compile

        def together(sources: list[str], **options: Any) -> list[str]:
            with ThreadPoolExecutor(os.cpu_count()) as pool:
                made = list(pool.map(lambda source: each([source], **options), sources))
            return [name for names in made for name in names]

        compiler.compile = together
        super().build_extensions()


def main() -> None:
    """Build into the folder."""
    Path("mypy.ini").write_text(_SETTINGS, "utf-8")
    extensions = mypycify(
        ["--config-file=mypy.ini", *staging.modules()],
        opt_level="2",
        debug_level="0",
        multi_file=True,
        group_name="devfix",
        target_dir="generated",
    )
    setup(
        name="devfix",
        packages=[],
        ext_modules=extensions,
        cmdclass={"build_ext": _SideBySide},
        script_args=["--quiet", "build_ext", "--inplace"],
    )


if __name__ == "__main__":
    main()
