"""Whether a wheel holds all of the packages and nothing else, and a source distribution what it is built and tested with."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

#: Folders of the repository, and the name in the wheel.
PACKAGES = {"devfix/": "devfix/", "codemods/devfix_codemods/": "devfix_codemods/"}
#: What is no part of a source distribution: other programs' builds, and how this project checks itself.
LEFT_OUT = (".ci/", ".github/", "editors/")
#: Of that, the pages of the documentation and their pictures are one nevertheless.
PAGES = (".md", ".png")


def tracked() -> list[str]:
    """The files of the repository."""
    listed = subprocess.run(["git", "ls-files", "-z"], capture_output=True, text=True, check=True)  # noqa: S607
    return [name for name in listed.stdout.split("\0") if name]


def expected_in_wheel(files: list[str]) -> set[str]:
    """The files of the packages, as they are called in a wheel."""
    return {
        there + name.removeprefix(here)
        for name in files
        for here, there in PACKAGES.items()
        if name.startswith(here)
    }


def main(wheel: Path, sdist: Path) -> int:
    """Print what is missing or too much; 1 when there is any."""
    files = tracked()
    with zipfile.ZipFile(wheel) as archive:
        in_wheel = {name for name in archive.namelist() if ".dist-info/" not in name}
    with tarfile.open(sdist) as archive:
        in_sdist = {name.partition("/")[2] for name in archive.getnames() if name.partition("/")[2]}
    in_sdist -= {"PKG-INFO"}
    wanted = {name for name in files if not name.startswith(LEFT_OUT) or name.endswith(PAGES)}
    wrong = {
        "missing in the wheel": expected_in_wheel(files) - in_wheel,
        "too much in the wheel": in_wheel - expected_in_wheel(files),
        "missing in the source distribution": wanted - in_sdist,
        "too much in the source distribution": in_sdist - wanted,
    }
    for what, names in wrong.items():
        sys.stdout.writelines(f"{what}: {name}\n" for name in sorted(names))
    return int(any(wrong.values()))


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
